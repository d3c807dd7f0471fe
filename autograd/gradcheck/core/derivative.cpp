// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradcheck/derivative.h"

#include <algorithm>
#include <cmath>

namespace aclgrad::gradcheck {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
constexpr long double kRounding = std::numeric_limits<long double>::epsilon();

// A difference quotient and how much the noise of the function's values may have moved it.
struct Quotient {
  long double value;
  long double noise;
};

// Extrapolates quotients whose error is a series in h^order, h^2order, ... with h halved from one
// to the next. Every entry of the tableau has an error: how far it lies from its two parents, and
// the noise that reached it. The entry with the smallest one wins, so a large h that straddles a
// corner and small ones that drown in noise both lose. Quotients on both sides of a corner can meet
// by chance in an entry that is far from the slope: an entry that the finest quotients rule out has
// at least its distance from them as its error.
Estimate extrapolate(const std::vector<Quotient>& quotients, int order) {
  Estimate best;
  const Quotient& finest = quotients.back();
  long double spread = finest.noise;
  for (std::size_t k = quotients.size(); k-- > 1 && k + 2 >= quotients.size();) {
    spread += std::abs(quotients[k].value - quotients[k - 1].value);
  }
  std::vector<Quotient> above;
  for (std::size_t k = 0; k < quotients.size(); ++k) {
    std::vector<Quotient> row;
    row.reserve(k + 1);
    row.push_back(quotients[k]);
    long double factor = 1;
    for (std::size_t j = 1; j <= k && j <= above.size(); ++j) {
      factor *= static_cast<long double>(1 << order);
      const Quotient& finer = row[j - 1];
      const Quotient& coarser = above[j - 1];
      const long double value = finer.value + (finer.value - coarser.value) / (factor - 1);
      const long double noise = (factor * finer.noise + coarser.noise) / (factor - 1);
      row.push_back({value, noise});
      if (!std::isfinite(value)) continue;
      const long double apart = std::abs(value - finest.value);
      const long double error =
          std::max({std::abs(value - finer.value), std::abs(value - coarser.value),
                    apart > 2 * spread ? apart : 0}) +
          noise + 4 * kRounding * std::abs(value);
      if (error < best.error) best = {value, error};
    }
    above = std::move(row);
  }
  return best;
}

// Of a slope, quotients differ by half as much from each h to the next; of a cusp, such as that
// of the cube root at 0, by no less.
bool grows_without_end(const std::vector<Quotient>& quotients) {
  constexpr std::size_t kLast = 5;
  constexpr long double kNoLess = 0.97L;  // x log x has 1, the cube root 1.6
  constexpr long double kPart = 1e-3L;    // of a corner just beside the point differences grow, too
  if (quotients.size() < kLast + 2) return false;
  for (std::size_t k = quotients.size() - kLast; k < quotients.size(); ++k) {
    const long double now = quotients[k].value - quotients[k - 1].value;
    const long double before = quotients[k - 1].value - quotients[k - 2].value;
    const long double noise = quotients[k].noise + quotients[k - 1].noise;
    const bool grows = now * before > 0 && std::abs(now) >= kNoLess * std::abs(before);
    const bool doubles = std::abs(quotients[k].value) > 1.9L * std::abs(quotients[k - 1].value);
    const long double least = std::max(4 * noise, kPart * std::abs(quotients[k].value));
    if (!grows || doubles || std::abs(now) < least) return false;  // a jump doubles them
  }
  return true;
}

Estimate smallest_error(std::initializer_list<Estimate> estimates) {
  return *std::min_element(estimates.begin(), estimates.end(),
                           [](const auto& a, const auto& b) { return a.error < b.error; });
}

long double size_of(const Estimate& estimate) { return std::abs(estimate.value); }

}  // namespace

long double Slopes::low() const {
  return kind == PointKind::corner ? std::min(left.value, right.value) : best.value;
}

long double Slopes::high() const {
  return kind == PointKind::corner ? std::max(left.value, right.value) : best.value;
}

long double Slopes::error() const {
  return kind == PointKind::corner ? std::max(left.error, right.error) : best.error;
}

Slopes analyse(const Samples& s) {
  Slopes found;
  if (!std::isfinite(s.centre)) {
    found.reason = "the function has no finite value here";
    return found;
  }
  const auto is_centre = [&](long double value) { return value == s.centre; };
  if (std::all_of(s.plus.begin(), s.plus.end(), is_centre) &&
      std::all_of(s.minus.begin(), s.minus.end(), is_centre)) {
    const Estimate zero{0, (s.noise * std::abs(s.centre) + s.floor) / s.h};
    return {.kind = PointKind::smooth, .left = zero, .right = zero, .best = zero, .flat = true};
  }
  std::vector<Quotient> left;
  std::vector<Quotient> right;
  std::vector<Quotient> central;
  long double h = s.h;
  for (std::size_t k = 0; k < s.plus.size(); ++k, h /= 2) {
    const auto noise_of = [&](long double value) { return s.noise * std::abs(value) + s.floor; };
    const long double at = noise_of(s.centre);
    right.push_back({(s.plus[k] - s.centre) / h, (noise_of(s.plus[k]) + at) / h});
    left.push_back({(s.centre - s.minus[k]) / h, (noise_of(s.minus[k]) + at) / h});
    central.push_back({(s.plus[k] - s.minus[k]) / (2 * h),
                       (noise_of(s.plus[k]) + noise_of(s.minus[k])) / (2 * h)});
  }
  if (grows_without_end(left) || grows_without_end(right)) {
    found.reason = "the slope is infinite here";
    return found;
  }
  found.left = extrapolate(left, 1);
  found.right = extrapolate(right, 1);
  const long double jump = std::abs(found.right.value - found.left.value);
  const long double sides = found.left.error + found.right.error;
  if (std::isfinite(sides) &&
      jump > 4 * sides + 1e-7L * std::max(size_of(found.left), size_of(found.right))) {
    found.kind = PointKind::corner;
    return found;
  }
  found.best = smallest_error({extrapolate(central, 2), found.left, found.right});
  // The curvature jumps nearby: each side extrapolates its own.
  if (std::isfinite(sides) && jump > 4 * sides) found.best.error += jump;
  if (!std::isfinite(found.best.error)) {
    found.reason = "the function has no finite values around it";
    return found;
  }
  // A jump of the function makes quotients grow without end.
  const auto last = right.size() - 1;
  const long double growth = std::max(std::abs(right[last].value), std::abs(left[last].value)) /
                             (std::max(std::abs(right[0].value), std::abs(left[0].value)) + 1);
  if (growth > std::ldexp(0.25L, static_cast<int>(last))) {
    found.reason = "the function jumps here";
    return found;
  }
  found.kind = PointKind::smooth;
  return found;
}

std::vector<long double> h_choices(long double x) {
  const auto power_of_two = [](long double h) { return std::exp2(std::floor(std::log2(h))); };
  const long double first = power_of_two(std::max(1.0L, std::abs(x)) / 8);
  std::vector<long double> choices = {first, std::ldexp(first, -kHalvings),
                                      std::ldexp(first, -2 * kHalvings)};
  const long double below_zero = x == 0 ? kInfinity : power_of_two(std::abs(x) / 8);
  if (below_zero < first) choices.push_back(below_zero);
  return choices;
}

bool wants_smaller_h(const Slopes& found) {
  if (found.flat) return false;
  return found.kind != PointKind::smooth || found.error() > 1e-9L * std::abs(found.best.value);
}

Slopes better(const Slopes& a, const Slopes& b) {
  const bool smooth_a = a.kind == PointKind::smooth;
  const bool smooth_b = b.kind == PointKind::smooth;
  if (smooth_a && smooth_b) return b.error() < a.error() ? b : a;
  if (smooth_a || smooth_b) {
    // Noise can make anything look smooth, and the quotients across a corner agree on the mean of
    // its slopes: only sides that would have shown the jump rule it out.
    const Slopes& smooth = smooth_a ? a : b;
    const Slopes& other = smooth_a ? b : a;
    if (other.kind != PointKind::corner) return smooth;
    return 4 * (smooth.left.error + smooth.right.error) < other.high() - other.low() ? smooth
                                                                                     : other;
  }
  if (a.kind == PointKind::corner && b.kind == PointKind::corner) {
    return b.error() < a.error() ? b : a;
  }
  return a.kind == PointKind::corner ? a : b;
}

Slopes slopes_at(const Curve& curve, long double x, long double noise) {
  return slopes_at([&](long double shift) { return std::vector{curve(x + shift)}; }, x, noise, 0)
      .front();
}

std::vector<Slopes> slopes_at(const Curves& values, long double x, long double noise,
                              long double largest) {
  const std::vector<long double> centre = values(0);
  std::vector<Slopes> found(centre.size());
  std::vector<bool> open(centre.size(), true);
  bool first = true;
  for (const long double widest : h_choices(x)) {
    std::vector<Samples> samples;
    for (const long double value : centre) {
      samples.push_back({.h = widest, .centre = value, .noise = noise, .floor = noise * largest});
    }
    long double h = widest;
    for (int s = 0; s < kHalvings; ++s, h /= 2) {
      const std::vector<long double> above = values(h);
      const std::vector<long double> below = values(-h);
      for (std::size_t k = 0; k < centre.size(); ++k) {
        samples[k].plus.push_back(above[k]);
        samples[k].minus.push_back(below[k]);
      }
    }
    bool any = false;
    for (std::size_t k = 0; k < centre.size(); ++k) {
      if (!open[k]) continue;
      const Slopes now = analyse(samples[k]);
      found[k] = first ? now : better(found[k], now);
      // A smaller h cannot help where rounding is already what limits the estimate.
      open[k] = wants_smaller_h(found[k]) && found[k].error() > 64 * samples[k].floor / widest;
      any = any || open[k];
    }
    first = false;
    if (!any) break;
  }
  return found;
}

}  // namespace aclgrad::gradcheck
