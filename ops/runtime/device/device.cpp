// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/device/device.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace aclgrad::runtime {

int32_t device_count() {
  static const int32_t count = [] {
    const char* const wanted = std::getenv("ACLGRAD_DEVICE_COUNT");
    const long number = wanted == nullptr ? 1 : std::strtol(wanted, nullptr, 10);
    return static_cast<int32_t>(std::clamp(number, 1L, static_cast<long>(kMaxDevices)));
  }();
  return count;
}

size_t device_memory() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

int64_t device_cores() {
  return std::max<int64_t>(1, static_cast<int64_t>(std::thread::hardware_concurrency()));
}

}  // namespace aclgrad::runtime
