// SPDX-License-Identifier: Apache-2.0
// Where the values of a plan live. Today every value that owns storage gets a buffer of its own;
// reuse by lifetime belongs here and nowhere else.
#ifndef ACLGRAD_FRAMEWORK_SESSION_MEMORY_H_
#define ACLGRAD_FRAMEWORK_SESSION_MEMORY_H_

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/handles.h"

namespace aclgrad::detail {

class Memory {
 public:
  /// Gives storage to everything that the nodes make, and uploads the constants among them.
  Memory(const Graph& graph, const std::vector<NodeId>& nodes);

  /// The value as operators see it. The object is the same for every use of the value.
  aclTensor* tensor(const Value& value);

  /// Overwrites the storage of an input.
  void upload(const Value& input, const Tensor& tensor);

  /// A dense host copy of a value, through its strides.
  Tensor download(const Value& value) const;

  std::size_t bytes() const { return bytes_; }

 private:
  void* address(const Value& root) const;

  std::unordered_map<ValueId, DeviceBuffer> buffers_;  // by root
  std::unordered_map<ValueId, TensorHandle> tensors_;
  std::size_t bytes_ = 0;
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_MEMORY_H_
