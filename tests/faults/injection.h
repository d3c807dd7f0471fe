// SPDX-License-Identifier: Apache-2.0
// Makes the n-th allocation fail. The program that uses it compiles injection.cpp too, which takes
// the place of operator new, aligned_alloc and pthread_create for the whole process.
//
// Only what the libraries do counts: the thread of the test is exempt unless it is inside
// in_library(), every other thread belongs to the libraries.
#pragma once

#include <cstdint>

namespace aclgrad::faults {

// From now on the calling thread is the test's.
void exempt_this_thread();

// Allocations (and threads) that the libraries asked for since the last arm() or disarm().
int64_t requests();

// The n-th request from now on fails, n = 1 for the next one.
void arm(int64_t n);
void disarm();

// Whether the request that arm() chose has come.
bool has_fired();

// Allocations by the libraries' operator new that are not deleted yet, in the whole process.
int64_t live_allocations();

void enter_library();
void leave_library();

template <class Function>
auto in_library(Function&& function) {
  struct Inside {
    Inside() { enter_library(); }
    ~Inside() { leave_library(); }
  };
  const Inside inside;
  return function();
}

}  // namespace aclgrad::faults
