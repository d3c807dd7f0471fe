// SPDX-License-Identifier: Apache-2.0
#include "tests/support/allocations.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> allocations = 0;
thread_local std::int64_t allocations_until_failure = -1;
thread_local std::size_t largest_allocation = SIZE_MAX;

void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
  ++allocations;
  if (allocations_until_failure >= 0 && allocations_until_failure-- == 0) throw std::bad_alloc();
  if (bytes > largest_allocation) throw std::bad_alloc();
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, std::max(rounded, alignment))) return memory;
  throw std::bad_alloc();
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
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace aclgrad {

std::int64_t allocation_count() { return allocations; }

FailingAllocation::FailingAllocation(std::int64_t after) { allocations_until_failure = after; }

FailingAllocation::~FailingAllocation() { allocations_until_failure = -1; }

bool FailingAllocation::has_failed() const { return allocations_until_failure < 0; }

AllocationLimit::AllocationLimit(std::size_t bytes) { largest_allocation = bytes; }

AllocationLimit::~AllocationLimit() { largest_allocation = SIZE_MAX; }

}  // namespace aclgrad
