// SPDX-License-Identifier: Apache-2.0
// A way to move a point of a pair of functions, the derivative along it as the backward has it, and
// how large the numbers are that the results along it are made of.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "gradcheck/functions/calls.h"

namespace aclgrad::gradcheck::detail {

// How a point is moved: the elements that move, and how far each of them while the way is 1 long.
struct Way {
  struct Step {
    std::size_t input;
    std::size_t element;
    Number length = 1;
  };
  std::vector<Step> steps;
  Number at;  // the number that all of them are; 0 where they differ
  std::string what;
};

// The derivative along a way as the backward has it.
struct Analytic {
  Number sum = 0;
  Number terms = 0;   // the sum of its terms' magnitudes
  Number stored = 0;  // that of what rounding them to their dtypes may do,
  Number spread = 0;  // and the root of the sum of its squares

  Analytic(const FunctionPair& pair, const Way& way, const Arrays& gradients) {
    std::map<Number, Number> alike;  // gradients with the same digits are rounded alike
    for (const Way::Step& step : way.steps) {
      const Number gradient = gradients[step.input].values[step.element];
      const Number term = step.length * gradient;
      sum += term;
      terms += std::abs(term);
      const Number last = step.length * ulp(gradient, pair.inputs[step.input].dtype) / 2;
      stored += std::abs(last);
      int exponent = 0;
      alike[std::frexp(std::abs(gradient), &exponent)] += std::abs(last);
    }
    for (const auto& [digits, last] : alike) spread += last * last;
    spread = std::sqrt(spread);
  }
};

// What the last bit of a number that is 1 stands for. 0 has none, and could be a multiple of any.
inline Number last_bit(Number value) {
  if (value == 0 || !std::isfinite(value)) return INFINITY;
  int exponent = 0;
  const Number mantissa = std::frexp(std::abs(value), &exponent);
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(std::ldexp(mantissa, 64)));
  return std::ldexp(Number{1}, exponent - 64 + zeros);
}

// How large the numbers are that rounding of the results is to be measured by, each weighted by
// what arrives at its result. A forward may subtract numbers as large as x, as log(sum of exp) - x
// does, and return little. That shows in its results: their last bits are 0, or they stay where
// they are in small steps while they move in larger ones.
struct Reach {
  Number size = 0;      // the results that move at all
  Number arriving = 0;  // what arrives at those; where there are none, at all
  Number beside = 0;    // what results are made of beyond their size
  bool has_both_sides = true;

  template <class Results>
  Reach(Number at, const Arrays& upstream, const Results& results_of, Number unit) {
    constexpr int kSteps = 7;
    const Arrays centre = results_of(0);
    Number all_arriving = 0;
    std::array<std::array<Arrays, kSteps>, 2> sides;  // from the largest step to the smallest
    for (std::size_t side = 0; side < 2; ++side) {
      Number step = std::max(Number{1}, std::abs(at)) / (side == 0 ? 8 : -8);
      for (Arrays& results : sides[side]) {
        results = results_of(step);
        step /= 8;
      }
    }
    for (std::size_t k = 0; k < upstream.size(); ++k) {
      for (std::size_t i = 0; i < upstream[k].values.size(); ++i) {
        const Number weight = std::abs(upstream[k].values[i]);
        const Number value = centre[k].values[i];
        all_arriving += weight;
        Number last = last_bit(value);
        Number grain = 0;
        bool moves = false;
        for (const auto& side : sides) {
          Number before = 0;
          for (const Arrays& results : side) {
            const Number moved = results[k].values[i];
            last = std::min(last, last_bit(moved));
            const Number by = std::abs(moved - value);
            if (by == 0) grain = std::max(grain, before);
            before = by;
            moves = moves || by != 0;
          }
          has_both_sides = has_both_sides && std::isfinite(side.back()[k].values[i]);
        }
        if (moves) {
          size += weight * std::abs(value);
          arriving += weight;
        } else if (last < std::abs(value) * (1 << 10) * unit) {
          continue;  // all of its digits, and another input's
        }
        if (!std::isfinite(grain)) grain = 0;
        beside += weight * std::min(std::abs(at), std::max(last, grain) / (16 * unit));
      }
    }
    if (size == 0) arriving = all_arriving;
  }
};

}  // namespace aclgrad::gradcheck::detail
