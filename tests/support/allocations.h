// SPDX-License-Identifier: Apache-2.0
// Counts allocations, and lets them fail. A test program that uses it compiles allocations.cpp too,
// which replaces operator new.
#ifndef ACLGRAD_TESTS_SUPPORT_ALLOCATIONS_H_
#define ACLGRAD_TESTS_SUPPORT_ALLOCATIONS_H_

#include <cstddef>
#include <cstdint>

namespace aclgrad {

/// Allocations by operator new so far, in the whole process: the runtime's threads count too.
std::int64_t allocation_count();

// Bytes of the largest allocation since the last call.
std::size_t take_largest_allocation();

/// While it lives, one allocation of the calling thread fails: the one after so many others.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::int64_t after);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  bool has_failed() const;
};

}  // namespace aclgrad

#endif  // ACLGRAD_TESTS_SUPPORT_ALLOCATIONS_H_
