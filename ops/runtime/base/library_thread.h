// SPDX-License-Identifier: Apache-2.0
// Threads of the library's own.
#pragma once

#include <thread>
#include <utility>

#include "ops/runtime/base/float_environment.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::runtime {

// A thread that takes none of the program's signals, and computes in the default environment,
// whatever the thread has that makes it. Throws std::system_error.
template <class Body>
std::thread make_library_thread(Body body) {
  const SignalsBlocked blocked;
  return std::thread([body = std::move(body)] {
    set_default_float_environment();
    body();
  });
}

}  // namespace aclgrad::runtime
