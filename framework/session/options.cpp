// SPDX-License-Identifier: Apache-2.0
// What the options of a session mean together, and which exclude each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "aclgrad/error.h"
#include "session/state.h"

namespace aclgrad::detail {
namespace {

constexpr const char* kVariable = "ACLGRAD_SESSION";

// Why these options do not go together; null when they do.
const char* conflict(const SessionOptions& options) {
  if (options.observer && !options.eager) return "a session's observer needs the option eager";
  if (options.poison && options.eager) {
    return "the option poison has no effect in an eager session, which reuses no memory";
  }
  if (options.compare && options.eager) {
    return "the option compare has no effect in an eager session: it compares with one";
  }
  return nullptr;
}

struct Word {
  std::string_view text;
  bool SessionOptions::*option;
  bool value = true;
};

constexpr std::array kWords = {Word{"eager", &SessionOptions::eager},
                               Word{"launch", &SessionOptions::replay, false},
                               Word{"poison", &SessionOptions::poison},
                               Word{"trace_nonfinite", &SessionOptions::trace_nonfinite},
                               Word{"compare", &SessionOptions::compare}};

}  // namespace

SessionOptions with_environment(SessionOptions options) {
  const char* const value = std::getenv(kVariable);
  const SessionOptions programs = options;
  std::string_view words = value == nullptr ? "" : value;
  while (!words.empty()) {
    const std::size_t comma = words.find(',');
    const std::string_view word = words.substr(0, comma);
    const auto* const known = std::ranges::find(kWords, word, &Word::text);
    if (known == kWords.end()) {
      throw ValueError(
          fmt::format("{}: there is no \"{}\"; known are eager, launch, poison, "
                      "trace_nonfinite and compare, with commas between them",
                      kVariable, word));
    }
    SessionOptions alone = programs;
    alone.*known->option = known->value;
    if (conflict(alone) == nullptr) options.*known->option = known->value;
    if (word == "compare") report_comparisons_at_exit();
    words.remove_prefix(comma == std::string_view::npos ? words.size() : comma + 1);
  }
  return options;
}

SessionOptions checked(SessionOptions options) {
  if (const char* const reason = conflict(options)) throw ValueError(reason);
  return options;
}

bool runs_node_by_node(const SessionOptions& options) {
  return options.eager || options.poison || options.trace_nonfinite;
}

RunMode mode_of(const SessionOptions& options) {
  if (options.eager) return RunMode::eager;
  return options.replay && !runs_node_by_node(options) ? RunMode::replayed : RunMode::launched;
}

}  // namespace aclgrad::detail
