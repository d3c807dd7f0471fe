// SPDX-License-Identifier: Apache-2.0
#include "ops/diagnostics/checks.h"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace aclgrad::diagnostics {
namespace {

struct Word {
  const char* name;
  uint32_t checks;
};

// Not "device": what a device would answer is no mistake.
constexpr uint32_t kAll = kHandles | kMemory | kUninit | kLeaks | kPhases | kStreams;

constexpr std::array<Word, 8> kWords{{{"handles", kHandles},
                                      {"memory", kMemory},
                                      {"uninit", kUninit},
                                      {"leaks", kLeaks},
                                      {"phases", kPhases},
                                      {"streams", kStreams},
                                      {"device", kDevice},
                                      {"all", kAll}}};

// A misspelt check that silently checks nothing would be worse than none.
void complain(const char* variable, std::string_view word, const char* known) {
  std::fprintf(stderr, "aclgrad: %s knows no \"%.*s\"; its words are %s.\n", variable,
               static_cast<int>(word.size()), word.data(), known);
}

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
  complain("ACLGRAD_CHECK", word,
           "handles, memory, uninit, leaks, phases, streams, device, all and abort");
}

void apply_log(Settings& settings, std::string_view word) {
  if (word.empty() || word == "0") return;
  if (word == "json") {
    settings.checks |= kLog | kLogJson;
  } else if (word == "text" || word == "1") {
    settings.checks |= kLog;
  } else {
    complain("ACLGRAD_LOG", word, "text and json");
  }
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The recorder is a library of its own: the variable alone records nothing.
void complain_without_recorder() {
  if (variable("ACLGRAD_RECORD").empty()) return;
  void* const recorder = dlopen("libaclgrad_record.so", RTLD_LAZY | RTLD_NOLOAD);
  if (recorder != nullptr) {
    dlclose(recorder);
    return;
  }
  std::fputs(
      "aclgrad: ACLGRAD_RECORD is set, but the recorder is not loaded: start the program with "
      "\"aclgrad-record FOLDER PROGRAM\", or with LD_PRELOAD=libaclgrad_record.so.\n",
      stderr);
}

}  // namespace

Settings read_settings() {
  Settings settings;
  complain_without_recorder();
  std::string_view checks = variable("ACLGRAD_CHECK");
  while (!checks.empty()) {
    const size_t comma = checks.find(',');
    apply(settings, checks.substr(0, comma));
    checks.remove_prefix(comma == std::string_view::npos ? checks.size() : comma + 1);
  }
  apply_log(settings, variable("ACLGRAD_LOG"));
  return settings;
}

const char* name_of(Check check) {
  for (const Word& known : kWords) {
    if (known.checks == check) return known.name;
  }
  return "check";
}

}  // namespace aclgrad::diagnostics
