// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/elementwise.h"

#include <array>
#include <new>

#include "ops/kernels/formats.h"
#include "ops/kernels/walk.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time. Operations below this size stay on the calling thread.
constexpr int64_t kGrain = 32 * static_cast<int64_t>(kBlock);

// The widest stored element, a COMPLEX128.
constexpr size_t kWidestElement = 16;

template <class T>
struct alignas(64) Block {
  T values[kBlock] = {};
};

// A thread's blocks. They live as long as the thread: nothing is allocated in the steady state.
template <class T>
std::vector<Block<T>>& scratch_blocks(size_t count) {
  thread_local std::vector<Block<T>> blocks;
  if (blocks.size() < count) blocks.resize(count);
  return blocks;
}

// An operand with the address that this run gave it.
struct Place {
  const Operand& operand;
  std::byte* data;
  int64_t element_bytes;

  Place(const Operand& where, const Run& run)
      : operand(where),
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
void gather(const Place& place, const Dims& shape, int64_t begin, size_t count, T* block) {
  const Operand& operand = place.operand;
  T* next = block;
  visit_runs(shape, operand.strides, begin, static_cast<int64_t>(count),
             [&](int64_t offset, int64_t length) {
               load(place.data + offset * place.element_bytes, operand.dtype,
                    operand.strides[shape.size() - 1], next, static_cast<size_t>(length));
               next += length;
             });
  if (operand.round_first != operand.dtype) round_block(block, operand.round_first, count);
}

template <class T>
void scatter(const Place& place, const Dims& shape, int64_t begin, size_t count, T* block) {
  const Operand& operand = place.operand;
  if (operand.round_first != operand.dtype) round_block(block, operand.round_first, count);
  const T* next = block;
  visit_runs(shape, operand.strides, begin, static_cast<int64_t>(count),
             [&](int64_t offset, int64_t length) {
               store(next, place.data + offset * place.element_bytes, operand.dtype,
                     operand.strides[shape.size() - 1], static_cast<size_t>(length));
               next += length;
             });
}

std::vector<Place> places(const std::vector<Operand>& operands, const Run& run) {
  std::vector<Place> result;
  result.reserve(operands.size());
  for (const Operand& operand : operands) result.emplace_back(operand, run);
  return result;
}

void require_storable(aclDataType dtype) {
  if (element_size(dtype) == 0) {
    throw Refusal{kInvalidParameter, "No kernel handles tensors of type " + dtype_name(dtype)};
  }
}

}  // namespace

struct Elementwise::State {
  Dims shape;
  int64_t count;
  std::vector<Operand> outputs;
  std::vector<Operand> inputs;
  Kernel kernel;

  template <class T>
  void run_piece(const BlockKernel<T>& compute, const std::vector<Place>& targets,
                 const std::vector<Place>& sources, int64_t begin, int64_t end) const {
    std::vector<Block<T>>& blocks = scratch_blocks<T>(sources.size() + targets.size());
    std::vector<const T*> in(sources.size());
    std::vector<T*> out(targets.size());
    for (size_t k = 0; k < in.size(); ++k) in[k] = blocks[k].values;
    for (size_t k = 0; k < out.size(); ++k) out[k] = blocks[in.size() + k].values;
    for (int64_t first = begin; first < end; first += static_cast<int64_t>(kBlock)) {
      const size_t size = std::min(kBlock, static_cast<size_t>(end - first));
      for (size_t k = 0; k < sources.size(); ++k) {
        gather(sources[k], shape, first, size, blocks[k].values);
      }
      compute(in.data(), out.data(), size);
      // Every input of the block has been read by now, so an output may be one of them.
      for (size_t k = 0; k < targets.size(); ++k) scatter(targets[k], shape, first, size, out[k]);
    }
  }
};

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
  const auto state = std::make_shared<State>(State{shape, count_elements(shape), std::move(outputs),
                                                   std::move(inputs), std::move(kernel)});
  std::vector<Dims*> strides;
  for (std::vector<Operand>* operands : {&state->outputs, &state->inputs}) {
    for (Operand& each : *operands) {
      require_storable(each.dtype);
      require_storable(each.round_first);
      strides.push_back(&each.strides);
    }
  }
  collapse_dimensions(state->shape, strides);
  state_ = state;
}

aclError Elementwise::operator()(const Run& run) const {
  try {
    const std::vector<Place> targets = places(state_->outputs, run);
    const std::vector<Place> sources = places(state_->inputs, run);
    std::visit(
        [&](const auto& compute) {
          parallel_pieces(state_->count, kGrain, [&](int64_t begin, int64_t end) {
            state_->run_piece(compute, targets, sources, begin, end);
          });
        },
        state_->kernel);
    return ACL_SUCCESS;
  } catch (const std::bad_alloc&) {
    return ACL_ERROR_BAD_ALLOC;
  }
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
  return {std::move(body)};
}

}  // namespace aclgrad::ops
