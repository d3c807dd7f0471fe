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
  print(report.to_string());
  return report.exit_status();
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
