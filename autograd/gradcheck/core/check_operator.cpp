// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "gradcheck/core/behaviour.h"
#include "gradcheck/core/evidence.h"

namespace aclgrad::gradcheck {
namespace {

void require_complete(const Operator& op) {
  if (!op.backward) throw ValueError(op.name + ": there is no backward to check");
  if (!op.forward && !op.scalar) throw ValueError(op.name + ": there is no forward");
  if (detail::differentiable(op).empty()) {
    throw ValueError(op.name + ": no input is differentiable");
  }
}

// Takes away the dtypes that the operator refuses.
Options only_taken(const Operator& op, Options options, Report& report) {
  if (!op.refusal) return options;
  std::erase_if(options.dtypes, [&](DType dtype) {
    const std::string why = op.refusal(dtype);
    if (!why.empty()) report.left_out.emplace(dtype, why);
    return !why.empty();
  });
  if (options.dtypes.empty() && !report.left_out.empty()) {
    throw ValueError(
        fmt::format("{} takes none of the dtypes: {}", op.name, report.left_out.begin()->second));
  }
  return options;
}

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

Report check_operator(const Operator& op, const Options& wanted) {
  require_complete(op);
  Report report;
  const Options options = only_taken(op, wanted, report);
  note_without_gradient(op, report);
  const std::vector<Number> corners = detail::corners_of(op);
  std::vector<Layout> layouts = options.layouts;
  if (!op.strided) layouts = {Layout::contiguous};
  const auto enough = [&] { return options.stop_at_first && report.verdict() == Verdict::wrong; };
  for (const DType dtype : options.dtypes) {
    detail::Evidence evidence;
    for (int draw = 0; draw < options.draws; ++draw) {
      const std::uint64_t seed = options.seed * 1000 + static_cast<std::uint64_t>(draw);
      const detail::Problem plain = detail::make_problem(op, dtype, seed, corners);
      evidence.see(op, plain);
      const Arrays plain_slack = detail::unavoidable_rounding(op, plain);
      for (const Layout layout : layouts) {
        if (enough()) return report;
        const bool repeat = layout == Layout::broadcast;
        if (repeat && !repeatable(op)) continue;
        const detail::Problem other =
            repeat ? detail::make_problem(op, dtype, seed, corners, true) : detail::Problem{};
        const Arrays other_slack = repeat ? detail::unavoidable_rounding(op, other) : Arrays{};
        const detail::Problem& problem = repeat ? other : plain;
        const Arrays& slack = repeat ? other_slack : plain_slack;
        const detail::ExecutionOptions how{.layout = layout};
        const detail::Execution execution = detail::execute(op, problem, how);
        ++report.configurations;
        ++report.checks;
        if (!execution.failure.empty()) {
          Finding finding = detail::finding_for(op, dtype, layout, "call");
          finding.text = "the backward failed: " + execution.failure;
          finding.suspect = "the backward, or how it is called";
          report.findings.push_back(std::move(finding));
          continue;
        }
        detail::judge_all(op, problem, execution, slack, how, options, report);
        if (options.behaviour && draw == 0) {
          detail::check_memory(op, problem, layout, report);
          if (op.strided) detail::check_layout(op, problem, layout, report);
          if (!repeat) detail::check_in_place(op, problem, layout, report);
        }
      }
      if (enough()) return report;
      detail::check_saved(op, plain, options, report);
      if (!options.behaviour || draw > 0) continue;
      detail::check_masks(op, plain, report);
      detail::check_rows(op, plain, options, report);
      detail::check_nan(op, plain, report);
    }
    evidence.report(op, dtype, report);
  }
  if (options.every_shape && op.is_elementwise() && !enough()) {
    detail::check_shapes(op, options, corners, report);
  }
  return report;
}

}  // namespace aclgrad::gradcheck
