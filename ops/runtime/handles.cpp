// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/handles.h"

#include <atomic>

namespace aclgrad::runtime {

void* next_handle() {
  // Steps of 16 from far above zero: nobody mistakes a handle for a small integer, and memory
  // checkers do not mistake it for an address.
  static std::atomic<uintptr_t> next{0x10000};
  return reinterpret_cast<void*>(next.fetch_add(16, std::memory_order_relaxed));
}

}  // namespace aclgrad::runtime
