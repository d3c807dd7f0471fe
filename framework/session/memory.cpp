// SPDX-License-Identifier: Apache-2.0
#include "session/memory.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "aclgrad/error.h"
#include "aclgrad/runtime.h"
#include "graph/describe.h"

namespace aclgrad::detail {
namespace {

// Copies the elements of a view, of which `first` is the first, in row-major order.
void gather(const ValueRecord& view, const std::byte* first, std::byte* out) {
  const std::size_t element = size_of(view.layout->spec.dtype);
  const std::vector<std::int64_t>& dims = view.layout->spec.shape.dims();
  const std::vector<std::int64_t>& strides = view.layout->strides;
  std::vector<std::int64_t> index(dims.size(), 0);
  std::int64_t position = 0;
  for (std::int64_t left = view.layout->spec.shape.numel(); left > 0; --left) {
    std::memcpy(out, first + static_cast<std::size_t>(position) * element, element);
    out += element;
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      position += strides[axis];
      if (++index[axis] < dims[axis]) break;
      position -= strides[axis] * dims[axis];
      index[axis] = 0;
    }
  }
}

// Elements from the first of a view to its last.
std::int64_t span_of(const Layout& layout) {
  const Dims& dims = layout.spec.shape.dims();
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    last += (dims[axis] - 1) * layout.strides[axis];
  }
  return last + 1;
}

// "12.5 GiB for the values of a session, the largest of them `h` float32 [4096, 65536] of node 3
// ...". Of an arena that holds something.
std::string purpose_of_arena(const Program& program) {
  const GraphData& graph = *program.graph;
  ValueId largest = -1;
  for_each_root(program, [&](ValueId root, std::int32_t) {
    const auto bytes = [&](ValueId value) { return graph.value(value).layout->bytes(); };
    if (largest < 0 || bytes(root) > bytes(largest)) largest = root;
  });
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  return fmt::format("{:.3f} GiB for the values of a session, the largest of them {} {} of {}",
                     static_cast<double>(program.arena.bytes) / kGiB, graph.description(largest),
                     describe_spec(graph.value(largest).layout->spec),
                     label(graph.node(graph.value(largest).node)));
}

DeviceBuffer make_arena(const Program& program) {
  constexpr int kNoMemory = 207001;
  try {
    return DeviceBuffer(program.arena.bytes);
  } catch (const StatusError& error) {
    if (error.status() != kNoMemory || program.arena.bytes == 0) throw;
    // Described only now, since that is work in proportion to the graph.
    return DeviceBuffer(program.arena.bytes, purpose_of_arena(program));
  }
}

}  // namespace

Memory::Memory(const Program& program)
    : program_(program), arena_(make_arena(program)), tensors_(program.graph->values.size()) {
  for (const ValueId constant : program.constants) {
    const Node& node = program.graph->node(program.graph->value(constant).node);
    upload(constant, static_cast<const ConstantOp&>(*node.op).tensor);
  }
}

std::byte* Memory::address(ValueId value) const {
  if (program_.in_arena(value)) {
    return static_cast<std::byte*>(arena_.data()) + program_.block_of(value).offset;
  }
  const Variable& variable = program_.variables[program_.variable_of(value)].variable;
  return static_cast<std::byte*>(variable.address());
}

std::byte* Memory::first_element(ValueId value) const {
  const ValueRecord& record = program_.graph->value(value);
  return address(value) +
         static_cast<std::size_t>(record.offset) * size_of(record.layout->spec.dtype);
}

aclTensor* Memory::tensor(ValueId value) {
  TensorHandle& handle = tensors_[at(value)];
  if (handle.get() == nullptr) {
    const ValueRecord& record = program_.graph->value(value);
    const TensorSpec& spec = record.layout->spec;
    handle = TensorHandle(spec.shape, spec.dtype, record.layout->strides, record.offset,
                          program_.graph->value(record.root).layout->spec.shape, address(value));
  }
  return handle.get();
}

void Memory::upload(ValueId input, const Tensor& tensor) {
  if (tensor.nbytes() == 0) return;
  check_status(aclrtMemcpy(address(input), tensor.nbytes(), tensor.bytes(), tensor.nbytes(),
                           ACL_MEMCPY_HOST_TO_DEVICE),
               "aclrtMemcpy");
}

Tensor Memory::download(ValueId value) const {
  const ValueRecord& record = program_.graph->value(value);
  const TensorSpec& spec = record.layout->spec;
  Tensor result = Tensor::zeros(spec.shape, spec.dtype);
  const bool dense = record.layout->contiguous;
  Tensor span = dense ? Tensor() : Tensor::zeros({span_of(*record.layout)}, spec.dtype);
  Tensor& copied = dense ? result : span;
  ensure_runtime();
  check_status(aclrtMemcpy(copied.bytes(), copied.nbytes(), first_element(value), copied.nbytes(),
                           ACL_MEMCPY_DEVICE_TO_HOST),
               "aclrtMemcpy");
  if (!dense) gather(record, span.bytes(), result.bytes());
  return result;
}

std::vector<Tensor> Memory::download(std::span<const ValueId> values) const {
  std::vector<Tensor> tensors;
  for (const ValueId value : values) tensors.push_back(download(value));
  return tensors;
}

void Memory::poison(const ArenaBlock& block) { detail::poison(arena_, block.offset, block.bytes); }

void poison(const DeviceBuffer& buffer, std::size_t offset, std::size_t bytes) {
  constexpr std::int32_t kAllOnes = 0xFF;
  if (bytes == 0) return;
  ensure_runtime();
  check_status(aclrtMemset(static_cast<std::byte*>(buffer.data()) + offset, bytes, kAllOnes, bytes),
               "aclrtMemset");
}

}  // namespace aclgrad::detail
