// SPDX-License-Identifier: Apache-2.0
// Corners of operators that mix elements (the largest of several, a sum of magnitudes) lie where
// one element meets another, and random inputs do not hit them. They are searched for along lines:
// one element runs through its domain, the others stay.
#include <algorithm>
#include <cmath>

#include "gradcheck/core/problem.h"

namespace aclgrad::gradcheck::detail {
namespace {

constexpr int kGrid = 96;

// The outputs, weighted so that corners of one do not hide behind those of another.
Number weighted_sum(const Candidate& candidate, const Arrays& inputs, std::uint64_t seed) {
  const Array out = differentiated(candidate, inputs);
  Number sum = 0;
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    sum += (0.5L + random_unit(seed + 31, i)) * out.values[i];
  }
  return sum;
}

}  // namespace

std::size_t put_on_corners(const Candidate& candidate, DType dtype, std::uint64_t seed, int lines,
                           Arrays& inputs) {
  const std::vector<std::size_t> which = differentiable(candidate);
  if (candidate.is_elementwise() && candidate.inputs().size() == 1)
    return 0;  // its corners are all known
  std::size_t found = 0;
  for (int line = 0; line < lines; ++line) {
    const std::uint64_t bits = random_bits(seed + 41, static_cast<std::uint64_t>(line));
    const std::size_t k = which[bits % which.size()];
    if (inputs[k].values.empty()) continue;
    Number& element = inputs[k].values[bits / which.size() % inputs[k].values.size()];
    const Number before = element;
    const std::vector<Number> corners = find_corners(
        [&](long double x) {
          element = x;
          return weighted_sum(candidate, inputs, seed);
        },
        input_of(candidate, k).low, input_of(candidate, k).high, 16 * candidate.noise, kGrid);
    element = before;
    found += corners.size();
    if (corners.empty()) continue;
    // Only where the dtype holds it: beside it there is nothing special.
    const Number corner = corners[bits / 7 % corners.size()];
    const Number stored = round_to(corner, dtype);
    if (std::abs(stored - corner) > 1e-6L * std::max<Number>(1, std::abs(corner))) continue;
    // Of three equal elements, as of a sort, one may take a gradient that is the slope of no side.
    if (std::ranges::count(inputs[k].values, stored) < 2) element = stored;
  }
  return found;
}

}  // namespace aclgrad::gradcheck::detail
