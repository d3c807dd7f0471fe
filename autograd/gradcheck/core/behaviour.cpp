// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/behaviour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"

namespace aclgrad::gradcheck::detail {
namespace {

constexpr int kRuns = 3;
constexpr int kThreadCounts[] = {1, 2, 3};

void complain(const Candidate& candidate, DType dtype, Layout layout, const char* check,
              std::string text, std::string diagnosis, Report& report) {
  Finding finding = finding_for(candidate, dtype, layout, check);
  finding.text = std::move(text);
  finding.diagnosis = std::move(diagnosis);
  report.findings.push_back(std::move(finding));
}

// The first element in which two runs differ: "gradient 0, element 3"; "" when none does.
std::string difference(const Execution& a, const Execution& b) {
  for (std::size_t k = 0; k < a.bits.size(); ++k) {
    if (a.bits[k] == b.bits[k]) continue;
    const auto [at, other] =
        std::mismatch(a.bits[k].begin(), a.bits[k].end(), b.bits[k].begin(), b.bits[k].end());
    const std::size_t count = a.gradients[k].values.size();
    const std::size_t size = count == 0 ? 1 : a.bits[k].size() / count;
    const auto element = static_cast<std::size_t>(at - a.bits[k].begin()) / size;
    return fmt::format("gradient {}, element {}: {:.9g} and {:.9g}", k, element,
                       static_cast<double>(a.gradients[k].values[element]),
                       static_cast<double>(b.gradients[k].values[element]));
  }
  return "";
}

void require_room_for_gradient(const Candidate& candidate, const Problem& problem,
                               std::size_t input) {
  const bool has_room =
      input < problem.given.size() &&
      problem.given[input].values.size() == problem.expected.front().size() &&
      given_dtype(candidate, input, problem.dtype) == gradient_dtype(candidate, 0, problem.dtype);
  if (has_room) return;
  throw ValueError(
      fmt::format("{}: `in_place` has {}, which is no input of the backward of the first "
                  "gradient's size and dtype",
                  candidate.name(), input));
}

}  // namespace

void check_memory(const Candidate& candidate, const Problem& problem, Layout layout,
                  Report& report) {
  const auto say = [&](const char* check, std::string text, std::string diagnosis) {
    complain(candidate, problem.dtype, layout, check, std::move(text), std::move(diagnosis),
             report);
  };
  const ExecutionOptions plain{.layout = layout};
  const Execution first = execute(candidate, problem, plain);
  report.checks += 6;
  if (!first.outside.empty()) {
    say("memory", first.outside, "the backward: it goes past its output, or ignores its strides");
  }
  if (!first.changed_inputs.empty()) {
    say("memory", "the backward wrote to " + first.changed_inputs, "the backward");
  }
  ExecutionOptions other = plain;
  other.output_poison = 0x5A;
  const Execution second = execute(candidate, problem, other);
  if (const std::string where = difference(first, second); !where.empty()) {
    say("half written", "the result depends on what its memory held before; " + where,
        "the backward: it does not write every element, or adds to what is there");
  } else if (first.outside.empty() && !second.outside.empty()) {
    say("memory", second.outside, "the backward: it goes past its output");
  }
  other = plain;
  other.input_poison = 0x3C;
  if (const std::string where = difference(first, execute(candidate, problem, other));
      !where.empty()) {
    say("memory", "the result depends on memory between or beyond the inputs' elements; " + where,
        "the backward: it reads past its inputs, or ignores their strides");
  }
  other = plain;
  other.scratch_poison = 0x00;
  if (const std::string where = difference(first, execute(candidate, problem, other));
      !where.empty()) {
    say("uninitialised memory", "the result depends on what scratch memory held before; " + where,
        "the backward: it reads workspace that it did not write");
  }
  for (int run = 1; run < kRuns; ++run) {
    if (const std::string where = difference(first, execute(candidate, problem, plain));
        !where.empty()) {
      say("repeatability", "two runs gave different bits; " + where,
          "the backward: a race, or state kept between calls");
      return;
    }
  }
  for (const int threads : kThreadCounts) {
    other = plain;
    other.threads = threads;
    if (const std::string where = difference(first, execute(candidate, problem, other));
        !where.empty()) {
      say("repeatability", fmt::format("{} threads give other bits; {}", threads, where),
          "the backward: a race, or a sum whose order depends on the threads");
      return;
    }
  }
}

void check_layout(const Candidate& candidate, const Problem& problem, Layout layout,
                  Report& report) {
  if (layout == Layout::contiguous) return;
  const Execution first = execute(candidate, problem, {});
  ++report.checks;
  const std::string where = difference(first, execute(candidate, problem, {.layout = layout}));
  if (where.empty()) return;
  complain(candidate, problem.dtype, layout, "layout",
           "other bits than with contiguous tensors; " + where, "the backward: strides or offset",
           report);
}

void check_in_place(const Candidate& candidate, const Problem& problem, Layout layout,
                    Report& report) {
  if (candidate.in_place.empty()) return;
  const Execution first = execute(candidate, problem, {.layout = layout});
  for (const std::size_t input : candidate.in_place) {
    require_room_for_gradient(candidate, problem, input);
    ++report.checks;
    const Execution over = execute(candidate, problem, {.layout = layout, .in_place = input});
    const std::string where = difference(first, over);
    if (where.empty()) continue;
    complain(candidate, problem.dtype, layout, "in place",
             fmt::format("other bits when the gradient overwrites input {}; {}", input, where),
             "the backward: it writes before it has read everything", report);
  }
}

void check_masks(const Candidate& candidate, const Problem& problem, Report& report) {
  const std::size_t count = differentiable(candidate).size();
  if (!candidate.masks || count < 2) return;
  const Execution all = execute(candidate, problem, {});
  for (std::size_t mask = 0; mask + 1 < std::size_t{1} << count; ++mask) {
    ++report.checks;
    ExecutionOptions options;
    for (std::size_t k = 0; k < count; ++k) options.wanted.push_back((mask >> k & 1) != 0);
    const Execution some = execute(candidate, problem, options);
    std::string problem_text = some.outside;
    for (std::size_t k = 0; k < count && problem_text.empty(); ++k) {
      if (options.wanted[k] && some.bits[k] != all.bits[k]) {
        problem_text = fmt::format("gradient {} differs when others are not wanted", k);
      }
    }
    if (problem_text.empty()) continue;
    complain(candidate, problem.dtype, Layout::contiguous, "needs-gradient mask", problem_text,
             "the backward: it relies on outputs that were not requested", report);
  }
}

void check_rows(const Candidate& candidate, Problem problem, const Options& options,
                Report& report) {
  constexpr std::size_t kMaxRows = 48;
  const std::size_t count = problem.cotangent.values.size();
  const std::size_t rows = candidate.is_elementwise() ? 1 : std::min(count, kMaxRows);
  for (std::size_t row = 0; row < rows; ++row) {
    Array cotangent = problem.cotangent;
    for (std::size_t k = 0; k < count; ++k) {
      const bool hole =
          candidate.is_elementwise() ? random_bits(options.seed, k) % 2 == 0 : k != row;
      if (hole) cotangent.values[k] = 0;
    }
    set_cotangent(candidate, problem, std::move(cotangent));
    ++report.checks;
    const Execution execution = execute(candidate, problem, {});
    if (compare_all(candidate, problem, execution, unavoidable_rounding(candidate, problem), {},
                    options, report) > 0) {
      return;  // one row tells the story
    }
  }
}

namespace {

// Whether a gradient is made of an input at all: with the input's elements in another order it
// differs.
std::vector<bool> dependence(const Candidate& candidate, const Problem& problem,
                             const Execution& clean, std::size_t input) {
  Arrays given = problem.given;
  std::reverse(given[input].values.begin(), given[input].values.end());
  const Execution other = execute(candidate, problem.dtype, given, problem.inputs, {});
  require_numbers(problem, other);
  std::vector<bool> depends;
  for (std::size_t k = 0; k < clean.bits.size(); ++k) {
    depends.push_back(other.bits[k] != clean.bits[k]);
  }
  return depends;
}

// One in the middle that has a gradient: of an element that was not taken, as where ReLU is 0, a
// NaN in the gradient of the result says nothing.
std::size_t element_that_counts(const Arrays& gradients) {
  const std::vector<Number>& values = gradients.front().values;
  const std::size_t middle = values.size() / 2;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t at = (middle + i) % values.size();
    if (values[at] != 0) return at;
  }
  return middle;
}

}  // namespace

void check_nan(const Candidate& candidate, const Problem& problem, Report& report) {
  if (!candidate.nan_goes_through || !candidate.is_elementwise()) return;
  const Execution clean = execute(candidate, problem, {});
  const std::size_t count = problem.cotangent.values.size();
  for (std::size_t input = 0; input < problem.given.size(); ++input) {
    if (!is_float(given_dtype(candidate, input, problem.dtype)) || count < 2) continue;
    ++report.checks;
    Arrays given = problem.given;
    const std::size_t at = element_that_counts(clean.gradients);
    given[input].values[at] = std::numeric_limits<Number>::quiet_NaN();
    const Execution tainted = execute(candidate, problem.dtype, given, problem.inputs, {});
    const std::vector<bool> depends = dependence(candidate, problem, clean, input);
    for (std::size_t k = 0; k < clean.gradients.size(); ++k) {
      const std::vector<Number>& values = tainted.gradients[k].values;
      if (depends[k] && !std::isnan(values[at])) {
        complain(
            candidate, problem.dtype, Layout::contiguous, "NaN",
            fmt::format("a NaN in input {} gives {:.6g}", input, static_cast<double>(values[at])),
            "the backward: a comparison that NaN fails chose a branch", report);
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (i == at || values[i] == clean.gradients[k].values[i]) continue;
        complain(candidate, problem.dtype, Layout::contiguous, "NaN",
                 fmt::format("a NaN in element {} of input {} changed element {}", at, input, i),
                 "the backward: elements are mixed", report);
        return;
      }
    }
  }
}

}  // namespace aclgrad::gradcheck::detail
