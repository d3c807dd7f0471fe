// SPDX-License-Identifier: Apache-2.0
// How the values that a loss depends on come from the examples of a batch: which hold something of
// each example, and which something of all of them together. It is found out by comparing what the
// loss records for two batches of different size: an extent that grows with the batch is that of
// the examples.
#ifndef ACLGRAD_AUTOGRAD_TRAIN_BATCH_ROLES_H_
#define ACLGRAD_AUTOGRAD_TRAIN_BATCH_ROLES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/loss_function.h"

namespace aclgrad::detail {

/// What a loss function recorded for a batch.
struct RecordedLoss {
  Graph graph;
  BatchValues batch = {};
  Value loss = {};
  std::int64_t examples = 0;
};

/// The parts of a batch, by name, at least one.
using BatchSpecs = std::map<std::string, TensorSpec>;
BatchSpecs specs_of(const BatchValues& batch);
std::int64_t examples_in(const BatchSpecs& specs);

/// The same parts for another number of examples.
BatchSpecs with_examples(BatchSpecs specs, std::int64_t examples);

/// Inputs of a graph that hold a batch, called after its parts.
BatchValues batch_inputs(const Graph& graph, const BatchSpecs& specs);

using LossRecorder = std::function<Value(const BatchValues& batch)>;
RecordedLoss record_loss(Mode mode, const LossRecorder& loss, const BatchSpecs& specs);

struct Role {
  enum class Kind : std::uint8_t {
    fixed,     // does not depend on the batch
    examples,  // something of each example
    total,     // something of all examples together
  };
  /// How the totals of parts of a batch make that of the whole.
  enum class Combination : std::uint8_t {
    sum,       // their sum
    mean,      // their mean, weighted by the number of examples
    ratio,     // a mean over targets that count: the ratio of two sums
    combined,  // made of such totals by sums and multiples
    none,      // in no such way
  };

  Kind kind = Kind::fixed;

  /// Does not depend on what is trained or updated: known before the batch is trained on.
  bool known = true;

  /// Of examples: the axis along which they lie, and how many of them come after one another there
  /// before the next element of the first one: [n, t] laid out as [n t] has 1, [t, n] as [t n] has
  /// t. 0 where all are alike, kNoAxis for bits of a mask.
  std::size_t axis = 0;
  std::int64_t blocks = 1;

  /// The power of the number of examples that it is multiplied by: -1 after a division by it.
  int power = 0;

  Combination combination = Combination::none;

  /// Why the batch cannot be split here, "node 7 `softmax` (x.cpp:3) goes along the examples"; ""
  /// where it can.
  std::string obstacle = {};
};

inline constexpr auto kNoAxis = static_cast<std::size_t>(-1);

class BatchRoles {
 public:
  /// How the extents of a value change with the size of the batch.
  enum class Growth : std::uint8_t { none, with_examples, other };

  /// Compares a loss with that of a batch of another size, and refers to both. Totals that depend
  /// on none of the variables `trained` count as constants where `knows_whole` says that those of
  /// the whole batch are there before its parts are worked on.
  BatchRoles(const RecordedLoss& part, const RecordedLoss& other,
             const std::vector<Variable>& trained, bool knows_whole);

  const Role& of(const Value& value) const { return roles_[index(value.id())]; }

  /// What stands in the other graph for a value that the loss depends on.
  Value in_other(const Value& value) const { return other_.graph.value(pairs_[index(value.id())]); }

  /// Whether it is the same for every part of a batch.
  bool is_constant(const Value& value) const;

  const RecordedLoss& part() const { return part_; }
  const RecordedLoss& other() const { return other_; }

  /// Whether what a and b broadcast to grows along one axis, as the batch does.
  bool broadcast_grows(const Value& a, const Value& b) const;

  /// The power of the number of examples by which two numbers differ: 0, 1 or -1. Nothing where
  /// they differ otherwise.
  std::optional<int> power_of_ratio(double here, double there) const;

 private:
  static std::size_t index(ValueId id) { return static_cast<std::size_t>(id); }
  bool pair_up();
  void classify(const Node& node);
  void classify_source(const Node& node);
  Growth growth(const Value& value, std::size_t* axis) const;
  bool grows_with_examples(const Shape& here, const Shape& there, std::size_t* axis) const;

  const RecordedLoss& part_;
  const RecordedLoss& other_;
  std::unordered_set<std::uintptr_t> trained_;  // by identity
  bool knows_whole_;
  std::vector<ValueId> pairs_;  // by the part's values; -1 for what the loss does not depend on
  std::vector<Role> roles_;
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_AUTOGRAD_TRAIN_BATCH_ROLES_H_
