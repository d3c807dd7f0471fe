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
#include "aclgrad/data/time_series.h"
#include "aclgrad/error.h"
#include "aclgrad/random.h"
#include "data/row_numbers.h"
#include "tensor/number.h"

namespace aclgrad::data {
namespace {

// Splitting and batching with one seed must not reuse one order.
constexpr std::uint64_t kSplitStream = std::uint64_t{1} << 63;

// Of labels [n, 1] from the column of a table.
void require_whole(const Tensor& labels, std::int64_t column) {
  if (!is_floating(labels.dtype())) return;
  for (std::int64_t row = 0; row < labels.numel(); ++row) {
    const double label = labels.get(row);
    if (aclgrad::detail::problem_of(label, DType::int64).empty()) continue;
    throw ValueError(fmt::format(
        "row {} (of 0 to {}), column {}: the label {} is no whole number of 64 bits, so it is not "
        "that of a class; for numbers, ask for data::Labels::numbers",
        row, labels.numel() - 1, column, std::isnan(label) ? "nan" : fmt::format("{}", label)));
  }
}

// What a function makes of every tensor that is there.
template <class Function>
Dataset each_of(const Dataset& dataset, const Function& make) {
  Dataset made;
  for (const auto& [name, tensor] : dataset.tensors()) {
    if (tensor == &dataset.features) {
      made.features = make(*tensor);
    } else if (tensor == &dataset.labels) {
      made.labels = make(*tensor);
    } else {
      made.parts.emplace_back(name, make(*tensor));
    }
  }
  return made;
}

std::int64_t rows_of(const Tensor& tensor, const char* what) {
  if (tensor.rank() == 0) {
    throw ShapeError(std::string(what) + " need an axis of examples, got a scalar");
  }
  return tensor.shape()[0];
}

std::vector<double> both(double train_fraction) {
  if (train_fraction >= 0 && train_fraction <= 1) return {train_fraction, 1 - train_fraction};
  throw ValueError(
      fmt::format("the fraction for training must lie in [0, 1], got {}", train_fraction));
}

Split halves(std::vector<Dataset> parts) { return {std::move(parts[0]), std::move(parts[1])}; }

// The examples in this order, as many for each part as its fraction says.
std::vector<Dataset> cut(const Dataset& dataset, const std::vector<double>& fractions,
                         const std::vector<std::int64_t>& order) {
  const double sum = std::accumulate(fractions.begin(), fractions.end(), 0.0);
  const bool sound = std::ranges::all_of(fractions, [](double fraction) { return fraction >= 0; });
  if (!sound || !(std::abs(sum - 1) < 1e-9)) {
    throw ValueError(fmt::format("fractions are at least 0 and add up to 1, got {}",
                                 fmt::join(fractions, ", ")));
  }
  std::vector<Dataset> parts;
  double reached = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    reached += fractions[i];
    const bool last = i + 1 == fractions.size();
    const double place = std::floor(reached * static_cast<double>(order.size()) + 0.5);
    const std::size_t end =
        last ? order.size() : std::min(order.size(), static_cast<std::size_t>(place));
    parts.push_back(take(dataset, std::span(order).subspan(begin, end - begin)));
    begin = end;
  }
  return parts;
}

}  // namespace

std::int64_t Dataset::size() const {
  const auto all = tensors();
  return all.front().second->shape()[0];
}

std::vector<std::pair<std::string, const Tensor*>> Dataset::tensors() const {
  std::vector<std::pair<std::string, const Tensor*>> all;
  all.reserve(2 + parts.size());
  all.emplace_back("features", &features);
  all.emplace_back("labels", &labels);
  for (const auto& [name, tensor] : parts) {
    const bool known = std::ranges::any_of(all, [&](const auto& it) { return it.first == name; });
    if (known || name.empty() || name.find('#') != std::string::npos) {
      throw ValueError(
          fmt::format("a part of examples has a name of its own without '#', not \"{}\"", name));
    }
    all.emplace_back(name, &tensor);
  }
  const auto is_left_out = [](const auto& it) {
    return it.second->rank() == 1 && it.second->numel() == 0 &&
           it.second->dtype() == DType::float32;
  };
  const auto left = std::ranges::count_if(all, is_left_out);
  if (left > 0 && std::ranges::any_of(all, [](const auto& it) { return it.second->numel() > 0; })) {
    std::erase_if(all, is_left_out);
  }
  const auto& [first, one] = all.front();
  for (const auto& [name, tensor] : all) {
    if (rows_of(*tensor, name.c_str()) == rows_of(*one, first.c_str())) continue;
    throw ShapeError(
        fmt::format("{} of shape {} and {} of shape {} do not have equally many examples", first,
                    to_string(one->shape()), name, to_string(tensor->shape())));
  }
  return all;
}

Dataset Dataset::slice(std::int64_t begin, std::int64_t end) const {
  return each_of(*this, [&](const Tensor& tensor) { return tensor.slice(0, begin, end); });
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
  return each_of(dataset, [&](const Tensor& tensor) { return take_rows(tensor, rows); });
}

Dataset from_table(const Tensor& table, std::int64_t label_column, Labels labels) {
  if (table.rank() != 2) {
    throw ShapeError("a table has shape [n, columns], got " + to_string(table.shape()));
  }
  const std::int64_t columns = table.shape()[1];
  const std::int64_t column = label_column < 0 ? label_column + columns : label_column;
  if (column < 0 || column >= columns) {
    throw ShapeError("there is no column " + std::to_string(label_column) +
                     " in a table of shape " + to_string(table.shape()));
  }
  const std::int64_t rows = table.shape()[0];
  Tensor features = Tensor::zeros({rows, columns - 1}, table.dtype());
  const std::size_t size = size_of(table.dtype());
  const std::size_t before = static_cast<std::size_t>(column) * size;
  const std::size_t after = static_cast<std::size_t>(columns - column - 1) * size;
  const std::byte* from = table.bytes();
  std::byte* to = features.bytes();
  for (std::int64_t row = 0; row < rows; ++row) {
    to = std::copy_n(from, before, to);
    to = std::copy_n(from + before + size, after, to);
    from += before + size + after;
  }
  const Tensor label = table.slice(1, column, column + 1);
  if (labels == Labels::classes) {
    require_whole(label, column);
    return {features.to(DType::float32), label.reshape({rows}).to(DType::int64)};
  }
  return {features.to(DType::float32), label.to(DType::float32)};
}

Split split(const Dataset& dataset, double train_fraction, std::uint64_t seed) {
  return halves(split(dataset, both(train_fraction), seed));
}

std::vector<Dataset> split(const Dataset& dataset, const std::vector<double>& fractions,
                           std::uint64_t seed) {
  const std::int64_t size = dataset.size();
  return cut(dataset, fractions, random_permutation(size, seed, kSplitStream));
}

Split split_in_order(const Dataset& dataset, double train_fraction) {
  return halves(split_in_order(dataset, both(train_fraction)));
}

std::vector<Dataset> split_in_order(const Dataset& dataset, const std::vector<double>& fractions) {
  return cut(dataset, fractions, aclgrad::detail::row_numbers(0, dataset.size()));
}

}  // namespace aclgrad::data
