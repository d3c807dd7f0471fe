// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/diagnostics/call_log.h"

#include <atomic>
#include <cstdio>

#include "ops/runtime/diagnostics/report.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::runtime::diagnostics {

uint64_t next_call_number() noexcept {
  static std::atomic<uint64_t> latest{0};
  return latest.fetch_add(1, std::memory_order_relaxed) + 1;
}

void write_log(const char* line) noexcept {
  const NotCancellable whole;
  static std::FILE* const file = open_output("ACLGRAD_LOG_FILE");
  // One call to a stream of the C library is one piece.
  std::fprintf(file, "%s%s\n", enabled(kLogJson) ? "" : "aclgrad: ", line);
  std::fflush(file);
}

}  // namespace aclgrad::runtime::diagnostics
