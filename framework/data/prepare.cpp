// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "aclgrad/data.h"
#include "aclgrad/error.h"

namespace aclgrad::data {

Standardizer::Standardizer(const Tensor& features, const StandardizerOptions& options) {
  if (features.rank() != 2 || features.shape()[0] == 0) {
    throw ShapeError("standardizing needs features [n, columns] with n > 0, got shape " +
                     to_string(features.shape()));
  }
  const Tensor wide = features.to(DType::float64);
  const std::span<const double> values = wide.data<double>();
  const auto columns = static_cast<std::size_t>(features.shape()[1]);
  const auto left_out = [&](std::size_t i) { return options.skip_nan && std::isnan(values[i]); };
  std::vector<double> counts(columns), firsts(columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (left_out(i)) continue;
    if (!std::isfinite(values[i])) {
      throw ValueError(fmt::format(
          "Standardizer: row {}, column {} is {}: {}", i / columns, i % columns, values[i],
          std::isnan(values[i]) ? "fill the gap (fill_gaps()), or say .skip_nan"
                                : "its column has no mean"));
    }
    if (counts[i % columns]++ == 0) firsts[i % columns] = values[i];
  }
  for (std::size_t column = 0; column < columns; ++column) {
    if (counts[column] == 0) {
      throw ValueError(fmt::format("Standardizer: column {} has nothing but NaN", column));
    }
  }
  means_.assign(columns, 0);
  stddevs_.assign(columns, 0);
  // Distances from the first number: those of a constant column are 0, and their mean is, too.
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (left_out(i)) continue;
    means_[i % columns] += (values[i] - firsts[i % columns]) / counts[i % columns];
  }
  for (std::size_t column = 0; column < columns; ++column) means_[column] += firsts[column];
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (left_out(i)) continue;
    const double distance = values[i] - means_[i % columns];
    stddevs_[i % columns] += distance * distance / counts[i % columns];
  }
  for (std::size_t column = 0; column < columns; ++column) {
    double& stddev = stddevs_[column];
    stddev = std::sqrt(stddev);
    if (stddev == 0) stddev = 1;
  }
}

template <class Function>
Tensor Standardizer::moved(const Tensor& features, const Function& function) const {
  if (features.rank() != 2 || static_cast<std::size_t>(features.shape()[1]) != means_.size()) {
    throw ShapeError("the standardizer was made for [n, " + std::to_string(means_.size()) +
                     "], got shape " + to_string(features.shape()));
  }
  Tensor wide = features.to(DType::float64);
  const std::span<double> values = wide.data<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t column = i % means_.size();
    values[i] = function(values[i], means_[column], stddevs_[column]);
  }
  return wide.to(is_floating(features.dtype()) ? features.dtype() : DType::float32);
}

Tensor Standardizer::operator()(const Tensor& features) const {
  return moved(features, [](double x, double mean, double stddev) { return (x - mean) / stddev; });
}

Tensor Standardizer::inverse(const Tensor& standardized) const {
  return moved(standardized,
               [](double x, double mean, double stddev) { return x * stddev + mean; });
}

Tensor Standardizer::state() const {
  std::vector<double> numbers = means_;
  numbers.insert(numbers.end(), stddevs_.begin(), stddevs_.end());
  return Tensor::from({2, std::ssize(means_)}, std::span<const double>(numbers), DType::float64);
}

Standardizer Standardizer::from_state(const Tensor& state) {
  if (state.rank() != 2 || state.shape()[0] != 2) {
    throw ShapeError("a standardizer's state is [2, columns], got shape " +
                     to_string(state.shape()));
  }
  Standardizer made;
  for (std::int64_t i = 0; i < state.numel(); ++i) {
    const bool is_mean = i < state.shape()[1];
    const double number = state.get(i);
    if (!std::isfinite(number) || (!is_mean && number <= 0)) {
      throw ValueError(fmt::format("column {} of a standardizer's state has the {} {}",
                                   i % state.shape()[1], is_mean ? "mean" : "standard deviation",
                                   number));
    }
    (is_mean ? made.means_ : made.stddevs_).push_back(number);
  }
  return made;
}

Split standardized(const Split& split) {
  const auto column = [](const Tensor& x) { return x.reshape({x.numel(), 1}); };
  const Standardizer all(column(split.train.features));
  const auto moved = [&](Dataset part) {
    part.features = all(column(part.features)).reshape(part.features.shape());
    return part;
  };
  return {moved(split.train), moved(split.test)};
}

Tensor rescale(const Tensor& tensor, double factor, double offset) {
  Tensor wide = tensor.to(DType::float64);
  for (double& value : wide.data<double>()) value = factor * value + offset;
  return wide.to(DType::float32);
}

Tensor one_hot(const Tensor& labels, std::int64_t classes, DType dtype) {
  if (labels.rank() != 1) {
    throw ShapeError("one-hot coding needs labels of shape [n], got " + to_string(labels.shape()));
  }
  Tensor coded = Tensor::zeros({labels.numel(), classes}, dtype);
  for (std::int64_t row = 0; row < labels.numel(); ++row) {
    const double label = labels.get(row);
    if (!(label >= 0 && label < static_cast<double>(classes)) || label != std::floor(label)) {
      throw ValueError(
          fmt::format("label {} of example {} is not a class in 0 .. {}", label, row, classes - 1));
    }
    coded.set(row * classes + static_cast<std::int64_t>(label), 1);
  }
  return coded;
}

}  // namespace aclgrad::data
