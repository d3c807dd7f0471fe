// SPDX-License-Identifier: Apache-2.0
// What belongs to a thread, for calls that may come at any time.
//
// The thread-local objects of the main thread are destroyed before the static ones, whose
// destructors may still call the runtime. So the main thread's value lives as long as the process;
// any other thread's goes with the thread, and calls that come later find none.
#pragma once

#include <unistd.h>

#include <new>
#include <utility>

namespace aclgrad::runtime {

// One Value for each thread.
template <class Value>
class ThreadOwned {
 public:
  // The calling thread's; null when the thread has destroyed it already.
  static Value* get() { return value_ != nullptr || is_over_ ? value_ : make(); }

 private:
  struct Owner {
    Owner() { value_ = new (memory) Value; }
    ~Owner() {
      if (gettid() == getpid()) return;
      is_over_ = true;
      std::exchange(value_, nullptr)->~Value();
    }
    alignas(Value) unsigned char memory[sizeof(Value)];
  };

  static Value* make() {
    thread_local Owner owner;
    return value_;
  }

  // Without destructors, so there to the end of the thread.
  static inline thread_local Value* value_ = nullptr;
  static inline thread_local bool is_over_ = false;
};

}  // namespace aclgrad::runtime
