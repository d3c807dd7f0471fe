// SPDX-License-Identifier: Apache-2.0
// Memory that kernels keep from run to run, so that nothing is allocated in the steady state.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace aclgrad::ops {

// A Value for the calling thread alone, as its last user left it; each user has a type of its own.
//
// A thread gets the one that it had last. They do not belong to threads, though: which thread runs
// a task, the stream's worker or one that waits for it, changes from run to run, and a thread that
// runs its first task takes what others have grown. There are as many as were ever in use at once.
template <class Value>
class ThreadScratch {
 public:
  ThreadScratch() : kept_(take()) { last_ = &kept_; }
  ~ThreadScratch() { kept_.in_use.store(false, std::memory_order_release); }
  ThreadScratch(const ThreadScratch&) = delete;
  ThreadScratch& operator=(const ThreadScratch&) = delete;

  Value& operator*() const { return kept_.value; }
  Value* operator->() const { return &kept_.value; }

 private:
  // Never destroyed: threads of the program may run operators to the end of the process.
  struct alignas(64) Kept {
    Value value;
    std::atomic<bool> in_use{true};
    std::atomic<Kept*> next{nullptr};

    bool try_take() {
      return !in_use.load(std::memory_order_relaxed) &&
             !in_use.exchange(true, std::memory_order_acquire);
    }
  };

  // Throws std::bad_alloc where none is free and there is no memory for another.
  static Kept& take() {
    if (last_ != nullptr && last_->try_take()) return *last_;
    std::atomic<Kept*>* end = &first_;
    while (Kept* const kept = end->load(std::memory_order_acquire)) {
      if (kept->try_take()) return *kept;
      end = &kept->next;
    }
    Kept* const made = new Kept;
    // Another thread may have added one meanwhile.
    for (Kept* there = nullptr; !end->compare_exchange_strong(there, made); there = nullptr) {
      end = &there->next;
    }
    return *made;
  }

  static inline std::atomic<Kept*> first_{nullptr};
  static inline thread_local Kept* last_ = nullptr;

  Kept& kept_;
};

// Memory that only grows, by whole cache lines; its contents are not kept.
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
