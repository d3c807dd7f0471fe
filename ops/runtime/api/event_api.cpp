// SPDX-License-Identifier: Apache-2.0
// Event functions of acl/acl_rt.h.
#include <atomic>

#include "ops/runtime/context/context.h"
#include "ops/runtime/context/event.h"
#include "ops/runtime/context/synchronize.h"
#include "ops/runtime/stream/timeout.h"

namespace aclgrad::runtime {
namespace {

constexpr uint32_t kMaxEvents = 65536;

constexpr uint32_t kKnownEventFlags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS |
                                      ACL_EVENT_TIME_LINE | ACL_EVENT_DEVICE_USE_ONLY |
                                      ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;

// Seconds, 0 for ever: aclrtSetOpWaitTimeout.
std::atomic<uint32_t> g_wait_timeout{0};

void make_event(const Call& call, aclrtEvent* event, uint32_t flags, Event::Style style) {
  const Context& context = require_context(call);
  if (events().size() >= kMaxEvents) {
    call.failed(ACL_ERROR_RT_NO_EVENT_RESOURCE,
                fmt::format("there are {} events already, which is the limit", kMaxEvents), "",
                "Destroy events that are no longer needed.");
  }
  *event = events().add(std::make_shared<Event>(context.device(), flags, style));
}

void check_flags(const Call& call, uint32_t flags) {
  if (flags != 0 && (flags & ~kKnownEventFlags) == 0) return;
  call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "flag", flags, "ACL_EVENT_* flags or-ed");
}

std::shared_ptr<Event> choose_event(const Call& call, const char* parameter, aclrtEvent handle) {
  call.require(handle, parameter);
  std::shared_ptr<Event> event = events().find(handle);
  if (!event) call.bad_handle(parameter, handle, "event");
  return event;
}

// For calls that report the event's status to the program. Most do not take events of the extended
// kind.
std::shared_ptr<Event> choose_queried(const Call& call, aclrtEvent handle, const void* status,
                                      bool takes_extended) {
  call.require(handle, "event");
  call.require(status, "status");
  std::shared_ptr<Event> event = choose_event(call, "event", handle);
  if (!takes_extended && event->style() == Event::Style::kExtended) {
    call.unsupported("the event was made by aclrtCreateEventExWithFlag",
                     "Use aclrtQueryEventStatus for such events.");
  }
  event->refuse_captured(call);
  return event;
}

void wait_for_event(const Call& call, aclrtEvent handle, int32_t timeout) {
  const std::shared_ptr<Event> chosen = choose_event(call, "event", handle);
  chosen->refuse_captured(call);
  const std::shared_ptr<EventRecord> record = chosen->latest();
  if (!record) return;
  check_waited(call, record->wait(deadline_after(timeout)), [&] {
    call.failed(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                fmt::format("the event was not reached within {} ms", timeout),
                "The work goes on; synchronise again to wait for it.");
  });
}

void wait_in_stream(const Call& call, aclrtStream stream, aclrtEvent event,
                    std::chrono::milliseconds timeout) {
  const std::shared_ptr<Event> chosen = choose_event(call, "event", event);
  if (!chosen->has(ACL_EVENT_SYNC)) {
    call.unsupported("the event was made without ACL_EVENT_SYNC",
                     "Add ACL_EVENT_SYNC to the flags of the event.");
  }
  const BorrowedStream where = choose_stream(call, stream);
  return chosen->make_wait(call, where->shared_from_this(), timeout);
}

bool is_reached(const EventRecord& record) {
  const bool reached = record.is_reached();
  if (!reached) record.wake();
  return reached;
}

// When the latest record of the event was reached.
Latch::Clock::time_point record_time(const Call& call, const char* parameter, const Event& event) {
  const std::shared_ptr<EventRecord> record = event.latest();
  if (!record) {
    call.failed(ACL_ERROR_RT_INTERNAL_ERROR,
                fmt::format("argument {} was never recorded", parameter), "",
                "Record it on a stream, and wait for it, first.");
  }
  if (!event.has(ACL_EVENT_TIME_LINE)) {
    call.failed(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                fmt::format("argument {} was made without ACL_EVENT_TIME_LINE", parameter), "",
                "Add the flag where the event is created.");
  }
  if (!is_reached(*record)) {
    call.failed(ACL_ERROR_RT_EVENT_NOT_COMPLETE,
                fmt::format("the record of argument {} is not reached yet", parameter), "",
                "Synchronise the event or its stream first.");
  }
  return record->opened_at();
}

}  // namespace
}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclrtCreateEvent(aclrtEvent* event) {
  return entry(__func__, [&](const Call& call) {
    call.require(event, "event");
    make_event(call, event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE, Event::Style::kPlain);
  });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  return entry(__func__, [&](const Call& call) {
    call.require(event, "event");
    check_flags(call, flag);
    make_event(call, event, flag, Event::Style::kWithFlag);
  });
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return entry(__func__, [&](const Call& call) {
    call.require(event, "event");
    check_flags(call, flag);
    for (const uint32_t exclusive : {ACL_EVENT_EXTERNAL, ACL_EVENT_IPC}) {
      if ((flag & exclusive) != 0 && flag != exclusive) {
        call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "flag", flag,
                       "ACL_EVENT_EXTERNAL and ACL_EVENT_IPC without other flags");
      }
    }
    make_event(call, event, flag, Event::Style::kExtended);
  });
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  return entry(__func__, [&](const Call& call) {
    call.require(event, "event");
    if (!events().remove(event)) call.bad_handle("event", event, "event");
  });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    const std::shared_ptr<Event> chosen = choose_event(call, "event", event);
    const BorrowedStream where = choose_stream(call, stream);
    chosen->record(call, where->shared_from_this());
  });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    const std::shared_ptr<Event> chosen = choose_event(call, "event", event);
    if (chosen->style() != Event::Style::kWithFlag || !chosen->has(ACL_EVENT_SYNC)) {
      call.unsupported(
          "only events made by aclrtCreateEventWithFlag with ACL_EVENT_SYNC can be reset",
          "Other events may be recorded again without a reset.");
    }
    const BorrowedStream where = choose_stream(call, stream);
    chosen->reset();
  });
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return entry(__func__, [&](const Call& call) {
    const auto chosen = choose_queried(call, event, status, /*takes_extended=*/false);
    const auto record = chosen->latest();
    *status =
        !record || is_reached(*record) ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
  });
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return entry(__func__, [&](const Call& call) {
    const auto chosen = choose_queried(call, event, status, /*takes_extended=*/true);
    const auto record = chosen->latest();
    const bool complete = record ? is_reached(*record) : chosen->style() == Event::Style::kExtended;
    *status = complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  });
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return entry(__func__, [&](const Call& call) {
    const auto chosen = choose_queried(call, event, status, /*takes_extended=*/false);
    *status = chosen->has_pending_waits() ? ACL_EVENT_WAIT_STATUS_NOT_READY
                                          : ACL_EVENT_WAIT_STATUS_COMPLETE;
    // The end of a wait tells the host that the record was reached.
    const auto record = chosen->latest();
    if (record && *status == ACL_EVENT_WAIT_STATUS_COMPLETE) is_reached(*record);
  });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return entry(__func__, [&](const Call& call) { return wait_for_event(call, event, -1); });
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return entry(__func__, [&](const Call& call) {
    call.require(event, "event");
    if (timeout < -1) {
      call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "timeout", timeout,
                     "milliseconds, or -1 for ever");
    }
    wait_for_event(call, event, timeout);
  });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return entry(__func__, [&](const Call& call) {
    call.require(ms, "ms");
    const std::shared_ptr<Event> start = choose_event(call, "startEvent", startEvent);
    const std::shared_ptr<Event> end = choose_event(call, "endEvent", endEvent);
    const auto from = record_time(call, "startEvent", *start);
    const auto to = record_time(call, "endEvent", *end);
    *ms = std::chrono::duration<float, std::milli>(to - from).count();
  });
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  return entry(__func__, [&](const Call& call) {
    call.require(timestamp, "timestamp");
    const std::shared_ptr<Event> chosen = choose_event(call, "event", event);
    const auto time = record_time(call, "event", *chosen);
    *timestamp = static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count());
  });
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  return entry(__func__, [&](const Call& call) {
    call.require(eventId, "eventId");
    *eventId = choose_event(call, "event", event)->id();
  });
}

aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
  return entry(__func__, [&](const Call& call) {
    call.require(eventCount, "eventCount");
    const size_t live = events().size();
    *eventCount = live >= kMaxEvents ? 0 : kMaxEvents - static_cast<uint32_t>(live);
  });
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout) {
  g_wait_timeout = timeout;
  return ACL_SUCCESS;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return entry(__func__, [&](const Call& call) {
    wait_in_stream(call, stream, event, std::chrono::seconds(g_wait_timeout.load()));
  });
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  return entry(__func__, [&](const Call& call) {
    call.require(event, "event");
    if (timeout < 0) {
      call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "timeout", timeout, "milliseconds, or 0 for ever");
    }
    wait_in_stream(call, stream, event, std::chrono::milliseconds(timeout));
  });
}
