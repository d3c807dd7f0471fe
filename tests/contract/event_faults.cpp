// SPDX-License-Identifier: Apache-2.0
// Events.
#include "tests/contract/wrong_calls.h"

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
  std::vector<RuntimeFault> faults;
  WrongCalls(faults, "aclrtSynchronizeEventWithTimeout", aclrtSynchronizeEventWithTimeout,
             &World::event, 1)
      .when(507047, {"1 ms"},
            [](World& world) {
              world.keep_busy();
              if (aclrtRecordEvent(world.event, world.stream) != 0) return -1;
              return aclrtSynchronizeEventWithTimeout(world.event, 1);
            })
      .null<0>("event")
      .with<1>(-2, 107000, {"timeout", "-2"});
  WrongCalls(faults, "aclrtEventElapsedTime", aclrtEventElapsedTime, &milliseconds, &World::event,
             &World::event)
      .when(507006, {"startEvent", "not reached"},
            [](World& world) {
              world.keep_busy();
              if (aclrtRecordEvent(world.event, world.stream) != 0) return -1;
              return aclrtEventElapsedTime(&milliseconds, world.event, world.event);
            })
      .null<0>("ms")
      .null<1>("startEvent")
      .null<2>("endEvent")
      .unchanged(507000, {"startEvent", "never recorded"})
      .when(107006, {"startEvent", "ACL_EVENT_TIME_LINE"}, [](World& world) {
        if (aclrtRecordEvent(world.reusable, world.stream) != 0) return -1;
        if (aclrtSynchronizeStream(world.stream) != 0) return -1;
        return aclrtEventElapsedTime(&milliseconds, world.reusable, world.reusable);
      });
  WrongCalls(faults, "aclrtRecordEvent", aclrtRecordEvent, &World::event, &World::stream)
      .with<1>(&World::captured, 207000, {"cannot be recorded on a captured stream"})
      .with<0>(&World::captured_event, 107028, {"recorded on a captured stream"})
      .when(107032, {"another capture"},
            [](World& world) { return aclrtRecordEvent(world.captured_event(), world.captured()); })
      .when(507903, {"made void by an earlier call"},
            [](World& world) {
              return aclrtRecordEvent(world.reusable, made_void(world.captured()));
            })
      .null<0>("event")
      .with<1>(&World::invalid_handle, 107017, {"stream", "not a live stream"});
  WrongCalls(faults, "aclrtStreamWaitEvent", aclrtStreamWaitEvent, &World::stream, &World::event)
      .when(507903, {"made void by an earlier call"},
            [](World& world) {
              aclrtStream captured = world.captured();
              if (aclrtRecordEvent(world.reusable, captured) != 0) return -1;
              made_void(captured);
              return aclrtStreamWaitEvent(world.stream, world.reusable);
            })
      .when(107024, {"not recorded in its capture"},
            [](World& world) {
              if (aclrtRecordEvent(world.reusable, world.stream) != 0) return -1;
              return aclrtStreamWaitEvent(world.captured(), world.reusable);
            })
      .when(107032, {"another capture"},
            [](World& world) {
              return aclrtStreamWaitEvent(world.captured(), world.captured_event());
            })
      .when(207000, {"default stream cannot join"},
            [](World& world) { return aclrtStreamWaitEvent(nullptr, world.captured_event()); });
  WrongCalls(faults, "aclrtSynchronizeEvent", aclrtSynchronizeEvent, &World::event)
      .with<0>(&World::captured_event, 107028, {"recorded on a captured stream"})
      .null<0>("event")
      .with<0>(&World::invalid_handle, 107017, {"event", "not a live event"});
  WrongCalls(faults, "aclrtCreateEvent", aclrtCreateEvent, &made)
      .null<0>("event")
      .without_context();
  WrongCalls(faults, "aclrtCreateEventWithFlag", aclrtCreateEventWithFlag, &made, ACL_EVENT_SYNC)
      .null<0>("event")
      .with<1>(4, 107000, {"flag", "4"})
      .without_context();
  WrongCalls(faults, "aclrtCreateEventExWithFlag", aclrtCreateEventExWithFlag, &made,
             ACL_EVENT_SYNC)
      .null<0>("event")
      .with<1>(0, 107000, {"flag", "0"})
      .with<1>(ACL_EVENT_EXTERNAL | ACL_EVENT_SYNC, 107000, {"flag", "33", "without other flags"})
      .without_context();
  WrongCalls(faults, "aclrtDestroyEvent", aclrtDestroyEvent, &World::event)
      .null<0>("event")
      .with<0>(&World::invalid_handle, 107017, {"event", "not a live event"});
  WrongCalls(faults, "aclrtResetEvent", aclrtResetEvent, &World::event, &World::stream)
      .null<0>("event")
      .with<0>(&World::timer, 207000, {"event"});
  WrongCalls(faults, "aclrtQueryEvent", aclrtQueryEvent, &World::event, &event_status)
      .null<0>("event")
      .null<1>("status")
      .with<0>(&World::reusable, 207000, {"aclrtCreateEventExWithFlag", "aclrtQueryEventStatus"});
  WrongCalls(faults, "aclrtQueryEventStatus", aclrtQueryEventStatus, &World::event,
             &recorded_status)
      .null<0>("event")
      .null<1>("status");
  WrongCalls(faults, "aclrtQueryEventWaitStatus", aclrtQueryEventWaitStatus, &World::event,
             &wait_status)
      .null<0>("event")
      .null<1>("status")
      .with<0>(&World::reusable, 207000, {"aclrtCreateEventExWithFlag"});
  WrongCalls(faults, "aclrtEventGetTimestamp", aclrtEventGetTimestamp, &World::event, &stamp)
      .null<1>("timestamp")
      .null<0>("event");
  WrongCalls(faults, "aclrtGetEventId", aclrtGetEventId, &World::event, &count)
      .null<1>("eventId")
      .null<0>("event");
  WrongCalls(faults, "aclrtGetEventAvailNum", aclrtGetEventAvailNum, &count).null<0>("eventCount");
  return faults;
}

}  // namespace aclgrad::contract
