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
      parts_(micro_batches, communicator.rank(), communicator.size()),
      part_size_(parts_.size_in(options.batch_size)) {
  if (!options.drop_last && dataset_.size() % options.batch_size != 0) {
    throw ValueError(fmt::format(
        "{} examples leave a smaller batch behind those of {}, which has no equal parts: set "
        "drop_last",
        dataset_.size(), options.batch_size));
  }
}

ShardedBatches::Epoch ShardedBatches::epoch(std::uint64_t number) const& {
  return {this, order_.epoch(number)};
}

std::vector<Dataset> ShardedBatches::Epoch::operator[](std::int64_t batch) const {
  const Tensor examples = order_[batch].features;
  const std::int64_t size = batches_->part_size_;
  std::vector<Dataset> parts;
  for (std::int64_t i = 0; i < batches_->parts(); ++i) {
    const auto first =
        static_cast<std::size_t>(batches_->parts_.begin(i, size * batches_->parts_.count()));
    parts.push_back(take(batches_->dataset_, examples.data<std::int64_t>().subspan(
                                                 first, static_cast<std::size_t>(size))));
  }
  return parts;
}

}  // namespace aclgrad::data
