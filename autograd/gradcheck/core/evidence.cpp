// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace aclgrad::gradcheck::detail {
namespace {

// Of the terms that it is made of, this part of a gradient element is nothing.
constexpr Number kNothing = 1e-6L;

Number size_of(Number low, Number high) { return std::max(std::abs(low), std::abs(high)); }

bool is_telling(const Expected& e) {
  if (e.kind == PointKind::unknown) return false;
  return size_of(e.low, e.high) > std::max(kNothing * e.magnitude, e.error);
}

bool is_slope(const Slopes& s) {
  return s.kind != PointKind::unknown && size_of(s.low(), s.high()) > s.error();
}

}  // namespace

void Evidence::see(const Operator& op, const Problem& problem) {
  counts_.resize(problem.expected.size());
  for (std::size_t k = 0; k < problem.expected.size(); ++k) {
    const std::vector<Expected>& expected = problem.expected[k];
    Count& count = counts_[k];
    const std::size_t columns = op.is_elementwise() ? 1 : problem.jacobian.columns;
    std::vector<bool> heard(columns, false);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ++count.elements;
      if (!is_telling(expected[i])) continue;
      ++count.telling;
      for (std::size_t c = 0; c < columns; ++c) {
        heard[c] = heard[c] || is_slope(problem.jacobian.of_input[k][i * columns + c]);
      }
    }
    if (op.is_elementwise()) continue;
    count.upstream += static_cast<std::int64_t>(columns);
    count.heard += std::count(heard.begin(), heard.end(), true);
  }
}

void Evidence::report(const Operator& op, DType dtype, Report& report) const {
  const std::vector<std::size_t> inputs = differentiable(op);
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    const Count& count = counts_[k];
    const bool sparse = 4 * count.telling < count.elements;
    if (!sparse || 2 * count.heard > count.upstream) continue;
    Finding finding = finding_for(op, dtype, Layout::contiguous, "evidence");
    finding.verdict = Verdict::mistrusted;
    finding.elements = count.elements - count.telling;
    finding.text = fmt::format(
        "{} of {} elements of the gradient of {} are 0, and being right there proves little: "
        "choose "
        "other inputs",
        finding.elements, count.elements, op.inputs[inputs[k]].name);
    report.findings.push_back(std::move(finding));
    ++report.mistrusted;
  }
}

}  // namespace aclgrad::gradcheck::detail
