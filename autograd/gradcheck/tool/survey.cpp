// SPDX-License-Identifier: Apache-2.0
// Elementwise operators of one tensor at every number that a 16-bit dtype has, and at a sample of
// all float32 numbers: tails, NaN and infinities, which random inputs do not reach.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gradcheck/core/compare.h"
#include "gradcheck/tool/call.h"
#include "gradcheck/tool/checks.h"

namespace aclgrad::gradcheck {
namespace {

constexpr std::size_t kCount = 65536;

// Every pattern of 16 bits; of float32 every exponent, both signs, NaN: a step through all patterns
// that shares no factor with their number.
Array all_numbers(DType dtype) {
  Array x{{static_cast<std::int64_t>(kCount)}, {}};
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::uint32_t bits = dtype == DType::float32 ? i * 65651u : i;
    std::byte memory[sizeof bits];
    std::memcpy(memory, &bits, sizeof bits);  // little-endian: 16 bits come first
    x.values.push_back(load(memory, dtype, 0));
  }
  return x;
}

// Results of one kind that are wrong: how many, and the worst of them.
struct Misses {
  const char* check;
  const char* what;
  const char* diagnosis;
  std::int64_t count = 0;
  std::size_t at = 0;
  double ulp = 0;

  void add(std::size_t i, double off) {
    if (count++ > 0 && !(off > ulp)) return;
    at = i;
    ulp = off;
  }
};

class Survey {
 public:
  Survey(Library& library, const Target& target, const Options& options)
      : library_(library), target_(target), options_(options) {}

  void forward(DType dtype, Report& report) {
    const Array x = all_numbers(dtype);
    Array right = detail::forward_of(target_.candidate, {x})[0];
    keep_nan(x.values, right);
    const double bound = target_.promised(dtype) + options_.ulp_slack;
    compare("forward", *target_.forward, dtype, {x}, x, right, bound, report.forward[dtype],
            report);
  }

  // With an upstream gradient of 1.
  void backward(DType dtype, Report& report) {
    const Array x = all_numbers(dtype);
    const Candidate& candidate = target_.candidate;
    Arrays given = detail::given_to(candidate, {x}, detail::forward_of(candidate, {x}),
                                    {x.shape, std::vector<Number>(kCount, 1)});
    for (std::size_t i = 0; i < given.size(); ++i) {
      for (Number& value : given[i].values) value = round_to(value, dtype);
    }
    Array right = detail::exact_backward(candidate, given)[0];
    keep_nan(given.back().values, right);
    const contract::Bound& bound = candidate.bound;
    const double last = dtype == DType::float32 ? bound.of_float : bound.of_16_bits;
    compare("backward", *target_.backward, dtype, given, x, right, last + options_.ulp_slack,
            report.backward[dtype], report);
  }

 private:
  static void keep_nan(const std::vector<Number>& from, Array& right) {
    for (std::size_t i = 0; i < kCount; ++i) {
      if (std::isnan(from[i])) right.values[i] = from[i];
    }
  }

  void compare(const char* side, const BoundCall& call_of, DType dtype, const Arrays& given,
               const Array& x, const Array& right, double bound, ErrorSummary& errors,
               Report& report) {
    ++report.checks;
    ++report.configurations;
    const Outcome outcome = call(library_, call_of, dtype, given, {}, true);
    if (!outcome.failure.empty()) {
      report.findings.push_back(finding(side, dtype, "call", outcome.failure, ""));
      return;
    }
    Misses kinds[] = {
        {"NaN", "NaN inputs give numbers", "a comparison that NaN fails chose a branch"},
        {"NaN", "numbers give NaN", "an infinity inside: less another one, or times 0"},
        {"infinity", "infinities give what is not the limit", "no branch for infinities"},
        {"every input", "results are beyond the bound", "its value is not that of the formula"}};
    for (std::size_t i = 0; i < kCount; ++i) {
      const Number actual = outcome.results[0].values[i];
      const Number exact = right.values[i];
      ++errors.inputs;
      if (std::isnan(x.values[i]) || std::isnan(exact)) {
        if (std::isnan(exact) && !std::isnan(actual) &&
            call_of.arguments.op().results.nan_goes_through) {
          kinds[0].add(i, 0);
        }
        continue;
      }
      if (std::isnan(actual)) {
        kinds[std::isinf(x.values[i]) ? 2 : 1].add(i, 0);
        continue;
      }
      if (actual == round_to(exact, dtype)) continue;
      ++errors.misrounded;
      const double off = distance(actual, exact, 0, dtype);
      if (std::isfinite(x.values[i])) errors.max_ulp = std::max(errors.max_ulp, off);
      if (off > bound) kinds[std::isinf(x.values[i]) ? 2 : 3].add(i, off);
    }
    errors.elements += static_cast<std::int64_t>(kCount);
    errors.nan += kinds[0].count + kinds[1].count;
    errors.infinity += kinds[2].count;
    for (const Misses& kind : kinds) {
      if (kind.count == 0) continue;
      const auto value = [&kind](const Array& of) {
        return static_cast<double>(of.values[kind.at]);
      };
      report.findings.push_back(finding(
          side, dtype, kind.check,
          fmt::format("of {} inputs, {} {}; at {:.9g}: {:.9g} instead of {:.9g}{}", kCount,
                      kind.count, kind.what, value(x), value(outcome.results[0]), value(right),
                      kind.ulp > 0 ? fmt::format(", {:.4g} ulp", kind.ulp) : ""),
          kind.diagnosis));
      if (kind.ulp > 0)
        report.slack = std::max(report.slack, std::ceil(kind.ulp - bound + options_.ulp_slack));
      if (kind.ulp > 0)
        report.findings.back().verdict = detail::verdict_beyond_bound(kind.ulp, dtype);
    }
  }

  Finding finding(const char* side, DType dtype, std::string check, std::string text,
                  const std::string& diagnosis) const {
    const bool is_forward = side == std::string("forward");
    const BoundCall& bound = is_forward ? *target_.forward : *target_.backward;
    return {.check = std::move(check),
            .operator_name = with_attributes(bound.api(), target_),
            .dtype = dtype,
            .text = std::move(text),
            .diagnosis = fmt::format("the {}: {}", side, diagnosis),
            .reproduce = command_of(target_, dtype, "inputs")};
  }

  Library& library_;
  const Target& target_;
  const Options& options_;
};

}  // namespace

Report check_every_input(Library& library, const Target& target, const DTypes& dtypes,
                         const Options& options) {
  Report report;
  const Candidate& candidate = target.candidate;
  if (!candidate.is_elementwise() || candidate.inputs().size() != 1) return report;
  // Of operators in one dtype.
  const std::vector<const contract::Parameter*> outputs = outputs_of(candidate.forward);
  const bool is_surveyed = !outputs.empty() && !outputs.back()->tensor()->dtype &&
                           !detail::input_of(candidate, 0).dtype &&
                           detail::input_of(candidate, 0).role == contract::Role::kInput;
  Survey survey(library, target, options);
  for (const DType dtype : kFloats) {
    if (!contains(dtypes, dtype)) continue;
    if (target.forward && is_surveyed && contains(target.forward->dtypes, dtype)) {
      survey.forward(dtype, report);
    }
    if (target.backward && contains(target.gradient_dtypes, dtype)) {
      survey.backward(dtype, report);
    }
  }
  return report;
}

}  // namespace aclgrad::gradcheck
