// SPDX-License-Identifier: Apache-2.0
// ShardedBatches: each rank's part of every batch. The batches are those of data::Batches, the same
// for any number of ranks; a batch is cut into micro-batches of equally many examples, and each
// rank gets some that follow one another (MicroBatches in ranks.h).
//
//   data::ShardedBatches batches(dataset, {.batch_size = 128, .drop_last = true}, communicator, 4);
//   const data::ShardedBatches::Epoch epoch = batches.epoch(0);
//   for (std::int64_t batch = 0; batch < epoch.size(); ++batch)
//     for (const data::Dataset& micro : epoch[batch]) ...
#pragma once

#include <cstdint>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/distributed/communicator.h"
#include "aclgrad/train/ranks.h"

namespace aclgrad::data {

class ShardedBatches {
 public:
  class Epoch;

  /// A batch is cut into `micro_batches`; by default as many as there are ranks. Results can be the
  /// same for several numbers of ranks only where this number is (DataParallel). Throws as Batches
  /// does, and ValueError unless the micro-batches can be shared out evenly, the examples of a
  /// batch too, and no smaller batch is left at the end of an epoch (drop_last).
  ShardedBatches(Dataset dataset, BatchOptions options, const Communicator& communicator,
                 std::int64_t micro_batches = 0);

  std::int64_t batches_per_epoch() const noexcept { return order_.batches_per_epoch(); }

  /// Of one rank: how many micro-batches it gets of each batch, and their size.
  std::int64_t parts() const noexcept { return parts_.per_rank(); }
  std::int64_t part_size() const noexcept { return part_size_; }

  /// The batches of one epoch. Refers to this object.
  Epoch epoch(std::uint64_t number) const&;
  Epoch epoch(std::uint64_t number) const&& = delete;

  Position after(Position position) const noexcept { return order_.after(position); }

  /// The order of the examples in whole batches, for Checkpoint::data_order and
  /// require_same_order(): it does not depend on the number of ranks.
  const Batches& order() const noexcept { return order_; }

 private:
  Dataset dataset_;
  Batches order_;  // of the examples' numbers
  MicroBatches parts_;
  std::int64_t part_size_;
};

class ShardedBatches::Epoch {
 public:
  std::int64_t size() const noexcept { return order_.size(); }

  /// This rank's micro-batches of a batch, copied out.
  std::vector<Dataset> operator[](std::int64_t batch) const;

 private:
  friend class ShardedBatches;
  Epoch(const ShardedBatches* batches, Batches::Epoch order)
      : batches_(batches), order_(std::move(order)) {}

  const ShardedBatches* batches_;
  Batches::Epoch order_;
};

}  // namespace aclgrad::data
