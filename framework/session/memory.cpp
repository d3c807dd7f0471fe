// SPDX-License-Identifier: Apache-2.0
#include "session/memory.h"

#include <cstring>

#include "aclgrad/runtime.h"

namespace aclgrad::detail {
namespace {

std::size_t byte_size(const Value& value) {
  return static_cast<std::size_t>(value.shape().numel()) * size_of(value.dtype());
}

// Copies the elements that a view selects from its storage, in row-major order of the view.
void gather(const Value& view, const std::byte* storage, std::byte* out) {
  const std::size_t element = size_of(view.dtype());
  const std::vector<std::int64_t>& dims = view.shape().dims();
  const std::vector<std::int64_t>& strides = view.strides();
  std::vector<std::int64_t> index(dims.size(), 0);
  std::int64_t position = view.offset();
  for (std::int64_t left = view.shape().numel(); left > 0; --left) {
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

}  // namespace

Memory::Memory(const Graph& graph, const std::vector<NodeId>& nodes) {
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    if (dynamic_cast<const VariableOp*>(node.op.get()) != nullptr) continue;  // has its own memory
    for (const Value& output : graph.values(node.outputs)) {
      if (!(output.root() == output)) continue;
      const auto buffer = buffers_.emplace(output.id(), DeviceBuffer(byte_size(output))).first;
      bytes_ += buffer->second.bytes();
      if (const auto* constant = dynamic_cast<const ConstantOp*>(node.op.get())) {
        buffer->second.upload(constant->tensor.bytes(), constant->tensor.nbytes());
      }
    }
  }
}

void* Memory::address(const Value& root) const {
  const auto buffer = buffers_.find(root.id());
  return buffer != buffers_.end() ? buffer->second.data() : root.variable()->address();
}

aclTensor* Memory::tensor(const Value& value) {
  const auto known = tensors_.find(value.id());
  if (known != tensors_.end()) return known->second.get();
  const Value root = value.root();
  return tensors_
      .emplace(value.id(), TensorHandle(value.shape(), value.dtype(), value.strides(),
                                        value.offset(), root.shape(), address(root)))
      .first->second.get();
}

void Memory::upload(const Value& input, const Tensor& tensor) {
  buffers_.at(input.id()).upload(tensor.bytes(), tensor.nbytes());
}

Tensor Memory::download(const Value& value) const {
  const Value root = value.root();
  const bool whole = value.is_contiguous() && value.shape().numel() == root.shape().numel();
  Tensor storage = Tensor::zeros(whole ? value.shape() : root.shape(), value.dtype());
  ensure_runtime();
  check_status(aclrtMemcpy(storage.bytes(), storage.nbytes(), address(root), storage.nbytes(),
                           ACL_MEMCPY_DEVICE_TO_HOST),
               "aclrtMemcpy");
  if (whole) return storage;
  Tensor result = Tensor::zeros(value.shape(), value.dtype());
  gather(value, storage.bytes(), result.bytes());
  return result;
}

}  // namespace aclgrad::detail
