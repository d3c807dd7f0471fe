// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> g_allocations{0};

}  // namespace

// The other forms of new and delete come down to these.
void* operator new(std::size_t size) {
  g_allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }

void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace aclgrad::test {

int64_t allocations_during(const std::function<void()>& body) {
  const int64_t before = g_allocations;
  body();
  return g_allocations - before;
}

}  // namespace aclgrad::test
