// SPDX-License-Identifier: Apache-2.0
// A batch in parts: micro-batches, which a rank trains on one after another, and ranks, which train
// at the same time. A Trainer is given both by its options.
//
// Gradients are added by one tree over all micro-batches, whichever rank has them: results are the
// same bits on any number of ranks that is a power of two and divides their number.
#ifndef ACLGRAD_RANKS_H_
#define ACLGRAD_RANKS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/gradients.h"
#include "aclgrad/graph.h"
#include "aclgrad/optim.h"
#include "aclgrad/safetensors.h"
#include "aclgrad/session.h"
#include "aclgrad/variable.h"

namespace aclgrad {

struct LossAndGradients {
  Value loss;
  Gradients gradients;
};

/// The sums over `count` micro-batches of this rank. record(i) records loss and gradients of the
/// i-th; it is called in an order that lets few gradients live at the same time. Sums are taken in
/// the order of the ranks' exchange. Throws ValueError for a count below 1, or when the
/// micro-batches have gradients of different values.
LossAndGradients sum_micro_batches(std::int64_t count,
                                   const std::function<LossAndGradients(std::int64_t)>& record,
                                   std::source_location where = std::source_location::current());

/// A batch in micro-batches of equally many examples, of which rank r of P gets those with the
/// numbers r, r + P, r + 2P, ...
class MicroBatches {
 public:
  /// `count` of all ranks together, 0 for one a rank. Throws ValueError unless every rank gets
  /// equally many.
  MicroBatches(std::int64_t count, std::int64_t rank, std::int64_t ranks);

  std::int64_t per_rank() const { return count_ / ranks_; }

  /// The examples of each in a batch of so many. Throws ValueError unless they are equally large.
  std::int64_t size_in(std::int64_t batch) const;

  /// The first example of this rank's i-th, where each has `size`.
  std::int64_t first(std::int64_t i, std::int64_t size) const {
    return (rank_ + i * ranks_) * size;
  }

 private:
  std::int64_t count_, rank_, ranks_;
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

  /// Records the means over all ranks of what each has summed up over so many micro-batches: of the
  /// loss, and of the gradients with which this rank updates by the optimizer.
  virtual LossAndGradients exchange(const LossAndGradients& sums, std::int64_t micro_batches,
                                    Optimizer& optimizer);

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

  /// The first rank's text, or tensors of these names, on all ranks. Tensors must be as large
  /// everywhere as in `own`; those of `first` count on the first rank only.
  std::string broadcast_text(std::string text) const;
  NamedTensors broadcast_tensors(NamedTensors own, const NamedTensors& first) const;
};

}  // namespace aclgrad

#endif  // ACLGRAD_RANKS_H_
