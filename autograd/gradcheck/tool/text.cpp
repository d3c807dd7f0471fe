// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "gradcheck/tool/run.h"

namespace aclgrad::gradcheck {
namespace {

// How much of the library was checked.
std::string to_text(const Coverage& found) {
  if (found.exported.empty()) return "";
  std::string text =
      fmt::format("{} of {} two-phase operators that it exports are known\n",
                  found.exported.size() - found.unknown.size(), found.exported.size());
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < std::min(kShown, found.unknown.size()); ++i) {
    text += fmt::format("  not checked: {}\n", found.unknown[i]);
  }
  if (found.unknown.size() > kShown) {
    text += fmt::format("  ... and {} more\n", found.unknown.size() - kShown);
  }
  if (!found.needed.empty()) {
    text += fmt::format(
        "  of libraries that it needs, other operators are found, too: {}; --all leaves them out, "
        "--op NAME does not\n",
        fmt::join(found.needed, ", "));
  }
  if (!found.without_gradient.empty()) {
    text += fmt::format("  {} have no gradient function, so only their results are checked\n",
                        found.without_gradient.size());
  }
  return text;
}

}  // namespace

std::string to_text(const Line& line) {
  const Report& r = line.report;
  if (!line.missing.empty()) {
    return fmt::format("{:<60} not in the library: {}\n", line.title,
                       fmt::join(line.missing, ", "));
  }
  return fmt::format("{:<60} {:<6} {:>7} elements {:>5} checks  {:5.2f} s\n", line.title,
                     r.checks == 0 ? "-" : headline(r.verdict()), r.elements(), r.checks,
                     line.seconds);
}

std::string to_text(const std::string& library, const Coverage& found,
                    const std::vector<Line>& lines) {
  const auto was_checked = [](const Line& line) { return line.missing.empty(); };
  const auto checked = std::ranges::count_if(lines, was_checked);
  const auto missing = std::ssize(lines) - checked;
  return fmt::format("{}{} of {} combinations of operator and attributes checked, from {}{}\n{}",
                     total(lines).to_string(), checked, lines.size(), library,
                     missing > 0 ? fmt::format("; not in it: {}", missing) : "", to_text(found));
}

}  // namespace aclgrad::gradcheck
