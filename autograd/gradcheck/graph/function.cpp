// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/graph/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad::detail {
namespace {

// Ample for functions that are themselves sums of many rounded terms.
constexpr long double kNoise = 16 * gradcheck::kDoubleNoise;

}  // namespace

std::vector<Tensor> starting_point(const DoubleCopy& copy, std::span<const Feed> feeds) {
  std::vector<Tensor> tensors;
  std::size_t used = 0;
  for (const auto& [original, input] : copy.leaves) {
    if (const Variable* variable = original.variable()) {
      tensors.push_back(variable->value().to(input.dtype()));
      continue;
    }
    const auto feed = std::find_if(feeds.begin(), feeds.end(),
                                   [&](const Feed& each) { return each.is_for(original); });
    if (feed == feeds.end()) {
      throw ValueError(fmt::format("no feed for {}", original.description()));
    }
    ++used;
    const Tensor& tensor = feed->tensor();
    if (tensor.shape() != original.shape()) {
      throw ShapeError(fmt::format("input {} has shape {}, was fed a tensor of shape {}",
                                   original.description(), original.shape(), tensor.shape()));
    }
    if (tensor.dtype() != original.dtype() && tensor.dtype() != input.dtype()) {
      throw DTypeError(fmt::format("input {} is {}, was fed a tensor of {}", original.description(),
                                   original.dtype(), tensor.dtype()));
    }
    tensors.push_back(tensor.to(input.dtype()));
  }
  if (used != feeds.size()) {
    throw ValueError("a tensor was fed twice, or to something that the loss does not depend on");
  }
  return tensors;
}

std::vector<std::size_t> select_leaves(const DoubleCopy& copy, const std::vector<Value>& wrt,
                                       const Value& loss) {
  std::vector<std::size_t> selected;
  if (wrt.empty()) {
    for (std::size_t i = 0; i < copy.leaves.size(); ++i) {
      if (is_floating(copy.leaves[i].copy.dtype())) selected.push_back(i);
    }
    if (!selected.empty()) return selected;
    throw ValueError(
        fmt::format("there is no gradient to check: {} depends on no floating input or parameter",
                    label(loss.node())));
  }
  for (const Value& value : wrt) {
    const auto leaf = std::find_if(copy.leaves.begin(), copy.leaves.end(),
                                   [&](const auto& entry) { return entry.original == value; });
    if (leaf == copy.leaves.end()) {
      throw ValueError(
          fmt::format("cannot check the gradient with respect to {}: it is not an "
                      "input or parameter that {} depends on",
                      value.description(), label(loss.node())));
    }
    if (!is_floating(value.dtype())) {
      throw DTypeError(fmt::format("{} is {}, there is no gradient with respect to it",
                                   value.description(), value.dtype()));
    }
    selected.push_back(static_cast<std::size_t>(leaf - copy.leaves.begin()));
  }
  return selected;
}

GraphFunction::GraphFunction(const DoubleCopy& copy, std::vector<Tensor>& point)
    : copy_(copy), point_(point), session_(copy.graph, {copy.result}) {}

std::vector<long double> GraphFunction::outputs() {
  std::vector<Feed> feeds;
  for (std::size_t i = 0; i < point_.size(); ++i) {
    feeds.emplace_back(copy_.leaves[i].copy, std::as_const(point_[i]));
  }
  const Tensor result = session_.run(feeds)[copy_.result];
  std::vector<long double> values;
  for (std::int64_t i = 0; i < result.numel(); ++i) values.push_back(result.get(i));
  return values;
}

// A result may be a small difference of large numbers: its rounding is that of the largest one in
// sight.
double GraphFunction::size() {
  double largest = 1;
  const auto see = [&](double value) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  };
  for (const long double value : outputs()) see(static_cast<double>(value));
  for (const Tensor& tensor : point_) {
    for (std::int64_t i = 0; i < tensor.numel(); ++i) see(tensor.get(i));
  }
  return largest;
}

std::vector<gradcheck::Slopes> GraphFunction::slopes(std::size_t leaf, std::int64_t index) {
  Tensor& tensor = point_[leaf];
  const double x = tensor.get(index);
  std::vector<gradcheck::Slopes> found = gradcheck::slopes_at(
      [&](long double shift) {
        tensor.set(index, x + static_cast<double>(shift));
        return outputs();
      },
      x, kNoise, size());
  tensor.set(index, x);
  return found;
}

gradcheck::Slopes GraphFunction::slope_along(std::size_t leaf, const Tensor& direction,
                                             const Tensor& weights) {
  Tensor& tensor = point_[leaf];
  const Tensor before = tensor;
  const gradcheck::Slopes found =
      gradcheck::slopes_at(
          [&](long double shift) {
            for (std::int64_t i = 0; i < tensor.numel(); ++i) {
              tensor.set(i, before.get(i) + static_cast<double>(shift) * direction.get(i));
            }
            long double sum = 0;
            std::int64_t i = 0;
            for (const long double value : outputs()) sum += weights.get(i++) * value;
            return std::vector{sum};
          },
          1, kNoise, size())
          .front();
  tensor = before;
  return found;
}

RecordedGradients::RecordedGradients(DoubleCopy& copy, const std::vector<std::size_t>& leaves)
    : copy_(copy) {
  // Inputs of the copy were made under numbers.
  seed_ = copy.graph.input("gradient", copy.result.shape(), DType::float64);
  std::vector<Value> wrt;
  for (const std::size_t i : leaves) wrt.push_back(copy.leaves[i].copy);
  const Gradients gradients = backward(copy.result, wrt, {.seed = seed_, .allow_unused = true});
  std::vector<Fetch> fetches;
  for (const auto& [value, gradient] : gradients) {
    gradients_.push_back(gradient);
    fetches.emplace_back(gradient);
  }
  session_.emplace_back(copy.graph, std::move(fetches));
}

std::vector<Tensor> RecordedGradients::at(const std::vector<Tensor>& point,
                                          const Tensor& upstream) {
  Session& session = session_.front();
  std::vector<Feed> feeds;
  const std::vector<Value> needed = session.inputs();
  const auto is_needed = [&](const Value& input) {
    return std::find(needed.begin(), needed.end(), input) != needed.end();
  };
  if (is_needed(seed_)) feeds.emplace_back(seed_, upstream);
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (is_needed(copy_.leaves[i].copy)) feeds.emplace_back(copy_.leaves[i].copy, point[i]);
  }
  const Results results = session.run(feeds);
  std::vector<Tensor> tensors;
  for (const Value& gradient : gradients_) tensors.push_back(results[gradient]);
  return tensors;
}

}  // namespace aclgrad::detail
