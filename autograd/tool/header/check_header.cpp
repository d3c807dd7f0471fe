// SPDX-License-Identifier: Apache-2.0
#include "tool/header/check_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "gradcheck/core/watch.h"
#include "tool/apart.h"
#include "tool/header/pair.h"

namespace aclgrad::gradcheck {
namespace {

constexpr double kTrialSeconds = 5;

// The sizes of a second reading: others than those of the first, where nobody said what they are.
Corrections other_sizes(const Reading& reading, Corrections corrections) {
  for (const auto* side : {&reading.forward, &reading.backward}) {
    for (const ReadParameter& each : *side) {
      const bool is_size = each.role == Role::kNumber && each.type.kind == CType::Kind::kWhole;
      if (!is_size || each.value < 2 || each.why != "likely") continue;
      corrections.values.try_emplace(each.name, each.value + 2);
    }
  }
  return corrections;
}

Finding finding_of(const HeaderPlan& plan, const char* check, std::string text,
                   std::string diagnosis) {
  Finding finding;
  finding.check = check;
  finding.operator_name = plan.forward;
  finding.text = std::move(text);
  finding.diagnosis = std::move(diagnosis);
  return finding;
}

std::string sizes_of(const Reading& reading) {
  std::string text;
  for (const ReadParameter& each : reading.forward) {
    if (each.role == Role::kNumber) text += fmt::format(", {}={:g}", each.name, each.value);
  }
  return text;
}

// A verdict is none where it stands on a guess: a wrong one on what a parameter is, a right one on
// whether a gradient is to be added.
Report by_what_is_known(const HeaderPlan& plan, const Reading& reading, Report report) {
  const Verdict verdict = report.verdict();
  const bool is_wrong = verdict == Verdict::wrong;
  const bool is_right = verdict == Verdict::right || verdict == Verdict::vacuous;
  const std::string guesses = is_wrong   ? reading.guessed_roles()
                              : is_right ? reading.guessed_sums()
                                         : std::string();
  if (guesses.empty()) return report;
  std::string why = "one gradient is added to what is there, and another is written";
  if (is_wrong) {
    std::erase_if(report.findings, [](const Finding& f) { return f.verdict != Verdict::wrong; });
    why = "as it is read here, this is wrong: " + report.findings.front().text;
  }
  Report undecided;
  undecided.configurations = report.configurations;
  undecided.checks = report.checks;
  undecided.ranges = report.ranges;
  undecided.findings.push_back(
      finding_of(plan, "reading",
                 fmt::format("undecided: {}; tell me that it is meant so:{}", why, guesses), ""));
  undecided.findings.back().verdict = Verdict::inconclusive;
  return undecided;
}

int check(const HeaderPlan& plan, const Print& print) {
  void* const library = open_library(plan.library);
  detail::begin_section(0);
  const ForeignFunction forward(library, plan.library, prototype_in(plan.header, plan.forward));
  const ForeignFunction backward(library, plan.library, prototype_in(plan.header, plan.backward));
  print(fmt::format("{}\n{}\n\n", forward.prototype().text, backward.prototype().text));
  const double seconds = std::min(plan.seconds, kTrialSeconds);
  Reading first;
  try {
    first = read_functions(forward, backward, plan.corrections, seconds);
  } catch (const FunctionFailed& failed) {
    Report report;
    report.findings.push_back(finding_of(plan, "call", failed.what(), "the backward"));
    print(report.to_string());
    return report.exit_status();
  }
  print(first.to_string() + "\n");
  std::vector<Reading> readings = {first};
  try {
    readings.push_back(
        read_functions(forward, backward, other_sizes(first, plan.corrections), seconds));
  } catch (const std::exception& failed) {
    // Perhaps sizes that do not fit together: what was read stands.
    print(fmt::format("Only these sizes are checked. With larger ones: {}\n\n", failed.what()));
  }
  Report report;
  for (const Reading& reading : readings) {
    Report one;
    if (reading.findings.empty()) {
      FunctionPair pair = pair_of(forward, backward, reading, plan.corrections);
      pair.name += sizes_of(reading);
      one = check_functions(std::move(pair), plan.options);
    }
    for (const std::string& text : reading.findings) {
      one.findings.push_back(finding_of(plan, "memory", text, "the backward: a size or an index"));
    }
    report.add(one);
    if (one.verdict() == Verdict::wrong) break;
  }
  const Report judged = by_what_is_known(plan, first, std::move(report));
  print(judged.to_string());
  return judged.exit_status();
}

}  // namespace

int check_header(const HeaderPlan& plan) {
  const auto ended = [&](const std::string& how) {
    Report report;
    report.findings.push_back(
        finding_of(plan, "call", fmt::format("the check {}", how), "the function itself"));
    fmt::print("{}", report.to_string());
    return report.exit_status();
  };
  return apart([&](const Print& print) { return check(plan, print); }, plan.seconds, ended);
}

}  // namespace aclgrad::gradcheck
