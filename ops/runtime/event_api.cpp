// SPDX-License-Identifier: Apache-2.0
// Event functions of acl/acl_rt.h.
#include <atomic>

#include "ops/runtime/context.h"
#include "ops/runtime/device.h"
#include "ops/runtime/event.h"
#include "ops/runtime/timeout.h"

namespace aclgrad::runtime {
namespace {

constexpr uint32_t kMaxEvents = 65536;

constexpr uint32_t kKnownFlags = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS |
                                 ACL_EVENT_TIME_LINE | ACL_EVENT_DEVICE_USE_ONLY |
                                 ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;

// Seconds, 0 for ever: aclrtSetOpWaitTimeout.
std::atomic<uint32_t> g_wait_timeout{0};

aclError make_event(const Call& call, aclrtEvent* event, uint32_t flags, Event::Style style) {
  const Context* const context = current_context();
  if (context == nullptr) return call.no_context();
  if (events().size() >= kMaxEvents) {
    return call.failed(ACL_ERROR_RT_NO_EVENT_RESOURCE,
                       fmt::format("there are {} events already, which is the limit", kMaxEvents),
                       "", "Destroy events that are no longer needed.");
  }
  *event = events().add(std::make_shared<Event>(context->device(), flags, style));
  return ACL_SUCCESS;
}

aclError check_flags(const Call& call, uint32_t flags) {
  if (flags != 0 && (flags & ~kKnownFlags) == 0) return ACL_SUCCESS;
  return call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "flag", flags, "ACL_EVENT_* flags or-ed");
}

struct EventChoice {
  aclError status = ACL_SUCCESS;
  std::shared_ptr<Event> event;
};

EventChoice choose_event(const Call& call, const char* parameter, aclrtEvent handle) {
  if (handle == nullptr) return {call.null_pointer(parameter), nullptr};
  std::shared_ptr<Event> event = events().find(handle);
  if (!event) return {call.bad_handle(parameter, handle, "event"), nullptr};
  return {ACL_SUCCESS, std::move(event)};
}

// As choose_event, for calls that do not take events of the extended kind.
EventChoice choose_simple_event(const Call& call, aclrtEvent handle) {
  EventChoice chosen = choose_event(call, "event", handle);
  if (chosen.event && chosen.event->style() == Event::Style::kExtended) {
    return {call.unsupported("the event was made by aclrtCreateEventExWithFlag",
                             "Use aclrtQueryEventStatus for such events."),
            nullptr};
  }
  return chosen;
}

aclError wait_for_event(const Call& call, aclrtEvent handle, int32_t timeout) {
  const EventChoice chosen = choose_event(call, "event", handle);
  if (!chosen.event) return chosen.status;
  if (const aclError status = chosen.event->refuse_captured(call)) return status;
  const std::shared_ptr<EventRecord> record = chosen.event->latest();
  if (!record) return ACL_SUCCESS;
  switch (record->wait(deadline_after(timeout))) {
    case Stream::WaitResult::kDone:
      break;
    case Stream::WaitResult::kTimeout:
      return call.failed(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                         fmt::format("the event was not reached within {} ms", timeout),
                         "The work goes on; synchronise again to wait for it.");
    case Stream::WaitResult::kInsideOwnTask:
      return inside_own_task(call);
    case Stream::WaitResult::kFrozen:
      return process_ends(call);
  }
  return ACL_SUCCESS;
}

aclError wait_in_stream(const Call& call, aclrtStream stream, aclrtEvent event,
                        std::chrono::milliseconds timeout) {
  const EventChoice chosen = choose_event(call, "event", event);
  if (!chosen.event) return chosen.status;
  if (!chosen.event->has(ACL_EVENT_SYNC)) {
    return call.unsupported("the event was made without ACL_EVENT_SYNC",
                            "Add ACL_EVENT_SYNC to the flags of the event.");
  }
  const StreamChoice where = choose_stream(call, stream);
  if (!where.stream) return where.status;
  return chosen.event->make_wait(call, where.stream->shared_from_this(), timeout);
}

bool is_reached(const EventRecord& record) {
  const bool reached = record.is_reached();
  if (!reached) record.wake();
  return reached;
}

// When the event's latest record was reached, or the status that tells why there is no time.
aclError record_time(const Call& call, const char* parameter, const Event& event,
                     Gate::Clock::time_point& time) {
  const std::shared_ptr<EventRecord> record = event.latest();
  if (!record) {
    return call.failed(ACL_ERROR_RT_INTERNAL_ERROR,
                       fmt::format("argument {} was never recorded", parameter), "",
                       "Record it on a stream, and wait for it, first.");
  }
  if (!event.has(ACL_EVENT_TIME_LINE)) {
    return call.failed(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                       fmt::format("argument {} was made without ACL_EVENT_TIME_LINE", parameter),
                       "", "Add the flag where the event is created.");
  }
  if (!is_reached(*record)) {
    return call.failed(ACL_ERROR_RT_EVENT_NOT_COMPLETE,
                       fmt::format("the record of argument {} is not reached yet", parameter), "",
                       "Synchronise the event or its stream first.");
  }
  time = record->opened_at();
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclrtCreateEvent(aclrtEvent* event) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (event == nullptr) return call.null_pointer("event");
    return make_event(call, event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE, Event::Style::kPlain);
  });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (event == nullptr) return call.null_pointer("event");
    if (const aclError status = check_flags(call, flag)) return status;
    return make_event(call, event, flag, Event::Style::kWithFlag);
  });
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (event == nullptr) return call.null_pointer("event");
    if (const aclError status = check_flags(call, flag)) return status;
    for (const uint32_t exclusive : {ACL_EVENT_EXTERNAL, ACL_EVENT_IPC}) {
      if ((flag & exclusive) != 0 && flag != exclusive) {
        return call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "flag", flag,
                              "ACL_EVENT_EXTERNAL and ACL_EVENT_IPC without other flags");
      }
    }
    return make_event(call, event, flag, Event::Style::kExtended);
  });
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (event == nullptr) return call.null_pointer("event");
    if (!events().remove(event)) return call.bad_handle("event", event, "event");
    return ACL_SUCCESS;
  });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) -> aclError {
    const EventChoice chosen = choose_event(call, "event", event);
    if (!chosen.event) return chosen.status;
    const StreamChoice where = choose_stream(call, stream);
    if (!where.stream) return where.status;
    return chosen.event->record(call, where.stream->shared_from_this());
  });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) -> aclError {
    const EventChoice chosen = choose_event(call, "event", event);
    if (!chosen.event) return chosen.status;
    if (chosen.event->style() != Event::Style::kWithFlag || !chosen.event->has(ACL_EVENT_SYNC)) {
      return call.unsupported(
          "only events made by aclrtCreateEventWithFlag with ACL_EVENT_SYNC can be reset",
          "Other events may be recorded again without a reset.");
    }
    const StreamChoice where = choose_stream(call, stream);
    if (!where.stream) return where.status;
    chosen.event->reset();
    return ACL_SUCCESS;
  });
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (event == nullptr) return call.null_pointer("event");
    if (status == nullptr) return call.null_pointer("status");
    const EventChoice chosen = choose_simple_event(call, event);
    if (!chosen.event) return chosen.status;
    if (const aclError captured = chosen.event->refuse_captured(call)) return captured;
    const auto record = chosen.event->latest();
    *status =
        !record || is_reached(*record) ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return ACL_SUCCESS;
  });
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (event == nullptr) return call.null_pointer("event");
    if (status == nullptr) return call.null_pointer("status");
    const EventChoice chosen = choose_event(call, "event", event);
    if (!chosen.event) return chosen.status;
    if (const aclError captured = chosen.event->refuse_captured(call)) return captured;
    const auto record = chosen.event->latest();
    const bool complete =
        record ? is_reached(*record) : chosen.event->style() == Event::Style::kExtended;
    *status = complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return ACL_SUCCESS;
  });
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (event == nullptr) return call.null_pointer("event");
    if (status == nullptr) return call.null_pointer("status");
    const EventChoice chosen = choose_simple_event(call, event);
    if (!chosen.event) return chosen.status;
    if (const aclError captured = chosen.event->refuse_captured(call)) return captured;
    *status = chosen.event->has_pending_waits() ? ACL_EVENT_WAIT_STATUS_NOT_READY
                                                : ACL_EVENT_WAIT_STATUS_COMPLETE;
    // The end of a wait tells the host that the record was reached.
    const auto record = chosen.event->latest();
    if (record && *status == ACL_EVENT_WAIT_STATUS_COMPLETE) is_reached(*record);
    return ACL_SUCCESS;
  });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return entry(__func__, [&](const Call& call) { return wait_for_event(call, event, -1); });
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (event == nullptr) return call.null_pointer("event");
    if (timeout < -1) {
      return call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "timeout", timeout,
                            "milliseconds, or -1 for ever");
    }
    return wait_for_event(call, event, timeout);
  });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (ms == nullptr) return call.null_pointer("ms");
    const EventChoice start = choose_event(call, "startEvent", startEvent);
    if (!start.event) return start.status;
    const EventChoice end = choose_event(call, "endEvent", endEvent);
    if (!end.event) return end.status;
    Gate::Clock::time_point from;
    Gate::Clock::time_point to;
    if (const aclError status = record_time(call, "startEvent", *start.event, from)) return status;
    if (const aclError status = record_time(call, "endEvent", *end.event, to)) return status;
    *ms = std::chrono::duration<float, std::milli>(to - from).count();
    return ACL_SUCCESS;
  });
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (timestamp == nullptr) return call.null_pointer("timestamp");
    const EventChoice chosen = choose_event(call, "event", event);
    if (!chosen.event) return chosen.status;
    Gate::Clock::time_point time;
    if (const aclError status = record_time(call, "event", *chosen.event, time)) return status;
    *timestamp = static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count());
    return ACL_SUCCESS;
  });
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (eventId == nullptr) return call.null_pointer("eventId");
    const EventChoice chosen = choose_event(call, "event", event);
    if (!chosen.event) return chosen.status;
    *eventId = chosen.event->id();
    return ACL_SUCCESS;
  });
}

aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (eventCount == nullptr) return call.null_pointer("eventCount");
    const size_t live = events().size();
    *eventCount = live >= kMaxEvents ? 0 : kMaxEvents - static_cast<uint32_t>(live);
    return ACL_SUCCESS;
  });
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout) {
  g_wait_timeout = timeout;
  return ACL_SUCCESS;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return entry(__func__, [&](const Call& call) {
    return wait_in_stream(call, stream, event, std::chrono::seconds(g_wait_timeout.load()));
  });
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (event == nullptr) return call.null_pointer("event");
    if (timeout < 0) {
      return call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "timeout", timeout,
                            "milliseconds, or 0 for ever");
    }
    return wait_in_stream(call, stream, event, std::chrono::milliseconds(timeout));
  });
}
