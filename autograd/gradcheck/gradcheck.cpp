// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/random.h"
#include "gradcheck/accept_double.h"
#include "gradcheck/graph_function.h"

namespace aclgrad {
namespace {

using gradcheck::PointKind;
using gradcheck::Slopes;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Numbers of both signs with magnitudes in [0.5, 1]: none of them hides anything.
Tensor random_weights(const Shape& shape, std::uint64_t seed, std::uint64_t stream) {
  Tensor weights = Tensor::zeros(shape, DType::float64);
  const Random random(seed, stream);
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    const double u = random.uniform(static_cast<std::uint64_t>(i));
    weights.set(i, u < 0.5 ? u - 1 : u);
  }
  return weights;
}

enum class Outcome { right, wrong, inconclusive };

// What a gradient may be: an interval at corners, with an error estimate.
struct Target {
  double low = 0;
  double high = 0;
  double error = 0;
  bool corner = false;
  std::string reason = {};  // why there is none

  void add(const Slopes& slopes, double weight) {
    if (slopes.kind == PointKind::unknown) {
      reason = slopes.reason;
      return;
    }
    const double a = weight * static_cast<double>(slopes.low());
    const double b = weight * static_cast<double>(slopes.high());
    low += std::min(a, b);
    high += std::max(a, b);
    error += std::abs(weight) * static_cast<double>(slopes.error());
    corner = corner || slopes.kind == PointKind::corner;
  }
};

// Collects the comparisons of one tensor.
class Comparison {
 public:
  // scale: of the derivative. size: of the numbers that the function is made of.
  Comparison(GradcheckTensor& found, const GradcheckOptions& options, double scale, double size)
      : found_(found), options_(options), scale_(scale), rounding_(kRounding * size) {}

  Outcome compare(std::int64_t index, double input, double analytic, const Target& target) {
    ++found_.compared;
    if (!target.reason.empty()) {
      found_.reason = target.reason;
      note(kInfinity, index, input, analytic, target);
      return Outcome::inconclusive;
    }
    const double nearest = std::clamp(analytic, target.low, target.high);
    double error = std::abs(analytic - nearest);
    if (!std::isfinite(analytic)) error = kInfinity;
    const double size = std::max(std::abs(analytic), std::abs(nearest));
    const double tolerance = target.error + options_.rtol * size + options_.atol * scale_;
    found_.max_abs_error = std::max(found_.max_abs_error, error);
    found_.max_gradient = std::max(found_.max_gradient, std::abs(analytic));
    if (error > 0) {
      const double relative = std::isfinite(error) && size > 0 ? error / size : error;
      found_.max_rel_error = std::max(found_.max_rel_error, relative);
    }
    note(error == kInfinity ? error : error / std::max(tolerance, 1e-300), index, input, analytic,
         target);
    if (error > tolerance + 2 * target.error) return Outcome::wrong;
    const bool wide =
        target.error > 1e-5 * size && target.error > 1e-6 * scale_ && target.error > rounding_;
    if (error <= tolerance && !wide) return Outcome::right;
    found_.reason = fmt::format("the error estimate {:.2g} is too large", target.error);
    return Outcome::inconclusive;
  }

 private:
  void note(double used, std::int64_t index, double input, double analytic, const Target& target) {
    if (!(used > worst_)) return;
    worst_ = used;
    found_.worst_index = index;
    found_.input = input;
    found_.analytic = analytic;
    found_.numeric =
        std::isnan(analytic) ? target.low : std::clamp(analytic, target.low, target.high);
    found_.numeric_error = target.error;
  }

  // Slopes of this part of the function's size are 0 as far as double can tell.
  static constexpr double kRounding = 1e-12;

  GradcheckTensor& found_;
  const GradcheckOptions& options_;
  double scale_;
  double rounding_;
  double worst_ = -1;
};

void count(GradcheckTensor& found, Outcome outcome) {
  if (outcome == Outcome::wrong) ++found.failures;
  if (outcome == Outcome::inconclusive) ++found.inconclusive;
}

// The copy with everything needed to check it.
struct Checker {
  detail::DoubleCopy& copy;
  std::vector<Tensor>& point;
  detail::GraphFunction function;
  detail::RecordedGradients recorded;
  std::vector<Tensor> upstream;                // gradients of the result
  std::vector<std::vector<Tensor>> gradients;  // for each of them, by tensor
};

// One gradient at the result for every element of it, or two random ones for all.
std::vector<Tensor> upstream_gradients(const Shape& shape, bool dense, std::uint64_t seed) {
  std::vector<Tensor> all;
  if (!dense || shape.numel() <= 1) {
    for (const std::uint64_t stream : {0u, 1u}) all.push_back(random_weights(shape, seed, stream));
    return all;
  }
  const Tensor sizes = random_weights(shape, seed, 0);
  for (std::int64_t k = 0; k < shape.numel(); ++k) {
    all.push_back(Tensor::zeros(shape, DType::float64));
    all.back().set(k, sizes.get(k));
  }
  all.push_back(random_weights(shape, seed, 1));
  return all;
}

// The sums of weighted slopes, element by element. The slopes themselves are not kept: there is one
// for every pair of an input's and a result's element.
void check_elements(Checker& checker, std::size_t leaf, std::size_t position,
                    const GradcheckOptions& options, GradcheckTensor& found) {
  const Tensor& tensor = checker.point[leaf];
  std::vector<std::vector<Target>> targets;  // by element, by gradient at the result
  double scale = 0;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const std::vector<Slopes> row = checker.function.slopes(leaf, i);
    for (const Slopes& slopes : row) {
      if (slopes.kind == PointKind::unknown) continue;
      scale = std::max({scale, std::abs(static_cast<double>(slopes.low())),
                        std::abs(static_cast<double>(slopes.high()))});
    }
    std::vector<Target>& sums = targets.emplace_back();
    for (const Tensor& upstream : checker.upstream) {
      Target& target = sums.emplace_back();
      for (std::size_t k = 0; k < row.size(); ++k) {
        const double weight = upstream.get(static_cast<std::int64_t>(k));
        if (weight != 0) target.add(row[k], weight);
      }
    }
  }
  Comparison comparison(found, options, scale, checker.function.size());
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    Outcome worst = Outcome::right;
    bool corner = false;
    for (std::size_t a = 0; a < checker.upstream.size(); ++a) {
      const Target& target = targets[static_cast<std::size_t>(i)][a];
      corner = corner || target.corner;
      const double analytic = checker.gradients[a][position].get(i);
      const Outcome outcome = comparison.compare(i, tensor.get(i), analytic, target);
      if (worst != Outcome::wrong && outcome != Outcome::right) worst = outcome;
    }
    count(found, worst);
    if (corner) ++found.corners;
  }
}

// Random directions instead of elements.
void check_directions(Checker& checker, std::size_t leaf, std::size_t position,
                      const GradcheckOptions& options, GradcheckTensor& found) {
  const Tensor& gradient = checker.gradients[0][position];
  double norm = 0;
  for (std::int64_t i = 0; i < gradient.numel(); ++i) norm += std::abs(gradient.get(i));
  Comparison comparison(found, options, std::sqrt(norm), checker.function.size());
  for (int p = 0; p < options.projections; ++p) {
    const Tensor direction =
        random_weights(gradient.shape(), options.seed, static_cast<std::uint64_t>(p) + 2);
    Target target;
    target.add(checker.function.slope_along(leaf, direction, checker.upstream[0]), 1);
    double analytic = 0;
    for (std::int64_t i = 0; i < gradient.numel(); ++i) {
      analytic += gradient.get(i) * direction.get(i);
    }
    count(found, comparison.compare(p, 0, analytic, target));
    if (target.corner) ++found.corners;
  }
}

}  // namespace

GradcheckReport check_gradients(const Value& loss, std::vector<Value> wrt,
                                std::span<const Feed> feeds, GradcheckOptions options) {
  const detail::AcceptDouble accept_double;
  if (!is_floating(loss.dtype())) {
    throw DTypeError(
        fmt::format("cannot differentiate {}: it is {}", label(loss.node()), loss.dtype()));
  }
  detail::DoubleCopy copy = detail::copy_as_double(loss);
  const std::vector<std::size_t> selected = detail::select_leaves(copy, wrt, loss);
  std::vector<Tensor> point = detail::starting_point(copy, feeds);
  std::int64_t largest = 0;
  for (const std::size_t leaf : selected) largest = std::max(largest, point[leaf].numel());
  const bool dense =
      options.projections == 0 && loss.shape().numel() * largest <= options.dense_limit;

  Checker checker{.copy = copy,
                  .point = point,
                  .function = detail::GraphFunction(copy, point),
                  .recorded = detail::RecordedGradients(copy, selected),
                  .upstream = upstream_gradients(loss.shape(), dense, options.seed),
                  .gradients = {}};
  for (const Tensor& upstream : checker.upstream) {
    checker.gradients.push_back(checker.recorded.at(point, upstream));
  }
  GradcheckReport report{options, {}};
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const Value& value = copy.leaves[selected[i]].original;
    GradcheckTensor& found = report.tensors.emplace_back();
    found.name = value.name();
    found.shape = value.shape();
    if (options.projections > 0) {
      check_directions(checker, selected[i], i, options, found);
    } else {
      check_elements(checker, selected[i], i, options, found);
    }
  }
  return report;
}

GradcheckReport check_gradients(const Value& loss, std::vector<Value> wrt,
                                std::initializer_list<Feed> feeds, GradcheckOptions options) {
  return check_gradients(loss, std::move(wrt), std::span<const Feed>(feeds.begin(), feeds.size()),
                         options);
}

}  // namespace aclgrad
