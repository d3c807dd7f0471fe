// SPDX-License-Identifier: Apache-2.0
// A reading as text, and corrections from it.
#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "aclgrad/error.h"
#include "tool/header/reading.h"

namespace aclgrad::gradcheck {
namespace {

const char* role_name(Role role) {
  switch (role) {
    case Role::kInput:
      return "input";
    case Role::kOutput:
      return "output";
    case Role::kBoth:
      return "input, output written over it";
    case Role::kUpstream:
      return "upstream gradient of";
    case Role::kGradient:
      return "gradient of";
    case Role::kInPlace:
      return "gradient, over the upstream one, of";
    case Role::kScratch:
      return "scratch memory";
    case Role::kNumber:
      return "number";
  }
  return "";
}

// Finite, and whole numbers beside it are still told apart.
bool is_counted(double value) { return std::abs(value) <= 0x1p53; }

// The role as an option.
std::string said_role_of(const ReadParameter& each, const Reading& reading) {
  std::string role = "scratch";
  if (each.role != Role::kScratch) {
    role = fmt::format("{} {}", each.role == Role::kUpstream ? "upstream" : "gradient",
                       each.of == Reading::kResult ? "result" : reading.forward[each.of].name);
  }
  return fmt::format(" --role {}=\"{}{}\"", each.name, role, each.adds ? " added" : "");
}

}  // namespace

void Corrections::add(const std::string& line) {
  std::istringstream words(line);
  std::string what;
  std::string name;
  if (!(words >> what) || what[0] == '#') return;
  words >> name;
  bool is_good = !name.empty();
  if (what == "set") {
    is_good = is_good && words >> values[name] && is_counted(values[name]);
  } else if (what == "range") {
    auto& [low, high] = ranges[name];
    is_good = is_good && words >> low >> high && low <= high && is_counted(low) && is_counted(high);
  } else if (what == "role") {
    std::string& role = roles[name];
    is_good = is_good && std::getline(words >> std::ws, role) && !role.empty();
  } else {
    is_good = false;
  }
  if (is_good) return;
  throw ValueError(
      "'" + line +
      "' is none of: set NAME VALUE, range NAME LOW HIGH, role NAME ROLE, with numbers "
      "of at most 2^53");
}

std::pair<double, double> range_of(const ReadParameter& parameter, const Corrections& corrections) {
  if (const auto it = corrections.ranges.find(parameter.name); it != corrections.ranges.end())
    return it->second;
  return parameter.type.kind == CType::Kind::kWhole ? std::pair(0.0, 1.0) : std::pair(-2.0, 2.0);
}

std::string Reading::to_string() const {
  std::string text;
  for (const auto* side : {&forward, &backward}) {
    text += side == &forward ? "the forward\n" : "the backward\n";
    for (const ReadParameter& each : *side) {
      std::string why = each.why;
      std::string role = role_name(each.role);
      const bool is_of = each.role == Role::kUpstream || each.role == Role::kGradient ||
                         each.role == Role::kInPlace;
      if (is_of) role += " " + (each.of == kResult ? "what it returns" : forward[each.of].name);
      if (each.role == Role::kNumber) role = fmt::format("{:g}", each.value);
      const std::string size = each.type.is_pointer ? fmt::format("{} elements", each.reached) : "";
      if (each.spent) role += ", spoilt";
      if (each.by_values) why += ", how far depends on values: --set " + each.name + "=COUNT";
      if (!each.gaps.empty()) why += fmt::format(" ({} gaps)", each.gaps.size());
      text +=
          fmt::format("  {:16} {:22} {:34} {:14} {}\n", each.name, each.type.text, role, size, why);
    }
  }
  return text;
}

std::string Reading::guessed_roles() const {
  std::string text;
  for (const ReadParameter& each : backward) {
    if (each.is_guess) text += said_role_of(each, *this);
  }
  return text;
}

std::string Reading::guessed_sums() const {
  std::string text;
  bool is_any_written = false;
  for (const ReadParameter& each : backward) {
    if (each.role != Role::kGradient) continue;
    is_any_written = is_any_written || !each.adds;
    if (each.adds && !each.is_said_to_add) text += said_role_of(each, *this);
  }
  return is_any_written ? text : "";
}

}  // namespace aclgrad::gradcheck
