// SPDX-License-Identifier: Apache-2.0
#include "ops/diagnostics/report.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>

#include "ops/runtime/base/never_destroyed.h"

namespace aclgrad::diagnostics {
namespace {

// A program that does everything wrong in different ways must not fill a disk.
constexpr size_t kMaxDistinct = 200;

// The file that an environment variable names, opened for appending, or standard error.
std::FILE* open_output(const char* variable) {
  const char* const path = std::getenv(variable);
  if (path == nullptr || *path == '\0') return stderr;
  std::FILE* const file = std::fopen(path, "ae");
  if (file != nullptr) return file;
  std::fprintf(stderr, "aclgrad: %s: \"%s\" cannot be opened; writing to standard error.\n",
               variable, path);
  return stderr;
}

struct Output {
  std::mutex mutex;
  std::FILE* file = open_output("ACLGRAD_CHECK_FILE");
  std::set<std::string> seen;
};

Output& output() { return runtime::never_destroyed<Output>(); }

std::atomic<uint64_t> g_count{0};

}  // namespace

void report(Check check, const std::string& text, const std::string& key) noexcept {
  const NotCancellable uninterrupted;
  g_count.fetch_add(1, std::memory_order_relaxed);
  try {
    const std::string whole = fmt::format("aclgrad: {}: {}{}", name_of(check), text,
                                          text.empty() || text.back() != '\n' ? "\n" : "");
    const std::lock_guard lock(output().mutex);
    std::set<std::string>& seen = output().seen;
    if (seen.size() > kMaxDistinct || !seen.insert(name_of(check) + key).second) return;
    std::fputs(whole.c_str(), output().file);
    if (seen.size() > kMaxDistinct) {
      std::fputs("aclgrad: further findings are counted, but not printed.\n", output().file);
    }
    std::fflush(output().file);
  } catch (...) {
    // Out of memory: the count has to do.
  }
  if (settings().abort) std::abort();
}

uint64_t report_count() { return g_count.load(std::memory_order_relaxed); }

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

}  // namespace aclgrad::diagnostics
