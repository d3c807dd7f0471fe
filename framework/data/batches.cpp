// SPDX-License-Identifier: Apache-2.0
// The examples of each batch: their order, or what is drawn by weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/random.h"
#include "data/row_numbers.h"
#include "tensor/fnv1a.h"
#include "tensor/option.h"

namespace aclgrad::data {
namespace {

// Streams of one seed, beside those of epochs.
constexpr std::uint64_t kTransformStream = std::uint64_t{1} << 62;
constexpr std::uint64_t kWeightsStream = std::uint64_t{1} << 61;

// The sums of the weights up to each, which are found by what is drawn.
std::shared_ptr<const std::vector<double>> sums_of(const std::vector<double>& weights,
                                                   std::int64_t examples) {
  if (std::ssize(weights) != examples) {
    throw ValueError(fmt::format("`weights` must have one for each of the {} examples, got {}",
                                 examples, weights.size()));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] >= 0 && std::isfinite(weights[i])) continue;
    throw ValueError(fmt::format("weights are at least 0 and finite, but that of example {} is {}",
                                 i, weights[i]));
  }
  // A share of a sum that is nearly 0 would be rounded to few numbers, the sum itself among them.
  const double largest = weights.empty() ? 0 : std::ranges::max(weights);
  const double scale = largest < 0x1p-900 ? 0x1p900 : 1;
  auto sums = std::make_shared<std::vector<double>>();
  double sum = 0;
  for (const double weight : weights) sums->push_back(sum += weight * scale);
  if (!(sum > 0 && std::isfinite(sum))) {
    throw ValueError(fmt::format(
        "weights must have a sum above 0 and finite, so that one can be drawn, got {}", sum));
  }
  return sums;
}

Tensor class_numbers(const Tensor& labels) {
  if (labels.rank() != 1) {
    throw ShapeError(
        fmt::format("weights are balanced for labels [n], got the shape {}", labels.shape()));
  }
  if (is_floating(labels.dtype())) {
    throw DTypeError(fmt::format("weights are balanced for classes, which are integers, got {}",
                                 labels.dtype()));
  }
  return labels.to(DType::int64);
}

// With which all classes that there are have the same sum.
std::map<std::int64_t, double> weights_by_class(const Tensor& classes) {
  std::map<std::int64_t, double> weights;
  for (const std::int64_t label : classes.data<std::int64_t>()) ++weights[label];
  const double share = static_cast<double>(classes.numel()) / static_cast<double>(weights.size());
  for (auto& [label, weight] : weights) weight = share / weight;
  return weights;
}

}  // namespace

std::vector<double> balanced_weights(const Tensor& labels) {
  const Tensor classes = class_numbers(labels);
  const std::map<std::int64_t, double> by_class = weights_by_class(classes);
  std::vector<double> weights;
  for (const std::int64_t label : classes.data<std::int64_t>()) {
    weights.push_back(by_class.at(label));
  }
  return weights;
}

Tensor class_weights(const Tensor& labels, std::int64_t classes) {
  aclgrad::detail::require_at_least("class_weights", "classes", classes, 1);
  Tensor weights = Tensor::zeros({classes});
  for (const auto& [label, weight] : weights_by_class(class_numbers(labels))) {
    if (label < 0 || label >= classes) {
      throw ValueError(fmt::format("the label {} is no class in 0 .. {}", label, classes - 1));
    }
    weights.set(label, weight);
  }
  return weights;
}

Batches::Batches(Dataset dataset, BatchOptions options)
    : Batches(
          dataset.size(), [](std::span<const std::int64_t>) { return Dataset(); }, options) {
  examples_ = [kept = std::make_shared<const Dataset>(std::move(dataset))](
                  std::span<const std::int64_t> rows) { return take(*kept, rows); };
}

Batches::Batches(std::int64_t count, Examples examples, BatchOptions options)
    : count_(count),
      epoch_size_(count),
      examples_(std::move(examples)),
      options_(std::move(options)) {
  if (count < 0) throw ValueError("a number of examples is at least 0");
  if (!examples_) throw ValueError("batches need a function that makes their examples");
  if (options_.batch_size < 1) {
    throw ValueError("the batch size must be at least 1, got " +
                     std::to_string(options_.batch_size));
  }
  aclgrad::detail::require_option("Batches", "workers", static_cast<double>(options_.workers),
                                  {0, kMostWorkers});
  aclgrad::detail::require_at_least("Batches", "samples_per_epoch", options_.samples_per_epoch, 0);
  if (!options_.weights.empty()) {
    weights_ = sums_of(options_.weights, count);
    if (options_.samples_per_epoch > 0) epoch_size_ = options_.samples_per_epoch;
  } else if (options_.samples_per_epoch > 0) {
    throw ValueError("samples_per_epoch is for examples that are drawn by weights: give them, too");
  }
}

std::int64_t Batches::batches_per_epoch() const noexcept {
  const std::int64_t whole = epoch_size_ / options_.batch_size;
  const bool has_rest = epoch_size_ % options_.batch_size != 0;
  return whole + (has_rest && !options_.drop_last ? 1 : 0);
}

Batches::Epoch Batches::epoch(std::uint64_t number) const& {
  return {this, number, order_of(number)};
}

std::vector<std::int64_t> Batches::order_of(std::uint64_t epoch) const {
  if (!has_order()) return aclgrad::detail::row_numbers(0, count_);
  if (!weights_) return random_permutation(count_, options_.seed, epoch);
  std::vector<std::int64_t> drawn = aclgrad::detail::row_numbers(0, epoch_size_);
  const Random random(options_.seed, kWeightsStream + epoch);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double at = random.uniform(i) * weights_->back();
    drawn[i] = std::ranges::upper_bound(*weights_, at) - weights_->begin();
  }
  return drawn;
}

Position Batches::after(Position position) const noexcept {
  if (position.batch < batches_per_epoch() - 1) return {position.epoch, position.batch + 1};
  return {position.epoch + 1, 0};
}

std::string Batches::description() const {
  std::string order = options_.shuffle ? fmt::format("shuffled with seed {}", options_.seed)
                                       : std::string("in their order");
  if (weights_) {
    order = fmt::format("{} an epoch drawn by weights {:x} with seed {}", epoch_size_,
                        aclgrad::detail::fnv1a(std::as_bytes(std::span(options_.weights))),
                        options_.seed);
  }
  return fmt::format("{} examples in batches of {}, {}{}", count_, options_.batch_size, order,
                     options_.drop_last ? ", the rest dropped" : "");
}

Batches::Epoch::Epoch(const Batches* batches, std::uint64_t number, std::vector<std::int64_t> order)
    : batches_(batches), number_(number), order_(std::move(order)) {}

Dataset Batches::make(std::span<const std::int64_t> rows, Position position) const {
  Dataset made = examples_(rows);
  const auto require_rows = [&](const char* who) {
    if (made.size() == static_cast<std::int64_t>(rows.size())) return;
    throw ShapeError(
        fmt::format("batch {} of epoch {}: {} returned {} examples where {} were asked for",
                    position.batch, position.epoch, who, made.size(), rows.size()));
  };
  require_rows("the function that makes examples");
  if (!options_.transform) return made;
  const auto number = position.epoch * static_cast<std::uint64_t>(batches_per_epoch()) +
                      static_cast<std::uint64_t>(position.batch);
  made = options_.transform(std::move(made), Random(options_.seed, kTransformStream + number));
  require_rows("the transform");
  return made;
}

Dataset Batches::batch(Position position) const {
  if (has_order()) return epoch(position.epoch)[position.batch];
  // In their order there may be more examples than can be numbered in memory.
  const auto [first, count] = rows_of_batch(position.batch);
  return make(aclgrad::detail::row_numbers(first, count), position);
}

std::pair<std::int64_t, std::int64_t> Batches::rows_of_batch(std::int64_t batch) const {
  if (batch < 0 || batch >= batches_per_epoch()) {
    throw ShapeError("batch " + std::to_string(batch) + " is out of range for an epoch of " +
                     std::to_string(batches_per_epoch()) + " batches");
  }
  const std::int64_t first = batch * options_.batch_size;
  return {first, std::min(options_.batch_size, epoch_size_ - first)};
}

Dataset Batches::Epoch::operator[](std::int64_t batch) const {
  const auto [first, count] = batches_->rows_of_batch(batch);
  return batches_->make(
      std::span(order_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)),
      {number_, batch});
}

}  // namespace aclgrad::data
