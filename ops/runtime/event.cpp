// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/event.h"

#include "ops/runtime/context.h"

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

// A record that is dropped opens too: whoever waits for it must not wait for ever.
void release_record(void* argument) {
  auto* const record = static_cast<RecordPointer*>(argument);
  (*record)->open();
  delete record;
}

using WaitCounter = std::shared_ptr<std::atomic<int>>;

void release_wait(void* argument) {
  auto* const counter = static_cast<WaitCounter*>(argument);
  (*counter)->fetch_sub(1);
  delete counter;
}

}  // namespace

HandleTable<Event>& events() {
  static auto& table = *new HandleTable<Event>;
  return table;
}

Stream::WaitResult EventRecord::wait(Deadline deadline) const {
  if (is_open()) return Stream::WaitResult::kDone;
  const std::shared_ptr<Stream> stream = stream_.lock();
  // A stream that is gone has run or dropped its tasks, and opened the record in either case.
  return stream ? stream->wait(ticket_, deadline) : Stream::WaitResult::kDone;
}

Event::Event(int32_t device, uint32_t flags, Style style)
    : device_(device),
      flags_(flags),
      style_(style),
      id_(next_event_id()),
      pending_waits_(std::make_shared<std::atomic<int>>(0)) {}

aclError Event::record(const Call& call, const std::shared_ptr<Stream>& stream) {
  auto record = std::make_shared<EventRecord>(stream);
  Task task{.name = "event record", .run = open_record};
  task.argument = new RecordPointer(record);
  task.release = release_record;
  // Held while submitting, so that records from two threads have the same order in both places.
  const std::lock_guard lock(mutex_);
  uint64_t ticket = 0;
  const aclError status = submit(call, *stream, std::move(task), &ticket);
  if (status != ACL_SUCCESS) return status;
  record->set_ticket(ticket);
  latest_ = std::move(record);
  return ACL_SUCCESS;
}

aclError Event::make_wait(const Call& call, Stream& stream, std::chrono::milliseconds patience) {
  const std::shared_ptr<EventRecord> record = latest();
  if (!record) return ACL_SUCCESS;
  Task task{.name = "event wait", .gate = record, .gate_patience = patience};
  task.argument = new WaitCounter(pending_waits_);
  task.release = release_wait;
  pending_waits_->fetch_add(1);
  return submit(call, stream, std::move(task));
}

void Event::reset() {
  const std::lock_guard lock(mutex_);
  latest_.reset();
}

std::shared_ptr<EventRecord> Event::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

}  // namespace aclgrad::runtime
