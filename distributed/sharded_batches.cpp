// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/distributed/sharded_batches.h"

#include <fmt/format.h>

#include <numeric>

#include "aclgrad/error.h"

namespace aclgrad::data {
namespace {

// The examples' numbers as a dataset, so that batches of them say which examples are meant.
Dataset numbers(std::int64_t count) {
  Tensor tensor = Tensor::zeros({count}, DType::int64);
  const auto elements = tensor.data<std::int64_t>();
  std::iota(elements.begin(), elements.end(), std::int64_t{0});
  return {tensor, tensor};
}

}  // namespace

ShardedBatches::ShardedBatches(Dataset dataset, BatchOptions options,
                               const Communicator& communicator, std::int64_t micro_batches)
    : dataset_(std::move(dataset)),
      order_(numbers(dataset_.size()), options),
      rank_(communicator.rank()),
      ranks_(communicator.size()) {
  const std::int64_t count = micro_batches == 0 ? ranks_ : micro_batches;
  if (count < 1 || count % ranks_ != 0) {
    throw ValueError(
        fmt::format("{} micro-batches cannot be shared out evenly to {} ranks", count, ranks_));
  }
  if (options.batch_size % count != 0) {
    throw ValueError(fmt::format("a batch of {} examples cannot be cut into {} equal micro-batches",
                                 options.batch_size, count));
  }
  if (!options.drop_last && dataset_.size() % options.batch_size != 0) {
    throw ValueError(fmt::format(
        "{} examples leave a smaller batch behind those of {}, which has no equal parts: set "
        "drop_last",
        dataset_.size(), options.batch_size));
  }
  parts_ = count / ranks_;
  part_size_ = options.batch_size / count;
}

ShardedBatches::Epoch ShardedBatches::epoch(std::uint64_t number) const& {
  return {this, order_.epoch(number)};
}

std::vector<Dataset> ShardedBatches::Epoch::operator[](std::int64_t batch) const {
  const Tensor examples = order_[batch].features;
  const auto size = static_cast<std::size_t>(batches_->part_size_);
  std::vector<Dataset> parts;
  for (std::int64_t part = 0; part < batches_->parts_; ++part) {
    const auto number = static_cast<std::size_t>(batches_->rank_ + part * batches_->ranks_);
    parts.push_back(
        take(batches_->dataset_, examples.data<std::int64_t>().subspan(number * size, size)));
  }
  return parts;
}

}  // namespace aclgrad::data
