// SPDX-License-Identifier: Apache-2.0
// Where findings go: to standard error, or to the end of the file that ACLGRAD_CHECK_FILE names.
#ifndef ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_REPORT_H_
#define ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_REPORT_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "ops/runtime/diagnostics/checks.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::runtime::diagnostics {

// Writes "aclgrad: memory: " and the text, whose further lines are indented; then ends the program,
// if "abort" is wanted. Findings with a `key` that was reported before are only counted: the
// hundredth turn of a loop has nothing new to say.
void report(Check check, const std::string& text, const std::string& key) noexcept;

// How many findings there were, repeated ones included.
uint64_t report_count();

// The file that an environment variable names, opened for appending, or standard error.
std::FILE* open_output(const char* variable);

// Runs body(); a diagnostic that runs out of memory gives up silently.
template <class Body>
void quietly(Body&& body) noexcept {
  const NotCancellable whole;
  try {
    body();
  } catch (...) {
  }
}

}  // namespace aclgrad::runtime::diagnostics

#endif  // ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_REPORT_H_
