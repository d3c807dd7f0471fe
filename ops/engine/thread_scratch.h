// SPDX-License-Identifier: Apache-2.0
// Memory that a thread keeps from run to run, so that nothing is allocated in the steady state.
#ifndef ACLGRAD_OPS_ENGINE_THREAD_SCRATCH_H_
#define ACLGRAD_OPS_ENGINE_THREAD_SCRATCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ops/runtime/base/thread_owned.h"

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

// Memory that only grows, by whole cache lines; what it held is not to be relied on.
class GrowingMemory {
 public:
  template <class T>
  T* of(int64_t elements) {
    const size_t lines =
        (static_cast<size_t>(elements) * sizeof(T) + sizeof(Line) - 1) / sizeof(Line);
    if (lines_.size() < lines) lines_.resize(lines);
    return reinterpret_cast<T*>(lines_.data());
  }

 private:
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::vector<Line> lines_;
};

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ENGINE_THREAD_SCRATCH_H_
