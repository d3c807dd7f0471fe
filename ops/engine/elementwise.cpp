// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/elementwise.h"

#include <algorithm>
#include <complex>
#include <memory>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/native_loop.h"
#include "ops/engine/thread_scratch.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time. Operations below this size stay on the calling thread.
constexpr int64_t kGrain = 32 * static_cast<int64_t>(kBlock);

using Operands = std::vector<Operand>;

// All operands are of one dtype with a native kernel, but for a condition.
bool suits_native_kernels(const Operands& outputs, const Operands& inputs,
                          std::optional<size_t> condition) {
  const aclDataType dtype = outputs[0].dtype;
  const auto suits = [&](const Operand& each) {
    if (condition && &each == &inputs[*condition]) {
      return each.dtype == ACL_BOOL || each.dtype == ACL_UINT8;
    }
    return each.dtype == dtype && each.intermediate_dtype == dtype;
  };
  return has_native_kernel(dtype) && outputs.size() + inputs.size() <= NativeLoop::kMaxOperands &&
         std::all_of(outputs.begin(), outputs.end(), suits) &&
         std::all_of(inputs.begin(), inputs.end(), suits);
}

void require_storable(aclDataType dtype) {
  if (element_size(dtype) == 0) {
    throw PlanError{kInvalidParameter, "No kernel handles tensors of type " + dtype_name(dtype)};
  }
}

// An operand in its own order, whose dimensions are joined by its own layout.
struct BlockOperand : Elements {
  aclDataType intermediate_dtype;

  BlockOperand(const Operand& operand, const Dims& shape)
      : intermediate_dtype(operand.intermediate_dtype) {
    parameter = operand.parameter;
    dtype = operand.dtype;
    index = {shape, operand.strides};
    offset = operand.offset;
  }

  // Replaces the values of a block by what they are once rounded to the intermediate dtype.
  template <class T>
  void round(T* block, size_t count) const {
    if (intermediate_dtype == dtype) return;
    alignas(64) std::byte rounded[kBlock * sizeof(std::complex<double>)];
    store(block, rounded, intermediate_dtype, 1, count);
    load(rounded, intermediate_dtype, 1, block, count);
  }
};

// A thread's blocks, inputs first, and where they are.
template <class T>
struct Blocks {
  struct alignas(64) Block {
    T values[kBlock] = {};
  };
  std::vector<Block> blocks;
  std::vector<const T*> in;
  std::vector<T*> out;

  void resize(size_t inputs, size_t outputs) {
    if (blocks.size() < inputs + outputs) blocks.resize(inputs + outputs);
    in.resize(inputs);
    out.resize(outputs);
    for (size_t k = 0; k < inputs; ++k) in[k] = blocks[k].values;
    for (size_t k = 0; k < outputs; ++k) out[k] = blocks[inputs + k].values;
  }
};

// Block by block in a compute type.
template <class T>
class BlockLoop {
 public:
  BlockLoop(const Dims& shape, const Operands& outputs, const Operands& inputs,
            BlockKernel<T> kernel)
      : count_(count_elements(shape)), kernel_(std::move(kernel)) {
    for (const Operand& each : outputs) outputs_.emplace_back(each, shape);
    for (const Operand& each : inputs) inputs_.emplace_back(each, shape);
  }

  void run(const Run& run) const {
    parallel_pieces(count_, kGrain, [&](int64_t begin, int64_t end) {
      const ThreadScratch<Blocks<T>> scratch;
      scratch->resize(inputs_.size(), outputs_.size());
      for_blocks(begin, end, [&](int64_t first, int64_t stop) {
        const auto count = static_cast<size_t>(stop - first);
        for (size_t k = 0; k < inputs_.size(); ++k) {
          T* const block = scratch->blocks[k].values;
          inputs_[k].read(run, first, stop, block);
          inputs_[k].round(block, count);
        }
        kernel_(scratch->in.data(), scratch->out.data(), count);
        // Every input of the block has been read by now, so an output may be one of them.
        for (size_t k = 0; k < outputs_.size(); ++k) {
          outputs_[k].round(scratch->out[k], count);
          outputs_[k].write(run, scratch->out[k], first, stop);
        }
      });
    });
  }

 private:
  int64_t count_;
  std::vector<BlockOperand> outputs_, inputs_;
  BlockKernel<T> kernel_;
};

template <class Loop>
Body body_of(std::shared_ptr<const Loop> loop) {
  return [loop = std::move(loop)](const Run& run) -> aclError {
    loop->run(run);
    return ACL_SUCCESS;
  };
}

// The plan for a kind of kernel.
struct PlanMaker {
  Dims shape;
  Operands& outputs;
  Operands& inputs;

  template <class T>
  Plan operator()(BlockKernel<T>& kernel) const {
    return {
        body_of(std::make_shared<const BlockLoop<T>>(shape, outputs, inputs, std::move(kernel)))};
  }
  Plan operator()(FloatKernel& kernel) {
    // A kernel whose parameters are beyond its formula in float has only the exact one.
    if (!kernel.native || !suits_native_kernels(outputs, inputs, kernel.condition)) {
      return (*this)(kernel.exact);
    }
    std::vector<Dims*> strides;
    for (Operands* operands : {&outputs, &inputs}) {
      for (Operand& each : *operands) strides.push_back(&each.strides);
    }
    collapse_dimensions(shape, strides);
    auto loop =
        std::make_shared<const NativeLoop>(shape, outputs, inputs, std::move(kernel.native));
    const Tiling* const tiling = loop->tiling();
    return {body_of(loop), 0, std::shared_ptr<const Tiling>(loop, tiling)};
  }
};

}  // namespace

Operand operand(const Arguments& arguments, size_t parameter, const Dims& shape) {
  const aclDataType dtype = arguments.dtype(parameter);
  return {parameter, dtype,
          broadcast_strides(arguments.shape(parameter), arguments.strides(parameter), shape), 0,
          dtype};
}

Elementwise::Elementwise(const Dims& shape, std::vector<Operand> outputs,
                         std::vector<Operand> inputs, Kernel kernel) {
  for (const std::vector<Operand>* operands : {&outputs, &inputs}) {
    for (const Operand& each : *operands) {
      require_storable(each.dtype);
      require_storable(each.intermediate_dtype);
    }
  }
  plan_ = std::visit(PlanMaker{shape, outputs, inputs}, kernel);
}

aclError Elementwise::operator()(const Run& run) const { return plan_.body(run); }

Plan elementwise(const Arguments& arguments, std::initializer_list<size_t> outputs,
                 std::initializer_list<size_t> inputs, Kernel kernel) {
  const Dims& shape = arguments.shape(*outputs.begin());
  std::vector<Operand> targets;
  std::vector<Operand> sources;
  for (size_t parameter : outputs) targets.push_back(operand(arguments, parameter, shape));
  for (size_t parameter : inputs) sources.push_back(operand(arguments, parameter, shape));
  Elementwise body(shape, std::move(targets), std::move(sources), std::move(kernel));
  if (count_elements(shape) == 0) return {};
  return std::move(body).plan();
}

}  // namespace aclgrad::ops
