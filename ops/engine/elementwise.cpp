// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/elementwise.h"

#include <array>
#include <new>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/native.h"
#include "ops/engine/thread_scratch.h"
#include "ops/engine/walk.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time. Operations below this size stay on the calling thread.
constexpr int64_t kGrain = 32 * static_cast<int64_t>(kBlock);

// The widest element, a COMPLEX128.
constexpr size_t kWidestElement = 16;

template <class T>
struct alignas(64) Block {
  T values[kBlock] = {};
};

// A thread's blocks, inputs first, and where they are.
template <class T>
struct Scratch {
  std::vector<Block<T>> blocks;
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

// An operand with the address that this run gave it.
struct BoundOperand {
  const Operand* operand;
  std::byte* data;
  int64_t element_bytes;

  BoundOperand(const Operand& where, const Run& run)
      : operand(&where),
        data(run.data<std::byte>(where.parameter)),
        element_bytes(static_cast<int64_t>(element_size(where.dtype))) {
    data += where.offset * element_bytes;
  }
};

// Replaces the values of a block by what they are once rounded to `dtype`.
template <class T>
void round_block(T* block, aclDataType dtype, size_t count) {
  alignas(64) std::array<std::byte, kBlock * kWidestElement> rounded;
  store(block, rounded.data(), dtype, 1, count);
  load(rounded.data(), dtype, 1, block, count);
}

template <class T>
void gather(const BoundOperand& place, const Dims& shape, int64_t begin, size_t count, T* block) {
  const Operand& operand = *place.operand;
  T* next = block;
  visit_runs(shape, operand.strides, begin, static_cast<int64_t>(count),
             [&](int64_t offset, int64_t length) {
               load(place.data + offset * place.element_bytes, operand.dtype,
                    operand.strides[shape.size() - 1], next, static_cast<size_t>(length));
               next += length;
             });
  if (operand.intermediate_dtype != operand.dtype)
    round_block(block, operand.intermediate_dtype, count);
}

template <class T>
void scatter(const BoundOperand& place, const Dims& shape, int64_t begin, size_t count, T* block) {
  const Operand& operand = *place.operand;
  if (operand.intermediate_dtype != operand.dtype)
    round_block(block, operand.intermediate_dtype, count);
  const T* next = block;
  visit_runs(shape, operand.strides, begin, static_cast<int64_t>(count),
             [&](int64_t offset, int64_t length) {
               store(next, place.data + offset * place.element_bytes, operand.dtype,
                     operand.strides[shape.size() - 1], static_cast<size_t>(length));
               next += length;
             });
}

struct BoundOperands {
  std::vector<BoundOperand> targets;
  std::vector<BoundOperand> sources;
};

void set_places(const std::vector<Operand>& operands, const Run& run,
                std::vector<BoundOperand>& places) {
  places.clear();
  for (const Operand& operand : operands) places.emplace_back(operand, run);
}

// All operands are of one dtype with a native kernel, and not too many.
bool suits_native_kernels(const std::vector<Operand>& outputs, const std::vector<Operand>& inputs) {
  const aclDataType dtype = outputs[0].dtype;
  const auto suits = [&](const Operand& each) {
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

// Block by block in a compute type.
template <class T>
class BlockLoop final : public Loop {
 public:
  BlockLoop(Dims shape, std::vector<Operand> outputs, std::vector<Operand> inputs,
            BlockKernel<T> kernel)
      : shape_(shape),
        count_(count_elements(shape)),
        outputs_(std::move(outputs)),
        inputs_(std::move(inputs)),
        kernel_(std::move(kernel)) {}

  void run(const Run& run) const override {
    const ThreadScratch<BoundOperands> places;
    set_places(outputs_, run, places->targets);
    set_places(inputs_, run, places->sources);
    parallel_pieces(count_, kGrain,
                    [&](int64_t begin, int64_t end) { run_piece(*places, begin, end); });
  }

 private:
  void run_piece(const BoundOperands& places, int64_t begin, int64_t end) const {
    const auto& [targets, sources] = places;
    const ThreadScratch<Scratch<T>> scratch;
    scratch->resize(sources.size(), targets.size());
    for (int64_t first = begin; first < end; first += static_cast<int64_t>(kBlock)) {
      const size_t size = std::min(kBlock, static_cast<size_t>(end - first));
      for (size_t k = 0; k < sources.size(); ++k) {
        gather(sources[k], shape_, first, size, scratch->blocks[k].values);
      }
      kernel_(scratch->in.data(), scratch->out.data(), size);
      // Every input of the block has been read by now, so an output may be one of them.
      for (size_t k = 0; k < targets.size(); ++k)
        scatter(targets[k], shape_, first, size, scratch->out[k]);
    }
  }

  Dims shape_;
  int64_t count_;
  std::vector<Operand> outputs_;
  std::vector<Operand> inputs_;
  BlockKernel<T> kernel_;
};

// The loop for a kind of kernel.
struct LoopMaker {
  const Dims& shape;
  std::vector<Operand>& outputs;
  std::vector<Operand>& inputs;

  template <class T>
  std::shared_ptr<const Loop> operator()(BlockKernel<T>& kernel) const {
    return std::make_shared<BlockLoop<T>>(shape, std::move(outputs), std::move(inputs),
                                          std::move(kernel));
  }
  std::shared_ptr<const Loop> operator()(FloatKernel& kernel) const {
    if (!suits_native_kernels(outputs, inputs)) return (*this)(kernel.exact);
    return std::make_shared<NativeLoop>(shape, outputs, inputs, std::move(kernel.native));
  }
};

}  // namespace

Operand operand(const Arguments& arguments, size_t parameter, const Dims& shape) {
  const Dims& own_shape = arguments.shape(parameter);
  const Dims& own_strides = arguments.strides(parameter);
  Dims strides = Dims::filled(shape.size(), 0);
  const size_t missing = shape.size() - own_shape.size();
  for (size_t d = 0; d < own_shape.size(); ++d) {
    if (own_shape[d] != 1) strides[missing + d] = own_strides[d];
  }
  const aclDataType dtype = arguments.dtype(parameter);
  return {parameter, dtype, strides, 0, dtype};
}

Elementwise::Elementwise(const Dims& shape, std::vector<Operand> outputs,
                         std::vector<Operand> inputs, Kernel kernel) {
  Dims collapsed = shape;
  std::vector<Dims*> strides;
  for (std::vector<Operand>* operands : {&outputs, &inputs}) {
    for (Operand& each : *operands) {
      require_storable(each.dtype);
      require_storable(each.intermediate_dtype);
      strides.push_back(&each.strides);
    }
  }
  collapse_dimensions(collapsed, strides);
  loop_ = std::visit(LoopMaker{collapsed, outputs, inputs}, kernel);
}

aclError Elementwise::operator()(const Run& run) const {
  try {
    loop_->run(run);
    return ACL_SUCCESS;
  } catch (const std::bad_alloc&) {
    return ACL_ERROR_BAD_ALLOC;
  }
}

Plan Elementwise::plan() const {
  return {*this, 0, std::shared_ptr<const Tiling>(loop_, loop_->tiling())};
}

Plan elementwise(const Arguments& arguments, std::initializer_list<size_t> outputs,
                 std::initializer_list<size_t> inputs, Kernel kernel) {
  const Dims& shape = arguments.shape(*outputs.begin());
  std::vector<Operand> targets;
  std::vector<Operand> sources;
  for (size_t parameter : outputs) targets.push_back(operand(arguments, parameter, shape));
  for (size_t parameter : inputs) sources.push_back(operand(arguments, parameter, shape));
  Elementwise body(shape, std::move(targets), std::move(sources), std::move(kernel));
  if (count_elements(shape) == 0) return {};
  return body.plan();
}

}  // namespace aclgrad::ops
