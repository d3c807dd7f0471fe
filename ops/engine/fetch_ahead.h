// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"

namespace aclgrad::ops {

// Asks for what a walk through memory reads a little later, of so many bytes at a time. The
// processor does so on its own, but only within a page and with less in flight than memory allows;
// nearer data would not gain by it.
template <size_t kBytes>
inline void fetch_ahead(const void* place) {
  constexpr size_t kDistance = 2048;
  constexpr size_t kLine = 64;
  const auto start = reinterpret_cast<uintptr_t>(place) + kDistance;  // may be beyond the end
  for (size_t i = 0; i < kBytes; i += kLine) {
    hwy::Prefetch(reinterpret_cast<const char*>(start + i));
  }
}

// Asks for a line that is read and then overwritten. Where another core has it, too, the store
// would wait until that core has given it up, and stores wait for each other.
inline void fetch_to_overwrite(const void* line) {
#if defined(__x86_64__)
  // What compilers make of __builtin_prefetch for a processor that they know nothing of only reads.
  asm volatile("prefetchw (%0)" : : "r"(line));
#else
  __builtin_prefetch(line, 1);
#endif
}

}  // namespace aclgrad::ops
