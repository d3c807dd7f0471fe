// SPDX-License-Identifier: Apache-2.0
// Handles that programs hold, and what they stand for.
//
// A handle is a number that is never used twice, not an address: a destroyed, foreign or invalid
// handle is therefore recognised without touching memory, and can never name a newer object by
// accident.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ops/runtime/call/hooks.h"

namespace aclgrad::runtime {

// A new handle value, distinct from those of every table.
inline void* next_handle() {
  // Steps of 16 from far above zero: a handle looks neither like a small integer nor, to memory
  // checkers, like an address.
  static std::atomic<uintptr_t> next{0x10000};
  return reinterpret_cast<void*>(next.fetch_add(16, std::memory_order_relaxed));
}

// What a handle stands for. It has a name for its kind in kKind.
class Handled {
 public:
  void* handle() const { return handle_; }
  void set_handle(void* handle) { handle_ = handle; }

  // False, in kinds that say so, for what the library makes, and destroys, by itself.
  bool is_made_by_program() const { return true; }

 private:
  void* handle_ = nullptr;
};

template <class Object>
class HandleTable {
 public:
  // Registers the object under a new handle, and tells it to the object before anyone can see it.
  void* add(const std::shared_ptr<Object>& object) {
    void* const handle = next_handle();
    object->set_handle(handle);
    const std::unique_lock lock(mutex_);
    objects_.emplace(handle, object);
    RuntimeHooks* const active = hooks();
    if (active != nullptr && object->is_made_by_program()) {
      active->object_made(handle, Object::kKind);
    }
    return handle;
  }

  // Null when the handle is not live.
  std::shared_ptr<Object> find(const void* handle) const {
    const std::shared_lock lock(mutex_);
    return find_locked(handle);
  }

  // What a thread looked up last. It lives on until the thread looks up another one while it is
  // not borrowed.
  struct Found {
    const void* handle = nullptr;
    uint64_t removals = 0;
    std::shared_ptr<Object> object;
    int borrowers = 0;
  };

  // An object for as long as a call needs it, which must not hand it to another thread. Where the
  // thread has it already, that changes no counter that threads share. Empty without an object.
  class Borrowed {
   public:
    explicit Borrowed(std::shared_ptr<Object> own = nullptr)
        : object_(own.get()), own_(std::move(own)) {}
    explicit Borrowed(Found& lender) : object_(lender.object.get()), lender_(&lender) {
      ++lender.borrowers;
    }
    Borrowed(Borrowed&& other) noexcept
        : object_(std::exchange(other.object_, nullptr)),
          own_(std::move(other.own_)),
          lender_(std::exchange(other.lender_, nullptr)) {}
    Borrowed& operator=(Borrowed&&) = delete;
    ~Borrowed() {
      if (lender_ != nullptr) --lender_->borrowers;
    }

    explicit operator bool() const { return object_ != nullptr; }
    Object& operator*() const { return *object_; }
    Object* operator->() const { return object_; }

   private:
    Object* object_;
    std::shared_ptr<Object> own_;
    Found* lender_ = nullptr;
  };

  // As find(), borrowed. Looking up once more what `last` has takes no lock, as long as nothing was
  // removed.
  Borrowed borrow(const void* handle, Found& last) const {
    if (last.handle == handle && last.removals == removals_.load(std::memory_order_acquire)) {
      return Borrowed(last);
    }
    Found found;
    found.handle = handle;
    {
      const std::shared_lock lock(mutex_);
      found.removals = removals_.load(std::memory_order_relaxed);
      found.object = find_locked(handle);
    }
    // What there is not may be there the next time; and who has borrowed the last one needs it.
    if (!found.object || last.borrowers > 0) return Borrowed(std::move(found.object));
    last = std::move(found);
    return Borrowed(last);
  }

  // The object, for exactly one of several callers; null when the handle is not live.
  std::shared_ptr<Object> remove(const void* handle) {
    const std::unique_lock lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    std::shared_ptr<Object> object = std::move(found->second);
    objects_.erase(found);
    removals_.fetch_add(1, std::memory_order_release);
    if (RuntimeHooks* const active = hooks()) active->object_gone(handle);
    return object;
  }

  // Some live object for which keep(object) holds, null without one. Unlike select it needs no
  // memory, so it is for what must not fail.
  template <class Predicate>
  std::shared_ptr<Object> find_any(Predicate keep) const {
    const std::shared_lock lock(mutex_);
    for (const auto& [handle, object] : objects_) {
      if (keep(*object)) return object;
    }
    return nullptr;
  }

  size_t size() const {
    const std::shared_lock lock(mutex_);
    return objects_.size();
  }

  template <class Predicate>
  size_t count(Predicate keep) const {
    const std::shared_lock lock(mutex_);
    return static_cast<size_t>(std::count_if(objects_.begin(), objects_.end(),
                                             [&](const auto& each) { return keep(*each.second); }));
  }

  // The live objects for which keep(object) holds.
  template <class Predicate>
  std::vector<std::shared_ptr<Object>> select(Predicate keep) const {
    std::vector<std::shared_ptr<Object>> selected;
    const std::shared_lock lock(mutex_);
    for (const auto& [handle, object] : objects_) {
      if (keep(*object)) selected.push_back(object);
    }
    return selected;
  }

 private:
  std::shared_ptr<Object> find_locked(const void* handle) const {
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  mutable std::shared_mutex mutex_;
  std::unordered_map<const void*, std::shared_ptr<Object>> objects_;
  std::atomic<uint64_t> removals_{0};
};

}  // namespace aclgrad::runtime
