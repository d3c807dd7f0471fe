// SPDX-License-Identifier: Apache-2.0
// Where findings and the call log go: to standard error, or to the end of the files that
// ACLGRAD_CHECK_FILE and ACLGRAD_LOG_FILE name.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "ops/diagnostics/checks.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::diagnostics {

// Writes "aclgrad: memory: " and the text, whose further lines are indented; then ends the program,
// if "abort" is wanted. Findings with a `key` that was reported before are only counted: the
// hundredth turn of a loop has nothing new to say.
void report(Check check, const std::string& text, const std::string& key) noexcept;

// How many findings there were, repeated ones included.
uint64_t report_count();

// The call log (ACLGRAD_LOG), whose lines calls/call_log.h makes: a number for a call; and a line,
// which is written in one piece, text with "aclgrad: " in front.
uint64_t next_call_number() noexcept;
void write_log(const char* line) noexcept;

// Runs body(); a diagnostic that runs out of memory gives up silently.
template <class Body>
void quietly(Body&& body) noexcept {
  const NotCancellable whole;
  try {
    body();
  } catch (...) {
  }
}

}  // namespace aclgrad::diagnostics
