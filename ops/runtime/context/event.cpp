// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/context/event.h"

#include <algorithm>

#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/call/hooks.h"
#include "ops/runtime/context/context.h"

namespace aclgrad::runtime {
namespace {

uint32_t next_event_id() {
  static std::atomic<uint32_t> next{0};
  return next.fetch_add(1);
}

using RecordPointer = std::shared_ptr<EventRecord>;

aclError open_record(void* argument) {
  (*static_cast<RecordPointer*>(argument))->open();
  return ACL_SUCCESS;
}

// A record that is dropped opens too: what waits for it must not wait for ever.
void release_record(void* argument) {
  auto* const record = static_cast<RecordPointer*>(argument);
  (*record)->open();
  delete record;
}

[[noreturn]] void another_capture(const Call& call) {
  call.failed(ACL_ERROR_STREAM_CAPTURE_CONFLICT,
              "the event was recorded in another capture than the stream's", "",
              "Record it on a stream of this capture, or capture the stream there.");
}

using WaitCounter = std::shared_ptr<std::atomic<int>>;

void release_wait(void* argument) {
  auto* const counter = static_cast<WaitCounter*>(argument);
  (*counter)->fetch_sub(1);
  delete counter;
}

}  // namespace

HandleTable<Event>& events() { return never_destroyed<HandleTable<Event>>(); }

Stream::WaitResult EventRecord::wait(Deadline deadline) const {
  if (is_reached()) return Stream::WaitResult::kDone;
  const std::shared_ptr<Stream> stream = stream_.lock();
  // A stream that is gone has run or dropped its tasks, and opened the record in either case.
  return stream ? stream->wait(ticket_, deadline) : Stream::WaitResult::kDone;
}

void EventRecord::wake() const {
  if (const std::shared_ptr<Stream> stream = stream_.lock()) stream->wake();
}

bool EventRecord::is_reached() const {
  if (!is_open()) return false;
  if (RuntimeHooks* const active = hooks()) active->waited(stream_id_, ticket_);
  return true;
}

Event::Event(int32_t device, uint32_t flags, Style style)
    : device_(device),
      flags_(flags),
      style_(style),
      id_(next_event_id()),
      pending_waits_(std::make_shared<std::atomic<int>>(0)) {}

std::shared_ptr<Capture> Event::marked_capture() const {
  const std::lock_guard lock(mutex_);
  return point_.capture.lock();
}

void Event::refuse_captured(const Call& call) const {
  const std::shared_ptr<Capture> capture = marked_capture();
  if (!capture) return;
  capture->invalidate();
  call.failed(ACL_ERROR_RT_EVENT_CAPTURED,
              "the event was recorded on a captured stream, and this call made the capture "
              "void",
              "Its record is a point of the recording, not something that happens now.",
              "End the capture first.");
}

void Event::set_recorded_now() {
  const auto record = std::make_shared<EventRecord>(nullptr);
  record->open();
  const std::lock_guard lock(mutex_);
  latest_ = record;
}

void Event::record_in_capture(const Call& call, Capture& capture, const Stream& stream) {
  if (style_ != Style::kExtended) {
    call.unsupported("this kind of event cannot be recorded on a captured stream",
                     "Use an event made by aclrtCreateEventExWithFlag.");
  }
  if (has(ACL_EVENT_EXTERNAL)) {
    using EventPointer = std::shared_ptr<Event>;
    const auto record_now = [](void* argument) -> aclError {
      (*static_cast<EventPointer*>(argument))->set_recorded_now();
      return ACL_SUCCESS;
    };
    return capture.add(call, stream,
                       make_task("external event record", record_now, shared_from_this()));
  }
  if (const auto marked = marked_capture(); marked && marked.get() != &capture) {
    another_capture(call);
  }
  CapturePoint point{capture.weak_from_this(), capture.mark(call, stream)};
  const std::lock_guard lock(mutex_);
  latest_.reset();
  point_ = std::move(point);
}

void Event::record(const Call& call, const std::shared_ptr<Stream>& stream) {
  if (const auto capture = stream->capture()) return record_in_capture(call, *capture, *stream);
  refuse_captured(call);
  auto record = std::make_shared<EventRecord>(stream);
  Task task{.name = "event record", .run = open_record};
  task.argument = new RecordPointer(record);
  task.release = release_record;
  // Held while submitting, so that records from two threads have the same order in both places.
  const std::lock_guard lock(mutex_);
  uint64_t ticket = 0;
  submit(call, *stream, std::move(task), &ticket);
  record->set_ticket(ticket);
  latest_ = std::move(record);
  point_ = {};
}

// The stream, the event's record, or both belong to a capture.
void Event::wait_in_capture(const Call& call, const std::shared_ptr<Stream>& stream) {
  const std::shared_ptr<Capture> mine = stream->capture();
  const std::shared_ptr<Capture> marked = marked_capture();
  if (!marked) {
    if (!latest()) return;
    call.failed(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
                "the stream is being captured, but the event was not recorded in its "
                "capture",
                "A recording cannot depend on work outside it.",
                "Let the stream wait before its capture begins.");
  }
  if (mine && mine != marked) another_capture(call);
  if (!mine && stream->settings().is_default) {
    call.unsupported("a default stream cannot join a capture",
                     "Let a stream made by aclrtCreateStream wait for the event.");
  }
  VectorClock clock;
  {
    const std::lock_guard lock(mutex_);
    clock = point_.clock;
  }
  return marked->wait(call, stream, clock);
}

void Event::make_wait(const Call& call, const std::shared_ptr<Stream>& stream,
                      std::chrono::milliseconds timeout) {
  if (stream->capture() || marked_capture()) return wait_in_capture(call, stream);
  const std::shared_ptr<EventRecord> record = latest();
  if (!record) return;
  Task task{.name = "event wait", .latch = record, .latch_timeout = timeout};
  auto counter = std::make_unique<WaitCounter>(pending_waits_);
  add_waiting(stream);
  task.argument = counter.release();
  task.release = release_wait;
  submit(call, *stream, std::move(task), /*ticket=*/nullptr, {.awaits = record.get()});
  // A call that needs the waiting stream does not ask after the one that it waits for.
  if (!record->is_open()) record->wake();
}

void Event::add_waiting(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  if (pending_waits_->load() == 0) waiting_.clear();
  std::erase_if(waiting_, [](const std::weak_ptr<Stream>& each) { return each.expired(); });
  const auto is_it = [&](const std::weak_ptr<Stream>& each) { return each.lock() == stream; };
  if (std::none_of(waiting_.begin(), waiting_.end(), is_it)) waiting_.push_back(stream);
  pending_waits_->fetch_add(1);  // under the lock, so that the list is not cleared in between
}

bool Event::has_pending_waits() const {
  if (pending_waits_->load() == 0) return false;
  const std::lock_guard lock(mutex_);
  for (const std::weak_ptr<Stream>& each : waiting_) {
    if (const std::shared_ptr<Stream> stream = each.lock()) stream->wake();
  }
  return true;
}

void Event::reset() {
  const std::lock_guard lock(mutex_);
  latest_.reset();
  point_ = {};
}

std::shared_ptr<EventRecord> Event::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

}  // namespace aclgrad::runtime
