// SPDX-License-Identifier: Apache-2.0
// Memory that a thread keeps from run to run, so that nothing is allocated in the steady state.
#ifndef ACLGRAD_OPS_KERNELS_THREAD_SCRATCH_H_
#define ACLGRAD_OPS_KERNELS_THREAD_SCRATCH_H_

#include <optional>

#include "ops/runtime/thread_owned.h"

namespace aclgrad::ops {

// The calling thread's Value, as its last user left it; each user has a type of its own. Another
// one for as long as this object lives where the thread ends and has none any more.
template <class Value>
class ThreadScratch {
 public:
  ThreadScratch() : value_(runtime::ThreadOwned<Value>::get()) {
    if (value_ == nullptr) value_ = &late_.emplace();
  }
  ThreadScratch(const ThreadScratch&) = delete;
  ThreadScratch& operator=(const ThreadScratch&) = delete;

  Value& operator*() const { return *value_; }
  Value* operator->() const { return value_; }

 private:
  Value* value_;
  std::optional<Value> late_;
};

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_THREAD_SCRATCH_H_
