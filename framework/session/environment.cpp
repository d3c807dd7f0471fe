// SPDX-License-Identifier: Apache-2.0
#include "session/environment.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "aclgrad/error.h"
#include "session/comparison.h"

namespace aclgrad::detail {
namespace {

constexpr const char* kVariable = "ACLGRAD_SESSION";

void apply(SessionOptions& options, const SessionOptions& programs, std::string_view word) {
  if (word == "eager") {
    options.eager = programs.eager || !(programs.poison || programs.compare);
  } else if (word == "launch") {
    options.replay = false;
  } else if (word == "poison") {
    options.poison = !programs.eager;
  } else if (word == "trace_nonfinite") {
    options.trace_nonfinite = true;
  } else if (word == "compare") {
    options.compare = !programs.eager;
    report_comparisons_at_exit();
  } else {
    throw ValueError(
        fmt::format("{}: there is no \"{}\"; known are eager, launch, poison, "
                    "trace_nonfinite and compare, with commas between them",
                    kVariable, word));
  }
}

}  // namespace

SessionOptions with_environment(SessionOptions options) {
  const char* const value = std::getenv(kVariable);
  const SessionOptions programs = options;
  std::string_view words = value == nullptr ? "" : value;
  while (!words.empty()) {
    const std::size_t comma = words.find(',');
    apply(options, programs, words.substr(0, comma));
    words.remove_prefix(comma == std::string_view::npos ? words.size() : comma + 1);
  }
  return options;
}

}  // namespace aclgrad::detail
