// SPDX-License-Identifier: Apache-2.0
// Copies parts of a graph into another one.
#ifndef ACLGRAD_AUTOGRAD_TRAIN_NODE_COPIER_H_
#define ACLGRAD_AUTOGRAD_TRAIN_NODE_COPIER_H_

#include <unordered_map>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad::detail {

using ValueMap = std::unordered_map<ValueId, Value>;

/// Records the same work on another input: an operator that has one tensor to work on.
Value record_again(const Node& node, const Value& result, const Value& input);

class NodeCopier {
 public:
  /// Refers to all of them. `given` are values of `from` and what stands for them in `to`.
  /// `constants` are shared by the copies of one graph, so that their tensors are kept once.
  NodeCopier(const Graph& from, const Graph& to, ValueMap given, ValueMap& constants);

  /// Copies what the values depend on and was not copied yet, in the order of recording. Variables
  /// are the same in both graphs; an update counts on from the newest value.
  void copy(const std::vector<Value>& wanted);

  /// The copy of a value, which must have been made.
  const Value& operator[](const Value& original) const { return copies_.at(original.id()); }

 private:
  void copy(const Node& node);
  void define(const Value& original, const Value& copied);

  const Graph& from_;
  const Graph& to_;
  ValueMap copies_;
  ValueMap& constants_;
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_AUTOGRAD_TRAIN_NODE_COPIER_H_
