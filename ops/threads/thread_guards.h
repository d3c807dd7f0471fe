// SPDX-License-Identifier: Apache-2.0
// What the libraries must heed on threads that are the program's: it may cancel them, end them with
// pthread_exit, or send them signals.
#pragma once

#include <cxxabi.h>
#include <pthread.h>

#include <csignal>

namespace aclgrad {

// Where a program cannot have threads (WebAssembly without shared memory), who waits does the work.
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
inline constexpr bool kHasThreads = false;
#else
inline constexpr bool kHasThreads = true;
#endif

// The end of a thread by pthread_exit or pthread_cancel. The C library unwinds its stack with
// something that is no exception, but that catch (...) catches: the handler must throw it on, or
// the process is aborted.
#if defined(__GLIBCXX__)
using ForcedUnwind = abi::__forced_unwind;
#else
struct ForcedUnwind {};  // unwinding passes all handlers there
#endif

// The calling thread cannot be cancelled while this lives: in functions that must not be left
// halfway, or that throw nothing.
class NotCancellable {
 public:
  NotCancellable() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NotCancellable() { pthread_setcancelstate(before_, nullptr); }
  NotCancellable(const NotCancellable&) = delete;
  NotCancellable& operator=(const NotCancellable&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

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

}  // namespace aclgrad
