// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "gradcheck/core/behaviour.h"
#include "gradcheck/core/checkable.h"
#include "gradcheck/core/evidence.h"
#include "gradcheck/core/failure.h"

namespace aclgrad::gradcheck {
namespace {

// Inputs that are not differentiated: numbers of classes, masks, targets.
void note_without_gradient(const Operator& op, Report& report) {
  for (const Input& input : op.inputs) {
    if (input.differentiable) continue;
    const bool whole = input.dtype && !is_float(*input.dtype);
    report
        .notes[fmt::format("no gradient for {}{}", input.name,
                           whole ? fmt::format(" ({})", short_name(*input.dtype)) : "")]
        .insert(op.name);
  }
}

// Whether there is anything to repeat.
bool repeatable(const Operator& op) {
  return std::any_of(op.inputs.begin(), op.inputs.end(),
                     [](const Input& input) { return count_of(input.shape) > 1; });
}

}  // namespace

namespace detail {
namespace {

// One call of check_operator.
class Check {
 public:
  Check(const Operator& op, const Options& options) : op_(guarded(op)), options_(options) {
    if (!op_.strided) options_.layouts = {Layout::contiguous};
  }

  Report run() {
    note_without_gradient(op_, report_);
    const DType first = options_.dtypes.front();
    leave_out_refused();
    if (options_.dtypes.empty() ||
        !attempt(op_, first, Layout::contiguous, report_, [&] { corners_ = corners_of(op_); })) {
      return std::move(report_);
    }
    for (const DType dtype : options_.dtypes) {
      if (is_enough()) break;
      check(dtype);
    }
    if (options_.every_shape && op_.is_elementwise() && !is_enough()) {
      check_shapes(op_, options_, corners_, report_);
    }
    say_when_nothing_was_compared();
    return std::move(report_);
  }

 private:
  bool is_enough() const { return options_.stop_at_first && report_.verdict() == Verdict::wrong; }

  // Takes away the dtypes that the operator refuses.
  void leave_out_refused() {
    if (!op_.refusal) return;
    std::erase_if(options_.dtypes, [&](DType dtype) {
      std::string why;
      const bool is_known =
          attempt(op_, dtype, Layout::contiguous, report_, [&] { why = op_.refusal(dtype); });
      if (!why.empty()) report_.left_out.emplace(dtype, why);
      return !is_known || !why.empty();
    });
    if (!options_.dtypes.empty() || !report_.findings.empty()) return;
    throw ValueError(
        fmt::format("{} takes none of the dtypes: {}", op_.name, report_.left_out.begin()->second));
  }

  // A failure is a finding, and ends no more than this part.
  template <class Part>
  void part(DType dtype, Layout layout, const Part& part) {
    if (!is_enough()) attempt(op_, dtype, layout, report_, part);
  }

  void check(DType dtype) {
    Evidence evidence;
    for (int draw = 0; draw < options_.draws; ++draw) {
      part(dtype, Layout::contiguous, [&] { check(dtype, draw, evidence); });
    }
    if (!is_enough()) evidence.report(op_, dtype, report_);
  }

  void check(DType dtype, int draw, Evidence& evidence) {
    const std::uint64_t seed = options_.seed * 1000 + static_cast<std::uint64_t>(draw);
    const Problem plain = make_problem(op_, dtype, seed, corners_);
    evidence.see(op_, plain);
    const Arrays plain_slack = unavoidable_rounding(op_, plain);
    const bool behaviour = options_.behaviour && draw == 0;
    for (const Layout layout : options_.layouts) {
      const bool repeat = layout == Layout::broadcast;
      if (repeat && !repeatable(op_)) continue;
      part(dtype, layout, [&] {
        if (!repeat) return check(plain, plain_slack, layout, behaviour);
        const Problem other = make_problem(op_, dtype, seed, corners_, true);
        check(other, unavoidable_rounding(op_, other), layout, behaviour);
      });
    }
    part(dtype, Layout::contiguous, [&] { check_saved(op_, plain, options_, report_); });
    if (!behaviour) return;
    part(dtype, Layout::contiguous, [&] { check_masks(op_, plain, report_); });
    part(dtype, Layout::contiguous, [&] { check_rows(op_, plain, options_, report_); });
    part(dtype, Layout::contiguous, [&] { check_nan(op_, plain, report_); });
  }

  void check(const Problem& problem, const Arrays& slack, Layout layout, bool behaviour) {
    const ExecutionOptions how{.layout = layout};
    ++report_.configurations;
    ++report_.checks;
    judge_all(op_, problem, execute(op_, problem, how), slack, how, options_, report_);
    if (!behaviour) return;
    const DType dtype = problem.dtype;
    part(dtype, layout, [&] { check_memory(op_, problem, layout, report_); });
    part(dtype, layout, [&] {
      if (op_.strided) check_layout(op_, problem, layout, report_);
    });
    part(dtype, layout, [&] {
      if (layout != Layout::broadcast) check_in_place(op_, problem, layout, report_);
    });
  }

  void say_when_nothing_was_compared() {
    if (report_.right + report_.wrong + report_.inconclusive > 0 || !report_.findings.empty())
      return;
    Finding finding = finding_for(op_, options_.dtypes.front(), Layout::contiguous, "evidence");
    finding.verdict = Verdict::inconclusive;
    finding.text = "no element of a gradient was compared: all of them are empty";
    report_.findings.push_back(std::move(finding));
  }

  Report report_;
  Operator op_;
  Options options_;
  std::vector<Number> corners_;
};

}  // namespace
}  // namespace detail

Report check_operator(const Operator& op, const Options& options) {
  detail::require_sound(op, options);
  return detail::Check(op, options).run();
}

}  // namespace aclgrad::gradcheck
