// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/gradcheck/model.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/reduction.h"
#include "aclgrad/random.h"
#include "aclgrad/runtime/accept_double.h"
#include "gradcheck/graph/function.h"
#include "gradcheck/graph/taylor.h"

namespace aclgrad {
namespace {

constexpr int kSteps = 26;
// Of the loss in float64, which is a sum of many rounded terms.
constexpr double kNoise = 64 * 0x1p-53;

// The sum of products of all elements of two lists of tensors.
Value dot(const std::vector<Value>& a, const std::vector<Value>& b) {
  Value sum;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Value term = reduce_sum(mul(a[i], b[i]));
    sum = sum.valid() ? add(sum, term) : term;
  }
  return sum;
}

// The slope and the curvature along a direction, recorded in the copy.
class Derivatives {
 public:
  Derivatives(detail::DoubleCopy& copy, const std::vector<std::size_t>& leaves, bool second_order)
      : copy_(copy) {
    std::vector<Value> wrt;
    for (const std::size_t i : leaves) {
      wrt.push_back(copy.leaves[i].copy);
      directions_.push_back(
          copy.graph.input(fmt::format("direction {}", i), wrt.back().shape(), DType::float64));
    }
    const auto gradients_of = [&](const Value& value) {
      std::vector<Value> all;
      for (const auto& [of, gradient] : backward(value, wrt, {.allow_unused = true})) {
        all.push_back(gradient);
      }
      return all;
    };
    slope_ = dot(gradients_of(copy.result), directions_);
    fetches_.emplace_back(slope_);
    if (!second_order) {
      without_second_order_ = "it was not asked for";
      return;
    }
    try {
      curvature_ = dot(gradients_of(slope_), directions_);
      fetches_.emplace_back(curvature_);
    } catch (const ValueError& error) {
      without_second_order_ = error.what();
    }
  }

  const std::string& without_second_order() const { return without_second_order_; }

  void at(const std::vector<Tensor>& point, const std::vector<Tensor>& directions,
          TaylorDirection& found) {
    if (!session_) session_.emplace(copy_.graph, fetches_);
    std::vector<Feed> feeds;
    for (const Value& input : session_->inputs()) {
      for (std::size_t i = 0; i < point.size(); ++i) {
        if (input == copy_.leaves[i].copy) feeds.emplace_back(input, point[i]);
      }
      for (std::size_t i = 0; i < directions.size(); ++i) {
        if (input == directions_[i]) feeds.emplace_back(input, directions[i]);
      }
    }
    const Results results = session_->run(feeds);
    found.slope = results[slope_].item();
    if (curvature_.valid()) found.curvature = results[curvature_].item();
  }

 private:
  detail::DoubleCopy& copy_;
  std::vector<Value> directions_;
  Value slope_;
  Value curvature_;
  std::vector<Fetch> fetches_;
  std::string without_second_order_;
  std::optional<Session> session_;
};

// Of length 1 in all tensors together, elements of both signs.
std::vector<Tensor> random_direction(const std::vector<Tensor>& point,
                                     const std::vector<std::size_t>& leaves, std::uint64_t seed,
                                     std::uint64_t number) {
  std::vector<Tensor> direction;
  double squares = 0;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    Tensor& tensor =
        direction.emplace_back(Tensor::zeros(point[leaves[k]].shape(), DType::float64));
    const Random random(seed, number * leaves.size() + k);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      const double value = 2 * random.uniform(static_cast<std::uint64_t>(i)) - 1;
      tensor.set(i, value);
      squares += value * value;
    }
  }
  const double length = std::sqrt(squares);
  for (Tensor& tensor : direction) {
    for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.set(i, tensor.get(i) / length);
  }
  return direction;
}

}  // namespace

ModelReport check_model(const Value& loss, std::vector<Value> wrt, std::span<const Feed> feeds,
                        ModelCheckOptions options) {
  if (options.directions < 1 || !(options.largest_step > 0) ||
      !std::isfinite(options.largest_step)) {
    throw ValueError("check_model needs one direction or more, and a largest step above 0");
  }
  if (loss.shape().numel() != 1) {
    throw ShapeError(fmt::format("check_model needs a loss of one element, {} has shape {}",
                                 label(loss.node()), loss.shape()));
  }
  const detail::AcceptDouble accept_double;
  detail::DoubleCopy copy = detail::copy_as_double(loss);
  const std::vector<std::size_t> leaves = detail::select_leaves(copy, wrt, loss);
  std::vector<Tensor> point = detail::starting_point(copy, feeds);
  detail::GraphFunction function(copy, point);
  Derivatives derivatives(copy, leaves, options.second_order);

  ModelReport report;
  report.loss = static_cast<double>(function.outputs().front());
  report.without_second_order = derivatives.without_second_order();
  const bool both = report.without_second_order.empty();
  for (const std::size_t leaf : leaves) report.elements += point[leaf].numel();
  const std::vector<Tensor> start = point;
  for (int number = 0; number < options.directions; ++number) {
    const std::vector<Tensor> direction =
        random_direction(start, leaves, options.seed, static_cast<std::uint64_t>(number));
    const auto loss_at = [&](double h) {
      for (std::size_t k = 0; k < leaves.size(); ++k) {
        Tensor& tensor = point[leaves[k]];
        for (std::int64_t i = 0; i < tensor.numel(); ++i) {
          tensor.set(i, start[leaves[k]].get(i) + h * direction[k].get(i));
        }
      }
      return static_cast<double>(function.outputs().front());
    };
    TaylorDirection& found = report.directions.emplace_back();
    derivatives.at(start, direction, found);
    found.rounding = kNoise * std::max(std::abs(report.loss), std::abs(found.slope));
    detail::Remainders first{.order = 2,
                             .largest_step = options.largest_step,
                             .values = {},
                             .rounding = found.rounding,
                             .slope = found.slope,
                             .curvature = 0,
                             .jump = [&](int order, double h) {
                               const double bend = loss_at(h) - 2 * report.loss + loss_at(-h);
                               if (order == 1) return std::abs(bend) / h;
                               const double odd = loss_at(2 * h) - loss_at(-2 * h) -
                                                  2 * (loss_at(h) - loss_at(-h));
                               return std::abs(odd) / (h * h);
                             }};
    detail::Remainders second = first;
    second.order = 3;
    second.curvature = found.curvature;
    first.is_finite = std::isfinite(found.slope);
    second.is_finite = first.is_finite && std::isfinite(found.curvature);
    first.are_losses_finite = std::isfinite(report.loss);
    for (int step = 0; step < kSteps; ++step) {
      const double h = std::ldexp(options.largest_step, -step);
      const double moved = loss_at(h);
      first.are_losses_finite = first.are_losses_finite && std::isfinite(moved);
      const double linear = moved - report.loss - h * found.slope;
      const double quadratic = linear - h * h / 2 * found.curvature;
      first.values.push_back(std::abs(linear));
      second.values.push_back(std::abs(quadratic));
      found.steps.push_back({h, first.values.back(), both ? second.values.back() : 0});
    }
    second.are_losses_finite = first.are_losses_finite;
    found.rates.push_back(detail::rate_of(first));
    if (both) found.rates.push_back(detail::rate_of(second));
    loss_at(0);
  }
  return report;
}

ModelReport check_model(const Value& loss, std::vector<Value> wrt,
                        std::initializer_list<Feed> feeds, ModelCheckOptions options) {
  return check_model(loss, std::move(wrt), std::span<const Feed>(feeds.begin(), feeds.size()),
                     options);
}

}  // namespace aclgrad
