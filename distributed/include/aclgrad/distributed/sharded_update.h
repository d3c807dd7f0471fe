// SPDX-License-Identifier: Apache-2.0
// ShardedUpdate: data-parallel training in which every rank keeps the optimizer's state for its
// share of the parameters only (ZeRO stage 1: Rajbhandari et al. 2020). Gradients are summed by
// ReduceScatter, each rank updates its share, and AllGather gives the parameters to all. The
// exchanged bytes are those of DataParallel::average, the optimizer's memory is divided by the
// number of ranks, and the bits are the same. Only clipping to a norm, which is added up in another
// order, rounds otherwise.
//
//   ShardedUpdate sharded(communicator);
//   AdamW optimizer({.learning_rate = 1e-3});
//   Update update = sharded.step(graph, backward(loss, parameters), optimizer);
//
// or, with the loop of a Trainer, Trainer trainer(model, loss, optimizer, {.ranks = &sharded}).
//
// A checkpoint is that of one rank, whatever the number of ranks, sharded or not:
//
//   state = parameters, optimizer.state() and sharded.shards();
//   const NamedTensors whole = sharded.gather(state);            // on all ranks; rank 0 saves them
//   restore(state, {.tensors = sharded.shard(loaded.tensors)});
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "aclgrad/distributed/data_parallel.h"
#include "aclgrad/io/safetensors.h"
#include "aclgrad/session.h"

namespace aclgrad {

class ShardedUpdate : public Ranks {
 public:
  /// Shares the membership of the communicator, of at least 2 ranks. Throws ValueError.
  explicit ShardedUpdate(const Communicator& communicator, DataParallelOptions options = {});

  /// Records the exchange, and the optimizer's step for this rank's share. The gradients are those
  /// of the rank's own loss, with respect to variables. Begins as DataParallel::average does.
  /// `parts` is the number of micro-batches whose gradients each rank has summed up. May be called
  /// for several graphs, with gradients of the same variables: ValueError otherwise, so nothing may
  /// be frozen or unfrozen after the first.
  [[nodiscard]] Update step(const Graph& graph, const Gradients& gradients, Optimizer& optimizer,
                            std::int64_t parts = 1,
                            std::source_location where = std::source_location::current());

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }
  void broadcast(std::span<std::byte> bytes) const override { communicator_.broadcast(bytes); }
  LossAndGradients exchange(const LossAndGradients& own, Optimizer& optimizer,
                            bool same_graph) override;
  Value total(const Value& sum) override;
  Update complete(const Graph& graph, Update update) override;

  /// This rank's shares of the parameters, bucket by bucket: the optimizer's parameters.
  std::vector<Variable> shards() const override;

  /// What values_of() would return on one rank: of what the optimizer keeps for shards, the
  /// parameters' parts under the names that it has there; of the shards themselves nothing, since
  /// the parameters have the same contents; others as they are here. To be called by all ranks.
  NamedTensors gather(const std::vector<Variable>& variables) const override;

  /// The other way: of what gather() returned on any number of ranks, or values_of() on one, this
  /// rank's part. Throws ValueError for a parameter's tensor that is missing, ShapeError for one
  /// that does not fit.
  NamedTensors shard(const NamedTensors& whole) const override;

 private:
  struct Shard {
    Variable share;                 // flat
    std::vector<Variable> members;  // whose elements, side by side, are shared out
    std::int64_t elements = 0;      // of the members
  };
  struct ShardName {
    std::size_t shard;
    std::string suffix;  // of a name, after the parameter's: "", "@first_moment"
  };
  Gradients scatter(const Graph& graph, const Gradients& gradients, Optimizer& optimizer,
                    std::int64_t parts, double factor, std::source_location where);
  Update gather_updated(const Graph& graph, Update update, std::source_location where) const;
  void make_shards(const Gradients& gradients, Optimizer& optimizer);
  Tensor own_share(const Tensor& flat) const;
  const Shard* shard_of(const std::string& name) const;
  std::optional<ShardName> find(const std::string& name) const;

  bool overlaps() const { return options_.overlap && *same_graph_; }

  Communicator communicator_;
  DataParallelOptions options_;
  std::vector<Shard> shards_;
  std::shared_ptr<bool> same_graph_ = std::make_shared<bool>(true);  // whether ranks record one now
};

}  // namespace aclgrad
