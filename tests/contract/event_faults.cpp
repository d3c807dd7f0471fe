// SPDX-License-Identifier: Apache-2.0
// Events.
#include "tests/contract/runtime_faults.h"

namespace aclgrad::contract {
namespace {

uint32_t count;
uint64_t stamp;
float milliseconds;
aclrtEventStatus event_status;
aclrtEventRecordedStatus recorded_status;
aclrtEventWaitStatus wait_status;
void* made;

}  // namespace

std::vector<RuntimeFault> event_faults() {
  const bool bare = true;
  return {
      {"aclrtSynchronizeEventWithTimeout",
       507047,
       {"1 ms"},
       [](World& world) {
         world.keep_busy();
         if (aclrtRecordEvent(world.event, world.stream) != 0) return -1;
         return aclrtSynchronizeEventWithTimeout(world.event, 1);
       }},
      {"aclrtEventElapsedTime",
       507006,
       {"startEvent", "not reached"},
       [](World& world) {
         world.keep_busy();
         if (aclrtRecordEvent(world.event, world.stream) != 0) return -1;
         return aclrtEventElapsedTime(&milliseconds, world.event, world.event);
       }},
      {"aclrtRecordEvent",
       207000,
       {"cannot be recorded on a captured stream"},
       [](World& world) { return aclrtRecordEvent(world.event, world.captured()); }},
      {"aclrtRecordEvent",
       107028,
       {"recorded on a captured stream"},
       [](World& world) {
         if (aclrtRecordEvent(world.reusable, world.captured()) != 0) return -1;
         return aclrtRecordEvent(world.reusable, world.stream);
       }},
      {"aclrtRecordEvent",
       107032,
       {"another capture"},
       [](World& world) {
         if (aclrtRecordEvent(world.reusable, world.captured()) != 0) return -1;
         return aclrtRecordEvent(world.reusable, world.captured());
       }},
      {"aclrtRecordEvent",
       507903,
       {"made void by an earlier call"},
       [](World& world) {
         aclrtStream captured = world.captured();
         if (aclrtSynchronizeStream(captured) != 107027) return -1;
         aclGetRecentErrMsg();
         return aclrtRecordEvent(world.reusable, captured);
       }},
      {"aclrtStreamWaitEvent",
       507903,
       {"made void by an earlier call"},
       [](World& world) {
         aclrtStream captured = world.captured();
         if (aclrtRecordEvent(world.reusable, captured) != 0) return -1;
         if (aclrtSynchronizeStream(captured) != 107027) return -1;
         aclGetRecentErrMsg();
         return aclrtStreamWaitEvent(world.stream, world.reusable);
       }},
      {"aclrtSynchronizeEvent",
       107028,
       {"recorded on a captured stream"},
       [](World& world) {
         if (aclrtRecordEvent(world.reusable, world.captured()) != 0) return -1;
         return aclrtSynchronizeEvent(world.reusable);
       }},
      {"aclrtStreamWaitEvent",
       107024,
       {"not recorded in its capture"},
       [](World& world) {
         if (aclrtRecordEvent(world.reusable, world.stream) != 0) return -1;
         return aclrtStreamWaitEvent(world.captured(), world.reusable);
       }},
      {"aclrtStreamWaitEvent",
       107032,
       {"another capture"},
       [](World& world) {
         if (aclrtRecordEvent(world.reusable, world.captured()) != 0) return -1;
         return aclrtStreamWaitEvent(world.captured(), world.reusable);
       }},
      {"aclrtStreamWaitEvent",
       207000,
       {"default stream cannot join"},
       [](World& world) {
         if (aclrtRecordEvent(world.reusable, world.captured()) != 0) return -1;
         return aclrtStreamWaitEvent(nullptr, world.reusable);
       }},
      {"aclrtCreateEvent", 100000, {"event"}, [](World&) { return aclrtCreateEvent(nullptr); }},
      {"aclrtCreateEvent",
       107002,
       {"no context"},
       [](World&) { return aclrtCreateEvent(&made); },
       bare},
      {"aclrtCreateEventWithFlag",
       100000,
       {"event"},
       [](World&) { return aclrtCreateEventWithFlag(nullptr, ACL_EVENT_SYNC); }},
      {"aclrtCreateEventWithFlag",
       107000,
       {"flag", "4"},
       [](World&) { return aclrtCreateEventWithFlag(&made, 4); }},
      {"aclrtCreateEventExWithFlag",
       100000,
       {"event"},
       [](World&) { return aclrtCreateEventExWithFlag(nullptr, ACL_EVENT_SYNC); }},
      {"aclrtCreateEventExWithFlag",
       107000,
       {"flag", "0"},
       [](World&) { return aclrtCreateEventExWithFlag(&made, 0); }},
      {"aclrtCreateEventExWithFlag",
       107000,
       {"flag", "33", "without other flags"},
       [](World&) {
         return aclrtCreateEventExWithFlag(&made, ACL_EVENT_EXTERNAL | ACL_EVENT_SYNC);
       }},
      {"aclrtDestroyEvent", 100000, {"event"}, [](World&) { return aclrtDestroyEvent(nullptr); }},
      {"aclrtDestroyEvent",
       107017,
       {"event", "not a live event"},
       [](World& world) { return aclrtDestroyEvent(world.invalid_handle()); }},
      {"aclrtRecordEvent",
       100000,
       {"event"},
       [](World& world) { return aclrtRecordEvent(nullptr, world.stream); }},
      {"aclrtRecordEvent",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclrtRecordEvent(world.event, world.invalid_handle()); }},
      {"aclrtResetEvent",
       100000,
       {"event"},
       [](World& world) { return aclrtResetEvent(nullptr, world.stream); }},
      {"aclrtResetEvent",
       207000,
       {"event"},
       [](World& world) { return aclrtResetEvent(world.timer, world.stream); }},
      {"aclrtQueryEvent",
       100000,
       {"event"},
       [](World&) { return aclrtQueryEvent(nullptr, &event_status); }},
      {"aclrtQueryEvent",
       100000,
       {"status"},
       [](World& world) { return aclrtQueryEvent(world.event, nullptr); }},
      {"aclrtQueryEvent",
       207000,
       {"aclrtCreateEventExWithFlag", "aclrtQueryEventStatus"},
       [](World& world) { return aclrtQueryEvent(world.reusable, &event_status); }},
      {"aclrtQueryEventStatus",
       100000,
       {"event"},
       [](World&) { return aclrtQueryEventStatus(nullptr, &recorded_status); }},
      {"aclrtQueryEventStatus",
       100000,
       {"status"},
       [](World& world) { return aclrtQueryEventStatus(world.event, nullptr); }},
      {"aclrtQueryEventWaitStatus",
       100000,
       {"event"},
       [](World&) { return aclrtQueryEventWaitStatus(nullptr, &wait_status); }},
      {"aclrtQueryEventWaitStatus",
       100000,
       {"status"},
       [](World& world) { return aclrtQueryEventWaitStatus(world.event, nullptr); }},
      {"aclrtQueryEventWaitStatus",
       207000,
       {"aclrtCreateEventExWithFlag"},
       [](World& world) { return aclrtQueryEventWaitStatus(world.reusable, &wait_status); }},
      {"aclrtSynchronizeEvent",
       100000,
       {"event"},
       [](World&) { return aclrtSynchronizeEvent(nullptr); }},
      {"aclrtSynchronizeEvent",
       107017,
       {"event", "not a live event"},
       [](World& world) { return aclrtSynchronizeEvent(world.invalid_handle()); }},
      {"aclrtSynchronizeEventWithTimeout",
       100000,
       {"event"},
       [](World&) { return aclrtSynchronizeEventWithTimeout(nullptr, 1); }},
      {"aclrtSynchronizeEventWithTimeout",
       107000,
       {"timeout", "-2"},
       [](World& world) { return aclrtSynchronizeEventWithTimeout(world.event, -2); }},
      {"aclrtEventElapsedTime",
       100000,
       {"ms"},
       [](World& world) { return aclrtEventElapsedTime(nullptr, world.event, world.event); }},
      {"aclrtEventElapsedTime",
       100000,
       {"startEvent"},
       [](World& world) { return aclrtEventElapsedTime(&milliseconds, nullptr, world.event); }},
      {"aclrtEventElapsedTime",
       100000,
       {"endEvent"},
       [](World& world) { return aclrtEventElapsedTime(&milliseconds, world.event, nullptr); }},
      {"aclrtEventElapsedTime",
       507000,
       {"startEvent", "never recorded"},
       [](World& world) { return aclrtEventElapsedTime(&milliseconds, world.event, world.event); }},
      {"aclrtEventElapsedTime",
       107006,
       {"startEvent", "ACL_EVENT_TIME_LINE"},
       [](World& world) {
         if (aclrtRecordEvent(world.reusable, world.stream) != 0) return -1;
         if (aclrtSynchronizeStream(world.stream) != 0) return -1;
         return aclrtEventElapsedTime(&milliseconds, world.reusable, world.reusable);
       }},
      {"aclrtEventGetTimestamp",
       100000,
       {"timestamp"},
       [](World& world) { return aclrtEventGetTimestamp(world.event, nullptr); }},
      {"aclrtEventGetTimestamp",
       100000,
       {"event"},
       [](World&) { return aclrtEventGetTimestamp(nullptr, &stamp); }},
      {"aclrtGetEventId",
       100000,
       {"eventId"},
       [](World& world) { return aclrtGetEventId(world.event, nullptr); }},
      {"aclrtGetEventId",
       100000,
       {"event"},
       [](World&) { return aclrtGetEventId(nullptr, &count); }},
      {"aclrtGetEventAvailNum",
       100000,
       {"eventCount"},
       [](World&) { return aclrtGetEventAvailNum(nullptr); }},
  };
}

}  // namespace aclgrad::contract
