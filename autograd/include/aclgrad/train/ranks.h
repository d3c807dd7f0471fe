// SPDX-License-Identifier: Apache-2.0
// A batch in parts: micro-batches, which a rank trains on one after another, and ranks, which train
// at the same time. A Trainer is given both by its options.
//
// A rank has micro-batches that follow one another, and trains on them in their order. Gradients
// are added by one tree over all of them, neighbours first, whichever rank has them: results are
// the same bits on any number of ranks that is a power of two and divides their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/gradients.h"
#include "aclgrad/graph.h"
#include "aclgrad/io/safetensors.h"
#include "aclgrad/optim.h"
#include "aclgrad/session.h"
#include "aclgrad/variable.h"

namespace aclgrad {

/// What a rank records of one micro-batch, and of all together.
struct LossAndGradients {
  Value loss;
  Gradients gradients;
};

/// The sums over `count` micro-batches of this rank. record(i) records loss and gradients of the
/// i-th; it is called in their order, and few gradients live at the same time: sums are those of a
/// tree, neighbours first. Only the first `used` are recorded, where that is given; the others hold
/// no examples. Throws ValueError for a count below 1, `used` outside [1, count], or when the
/// micro-batches have gradients of different values.
LossAndGradients sum_micro_batches(std::int64_t count,
                                   const std::function<LossAndGradients(std::int64_t)>& record,
                                   std::optional<std::int64_t> used = std::nullopt,
                                   std::source_location where = std::source_location::current());

/// A batch in micro-batches, which the ranks share out evenly. Their sizes differ by one example at
/// most, the larger ones come first; of more micro-batches than examples the last are empty. An
/// empty batch is one of them.
///
/// Which rank has which follows from the order in which ranks add up what they have (hccl/hccl.h):
/// of 4, ranks 0, 2, 1, 3 have the first, second, third and fourth quarter.
class MicroBatches {
 public:
  /// `count` of all ranks together, 0 for one a rank. Throws ValueError unless every rank gets
  /// equally many.
  MicroBatches(std::int64_t count, std::int64_t rank, std::int64_t ranks);

  std::int64_t count() const { return count_; }
  std::int64_t per_rank() const { return per_rank_; }

  /// Of this rank's micro-batches, those with examples, of a batch of so many: the first ones.
  std::int64_t used_in(std::int64_t batch) const;

  /// Those with examples that come before this rank's in the order of the batch, and after them.
  std::int64_t used_before(std::int64_t batch) const;
  std::int64_t used_after(std::int64_t batch) const;

  /// The first example of this rank's i-th, and one past its last.
  std::int64_t begin(std::int64_t i, std::int64_t batch) const;
  std::int64_t end(std::int64_t i, std::int64_t batch) const { return begin(i + 1, batch); }

  /// Whether all hold equally many examples of a batch of so many, and some.
  bool are_equal_in(std::int64_t batch) const { return batch > 0 && batch % count_ == 0; }

  /// The examples of each in a batch of so many. Throws ValueError unless they are equally large.
  std::int64_t size_in(std::int64_t batch) const;

 private:
  std::int64_t count_, per_rank_;
  std::int64_t first_ = 0;  // of this rank
};

/// What a Trainer asks the ranks that train together for. This one is alone; DataParallel and
/// ShardedUpdate of aclgrad/distributed.h are several.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }

  /// Whether this is the rank that reports and saves.
  bool is_first() const { return rank() == 0; }

  /// Records the sums over all ranks of what each has: of the loss, and of the gradients with which
  /// this rank updates by the optimizer. Throws ValueError on all ranks when they have gradients of
  /// different values, or, with `same_graph`, have not recorded the same graph up to here.
  virtual LossAndGradients exchange(const LossAndGradients& own, Optimizer& optimizer,
                                    bool same_graph);

  /// Records the sum over all gradients of what this rank has summed up over those with which it
  /// updates.
  virtual Value total(const Value& sum) { return sum; }

  /// Records what makes this rank's update one of all parameters.
  virtual Update complete(const Graph&, Update update) { return update; }

  /// Gives all ranks what the first has in `bytes`, equally many everywhere.
  virtual void broadcast(std::span<std::byte>) const {}

  /// Variables of this rank besides those of the model and the optimizer.
  virtual std::vector<Variable> shards() const { return {}; }

  /// What one rank would have in variables with these names; the other way, this rank's part of it.
  /// All ranks call them.
  virtual NamedTensors gather(const std::vector<Variable>& variables) const;
  virtual NamedTensors shard(const NamedTensors& whole) const { return whole; }

  /// Does what only the first rank does and what may fail there. Then all ranks throw, the first
  /// one what was thrown, the others ValueError with its text, and none waits for another. All
  /// ranks call it.
  void on_first(const std::function<void()>& work) const;

  /// The first rank's text, or tensors of these names, on all ranks. Tensors must be as large
  /// everywhere as in `own`; those of `first` count on the first rank only.
  std::string broadcast_text(std::string text) const;
  NamedTensors broadcast_tensors(NamedTensors own, const NamedTensors& first) const;
};

}  // namespace aclgrad
