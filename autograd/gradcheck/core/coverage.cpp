// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

namespace aclgrad::gradcheck::detail {
namespace {

// Of the terms that it is made of, this part of a gradient element is nothing.
constexpr Number kNothing = 1e-6L;

Number size_of(Number low, Number high) { return std::max(std::abs(low), std::abs(high)); }

bool is_nonzero(const Expected& e) {
  if (e.kind == PointKind::unknown) return false;
  return size_of(e.low, e.high) > std::max(kNothing * e.magnitude, e.error);
}

bool is_slope(const Slopes& s) {
  return s.kind != PointKind::unknown && size_of(s.low(), s.high()) > s.error();
}

}  // namespace

void see_ranges(const Candidate& candidate, const Arrays& inputs, Report& report) {
  const std::vector<const contract::Parameter*> parameters = candidate.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto is_finite = [](Number value) { return std::isfinite(value); };
    for (const Number value : inputs[i].values | std::views::filter(is_finite)) {
      report.see(fmt::format("{} of {}", parameters[i]->name, candidate.forward.op().call.name),
                 {value, value});
    }
  }
}

void GradientCoverage::see(const Candidate& candidate, const Problem& problem) {
  counts_.resize(problem.expected.size());
  for (std::size_t k = 0; k < problem.expected.size(); ++k) {
    const std::vector<Expected>& expected = problem.expected[k];
    Count& count = counts_[k];
    const std::size_t columns = candidate.is_elementwise() ? 1 : problem.jacobian.columns;
    std::vector<bool> reached(columns, false);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ++count.elements;
      if (!is_nonzero(expected[i])) continue;
      ++count.nonzero;
      for (std::size_t c = 0; c < columns; ++c) {
        reached[c] = reached[c] || is_slope(problem.jacobian.of_input[k][i * columns + c]);
      }
    }
    if (candidate.is_elementwise()) continue;
    count.upstream += static_cast<std::int64_t>(columns);
    count.reached += std::count(reached.begin(), reached.end(), true);
  }
}

void GradientCoverage::report(const Candidate& candidate, DType dtype, Report& report) const {
  const std::vector<std::size_t> inputs = differentiable(candidate);
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    const Count& count = counts_[k];
    const bool sparse = 4 * count.nonzero < count.elements;
    if (!sparse || 2 * count.reached > count.upstream) continue;
    const std::string& input = candidate.inputs()[inputs[k]]->name;
    const auto& is_zero = candidate.gradient.is_zero;
    if (count.nonzero == 0 && is_zero && is_zero(candidate.forward, input)) continue;
    Finding finding = finding_for(candidate, dtype, Layout::contiguous, "coverage");
    finding.verdict = Verdict::vacuous;
    finding.elements = count.elements - count.nonzero;
    finding.text = fmt::format(
        "{} of {} elements of the gradient of {} are 0, and being right there proves little: "
        "choose "
        "other inputs",
        finding.elements, count.elements, input);
    report.findings.push_back(std::move(finding));
    ++report.vacuous;
  }
}

}  // namespace aclgrad::gradcheck::detail
