// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "gradcheck/core/behaviour.h"
#include "gradcheck/core/checkable.h"
#include "gradcheck/core/coverage.h"
#include "gradcheck/core/failure.h"

namespace aclgrad::gradcheck {
namespace {

// Inputs that are not differentiated: numbers of classes, masks, targets.
void note_without_gradient(const Candidate& candidate, Report& report) {
  const std::vector<const contract::Parameter*> inputs = candidate.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (candidate.is_differentiable(i)) continue;
    const std::optional<aclDataType> dtype = inputs[i]->tensor()->dtype;
    const bool whole = dtype && !contract::is_float(*dtype);
    report
        .notes[fmt::format("no gradient for {}{}", inputs[i]->name,
                           whole ? fmt::format(" ({})", short_name(dtype_of(*dtype))) : "")]
        .insert(candidate.name());
  }
}

// Whether there is anything to repeat.
bool repeatable(const Candidate& candidate) {
  return std::ranges::any_of(candidate.inputs(), [](const contract::Parameter* input) {
    return count_of(input->tensor()->shape) > 1;
  });
}

}  // namespace

namespace detail {
namespace {

// One call of check_operator.
class Check {
 public:
  Check(const Candidate& candidate, const Options& options)
      : candidate_(guarded(candidate)), options_(options) {
    if (!candidate_.strided) options_.layouts = {Layout::contiguous};
  }

  Report run() {
    note_without_gradient(candidate_, report_);
    const DType first = options_.dtypes.front();
    leave_out_refused();
    if (options_.dtypes.empty() || !attempt(candidate_, first, Layout::contiguous, report_,
                                            [&] { corners_ = corners_of(candidate_); })) {
      return std::move(report_);
    }
    for (const DType dtype : options_.dtypes) {
      if (is_enough()) break;
      check(dtype);
    }
    if (options_.every_shape && candidate_.is_elementwise() && !is_enough()) {
      check_shapes(candidate_, options_, corners_, report_);
    }
    say_when_nothing_was_compared();
    return std::move(report_);
  }

 private:
  bool is_enough() const { return options_.stop_at_first && report_.verdict() == Verdict::wrong; }

  // Takes away the dtypes that the operator refuses.
  void leave_out_refused() {
    if (!candidate_.refusal) return;
    std::erase_if(options_.dtypes, [&](DType dtype) {
      std::string why;
      const bool is_known = attempt(candidate_, dtype, Layout::contiguous, report_,
                                    [&] { why = candidate_.refusal(dtype); });
      if (!why.empty()) report_.left_out.emplace(dtype, why);
      return !is_known || !why.empty();
    });
    if (!options_.dtypes.empty() || !report_.findings.empty()) return;
    throw ValueError(fmt::format("{} takes none of the dtypes: {}", candidate_.name(),
                                 report_.left_out.begin()->second));
  }

  // A failure is a finding, and ends no more than this part.
  template <class Part>
  void part(DType dtype, Layout layout, const Part& part) {
    if (!is_enough()) attempt(candidate_, dtype, layout, report_, part);
  }

  void check(DType dtype) {
    GradientCoverage coverage;
    for (int draw = 0; draw < options_.draws; ++draw) {
      part(dtype, Layout::contiguous, [&] { check(dtype, draw, coverage); });
    }
    if (!is_enough()) coverage.report(candidate_, dtype, report_);
  }

  void check(DType dtype, int draw, GradientCoverage& coverage) {
    const std::uint64_t seed = options_.seed * 1000 + static_cast<std::uint64_t>(draw);
    const Problem plain = make_problem(candidate_, dtype, seed, corners_);
    coverage.see(candidate_, plain);
    see_ranges(candidate_, plain.inputs, report_);
    const Arrays plain_slack = unavoidable_rounding(candidate_, plain);
    const bool behaviour = options_.behaviour && draw == 0;
    for (const Layout layout : options_.layouts) {
      const bool repeat = layout == Layout::broadcast;
      if (repeat && !repeatable(candidate_)) continue;
      part(dtype, layout, [&] {
        if (!repeat) return check(plain, plain_slack, layout, behaviour);
        const Problem other = make_problem(candidate_, dtype, seed, corners_, true);
        check(other, unavoidable_rounding(candidate_, other), layout, behaviour);
      });
    }
    part(dtype, Layout::contiguous, [&] { check_saved(candidate_, plain, options_, report_); });
    if (!behaviour) return;
    part(dtype, Layout::contiguous, [&] { check_masks(candidate_, plain, report_); });
    part(dtype, Layout::contiguous, [&] { check_rows(candidate_, plain, options_, report_); });
    part(dtype, Layout::contiguous, [&] { check_nan(candidate_, plain, report_); });
  }

  void check(const Problem& problem, const Arrays& slack, Layout layout, bool behaviour) {
    const ExecutionOptions how{.layout = layout};
    ++report_.configurations;
    ++report_.checks;
    compare_all(candidate_, problem, execute(candidate_, problem, how), slack, how, options_,
                report_);
    if (!behaviour) return;
    const DType dtype = problem.dtype;
    part(dtype, layout, [&] { check_memory(candidate_, problem, layout, report_); });
    part(dtype, layout, [&] {
      if (candidate_.strided) check_layout(candidate_, problem, layout, report_);
    });
    part(dtype, layout, [&] {
      if (layout != Layout::broadcast) check_in_place(candidate_, problem, layout, report_);
    });
  }

  void say_when_nothing_was_compared() {
    if (report_.elements() > 0 || !report_.findings.empty()) return;
    Finding finding =
        finding_for(candidate_, options_.dtypes.front(), Layout::contiguous, "coverage");
    finding.verdict = Verdict::inconclusive;
    finding.text = "no element of a gradient was compared: all of them are empty";
    report_.findings.push_back(std::move(finding));
  }

  Report report_;
  Candidate candidate_;
  Options options_;
  std::vector<Number> corners_;
};

}  // namespace
}  // namespace detail

Report check_operator(const Candidate& candidate, const Options& options) {
  detail::require_sound(candidate, options);
  return detail::Check(candidate, options).run();
}

}  // namespace aclgrad::gradcheck
