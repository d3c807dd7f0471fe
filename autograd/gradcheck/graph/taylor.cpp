// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/graph/taylor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace aclgrad {
namespace detail {
namespace {

using gradcheck::Verdict;

constexpr int kSteady = 3;          // rates in a row that agree
constexpr double kTolerance = 0.2;  // of a rate
constexpr double kTiny = 1e-6;      // of the change of the loss
constexpr double kSmall = 1e-3;     // of the term of the second derivative

// By how many powers of 2 the remainder falls from one step to the next.
double rate_at(const std::vector<double>& remainders, std::size_t step) {
  return std::log2(remainders[step] / remainders[step + 1]);
}

// The power of h that the remainders before `end` follow; 0 where they follow none.
int power_before(std::size_t end, const std::vector<double>& remainders) {
  double low = INFINITY;
  double high = -INFINITY;
  for (std::size_t i = end - 1 - kSteady; i + 1 < end; ++i) {
    low = std::min(low, rate_at(remainders, i));
    high = std::max(high, rate_at(remainders, i));
  }
  const double power = std::round((low + high) / 2);
  return low > power - kTolerance && high < power + kTolerance ? static_cast<int>(power) : 0;
}

// Networks of rectifiers and maxima have corners close by, and from the last one on remainders of
// order 3 may fall below rounding before they show a rate. There their size decides: a derivative
// of the gradient that were wrong by a thousandth would leave more.
bool are_small_behind_a_corner(const Remainders& of, std::size_t start, std::size_t count) {
  if (of.order != 3) return false;
  std::size_t behind = 0;
  for (std::size_t i = start; i < count && i + 1 < of.values.size(); ++i) {
    if (rate_at(of.values, i) > 2 * of.order) behind = i + 1;
  }
  if (behind == 0 || count > behind + kSteady) return false;
  const double h = std::ldexp(of.largest_step, -static_cast<int>(behind));
  return std::max(of.values[behind], of.rounding) < kSmall * std::abs(of.curvature) / 2 * h * h;
}

}  // namespace

TaylorRate rate_of(const Remainders& of) {
  TaylorRate found{.order = of.order};
  if (!of.is_finite) {
    if (of.are_losses_finite) found.verdict = Verdict::wrong;
    found.reason = fmt::format("{} along the direction is no finite number",
                               of.order == 2 ? "the gradient" : "the gradient's derivative");
    return found;
  }
  // Steps so large that the loss is no number say nothing.
  std::size_t start = 0;
  while (start < of.values.size() && !std::isfinite(of.values[start])) ++start;
  if (start == of.values.size()) {
    found.reason = "the loss is no finite number at any of the steps";
    return found;
  }
  // Steps before the first remainder that is noise, or no number.
  std::size_t count = start;
  while (count < of.values.size() && of.values[count] > of.rounding) ++count;
  if (count == start && of.rounding < kTiny * of.largest_step * std::abs(of.slope)) {
    found.verdict = Verdict::right;
    found.reason = "not even the largest step leaves a remainder above rounding";
    return found;
  }
  if (are_small_behind_a_corner(of, start, count)) {
    found.verdict = Verdict::right;
    found.reason = "behind the last corner the remainders are too few for a rate, and small";
    return found;
  }
  // The smallest steps count: a small mistake in the gradient shows there only.
  for (std::size_t end = count; end > start + kSteady; --end) {
    const int power = power_before(end, of.values);
    if (power < 1) continue;
    found.rate = rate_at(of.values, end - 2);
    if (power >= of.order) {
      found.verdict = Verdict::right;
      return found;
    }
    // Well above rounding.
    const std::size_t first = end - 1 - kSteady;
    const double h = std::ldexp(of.largest_step, -static_cast<int>(first));
    const double jump = of.jump(power, h);
    if (jump > of.values[first] / std::pow(h, power) / 2) {
      found.reason = fmt::format("a corner: the {} on both sides of the point differ by {:.2g}",
                                 power == 1 ? "slopes" : "curvatures", jump);
      return found;
    }
    found.verdict = Verdict::wrong;
    return found;
  }
  found.reason = count - start > kSteady + 1
                     ? "the remainders follow no power of h: there are corners between the steps"
                     : fmt::format("rounding, {:.1e}, hides all but {} remainders", of.rounding,
                                   count - start);
  return found;
}

}  // namespace detail

gradcheck::Verdict ModelReport::verdict() const {
  if (directions.empty()) return gradcheck::Verdict::inconclusive;
  gradcheck::Verdict all = gradcheck::Verdict::right;
  for (const TaylorDirection& direction : directions) {
    for (const TaylorRate& rate : direction.rates) {
      if (rate.verdict == gradcheck::Verdict::wrong) return gradcheck::Verdict::wrong;
      if (rate.verdict != gradcheck::Verdict::right) all = rate.verdict;
    }
  }
  return all;
}

bool ModelReport::passed() const { return verdict() == gradcheck::Verdict::right; }

std::string ModelReport::to_string() const {
  const auto word = [](gradcheck::Verdict verdict, bool loud) {
    if (verdict == gradcheck::Verdict::right) return loud ? "passed" : "right";
    if (verdict == gradcheck::Verdict::wrong) return loud ? "FAILED" : "WRONG";
    return "inconclusive";
  };
  std::string text = fmt::format(
      "Taylor remainders of a loss of {:.9g}, {} elements moved along {} directions: {}\n", loss,
      elements, directions.size(), word(verdict(), true));
  if (!without_second_order.empty()) {
    text += fmt::format("  second order is not checked: {}\n", without_second_order);
  }
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const TaylorDirection& direction = directions[k];
    text += fmt::format("  direction {}: g.d = {:.9g}", k, direction.slope);
    if (without_second_order.empty()) text += fmt::format(", d.H d = {:.9g}", direction.curvature);
    for (const TaylorRate& rate : direction.rates) {
      text += fmt::format("\n    order {}: {}", rate.order, word(rate.verdict, false));
      if (rate.rate != 0) text += fmt::format(", rate {:.3f}", rate.rate);
      if (!rate.reason.empty()) text += "; " + rate.reason;
    }
    text += fmt::format("\n    {:>10} {:>12} {:>7}", "h", "order 2", "rate");
    const bool both = without_second_order.empty();
    if (both) text += fmt::format(" {:>12} {:>7}", "order 3", "rate");
    for (std::size_t i = 0; i < direction.steps.size(); ++i) {
      const TaylorStep& step = direction.steps[i];
      const auto cells = [&](double TaylorStep::*remainder) {
        const double now = step.*remainder;
        text += fmt::format(" {:>12.3e}", now);
        const double before = i == 0 ? 0 : direction.steps[i - 1].*remainder;
        const bool noise = now <= direction.rounding || before <= direction.rounding;
        text += noise ? fmt::format(" {:>7}", i == 0 ? "-" : "noise")
                      : fmt::format(" {:>7.3f}", std::log2(before / now));
      };
      text += fmt::format("\n    {:>10.3e}", step.h);
      cells(&TaylorStep::first);
      if (both) cells(&TaylorStep::second);
    }
    text += "\n";
  }
  return text;
}

}  // namespace aclgrad
