// SPDX-License-Identifier: Apache-2.0
// DataParallel: every rank has the whole network and a part of each batch; gradients are averaged,
// so that all take the same step.
//
//   DataParallel parallel(communicator);
//   Gradients gradients = parallel.average(backward(loss, network.parameters(graph)));
//   Session session(graph, {parallel.average(loss), optimizer.step(graph, gradients)});
//
// or, with the loop of a Trainer:
//
//   Trainer trainer(model, loss, optimizer, {.ranks = &parallel});
//
// The gradients are exchanged in buckets, in the order in which backward makes them, while it makes
// the others. The ranks' losses must be means over equally many examples. The program
// seeds random numbers that are to differ between ranks.
//
// average(Gradients) begins with what all ranks must have in common: it throws ValueError, on every
// rank, naming the first difference, unless all have recorded the same graph up to here with the
// same options; then it gives all of them rank 0's values of the variables that the gradients are
// for.
//
// Results depend on nothing but the program and the number of ranks. They do not even depend on
// that, bit for bit, where the batch is cut into a fixed number of micro-batches (see the second
// average() and data::ShardedBatches) that is a multiple of the number of ranks, and this a power
// of two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <vector>

#include "aclgrad/distributed/collectives.h"
#include "aclgrad/distributed/communicator.h"
#include "aclgrad/gradients.h"
#include "aclgrad/graph.h"
#include "aclgrad/train/ranks.h"

namespace aclgrad {

struct DataParallelOptions {
  /// A bucket is sent off when it has reached this size. Smaller ones begin earlier, larger ones
  /// cost less altogether. Results do not depend on it.
  std::size_t bucket_bytes = std::size_t{4} << 20;

  /// Exchange while backward goes on. Results do not depend on it.
  bool overlap = true;
};

class DataParallel : public Ranks {
 public:
  /// Shares the communicator's membership.
  explicit DataParallel(const Communicator& communicator, DataParallelOptions options = {});

  /// The means of the gradients over all ranks, of the same values.
  Gradients average(const Gradients& gradients,
                    std::source_location where = std::source_location::current());

  /// The mean of a value over all ranks.
  Value average(const Value& value, std::source_location where = std::source_location::current());

  /// The means over `count` micro-batches of every rank, on all ranks: sum_micro_batches(),
  /// averaged.
  LossAndGradients average(std::int64_t count,
                           const std::function<LossAndGradients(std::int64_t)>& record,
                           std::source_location where = std::source_location::current());

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }
  LossAndGradients exchange(const LossAndGradients& own, Optimizer& optimizer,
                            bool same_graph) override;
  void broadcast(std::span<std::byte> bytes) const override { communicator_.broadcast(bytes); }

  const Communicator& communicator() const { return communicator_; }
  const DataParallelOptions& options() const { return options_; }

 private:
  std::vector<Value> sums(const std::vector<Value>& tensors, double factor, bool same_graph,
                          std::source_location where) const;
  void start(const Gradients& gradients, std::int64_t parts, bool same_graph) const;
  LossAndGradients sums(const LossAndGradients& own, double factor, bool same_graph,
                        std::source_location where) const;

  Communicator communicator_;
  DataParallelOptions options_;
};

}  // namespace aclgrad
