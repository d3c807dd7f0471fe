// SPDX-License-Identifier: Apache-2.0
#include "tests/support/allocations.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> allocations = 0;
std::atomic<std::int64_t> bytes_in_use = 0;
std::atomic<std::int64_t> most_bytes_in_use = 0;
thread_local std::int64_t allocations_until_failure = -1;
thread_local std::size_t largest_allocation = SIZE_MAX;

void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
  ++allocations;
  if (allocations_until_failure >= 0 && allocations_until_failure-- == 0) throw std::bad_alloc();
  if (bytes > largest_allocation) throw std::bad_alloc();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, std::max(rounded, alignment));
  if (memory == nullptr) throw std::bad_alloc();
  const auto size = static_cast<std::int64_t>(malloc_usable_size(memory));
  const std::int64_t now = bytes_in_use += size;
  for (std::int64_t most = most_bytes_in_use;
       now > most && !most_bytes_in_use.compare_exchange_weak(most, now);) {
  }
  return memory;
}

void release(void* memory) noexcept {
  bytes_in_use -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace aclgrad {

std::int64_t allocation_count() { return allocations; }

PeakMemory::PeakMemory() : before_(bytes_in_use) { most_bytes_in_use = before_; }

std::int64_t PeakMemory::bytes() const { return most_bytes_in_use - before_; }

FailingAllocation::FailingAllocation(std::int64_t after) { allocations_until_failure = after; }

FailingAllocation::~FailingAllocation() { allocations_until_failure = -1; }

bool FailingAllocation::has_failed() const { return allocations_until_failure < 0; }

AllocationLimit::AllocationLimit(std::size_t bytes) { largest_allocation = bytes; }

AllocationLimit::~AllocationLimit() { largest_allocation = SIZE_MAX; }

}  // namespace aclgrad
