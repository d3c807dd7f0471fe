// SPDX-License-Identifier: Apache-2.0
// Handles that programs hold, and what they stand for.
//
// A handle is a number that is never used twice, not an address: a destroyed, foreign or wild
// handle is therefore recognised without touching memory, and can never name a newer object by
// accident.
#ifndef ACLGRAD_OPS_RUNTIME_HANDLES_H_
#define ACLGRAD_OPS_RUNTIME_HANDLES_H_

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

#include "ops/runtime/diagnostics/objects.h"

namespace aclgrad::runtime {

// A new handle value, distinct from those of every table.
void* next_handle();

// An Object has set_handle, a name for its kind in kKind, and is_made_by_program, which is false
// for what the library makes of itself and nobody has to destroy.
template <class Object>
class HandleTable {
 public:
  // Registers the object under a new handle, and tells it to the object before anyone can see it.
  void* add(const std::shared_ptr<Object>& object) {
    void* const handle = next_handle();
    object->set_handle(handle);
    const std::unique_lock lock(mutex_);
    objects_.emplace(handle, object);
    if (diagnostics::enabled(diagnostics::kNeedNames) && object->is_made_by_program()) {
      diagnostics::object_made(handle, Object::kKind);
    }
    return handle;
  }

  // Null when the handle is not live.
  std::shared_ptr<Object> find(const void* handle) const {
    const std::shared_lock lock(mutex_);
    return find_locked(handle);
  }

  // What a thread looked up last. It lives on until the thread looks up another one.
  struct Found {
    const void* handle = nullptr;
    uint64_t removals = 0;
    std::shared_ptr<Object> object;
  };

  // The same. Looking up once more what `last` has takes no lock, as long as nothing was removed.
  std::shared_ptr<Object> find(const void* handle, Found& last) const {
    if (last.handle == handle && last.removals == removals_.load(std::memory_order_acquire)) {
      return last.object;
    }
    Found found{.handle = handle, .removals = 0, .object = nullptr};
    {
      const std::shared_lock lock(mutex_);
      found.removals = removals_.load(std::memory_order_relaxed);
      found.object = find_locked(handle);
    }
    // Not what there is not: it may be there the next time.
    if (!found.object) return nullptr;
    last = found;
    return found.object;
  }

  // The object, for exactly one of several callers; null when the handle is not live.
  std::shared_ptr<Object> remove(const void* handle) {
    const std::unique_lock lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    std::shared_ptr<Object> object = std::move(found->second);
    objects_.erase(found);
    removals_.fetch_add(1, std::memory_order_release);
    if (diagnostics::enabled(diagnostics::kNeedNames)) diagnostics::object_gone(handle);
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

#endif  // ACLGRAD_OPS_RUNTIME_HANDLES_H_
