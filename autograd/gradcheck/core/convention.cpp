// SPDX-License-Identifier: Apache-2.0
// Which slope a backward takes at a corner.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gradcheck/core/compare.h"

namespace aclgrad::gradcheck::detail {
namespace {

std::string name_of_corner(const Element& e, const Expected& expected) {
  const auto meets = [&](Number slope) { return std::abs(e.analytic - slope) <= e.bound; };
  if (meets(expected.left)) return "the left slope";
  if (meets(expected.right)) return "the right slope";
  return "between the slopes";
}

std::string promised(const contract::Gradient& gradient, Number at) {
  Number middle = 0;
  if (!gradient.corners.empty()) {
    const auto [least, largest] = std::ranges::minmax(gradient.corners);
    middle = (least + largest) / 2;
  }
  switch (gradient.side) {
    case contract::Side::kLeft:
      return "the left slope";
    case contract::Side::kRight:
      return "the right slope";
    case contract::Side::kInside:
      return at < middle ? "the right slope" : "the left slope";
    case contract::Side::kOutside:
      return at < middle ? "the left slope" : "the right slope";
    default:
      return "";
  }
}

// The steps of a numeric slope reach over a corner from the numbers beside it, too, where only one
// slope is right: whether the corner is nearer than they are.
bool is_at_corner(const Candidate& candidate, Number x, Number jump, DType dtype) {
  if (!candidate.is_elementwise() || candidate.inputs().size() != 1) return true;
  const Number h = ulp(x, dtype) / 2;
  const auto at = [&](Number t) { return number_at(candidate, std::span(&t, 1)); };
  return std::abs(at(x - h) - 2 * at(x) + at(x + h)) > jump * h / 2;
}

}  // namespace

std::string visit_corner(const Candidate& candidate, const Problem& problem, const Element& e,
                         const Expected& expected, Report& report) {
  const Number jump = std::abs(expected.right - expected.left);
  if (jump <= 4 * e.bound) return "";
  // Where elements are mixed, what arrived is part of the slopes.
  const Number g =
      candidate.is_elementwise() ? problem.cotangent.values[static_cast<std::size_t>(e.index)] : 1;
  if (!is_at_corner(candidate, e.input, jump / std::abs(g), problem.dtype)) return "";
  const Corner corner{.operator_name = candidate.title(),
                      .at = e.input + 0,  // no -0
                      .left = expected.left / g + 0,
                      .right = expected.right / g + 0,
                      .taken = e.analytic / g + 0,
                      .convention = name_of_corner(e, expected)};
  Report one;
  one.corners = {corner};
  report.add(one);
  const std::string wanted = promised(candidate.gradient, e.input);
  if (wanted.empty() || wanted == corner.convention) return "";
  return fmt::format("{}, where {} is documented", corner.to_string(), wanted);
}

}  // namespace aclgrad::gradcheck::detail
