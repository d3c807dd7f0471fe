// SPDX-License-Identifier: Apache-2.0
// How a loss adds up: the totals over the examples of which it is made, as its nodes show, from the
// loss backwards. A node is one over examples where it reads values that are as large as the batch
// and its result is not.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "aclgrad/error.h"
#include "train/recorded_loss.h"

namespace aclgrad::detail {

/// How the totals of parts make that of the whole batch.
enum class Total : std::uint8_t {
  fixed,     // the same for each: depends on no example
  sum,       // their sum
  mean,      // their mean, weighted by the number of examples
  weighted,  // over targets that count: the sum of the losses by that of the weights
  made,      // a function of totals
};

/// A value of a loss that was recorded for a whole batch, and the same of a part.
struct InBoth {
  Value whole, part;
};

/// What stands in the way, "node 7 `amax` (x.cpp:3) is no sum or mean over the examples".
class NoTotal : public ValueError {
 public:
  using ValueError::ValueError;
};

class LossTotals {
 public:
  /// Refers to the recordings of both.
  LossTotals(const RecordedLoss& whole, const Value& part, std::int64_t part_examples);

  /// The loss, or the sum of one that tells its weight.
  const InBoth& loss() const { return loss_; }

  /// Throws NoTotal for what the totals of parts do not make.
  Total kind_of(const InBoth& value) const;

  /// Those of the node, without copies that only one of both needed.
  std::vector<InBoth> inputs_of(const InBoth& value) const;

  /// By how much numbers that it is multiplied with on its way from the examples, 1 / n say, are
  /// larger for the whole batch than for the part.
  double ratio_of_numbers(const InBoth& value) const;

  /// Whether a value of the whole batch depends on its examples.
  bool depends_on_batch(const Value& whole) const {
    return of_batch_[static_cast<std::size_t>(whole.id())];
  }

  /// Whether a value of the whole batch is the same again, since nothing behind it is drawn or
  /// counted.
  bool is_repeatable(const Value& whole) const {
    return !counted_[static_cast<std::size_t>(whole.id())];
  }

 private:
  InBoth without_copies(InBoth value) const;
  void require_same_share(const InBoth& reduced, const InBoth& result) const;

  const RecordedLoss& whole_;
  std::int64_t part_examples_;
  std::vector<bool> of_batch_, counted_;  // by the whole batch's values
  InBoth loss_;
};

/// The sum over the targets, and the sum of their weights, of the node of a mean over those that
/// count. 16 bits do not hold such sums.
struct SumAndWeight {
  Value sum, weight;
};
SumAndWeight sum_and_weight(const Node& node, const Value& scores, const Value& target,
                            const Value& weight);

/// One input, of which the result is a linear function.
bool is_linear(const Node& node);

/// Records the same work on other inputs of the same shapes.
Value record_again(const Value& result, const Graph& graph, const std::vector<Value>& inputs);

/// Records a value that depends on no example, with all that it is made of. It holds the numbers
/// of its own batch, whatever the extent of that of the graph. What is in `made` is there already.
Value record_again(const Value& result, const Graph& graph, std::map<ValueId, Value>& made);

/// Whether a run of it leaves something behind, a count say.
bool updates(const Node& node);

}  // namespace aclgrad::detail
