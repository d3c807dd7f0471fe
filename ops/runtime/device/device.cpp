// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/device/device.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

namespace aclgrad::runtime {

namespace {

std::atomic<int32_t>& count_of_devices() {
  static std::atomic<int32_t> count = [] {
    const char* const wanted = std::getenv("ACLGRAD_DEVICE_COUNT");
    const long number = wanted == nullptr ? 1 : std::strtol(wanted, nullptr, 10);
    return static_cast<int32_t>(std::clamp(number, 1L, static_cast<long>(kMaxDevices)));
  }();
  return count;
}

}  // namespace

int32_t device_count() { return count_of_devices().load(std::memory_order_relaxed); }

void ensure_devices(int32_t count) {
  std::atomic<int32_t>& there = count_of_devices();
  int32_t before = there.load();
  while (before < count && !there.compare_exchange_weak(before, count)) {
  }
}

size_t device_memory() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

int64_t device_cores() {
  return std::max<int64_t>(1, static_cast<int64_t>(std::thread::hardware_concurrency()));
}

}  // namespace aclgrad::runtime
