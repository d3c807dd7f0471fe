// SPDX-License-Identifier: Apache-2.0
// Counts what the program and its libraries allocate by operator new. A test program that uses it
// compiles allocations.cpp, which replaces the operators.
#ifndef ACLGRAD_TESTS_OPS_SUPPORT_ALLOCATIONS_H_
#define ACLGRAD_TESTS_OPS_SUPPORT_ALLOCATIONS_H_

#include <cstdint>
#include <functional>

namespace aclgrad::test {

// How often any thread allocated while the body ran.
int64_t allocations_during(const std::function<void()>& body);

}  // namespace aclgrad::test

#endif  // ACLGRAD_TESTS_OPS_SUPPORT_ALLOCATIONS_H_
