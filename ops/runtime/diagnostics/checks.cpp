// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/diagnostics/checks.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace aclgrad::runtime::diagnostics {
namespace {

struct Word {
  const char* name;
  uint32_t checks;
};

constexpr uint32_t kAll = kHandles | kMemory | kUninit | kLeaks | kPhases | kStreams;

constexpr std::array<Word, 7> kWords{{{"handles", kHandles},
                                      {"memory", kMemory},
                                      {"uninit", kUninit},
                                      {"leaks", kLeaks},
                                      {"phases", kPhases},
                                      {"streams", kStreams},
                                      {"all", kAll}}};

void apply(Settings& settings, std::string_view word) {
  if (word.empty()) return;
  if (word == "abort") {
    settings.abort = true;
    return;
  }
  for (const Word& known : kWords) {
    if (word != known.name) continue;
    settings.checks |= known.checks;
    return;
  }
  settings.complaint = fmt::format(
      "ACLGRAD_CHECK knows no \"{}\"; its words are handles, memory, uninit, leaks, phases, "
      "streams, all and abort",
      word);
}

void apply_log(Settings& settings, std::string_view word) {
  if (word.empty() || word == "0") return;
  if (word == "json") {
    settings.checks |= kLog | kLogJson;
  } else if (word == "text" || word == "1") {
    settings.checks |= kLog;
  } else {
    settings.complaint =
        fmt::format("ACLGRAD_LOG knows no \"{}\"; its words are text and json", word);
  }
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Settings read_environment() {
  Settings settings = parse_settings(variable("ACLGRAD_CHECK"), variable("ACLGRAD_LOG"));
  // A misspelt check that silently checks nothing would be worse than none.
  if (!settings.complaint.empty()) {
    std::fprintf(stderr, "aclgrad: %s.\n", settings.complaint.c_str());
  }
  return settings;
}

}  // namespace

const Settings g_settings = read_environment();

Settings parse_settings(std::string_view checks, std::string_view log) {
  Settings settings;
  while (!checks.empty()) {
    const size_t comma = checks.find(',');
    apply(settings, checks.substr(0, comma));
    checks.remove_prefix(comma == std::string_view::npos ? checks.size() : comma + 1);
  }
  apply_log(settings, log);
  return settings;
}

const char* name_of(Check check) {
  for (const Word& known : kWords) {
    if (known.checks == check) return known.name;
  }
  return "check";
}

}  // namespace aclgrad::runtime::diagnostics
