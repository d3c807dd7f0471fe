// SPDX-License-Identifier: Apache-2.0
// How many CPU threads operators may use.
#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "aclgrad_ext.h"
#include "ops/runtime/call/call.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::runtime {
namespace {

constexpr int32_t kUseDefault = 0;
std::atomic<int32_t> g_threads{kUseDefault};

// The cores that this process may run on, which can be fewer than the machine has.
int32_t usable_cores() {
  if (!kHasThreads) return 1;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) {
    if (const int count = CPU_COUNT(&cores); count > 0) return count;
  }
  const unsigned count = std::thread::hardware_concurrency();
  return count == 0 ? 1 : static_cast<int32_t>(count);
}

int32_t default_threads() {
  if (const char* wanted = std::getenv("OMP_NUM_THREADS")) {
    // The variable may hold a list, one number per nesting level; the first one counts.
    const long count = std::strtol(wanted, nullptr, 10);
    if (count > 0 && count <= INT32_MAX) return static_cast<int32_t>(count);
  }
  return usable_cores();
}

}  // namespace
}  // namespace aclgrad::runtime

aclError aclgradSetNumThreads(int32_t count) {
  using namespace aclgrad::runtime;
  return entry(__func__, [&](const Call& call) {
    if (count < 0) {
      call.bad_value(ACL_ERROR_INVALID_PARAM, "count", count, "0 (default) or more");
    }
    g_threads = count;
  });
}

int32_t aclgradGetNumThreads() {
  using namespace aclgrad::runtime;
  static const int32_t by_default = default_threads();
  const int32_t chosen = g_threads.load(std::memory_order_relaxed);
  return chosen == kUseDefault ? by_default : chosen;
}
