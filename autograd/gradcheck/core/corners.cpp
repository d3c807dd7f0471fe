// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "aclgrad/gradcheck/derivative.h"

namespace aclgrad::gradcheck {
namespace {

// |f(t-d) - 2 f(t) + f(t+d)|: about d^2 where the function is smooth, about d at a corner.
std::vector<long double> second_differences(const std::vector<long double>& values) {
  std::vector<long double> differences(values.size(), 0);
  for (std::size_t i = 1; i + 1 < values.size(); ++i) {
    const long double d = std::abs(values[i - 1] - 2 * values[i] + values[i + 1]);
    differences[i] = std::isfinite(d) ? d : 0;
  }
  return differences;
}

std::vector<long double> sample(const Curve& curve, long double low, long double high, int cells) {
  std::vector<long double> values;
  for (int i = 0; i <= cells; ++i) {
    values.push_back(curve(low + (high - low) * static_cast<long double>(i) / cells));
  }
  return values;
}

// The corner between low and high, by always going where the function bends most.
long double narrow(const Curve& curve, long double low, long double high) {
  constexpr int kCells = 16;
  constexpr int kRounds = 12;
  for (int round = 0; round < kRounds; ++round) {
    const auto bends = second_differences(sample(curve, low, high, kCells));
    const auto at = std::max_element(bends.begin(), bends.end()) - bends.begin();
    const long double cell = (high - low) / kCells;
    const long double middle = low + cell * static_cast<long double>(at);
    low = middle - cell;
    high = middle + cell;
    if (cell < 1e-9L * std::max(1.0L, std::abs(middle))) break;
  }
  return (low + high) / 2;
}

// The corner to the last digits: where the lines from both sides meet. x is nearer than kBeside.
long double polished(const Curve& curve, long double x) {
  constexpr long double kBeside = 1e-8L;
  const long double h = kBeside * std::max(1.0L, std::abs(x));
  const long double left = curve(x - h);
  const long double right = curve(x + h);
  const long double left_slope = (left - curve(x - 2 * h)) / h;
  const long double right_slope = (curve(x + 2 * h) - right) / h;
  const long double shift =
      (left + left_slope * h - right + right_slope * h) / (right_slope - left_slope);
  return std::abs(shift) <= h ? x + shift : x;
}

// Corners like to sit at numbers with few digits: the one nearby, if the slopes differ there.
long double snapped(long double x) {
  const long double unit = 0x1p-12L;
  const long double near = std::nearbyint(x / unit) * unit;
  return std::abs(near - x) < 1e-6L ? near : x;
}

}  // namespace

std::vector<long double> find_corners(const Curve& curve, long double low, long double high,
                                      long double noise, int grid) {
  std::vector<long double> corners;
  if (!(high > low)) return corners;
  const auto values = sample(curve, low, high, grid);
  const auto bends = second_differences(values);
  const long double cell = (high - low) / grid;
  const auto bend = [&](std::size_t i) { return i < bends.size() ? bends[i] : 0; };
  for (std::size_t i = 1; i + 1 < bends.size(); ++i) {
    if (bends[i] < bends[i - 1] || bends[i] < bend(i + 1)) continue;
    const long double before = i >= 3 ? bends[i - 3] : 0;
    const long double beside = std::min(before, bend(i + 3));
    if (bends[i] <= 6 * beside + 64 * noise * std::abs(values[i])) continue;
    const long double t = low + cell * static_cast<long double>(i);
    const long double found = snapped(polished(curve, narrow(curve, t - 2 * cell, t + 2 * cell)));
    if (found < low || found > high) continue;
    if (!corners.empty() && std::abs(corners.back() - found) < cell) continue;
    if (slopes_at(curve, found, noise).kind == PointKind::corner) corners.push_back(found);
  }
  return corners;
}

}  // namespace aclgrad::gradcheck
