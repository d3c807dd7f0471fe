// SPDX-License-Identifier: Apache-2.0
// Streams, and the work that is queued on them.
#include "aclgrad_ext.h"
#include "tests/contract/wrong_calls.h"

namespace aclgrad::contract {
namespace {

int32_t number;
uint32_t count;
aclrtStreamStatus stream_status;
void* made;

aclError succeed(void*) { return 0; }

// A stream of another context than the one that is then current.
int in_another_context(int (*call)(aclrtStream)) {
  aclrtContext context = nullptr;
  aclrtStream stream = nullptr;
  if (aclrtCreateContext(&context, 0) != 0 || aclrtCreateStream(&stream) != 0) return -1;
  if (aclrtSetDevice(0) != 0) return -1;
  const int status = call(stream);
  aclrtResetDevice(0);
  return status;
}

}  // namespace

std::vector<RuntimeFault> stream_faults() {
  std::vector<RuntimeFault> faults;
  WrongCalls(faults, "aclrtSynchronizeStreamWithTimeout", aclrtSynchronizeStreamWithTimeout,
             &World::stream, 1)
      .when(507046, {"timeout"},
            [](World& world) {
              return world.keep_busy(), aclrtSynchronizeStreamWithTimeout(world.stream, 1);
            })
      .with<1>(0, 107000, {"timeout", "0"})
      .with<1>(-2, 107000, {"timeout", "-2"})
      .without_context()
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"});
  WrongCalls(faults, "aclrtSynchronizeDeviceWithTimeout", aclrtSynchronizeDeviceWithTimeout, 1)
      .when(507046, {"longer than the timeout"},
            [](World& world) { return world.keep_busy(), aclrtSynchronizeDeviceWithTimeout(1); });
  WrongCalls(faults, "aclrtSynchronizeStream", aclrtSynchronizeStream, &World::stream)
      .when(507015, {"test task"},
            [](World& world) {
              const auto fail = [](void*) -> aclError { return ACL_ERROR_RT_AICORE_EXCEPTION; };
              if (aclgradLaunchTask(world.stream, "test task", fail, nullptr, nullptr) != 0)
                return -1;
              return aclrtSynchronizeStream(world.stream);
            })
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"})
      .without_context()
      .with<0>(&World::captured, 107027, {"being captured"})
      .when(107003, {"another context"},
            [](World&) { return in_another_context(aclrtSynchronizeStream); });
  WrongCalls(faults, "aclrtMemsetAsync", aclrtMemsetAsync, &World::memory, 8, 0, 8, &World::stream)
      .when(207000, {"flags keep it from taking tasks"}, [](World& world) {
        if (aclrtCreateStreamWithConfig(&made, 0, ACL_STREAM_PERSISTENT) != 0) return -1;
        return aclrtMemsetAsync(world.memory, 8, 0, 8, made);
      });
  WrongCalls(faults, "aclrtCreateStream", aclrtCreateStream, &made)
      .null<0>("stream")
      .without_context();
  WrongCalls(faults, "aclrtCreateStreamWithConfig", aclrtCreateStreamWithConfig, &made, 0, 0)
      .null<0>("stream")
      .with<1>(8, 107000, {"priority", "8"})
      .with<2>(64, 107000, {"flag", "64"})
      .without_context();
  WrongCalls(faults, "aclrtDestroyStream", aclrtDestroyStream, &World::stream)
      .null<0>("stream")
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"})
      .with<0>(&World::captured, 107027, {"being captured"})
      .when(107000, {"stream", "default"},
            [](World&) {
              return aclrtCtxGetCurrentDefaultStream(&made) != 0 ? -1 : aclrtDestroyStream(made);
            })
      .when(107003, {"another context"},
            [](World&) { return in_another_context(aclrtDestroyStream); });
  WrongCalls(faults, "aclrtDestroyStreamForce", aclrtDestroyStreamForce, &World::stream)
      .null<0>("stream")
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"});
  WrongCalls(faults, "aclrtStreamQuery", aclrtStreamQuery, &World::stream, &stream_status)
      .null<0>("stream")
      .null<1>("status")
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"})
      .with<0>(&World::captured, 107027, {"being captured"});
  WrongCalls(faults, "aclrtStreamWaitEvent", aclrtStreamWaitEvent, &World::stream, &World::event)
      .null<1>("event")
      .with<1>(&World::invalid_handle, 107017, {"event", "not a live event"})
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"})
      .with<1>(&World::timer, 207000, {"ACL_EVENT_SYNC"});
  WrongCalls(faults, "aclrtStreamWaitEventWithTimeout", aclrtStreamWaitEventWithTimeout,
             &World::stream, &World::event, 1)
      .null<1>("event")
      .with<2>(-1, 107000, {"timeout", "-1"});
  WrongCalls(faults, "aclrtStreamGetId", aclrtStreamGetId, &World::stream, &number)
      .null<0>("stream")
      .null<1>("streamId")
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"});
  WrongCalls(faults, "aclrtStreamGetPriority", aclrtStreamGetPriority, &World::stream, &count)
      .null<0>("stream")
      .null<1>("priority")
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"});
  WrongCalls(faults, "aclrtStreamGetFlags", aclrtStreamGetFlags, &World::stream, &count)
      .null<0>("stream")
      .null<1>("flags")
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"});
  WrongCalls(faults, "aclrtGetStreamAvailableNum", aclrtGetStreamAvailableNum, &count)
      .null<0>("streamCount")
      .without_context();
  WrongCalls(faults, "aclrtSetStreamFailureMode", aclrtSetStreamFailureMode, &World::stream, 1)
      .null<0>("stream")
      .with<1>(2, 107000, {"mode", "2"})
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"});
  WrongCalls(faults, "aclgradLaunchTask", aclgradLaunchTask, &World::stream, "nothing", succeed,
             nullptr, nullptr)
      .null<2>("run")
      .without_context()
      .when(107017, {"stream", "not a live stream"}, [](World& world) {
        return aclgradLaunchTiled(world.invalid_handle(), "nothing", succeed, nullptr, nullptr,
                                  nullptr);
      });
  WrongCalls(faults, "aclgradWakeStream", aclgradWakeStream, &World::stream)
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"});
  return faults;
}

}  // namespace aclgrad::contract
