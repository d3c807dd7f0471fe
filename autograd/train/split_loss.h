// SPDX-License-Identifier: Apache-2.0
// The loss of a batch, from parts of it. The mean over two parts' means is not the mean over the
// batch when the parts are unequal, when some targets do not count or classes have weights; and a
// sum is none at all. So the loss is taken apart: sums and means over examples, how they are
// combined, and what they are divided by.
//
//   loss of part p = sum over the part / count over the whole batch
//
// and all parts' losses, and gradients, add up to those of the batch. Counts and whatever else does
// not depend on what is trained are computed from the whole batch before its parts.
#ifndef ACLGRAD_AUTOGRAD_TRAIN_SPLIT_LOSS_H_
#define ACLGRAD_AUTOGRAD_TRAIN_SPLIT_LOSS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/graph.h"
#include "aclgrad/session.h"
#include "train/batch_roles.h"
#include "train/node_copier.h"

namespace aclgrad::detail {

/// For training: a batch whose parts are recorded into one graph.
class SplitLoss {
 public:
  /// The whole batch are inputs of the graph, which it refers to.
  SplitLoss(const Graph& graph, LossRecorder loss, const BatchValues& batch,
            std::vector<Variable> trained);
  ~SplitLoss();

  /// Records the loss of a part, whose examples are inputs. Throws ValueError, naming the node,
  /// where the batch's loss is not made of the losses of parts.
  Value part(const BatchValues& batch);

  /// The loss of the whole batch, in a graph of its own.
  const RecordedLoss& whole() const { return whole_; }

 private:
  class Part;
  struct Size;
  const Size& size_of(const BatchSpecs& specs);

  const Graph& graph_;
  LossRecorder loss_;
  std::vector<Variable> trained_;
  RecordedLoss whole_;
  ValueMap whole_constants_;
  NodeCopier from_whole_;
  ValueMap counts_;  // by the whole batch's mean over targets that count
  std::map<std::int64_t, std::unique_ptr<Size>> sizes_;  // of parts
};

/// The loss of examples is not made of those of pieces.
class NotPiecewise : public ValueError {
 public:
  using ValueError::ValueError;
};

/// For evaluation: what a piece of the examples is run for, and the loss of all of them from what
/// the pieces gave.
class PiecewiseLoss {
 public:
  /// Takes a loss apart that was recorded for a piece, and for one of another size. Appends to the
  /// piece's graph. Throws NotPiecewise, naming the node, where pieces do not make the whole.
  PiecewiseLoss(const RecordedLoss& piece, const RecordedLoss& other,
                const SessionOptions& options);

  /// To be fetched for every piece.
  const std::vector<Value>& fetched() const { return fetched_; }

  /// The sums over pieces, in the order of fetched().
  class Sums {
   public:
    void add(const PiecewiseLoss& loss, const Results& results, std::int64_t examples);

   private:
    friend class PiecewiseLoss;
    std::vector<std::vector<double>> sums_;
    std::int64_t examples_ = 0;
  };
  double loss(const Sums& sums);

 private:
  struct Leaf {
    Role::Combination combination;
    TensorSpec spec;
    std::size_t first;  // in fetched()
  };
  void collect(const RecordedLoss& piece, const BatchRoles& roles, const Value& value,
               ValueMap& leaves);
  std::vector<double> total(const Leaf& leaf, const Sums& sums) const;

  std::vector<Value> fetched_;
  std::vector<Leaf> leaves_;
  Graph tail_;                   // from totals to the loss
  std::optional<Session> rest_;  // none where the loss is a total itself
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_AUTOGRAD_TRAIN_SPLIT_LOSS_H_
