// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/stream/at_exit.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "ops/runtime/stream/stream.h"

namespace aclgrad::runtime {
namespace {

// A task that runs longer than this when the process ends is left to its fate.
constexpr std::chrono::seconds kTimeout{2};

pid_t g_owner = 0;

void freeze_all() {
  // The threads of the streams stayed behind in the parent of a forked process.
  if (getpid() != g_owner) return;
  const auto deadline = std::chrono::steady_clock::now() + kTimeout;
  for (const auto& stream : streams().select([](const Stream&) { return true; })) {
    stream->freeze(deadline);
  }
}

}  // namespace

void freeze_streams_at_exit() {
  [[maybe_unused]] static const bool registered = [] {
    g_owner = getpid();
    return std::atexit(freeze_all) == 0;
  }();
}

}  // namespace aclgrad::runtime
