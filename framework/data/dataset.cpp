// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/random.h"

namespace aclgrad::data {
namespace {

// Splitting and batching with one seed must not reuse one order.
constexpr std::uint64_t kSplitStream = std::uint64_t{1} << 63;
constexpr std::uint64_t kTransformStream = std::uint64_t{1} << 62;

std::int64_t rows_of(const Tensor& tensor, const char* what) {
  if (tensor.rank() == 0) {
    throw ShapeError(std::string(what) + " need an axis of examples, got a scalar");
  }
  return tensor.shape()[0];
}

}  // namespace

std::int64_t Dataset::size() const {
  const std::int64_t rows = rows_of(features, "features");
  if (rows != rows_of(labels, "labels")) {
    throw ShapeError("features of shape " + to_string(features.shape()) + " and labels of shape " +
                     to_string(labels.shape()) + " do not have equally many examples");
  }
  return rows;
}

Tensor take_rows(const Tensor& tensor, std::span<const std::int64_t> rows) {
  const std::int64_t available = rows_of(tensor, "tensors to take rows from");
  std::vector<std::int64_t> dims = tensor.shape().dims();
  dims[0] = static_cast<std::int64_t>(rows.size());
  Tensor taken = Tensor::zeros(Shape(std::move(dims)), tensor.dtype());
  const std::size_t row_bytes =
      available == 0 ? 0 : tensor.nbytes() / static_cast<std::size_t>(available);
  std::byte* target = taken.bytes();
  for (const std::int64_t row : rows) {
    if (row < 0 || row >= available) {
      throw ShapeError("row " + std::to_string(row) + " is out of range for shape " +
                       to_string(tensor.shape()));
    }
    if (row_bytes == 0) continue;
    std::memcpy(target, tensor.bytes() + static_cast<std::size_t>(row) * row_bytes, row_bytes);
    target += row_bytes;
  }
  return taken;
}

Dataset take(const Dataset& dataset, std::span<const std::int64_t> rows) {
  return {take_rows(dataset.features, rows), take_rows(dataset.labels, rows)};
}

Split split(const Dataset& dataset, double train_fraction, std::uint64_t seed) {
  if (!(train_fraction >= 0 && train_fraction <= 1)) {
    throw ValueError("the fraction for training must lie in [0, 1], got " +
                     std::to_string(train_fraction));
  }
  const std::int64_t size = dataset.size();
  const std::vector<std::int64_t> order = random_permutation(size, seed, kSplitStream);
  const auto cut =
      static_cast<std::size_t>(std::floor(train_fraction * static_cast<double>(size) + 0.5));
  const std::span<const std::int64_t> rows(order);
  return {take(dataset, rows.first(cut)), take(dataset, rows.subspan(cut))};
}

Batches::Batches(Dataset dataset, BatchOptions options)
    : Batches(
          dataset.size(), [](std::span<const std::int64_t>) { return Dataset(); }, options) {
  examples_ = [kept = std::make_shared<const Dataset>(std::move(dataset))](
                  std::span<const std::int64_t> rows) { return take(*kept, rows); };
}

Batches::Batches(std::int64_t count, Examples examples, BatchOptions options)
    : count_(count), examples_(std::move(examples)), options_(std::move(options)) {
  if (count < 0) throw ValueError("a number of examples is at least 0");
  if (!examples_) throw ValueError("batches need a function that makes their examples");
  if (options_.batch_size < 1) {
    throw ValueError("the batch size must be at least 1, got " +
                     std::to_string(options_.batch_size));
  }
}

std::int64_t Batches::batches_per_epoch() const noexcept {
  const std::int64_t whole = count_ / options_.batch_size;
  const bool has_rest = count_ % options_.batch_size != 0;
  return whole + (has_rest && !options_.drop_last ? 1 : 0);
}

Batches::Epoch Batches::epoch(std::uint64_t number) const& {
  if (options_.shuffle) return {this, number, random_permutation(count_, options_.seed, number)};
  std::vector<std::int64_t> order(static_cast<std::size_t>(count_));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  return {this, number, std::move(order)};
}

Position Batches::after(Position position) const noexcept {
  if (position.batch < batches_per_epoch() - 1) return {position.epoch, position.batch + 1};
  return {position.epoch + 1, 0};
}

std::string Batches::description() const {
  return fmt::format("{} examples in batches of {}, {}{}", count_, options_.batch_size,
                     options_.shuffle ? fmt::format("shuffled with seed {}", options_.seed)
                                      : std::string("in their order"),
                     options_.drop_last ? ", the rest dropped" : "");
}

Batches::Epoch::Epoch(const Batches* batches, std::uint64_t number, std::vector<std::int64_t> order)
    : batches_(batches), number_(number), order_(std::move(order)) {}

Dataset Batches::Epoch::operator[](std::int64_t batch) const {
  if (batch < 0 || batch >= size()) {
    throw ShapeError("batch " + std::to_string(batch) + " is out of range for an epoch of " +
                     std::to_string(size()) + " batches");
  }
  const auto batch_size = static_cast<std::size_t>(batches_->options().batch_size);
  const std::size_t first = static_cast<std::size_t>(batch) * batch_size;
  const std::size_t count = std::min(batch_size, order_.size() - first);
  Dataset made = batches_->examples_(std::span(order_).subspan(first, count));
  const BatchOptions& options = batches_->options();
  if (!options.transform) return made;
  const std::uint64_t stream = number_ * static_cast<std::uint64_t>(size()) +
                               static_cast<std::uint64_t>(batch) + kTransformStream;
  return options.transform(std::move(made), Random(options.seed, stream));
}

}  // namespace aclgrad::data
