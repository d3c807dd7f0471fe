// SPDX-License-Identifier: Apache-2.0
// Events: marks in streams that others can wait for and that tell the time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "ops/runtime/call/call.h"
#include "ops/runtime/call/handles.h"
#include "ops/runtime/capture/capture.h"
#include "ops/runtime/stream/latch.h"
#include "ops/runtime/stream/stream.h"

namespace aclgrad::runtime {

// One record of an event, in one stream. Waits refer to the record, so recording the event again
// does not disturb them.
class EventRecord : public Latch {
 public:
  // Null: recorded by a replay, on whatever stream that runs.
  explicit EventRecord(const std::shared_ptr<Stream>& stream)
      : stream_(stream), stream_id_(stream ? stream->id() : -1) {}

  void set_ticket(uint64_t ticket) { ticket_ = ticket; }

  // Waits for the record, running the stream's tasks if need be.
  Stream::WaitResult wait(Deadline deadline) const;

  // The stream begins with what comes before the record, unless it has begun.
  void wake() const;

  // Whether the stream has got there, which the program then knows.
  bool is_reached() const;

  // The point of a stream (-1: of any) that it marks.
  int32_t stream_id() const { return stream_id_; }
  uint64_t ticket() const { return ticket_; }

 private:
  const std::weak_ptr<Stream> stream_;
  const int32_t stream_id_;
  uint64_t ticket_ = 0;
};

class Event : public Handled, public std::enable_shared_from_this<Event> {
 public:
  static constexpr char kKind[] = "event";

  // By which function it was made.
  enum class Style { kPlain, kWithFlag, kExtended };

  Event(int32_t device, uint32_t flags, Style style);

  int32_t device() const { return device_; }
  uint32_t id() const { return id_; }
  Style style() const { return style_; }
  bool has(uint32_t flag) const { return (flags_ & flag) != 0; }

  // Queues a new record. On a captured stream the event marks a point of the capture instead, or,
  // being external, is recorded whenever the recording runs. An event that marks a point of one
  // capture is refused elsewhere: 107028 on a stream that is not captured, which makes the capture
  // void, 107032 in another capture.
  void record(const Call& call, const std::shared_ptr<Stream>& stream);

  // Queues a wait for the latest record; timeout 0 waits for ever. When the event marks a point of
  // a capture, the stream joins it.
  void make_wait(const Call& call, const std::shared_ptr<Stream>& stream,
                 std::chrono::milliseconds timeout);

  // As if never recorded.
  void reset();

  // For calls that look at the event from the host: 107028 while it marks a point of a capture,
  // which becomes void.
  void refuse_captured(const Call& call) const;

  // Null when never recorded.
  std::shared_ptr<EventRecord> latest() const;

  // Whether a stream still has to wait for a record, or to get to where it waits. It does not stay
  // idle then.
  bool has_pending_waits() const;

 private:
  void record_in_capture(const Call& call, Capture& capture, const Stream& stream);
  void wait_in_capture(const Call& call, const std::shared_ptr<Stream>& stream);
  std::shared_ptr<Capture> marked_capture() const;
  void set_recorded_now();
  // Counts one wait more, and remembers where.
  void add_waiting(const std::shared_ptr<Stream>& stream);

  const int32_t device_;
  const uint32_t flags_;
  const Style style_;
  const uint32_t id_;
  mutable std::mutex mutex_;
  std::shared_ptr<EventRecord> latest_;
  CapturePoint point_;  // its capture is set when the latest record was captured
  const std::shared_ptr<std::atomic<int>> pending_waits_;
  std::vector<std::weak_ptr<Stream>>
      waiting_;  // those that have had to wait since all waits were over
};

HandleTable<Event>& events();

}  // namespace aclgrad::runtime
