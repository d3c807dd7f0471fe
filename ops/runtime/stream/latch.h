// SPDX-License-Identifier: Apache-2.0
// Something that opens once and that streams can wait for: the record of an event, or a callback
// that later tasks must not overtake.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

namespace aclgrad::runtime {

class Stream;

class Latch {
 public:
  using Clock = std::chrono::steady_clock;

  // Opens the latch and lets the streams parked at it go on. Later calls change nothing.
  void open();

  bool is_open() const { return open_.load(std::memory_order_acquire); }

  // Makes room for one more stream to park here. The caller that gives a stream a task with this
  // latch calls it: memory must not be missing when the stream gets there.
  void expect_stream();

  // True when open; otherwise the stream is notified (Stream::latch_opened) once it opens.
  bool open_or_park(const std::shared_ptr<Stream>& stream);

  // When it opened. Only for an open latch.
  Clock::time_point opened_at() const { return opened_at_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> open_{false};
  Clock::time_point opened_at_{};
  std::vector<std::shared_ptr<Stream>> parked_;
  size_t expected_ = 0;
};

}  // namespace aclgrad::runtime
