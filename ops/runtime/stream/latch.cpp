// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/stream/latch.h"

#include "ops/runtime/stream/stream.h"

namespace aclgrad::runtime {

void Latch::open() {
  std::vector<std::shared_ptr<Stream>> parked;
  {
    const std::lock_guard lock(mutex_);
    if (is_open()) return;
    opened_at_ = Clock::now();
    open_.store(true, std::memory_order_release);
    parked.swap(parked_);
  }
  // Streams lock themselves before they lock a latch, so they are notified after it is unlocked.
  for (const std::shared_ptr<Stream>& stream : parked) stream->latch_opened();
}

void Latch::expect_stream() {
  const std::lock_guard lock(mutex_);
  if (is_open()) return;
  if (expected_ == parked_.capacity()) parked_.reserve(2 * expected_ + 1);
  ++expected_;
}

bool Latch::open_or_park(const std::shared_ptr<Stream>& stream) {
  if (is_open()) return true;
  const std::lock_guard lock(mutex_);
  if (is_open()) return true;
  parked_.push_back(stream);
  return false;
}

}  // namespace aclgrad::runtime
