// SPDX-License-Identifier: Apache-2.0
// Threads of the library's own.
#ifndef ACLGRAD_OPS_RUNTIME_LIBRARY_THREAD_H_
#define ACLGRAD_OPS_RUNTIME_LIBRARY_THREAD_H_

#include <csignal>
#include <thread>
#include <utility>

#include "ops/runtime/float_environment.h"

namespace aclgrad::runtime {

// Keeps the signals that are sent to a process from the calling thread, while this lives, and from
// the threads that it makes for good. Those of a fault concern the thread that makes it, and
// SIGPROF counts whichever thread works.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t signals;
    sigfillset(&signals);
    for (const int kept : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF}) {
      sigdelset(&signals, kept);
    }
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

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

#endif  // ACLGRAD_OPS_RUNTIME_LIBRARY_THREAD_H_
