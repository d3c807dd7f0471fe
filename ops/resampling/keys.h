// SPDX-License-Identifier: Apache-2.0
// Keys's cubic kernel for a = -0.75 (Keys 1981), at four elements around a point that is t of the
// way from the second to the third.
#pragma once

#include <array>

namespace aclgrad::ops {

inline std::array<double, 4> keys_weights(double t) {
  constexpr double a = -0.75;
  const auto inner = [](double u) { return ((a + 2) * u - (a + 3)) * u * u + 1; };
  const auto outer = [](double u) { return ((a * u - 5 * a) * u + 8 * a) * u - 4 * a; };
  return {outer(t + 1), inner(t), inner(1 - t), outer(2 - t)};
}

// Their derivatives by t.
inline std::array<double, 4> keys_slopes(double t) {
  constexpr double a = -0.75;
  const auto inner = [](double u) { return (3 * (a + 2) * u - 2 * (a + 3)) * u; };
  const auto outer = [](double u) { return (3 * a * u - 10 * a) * u + 8 * a; };
  return {outer(t + 1), inner(t), -inner(1 - t), -outer(2 - t)};
}

}  // namespace aclgrad::ops
