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

// Copies the elements that a view selects from its storage, in row-major order of the view.
void gather(const ValueRecord& view, const std::byte* storage, std::byte* out) {
  const std::size_t element = size_of(view.layout->spec.dtype);
  const std::vector<std::int64_t>& dims = view.layout->spec.shape.dims();
  const std::vector<std::int64_t>& strides = view.layout->strides;
  std::vector<std::int64_t> index(dims.size(), 0);
  std::int64_t position = view.offset;
  for (std::int64_t left = view.layout->spec.shape.numel(); left > 0; --left) {
    std::memcpy(out, storage + static_cast<std::size_t>(position) * element, element);
    out += element;
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      position += strides[axis];
      if (++index[axis] < dims[axis]) break;
      position -= strides[axis] * dims[axis];
      index[axis] = 0;
    }
  }
}

void copy_in(void* device, std::size_t room, const Tensor& tensor) {
  check_status(
      aclrtMemcpy(device, room, tensor.bytes(), tensor.nbytes(), ACL_MEMCPY_HOST_TO_DEVICE),
      "aclrtMemcpy");
}

// "12.5 GiB for the values of a session, the largest of them `h` float32 [4096, 65536] of node 3
// ...". Of an arena that holds something.
std::string purpose_of_arena(const GraphData& graph, const std::vector<NodeId>& nodes,
                             const Lifetimes& lifetimes, std::size_t bytes) {
  ValueId largest = -1;
  std::size_t most = 0;
  for (const NodeId id : nodes) {
    for (const ValueId output : graph.node(id).outputs) {
      const std::int32_t block = lifetimes.block_of[static_cast<std::size_t>(output)];
      if (block == kNoBlock || lifetimes.blocks[static_cast<std::size_t>(block)].bytes <= most) {
        continue;
      }
      largest = output;
      most = lifetimes.blocks[static_cast<std::size_t>(block)].bytes;
    }
  }
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  return fmt::format("{:.3f} GiB for the values of a session, the largest of them {} {} of {}",
                     static_cast<double>(bytes) / kGiB, graph.description(largest),
                     describe_spec(graph.value(largest).layout->spec),
                     label(graph.node(graph.value(largest).node)));
}

DeviceBuffer make_arena(const GraphData& graph, const std::vector<NodeId>& nodes,
                        const Lifetimes& lifetimes, std::size_t bytes) {
  constexpr int kNoMemory = 207001;
  try {
    return DeviceBuffer(bytes);
  } catch (const StatusError& error) {
    if (error.status() != kNoMemory || bytes == 0) throw;
    // Described only now, since that is work in proportion to the graph.
    return DeviceBuffer(bytes, purpose_of_arena(graph, nodes, lifetimes, bytes));
  }
}

}  // namespace

Memory::Memory(const GraphData& graph, const std::vector<NodeId>& nodes,
               const std::vector<ValueId>& kept, const std::vector<std::int32_t>& over, bool reuse)
    : graph_(graph),
      lifetimes_(find_lifetimes(graph, nodes, kept, over, reuse)),
      layout_(place_blocks(lifetimes_.blocks, lifetimes_.steps)),
      arena_(make_arena(graph, nodes, lifetimes_, layout_.bytes)),
      tensors_(graph.values.size()) {
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    if (as_call(node) != nullptr) continue;
    if (const auto* constant = dynamic_cast<const ConstantOp*>(node.op.get())) {
      upload(node.outputs.front(), constant->tensor);
    }
  }
}

void* Memory::address(ValueId root) const {
  const std::int32_t block = lifetimes_.block_of[static_cast<std::size_t>(root)];
  if (block == kNoBlock) return graph_.storage_variable(root)->address();
  return static_cast<std::byte*>(arena_.data()) + layout_.offsets[static_cast<std::size_t>(block)];
}

void* Memory::first_element(ValueId value) const {
  const ValueRecord& record = graph_.value(value);
  const auto bytes = static_cast<std::size_t>(record.offset) * size_of(record.layout->spec.dtype);
  return static_cast<std::byte*>(address(record.root)) + bytes;
}

aclTensor* Memory::tensor(ValueId value) {
  TensorHandle& handle = tensors_[static_cast<std::size_t>(value)];
  if (handle.get() == nullptr) {
    const ValueRecord& record = graph_.value(value);
    const ValueRecord& root = graph_.value(record.root);
    handle =
        TensorHandle(record.layout->spec.shape, record.layout->spec.dtype, record.layout->strides,
                     record.offset, root.layout->spec.shape, address(record.root));
  }
  return handle.get();
}

void Memory::upload(ValueId input, const Tensor& tensor) {
  if (tensor.nbytes() > 0) copy_in(address(input), tensor.nbytes(), tensor);
}

Tensor Memory::download(ValueId value) const {
  const ValueRecord& record = graph_.value(value);
  const TensorSpec& spec = record.layout->spec;
  const bool whole = graph_.is_whole(value);
  Tensor storage =
      Tensor::zeros(whole ? spec.shape : graph_.value(record.root).layout->spec.shape, spec.dtype);
  ensure_runtime();
  check_status(aclrtMemcpy(storage.bytes(), storage.nbytes(), address(record.root),
                           storage.nbytes(), ACL_MEMCPY_DEVICE_TO_HOST),
               "aclrtMemcpy");
  if (whole) return storage;
  Tensor result = Tensor::zeros(spec.shape, spec.dtype);
  gather(record, storage.bytes(), result.bytes());
  return result;
}

void Memory::poison(std::size_t block) {
  constexpr std::int32_t kAllOnes = 0xFF;
  const std::size_t bytes = lifetimes_.blocks[block].bytes;
  if (bytes == 0) return;
  ensure_runtime();
  check_status(aclrtMemset(static_cast<std::byte*>(arena_.data()) + layout_.offsets[block], bytes,
                           kAllOnes, bytes),
               "aclrtMemset");
}

}  // namespace aclgrad::detail
