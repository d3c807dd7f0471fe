// SPDX-License-Identifier: Apache-2.0
// The end of a thread by pthread_exit or pthread_cancel. The C library unwinds its stack with
// something that is no exception, but that catch (...) catches: whoever does must throw it on, or
// the process is aborted.
#ifndef ACLGRAD_OPS_RUNTIME_FORCED_UNWIND_H_
#define ACLGRAD_OPS_RUNTIME_FORCED_UNWIND_H_

#include <cxxabi.h>
#include <pthread.h>

namespace aclgrad::runtime {

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

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_FORCED_UNWIND_H_
