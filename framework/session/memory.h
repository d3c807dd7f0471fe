// SPDX-License-Identifier: Apache-2.0
// Where the values of a plan live: one arena for all that the plan makes, reads or is fed, and the
// variables' own memory.
#ifndef ACLGRAD_FRAMEWORK_SESSION_MEMORY_H_
#define ACLGRAD_FRAMEWORK_SESSION_MEMORY_H_

#include <cstddef>
#include <span>
#include <vector>

#include "aclgrad/handles.h"
#include "graph/graph_data.h"
#include "session/arena.h"
#include "session/lifetimes.h"

namespace aclgrad::detail {

class Memory {
 public:
  /// Gives storage to everything that the nodes make, and uploads the constants among them.
  /// Arguments as of find_lifetimes. The graph must outlive the object, and may grow.
  Memory(const GraphData& graph, const std::vector<NodeId>& nodes, const std::vector<ValueId>& kept,
         const std::vector<std::int32_t>& over, bool reuse);

  /// The value as operators see it. The object is the same for every use of the value.
  aclTensor* tensor(ValueId value);

  /// The objects that tensor() has made, by value; null for those that nobody asked for.
  const std::vector<TensorHandle>& tensors() const { return tensors_; }

  /// Overwrites the storage of an input.
  void upload(ValueId input, const Tensor& tensor);

  /// A dense host copy of a value, through its strides.
  Tensor download(ValueId value) const;

  /// Base address of the storage of a root.
  void* address(ValueId root) const;

  /// Where the first element of a value lies.
  void* first_element(ValueId value) const;

  /// Fills a block's memory with bytes that are NaN in every floating type.
  void poison(std::size_t block);

  std::size_t bytes() const { return arena_.bytes(); }
  bool is_alive() const noexcept { return arena_.is_alive(); }
  const Lifetimes& lifetimes() const { return lifetimes_; }
  const ArenaLayout& layout() const { return layout_; }

 private:
  const GraphData& graph_;
  Lifetimes lifetimes_;
  ArenaLayout layout_;
  DeviceBuffer arena_;
  std::vector<TensorHandle> tensors_;  // by value
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_MEMORY_H_
