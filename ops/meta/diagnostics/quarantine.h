// SPDX-License-Identifier: Apache-2.0
// Where destroyed objects stay for a while, so that a dead handle does not come alive again as
// another object at the same address.
#ifndef ACLGRAD_OPS_META_DIAGNOSTICS_QUARANTINE_H_
#define ACLGRAD_OPS_META_DIAGNOSTICS_QUARANTINE_H_

#include <deque>
#include <memory>
#include <mutex>

#include "ops/meta/diagnostics/enabled.h"

namespace aclgrad::ops {

class Quarantine {
 public:
  // Of the library that includes this: nnopbase has one for what the program destroys, and opapi
  // one for executors that phase two has used up.
  static Quarantine& instance() {
    static auto& quarantine = *new Quarantine;
    return quarantine;
  }

  void add(std::shared_ptr<const void> object) {
    const std::lock_guard lock(mutex_);
    objects_.push_back(std::move(object));
    if (objects_.size() > kMaxObjects) objects_.pop_front();
  }

 private:
  static constexpr size_t kMaxObjects = 65536;

  std::mutex mutex_;
  std::deque<std::shared_ptr<const void>> objects_;
};

// Deletes the object, at once or later.
template <class Object>
void dispose(const Object* object) {
  std::unique_ptr<const Object> owned(object);
  if (!diagnosing(ACLGRAD_CHECK_HANDLES | ACLGRAD_CHECK_PHASES)) return;
  try {
    Quarantine::instance().add(std::shared_ptr<const Object>(std::move(owned)));
  } catch (const std::bad_alloc&) {
    // Then it goes at once.
  }
}

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_META_DIAGNOSTICS_QUARANTINE_H_
