// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/random.h"
#include "aclgrad/runtime/accept_double.h"
#include "gradcheck/core/checkable.h"
#include "gradcheck/core/compare.h"
#include "gradcheck/graph/function.h"

namespace aclgrad {
namespace {

using gradcheck::Element;
using gradcheck::Gradient;
using gradcheck::Number;
using gradcheck::PointKind;
using gradcheck::Report;
using gradcheck::Slopes;
using gradcheck::Verdict;
using gradcheck::detail::Expected;

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

// Collects the comparisons of one tensor.
class Comparison {
 public:
  // scale: of the derivative. size: of the numbers that the function is made of.
  Comparison(Gradient& found, const GradcheckOptions& options, Number scale, Number size)
      : found_(found), options_(options), scale_(scale), size_(size) {}

  Element compare(std::int64_t index, double input, double analytic, const Expected& expected) {
    const double nearest = std::isnan(analytic)
                               ? static_cast<double>(expected.low)
                               : std::clamp(analytic, static_cast<double>(expected.low),
                                            static_cast<double>(expected.high));
    const double size = std::isfinite(analytic) ? std::max(std::abs(analytic), std::abs(nearest))
                                                : std::abs(nearest);
    const Number slack = options_.rtol * size + options_.atol * scale_;
    Element element = gradcheck::detail::compare(expected, analytic, slack, negligible(),
                                                 DType::float64, kAsGiven, 0, kResolution);
    element.of = found_.of;
    element.index = index;
    element.input = input;
    ++found_.compared;
    // What rounding leaves of 0 is nothing, too.
    const bool is_flat = expected.low == expected.high && std::abs(expected.low) <= expected.error;
    if (!is_flat || !(std::abs(analytic) <= kResolution.of_zero * negligible())) {
      found_.largest = std::max(found_.largest, std::abs(analytic));
    }
    const bool is_known = expected.kind != PointKind::unknown && std::isfinite(analytic);
    const double error = is_known ? std::abs(analytic - nearest) : kInfinity;
    found_.max_abs_error = std::max(found_.max_abs_error, error);
    if (error > 0) {
      found_.max_rel_error =
          std::max(found_.max_rel_error, is_known && size > 0 ? error / size : error);
    }
    const double used =
        is_known ? error / std::max(static_cast<double>(element.bound), 1e-300) : kInfinity;
    if (used > used_) {
      used_ = used;
      found_.worst = element;
    }
    return element;
  }

 private:
  // Of what compare() is given as the largest.
  static constexpr gradcheck::Resolution kResolution{.of_zero = 1e-12L};
  // No roundings but the tolerance.
  static constexpr contract::Bound kAsGiven{.of_float = 0, .of_16_bits = 0, .inner = 0};

  // compare() takes no notice of an error bar of 1e-9 of this: of 1e-6 of the derivative, and of
  // what is 0 as far as double can tell, which is 1e-12 of the function.
  Number negligible() const { return std::max(1e3L * scale_, 1e-3L * size_); }

  Gradient& found_;
  const GradcheckOptions& options_;
  Number scale_;
  Number size_;
  double used_ = -1;
};

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
std::vector<Element> check_elements(Checker& checker, std::size_t leaf, std::size_t position,
                                    const GradcheckOptions& options, Gradient& found) {
  const Tensor& tensor = checker.point[leaf];
  std::vector<std::vector<Expected>> expected;  // by element, by gradient at the result
  Number scale = 0;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const std::vector<Slopes> row = checker.function.slopes(leaf, i);
    for (const Slopes& slopes : row) {
      if (slopes.kind == PointKind::unknown) continue;
      scale = std::max({scale, std::abs(slopes.low()), std::abs(slopes.high())});
    }
    std::vector<Expected>& sums = expected.emplace_back();
    for (const Tensor& upstream : checker.upstream) {
      Expected& sum = sums.emplace_back();
      for (std::size_t k = 0; k < row.size(); ++k) {
        const double weight = upstream.get(static_cast<std::int64_t>(k));
        if (weight != 0) gradcheck::detail::add(sum, row[k], weight);
      }
    }
  }
  Comparison comparison(found, options, scale, checker.function.size());
  std::vector<Element> compared;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const std::vector<Expected>& sums = expected[static_cast<std::size_t>(i)];
    Element worst;
    for (std::size_t a = 0; a < sums.size(); ++a) {
      const Element element =
          comparison.compare(i, tensor.get(i), checker.gradients[a][position].get(i), sums[a]);
      const bool is_worse = worst.verdict != Verdict::wrong && element.verdict != Verdict::right;
      if (a == 0 || is_worse) worst = element;
    }
    const auto is_corner = [](const Expected& e) { return e.kind == PointKind::corner; };
    if (std::ranges::any_of(sums, is_corner)) ++found.corners;
    compared.push_back(std::move(worst));
  }
  return compared;
}

// Random directions instead of elements.
std::vector<Element> check_directions(Checker& checker, std::size_t leaf, std::size_t position,
                                      const GradcheckOptions& options, Gradient& found) {
  const Tensor& gradient = checker.gradients[0][position];
  double norm = 0;
  for (std::int64_t i = 0; i < gradient.numel(); ++i) norm += std::abs(gradient.get(i));
  // One that is no number is wrong, whatever its size.
  const double scale = std::isfinite(norm) ? std::sqrt(norm) : 0;
  Comparison comparison(found, options, scale, checker.function.size());
  std::vector<Element> compared;
  for (int p = 0; p < options.projections; ++p) {
    const Tensor direction =
        random_weights(gradient.shape(), options.seed, static_cast<std::uint64_t>(p) + 2);
    Expected expected;
    gradcheck::detail::add(expected,
                           checker.function.slope_along(leaf, direction, checker.upstream[0]), 1);
    double analytic = 0;
    for (std::int64_t i = 0; i < gradient.numel(); ++i) {
      analytic += gradient.get(i) * direction.get(i);
    }
    compared.push_back(comparison.compare(p, 0, analytic, expected));
    compared.back().is_direction = true;
    if (expected.kind == PointKind::corner) ++found.corners;
  }
  return compared;
}

// Counts and findings of one tensor.
void conclude(const Value& loss, const std::vector<Element>& compared, Gradient found,
              Report& report) {
  gradcheck::Finding like;
  like.check = "derivative";
  like.operator_name = fmt::format("{} of {}", found.of, label(loss.node()));
  like.dtype = DType::float64;
  like.shape = found.shape;
  gradcheck::detail::report_elements(compared, like, report);
  const auto count = [&](Verdict verdict) {
    return std::ranges::count(compared, verdict, &Element::verdict);
  };
  found.right = count(Verdict::right);
  found.wrong = count(Verdict::wrong);
  found.inexact = count(Verdict::inexact);
  found.inconclusive = count(Verdict::inconclusive);
  report.checks += found.compared;
  if (found.verdict() == Verdict::vacuous) {
    ++report.vacuous;
    like.verdict = Verdict::vacuous;
    like.check = "coverage";
    like.text = fmt::format(
        "the gradient of {} is 0, and being right there proves nothing: choose other inputs",
        found.of);
    report.findings.push_back(std::move(like));
  }
  report.gradients.push_back(std::move(found));
}

}  // namespace

Report check_gradients(const Value& loss, std::vector<Value> wrt, std::span<const Feed> feeds,
                       GradcheckOptions options) {
  const auto require_range = [](const char* option, Number value) {
    gradcheck::detail::require_range(fmt::format("check_gradients: `{}`", option), value, 0,
                                     "a finite number of 0 or more");
  };
  require_range("rtol", options.rtol);
  require_range("atol", options.atol);
  require_range("dense_limit", static_cast<Number>(options.dense_limit));
  require_range("projections", options.projections);
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
  Report report;
  report.configurations = 1;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const Value& value = copy.leaves[selected[i]].original;
    Gradient found{.of = value.name(), .shape = value.shape().dims()};
    const auto check = options.projections > 0 ? check_directions : check_elements;
    const std::vector<Element> compared = check(checker, selected[i], i, options, found);
    conclude(loss, compared, std::move(found), report);
  }
  if (options.projections > 0) {
    report
        .notes[fmt::format(
            "only {} random directions a tensor were tried: an error can hide that is "
            "nearly at right angles to all of them, smaller than the error estimate, or "
            "there for other inputs only",
            options.projections)]
        .insert(label(loss.node()));
  }
  return report;
}

Report check_gradients(const Value& loss, std::vector<Value> wrt, std::initializer_list<Feed> feeds,
                       GradcheckOptions options) {
  return check_gradients(loss, std::move(wrt), std::span<const Feed>(feeds.begin(), feeds.size()),
                         options);
}

}  // namespace aclgrad
