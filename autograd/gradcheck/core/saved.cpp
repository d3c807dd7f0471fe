// SPDX-License-Identifier: Apache-2.0
// What the forward leaves to its backward (a result, a mean, places of maxima) is used as it is
// given: the backward is also run on saved tensors that the forward would not give, and compared
// with its formula, in which they are inputs like others. A backward that computes them anew, or
// takes them from somewhere else, gives something else then.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gradcheck/core/behaviour.h"

namespace aclgrad::gradcheck::detail {
namespace {

// Which of the backward's inputs are made of the forward's results.
std::vector<std::size_t> saved_outputs(const Candidate& candidate, const Problem& problem) {
  Arrays others = problem.outputs;
  for (Array& each : others) {
    for (Number& value : each.values) value = 2 * value + 1;
  }
  const Arrays given = given_to(candidate, problem.inputs, others, problem.cotangent);
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].values != problem.given[i].values) positions.push_back(i);
  }
  return positions;
}

// What the backward is given of a forward whose floating inputs have their elements in reverse.
Arrays given_of_another_order(const Candidate& candidate, const Problem& problem) {
  Arrays inputs = problem.inputs;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (candidate.is_differentiable(k)) std::ranges::reverse(inputs[k].values);
  }
  return given_to(candidate, problem.inputs, forward_of(candidate, inputs), problem.cotangent);
}

// Results other than the forward's, but such as the backward may be given: up to a quarter more or
// less, of the same sign. Whole numbers are places, by number or as bits: those of other inputs.
void change(Arrays& given, const std::vector<std::size_t>& positions, const Candidate& candidate,
            const Problem& problem, std::uint64_t seed) {
  for (const std::size_t i : positions) {
    std::vector<Number>& values = given[i].values;
    if (!is_float(given_dtype(candidate, i, problem.dtype))) {
      values = given_of_another_order(candidate, problem)[i].values;
      continue;
    }
    for (std::size_t e = 0; e < values.size(); ++e) {
      values[e] *= 0.75L + random_unit(seed + i, e) / 2;
    }
  }
}

std::string names_of(const Candidate& candidate, const std::vector<std::size_t>& positions) {
  const std::vector<const contract::Parameter*> inputs = inputs_of(*candidate.backward);
  std::string names;
  for (const std::size_t i : positions) names += (names.empty() ? "" : ", ") + inputs[i]->name;
  return names;
}

}  // namespace

void check_saved(const Candidate& candidate, const Problem& problem, const Options& options,
                 Report& report) {
  if (!candidate.gradient.inputs || !candidate.backward) return;
  const std::vector<std::size_t> positions = saved_outputs(candidate, problem);
  if (positions.empty()) return;
  const std::string names = names_of(candidate, positions);
  Arrays given = problem.given;
  change(given, positions, candidate, problem, options.seed * 77);
  for (std::size_t i = 0; i < given.size(); ++i) {
    for (Number& value : given[i].values) {
      value = round_to(value, given_dtype(candidate, i, problem.dtype));
    }
  }
  const Execution execution = execute(candidate, problem.dtype, given, problem.inputs, {});
  ++report.checks;
  report.notes["run on saved tensors other than the forward's (" + names + ")"].insert(
      candidate.name());
  const Arrays exact =
      of_gradients(problem, exact_backward(candidate, given), "the backward's contract");
  const Arrays magnitude =
      of_gradients(problem, backward_magnitude(candidate, given), "`magnitude`");
  const contract::Bound bound = bound_of_terms(candidate, problem.dtype);
  const std::vector<std::size_t> inputs = differentiable(candidate);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    Element worst;
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < exact[k].values.size(); ++i) {
      const Number value = exact[k].values[i];
      if (!std::isfinite(value)) continue;
      const Expected expected{
          .low = value,
          .high = value,
          .magnitude = std::abs(magnitude[k].values.empty() ? value : magnitude[k].values[i])};
      Element e = compare(expected, execution.gradients[k].values[i], 0, 0,
                          gradient_dtype(candidate, k, problem.dtype), bound, options.ulp_slack);
      if (e.verdict == Verdict::right) {
        ++report.right;
        continue;
      }
      e.of = candidate.inputs()[inputs[k]]->name;
      e.index = static_cast<std::int64_t>(i);
      e.input = problem.inputs[inputs[k]].values[i];
      if (wrong++ == 0 || e.ulp > worst.ulp) worst = e;
    }
    if (wrong == 0) continue;
    (worst.verdict == Verdict::inexact ? report.inexact : report.wrong) += wrong;
    Finding finding = finding_for(candidate, problem.dtype, Layout::contiguous, "saved");
    finding.verdict = worst.verdict;
    finding.text = fmt::format(
        "{} of {} elements of the gradient of {} are not what the formula gives for {} other than "
        "the forward's",
        wrong, exact[k].values.size(), worst.of, names);
    finding.element = worst;
    finding.elements = wrong;
    finding.diagnosis = "the backward: it does not use " + names + " as given, but computes anew";
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace aclgrad::gradcheck::detail
