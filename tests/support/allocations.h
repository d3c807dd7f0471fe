// SPDX-License-Identifier: Apache-2.0
// Counts allocations, measures them, and lets them fail. A test program that uses it compiles
// allocations.cpp too, which replaces operator new.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aclgrad {

/// Allocations by operator new so far, in the whole process: the runtime's threads count too.
std::int64_t allocation_count();

/// How much memory of operator new is in use at once while it lives, in bytes, beyond what was in
/// use when it was made. One at a time.
class PeakMemory {
 public:
  PeakMemory();
  std::int64_t bytes() const;

 private:
  std::int64_t before_;
};

/// While it lives, one allocation of the calling thread fails: the one after so many others.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::int64_t after);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  bool has_failed() const;
};

/// While it lives, allocations of the calling thread above so many bytes fail: a small memory.
class AllocationLimit {
 public:
  explicit AllocationLimit(std::size_t bytes);
  ~AllocationLimit();
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;
};

}  // namespace aclgrad
