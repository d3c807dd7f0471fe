// SPDX-License-Identifier: Apache-2.0
// Linked into a test, replaces operator new by one that counts.
#ifndef ACLGRAD_TESTS_FRAMEWORK_SESSION_COUNT_ALLOCATIONS_H_
#define ACLGRAD_TESTS_FRAMEWORK_SESSION_COUNT_ALLOCATIONS_H_

#include <cstdint>

namespace aclgrad {

/// Allocations by operator new so far, in the whole process: the runtime's threads count too.
std::int64_t allocation_count();

}  // namespace aclgrad

#endif  // ACLGRAD_TESTS_FRAMEWORK_SESSION_COUNT_ALLOCATIONS_H_
