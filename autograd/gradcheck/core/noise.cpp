// SPDX-License-Identifier: Apache-2.0
// What rounding leaves of a gradient whose terms cancel, told by the numbers beside the point, and
// by the elements that share results.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gradcheck/core/compare.h"

namespace aclgrad::gradcheck::detail {

namespace {

// So many last places beside a number.
constexpr int kBeside[] = {-5, -3, -2, -1, 1, 2, 3, 5};

// How far the numbers of element i there lie from a line at most, above and below together.
Number spread_about_line(const std::vector<std::vector<Number>>& beside, std::size_t i) {
  Number mean = 0;
  Number slope = 0;
  Number squares = 0;
  for (std::size_t s = 0; s < beside.size(); ++s) {
    mean += beside[s][i] / static_cast<Number>(beside.size());
    slope += kBeside[s] * beside[s][i];
    squares += kBeside[s] * kBeside[s];
  }
  slope /= squares;  // their mean is 0
  Number low = 0;
  Number high = 0;
  for (std::size_t s = 0; s < beside.size(); ++s) {
    const Number off = beside[s][i] - mean - kBeside[s] * slope;
    low = std::min(low, off);
    high = std::max(high, off);
  }
  return std::isfinite(mean) && std::isfinite(slope) ? high - low : 0;
}

}  // namespace

// Where large terms cancel, next to nothing is left, and that is all rounding: beside the number it
// is something else by more than it is off. Of functions with a reference alone, whose exact
// derivative shows it.
void find_noise(const Candidate& candidate, const Problem& problem, std::size_t k,
                std::vector<Element>& compared) {
  Number arriving = 0;
  for (const Number g : problem.cotangent.values) arriving = std::max(arriving, std::abs(g));
  const auto is_noise = [&](const Element& e) {
    const bool is_off = e.verdict == Verdict::wrong || e.verdict == Verdict::inexact;
    return is_off && std::max({std::abs(e.analytic), std::abs(e.low), std::abs(e.high)}) <=
                         0x1p-10L * arriving;
  };
  if (!candidate.sparse || std::ranges::none_of(compared, is_noise)) return;
  std::vector<std::vector<Number>> beside;
  for (const int units : kBeside) {
    Arrays moved = problem.inputs;
    for (const std::size_t i : differentiable(candidate)) {
      const DType dtype = stored_dtype(input_of(candidate, i), problem.dtype);
      // By its own last places: the dtype has such numbers, and a smooth change is a line.
      for (Number& x : moved[i].values) {
        if (x != 0) x = round_to(x + units * std::copysign(ulp(x, dtype), x), dtype);
      }
    }
    const Arrays given = given_to(candidate, moved, problem.outputs, problem.cotangent);
    beside.push_back(execute(candidate, problem.dtype, given, moved, {}).gradients[k].values);
  }
  for (std::size_t i = 0; i < compared.size(); ++i) {
    Element& e = compared[i];
    if (!is_noise(e)) continue;
    const Number off = std::max(e.low - e.analytic, e.analytic - e.high);
    if (off <= e.bound + 4 * spread_about_line(beside, i)) e.verdict = Verdict::right;
  }
}

// Fills in Expected::beside and Expected::arriving of one gradient. Of elements that no result
// depends on they are the largest of all.
void find_neighbours(const Problem& problem, std::size_t k, std::vector<Expected>& expected) {
  const std::vector<Slopes>& slopes = problem.jacobian.of_input[k];
  const std::size_t columns = problem.jacobian.columns;
  std::vector<std::size_t> parent(columns);  // of results: those with one root are neighbours
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root_of = [&](std::size_t r) {
    while (parent[r] != r) r = parent[r] = parent[parent[r]];
    return r;
  };
  std::vector<std::size_t> first(expected.size(), columns);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t r = 0; r < columns; ++r) {
      const Slopes& s = slopes[i * columns + r];
      if (s.kind != PointKind::unknown && s.low() == 0 && s.high() == 0) continue;
      if (first[i] == columns) first[i] = r;
      parent[root_of(r)] = root_of(first[i]);
    }
  }
  std::vector<Number> beside(columns + 1);
  std::vector<Number> arriving(columns + 1);
  const auto see = [](Number& largest, Number x) { largest = std::max(largest, x); };
  for (std::size_t r = 0; r < columns; ++r) {
    for (const std::size_t of : {root_of(r), columns}) {
      see(arriving[of], std::abs(problem.cotangent.values[r]));
    }
  }
  const auto place = [&](std::size_t i) {
    return first[i] < columns ? root_of(first[i]) : columns;
  };
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (const std::size_t of : {place(i), columns}) see(beside[of], expected[i].magnitude);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i].beside = beside[place(i)];
    expected[i].arriving = arriving[place(i)];
  }
}

}  // namespace aclgrad::gradcheck::detail
