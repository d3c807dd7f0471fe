// SPDX-License-Identifier: Apache-2.0
// Streams, and the work that is queued on them.
#include "aclgrad_ext.h"
#include "tests/contract/runtime_faults.h"

namespace aclgrad::contract {
namespace {

int32_t number;
uint32_t count;
aclrtStreamStatus stream_status;
void* made;

// A stream of another context than the one that is then current.
int in_another_context(World&, int (*call)(aclrtStream)) {
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
  const bool bare = true;
  return {
      {"aclrtSynchronizeStreamWithTimeout",
       507046,
       {"timeout"},
       [](World& world) {
         return world.keep_busy(), aclrtSynchronizeStreamWithTimeout(world.stream, 1);
       }},
      {"aclrtSynchronizeDeviceWithTimeout",
       507046,
       {"longer than the timeout"},
       [](World& world) { return world.keep_busy(), aclrtSynchronizeDeviceWithTimeout(1); }},
      {"aclrtSynchronizeStream",
       507015,
       {"test task"},
       [](World& world) {
         const auto fail = [](void*) -> aclError { return ACL_ERROR_RT_AICORE_EXCEPTION; };
         if (aclgradLaunchTask(world.stream, "test task", fail, nullptr, nullptr) != 0) return -1;
         return aclrtSynchronizeStream(world.stream);
       }},
      {"aclrtMemsetAsync",
       207000,
       {"flags keep it from taking tasks"},
       [](World& world) {
         if (aclrtCreateStreamWithConfig(&made, 0, ACL_STREAM_PERSISTENT) != 0) return -1;
         return aclrtMemsetAsync(world.memory, 8, 0, 8, made);
       }},
      {"aclrtCreateStream", 100000, {"stream"}, [](World&) { return aclrtCreateStream(nullptr); }},
      {"aclrtCreateStream",
       107002,
       {"no context"},
       [](World&) { return aclrtCreateStream(&made); },
       bare},
      {"aclrtCreateStreamWithConfig",
       100000,
       {"stream"},
       [](World&) { return aclrtCreateStreamWithConfig(nullptr, 0, 0); }},
      {"aclrtCreateStreamWithConfig",
       107000,
       {"priority", "8"},
       [](World&) { return aclrtCreateStreamWithConfig(&made, 8, 0); }},
      {"aclrtCreateStreamWithConfig",
       107000,
       {"flag", "64"},
       [](World&) { return aclrtCreateStreamWithConfig(&made, 0, 64); }},
      {"aclrtDestroyStream",
       100000,
       {"stream"},
       [](World&) { return aclrtDestroyStream(nullptr); }},
      {"aclrtDestroyStream",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclrtDestroyStream(world.invalid_handle()); }},
      {"aclrtDestroyStream",
       107027,
       {"being captured"},
       [](World& world) { return aclrtDestroyStream(world.captured()); }},
      {"aclrtDestroyStream",
       107000,
       {"stream", "default"},
       [](World&) {
         return aclrtCtxGetCurrentDefaultStream(&made) != 0 ? -1 : aclrtDestroyStream(made);
       }},
      {"aclrtDestroyStream",
       107003,
       {"another context"},
       [](World& world) { return in_another_context(world, aclrtDestroyStream); }},
      {"aclrtDestroyStreamForce",
       100000,
       {"stream"},
       [](World&) { return aclrtDestroyStreamForce(nullptr); }},
      {"aclrtDestroyStreamForce",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclrtDestroyStreamForce(world.invalid_handle()); }},
      {"aclrtSynchronizeStream",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclrtSynchronizeStream(world.invalid_handle()); }},
      {"aclrtSynchronizeStream",
       107002,
       {"no context"},
       [](World&) { return aclrtSynchronizeStream(nullptr); },
       bare},
      {"aclrtSynchronizeStream",
       107027,
       {"being captured"},
       [](World& world) { return aclrtSynchronizeStream(world.captured()); }},
      {"aclrtSynchronizeStream",
       107003,
       {"another context"},
       [](World& world) { return in_another_context(world, aclrtSynchronizeStream); }},
      {"aclrtSynchronizeStreamWithTimeout",
       107000,
       {"timeout", "0"},
       [](World& world) { return aclrtSynchronizeStreamWithTimeout(world.stream, 0); }},
      {"aclrtSynchronizeStreamWithTimeout",
       107000,
       {"timeout", "-2"},
       [](World& world) { return aclrtSynchronizeStreamWithTimeout(world.stream, -2); }},
      {"aclrtSynchronizeStreamWithTimeout",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclrtSynchronizeStreamWithTimeout(world.invalid_handle(), 1); }},
      {"aclrtStreamQuery",
       100000,
       {"status"},
       [](World& world) { return aclrtStreamQuery(world.stream, nullptr); }},
      {"aclrtStreamQuery",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclrtStreamQuery(world.invalid_handle(), &stream_status); }},
      {"aclrtStreamQuery",
       107027,
       {"being captured"},
       [](World& world) { return aclrtStreamQuery(world.captured(), &stream_status); }},
      {"aclrtStreamWaitEvent",
       100000,
       {"event"},
       [](World& world) { return aclrtStreamWaitEvent(world.stream, nullptr); }},
      {"aclrtStreamWaitEvent",
       107017,
       {"event", "not a live event"},
       [](World& world) { return aclrtStreamWaitEvent(world.stream, world.invalid_handle()); }},
      {"aclrtStreamWaitEvent",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclrtStreamWaitEvent(world.invalid_handle(), world.event); }},
      {"aclrtStreamWaitEvent",
       207000,
       {"ACL_EVENT_SYNC"},
       [](World& world) { return aclrtStreamWaitEvent(world.stream, world.timer); }},
      {"aclrtStreamWaitEventWithTimeout",
       100000,
       {"event"},
       [](World& world) { return aclrtStreamWaitEventWithTimeout(world.stream, nullptr, 1); }},
      {"aclrtStreamWaitEventWithTimeout",
       107000,
       {"timeout", "-1"},
       [](World& world) { return aclrtStreamWaitEventWithTimeout(world.stream, world.event, -1); }},
      {"aclrtStreamGetId",
       100000,
       {"streamId"},
       [](World& world) { return aclrtStreamGetId(world.stream, nullptr); }},
      {"aclrtStreamGetId",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclrtStreamGetId(world.invalid_handle(), &number); }},
      {"aclrtStreamGetPriority",
       100000,
       {"priority"},
       [](World& world) { return aclrtStreamGetPriority(world.stream, nullptr); }},
      {"aclrtStreamGetPriority",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclrtStreamGetPriority(world.invalid_handle(), &count); }},
      {"aclrtStreamGetFlags",
       100000,
       {"flags"},
       [](World& world) { return aclrtStreamGetFlags(world.stream, nullptr); }},
      {"aclrtStreamGetFlags",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclrtStreamGetFlags(world.invalid_handle(), &count); }},
      {"aclrtGetStreamAvailableNum",
       100000,
       {"streamCount"},
       [](World&) { return aclrtGetStreamAvailableNum(nullptr); }},
      {"aclrtGetStreamAvailableNum",
       107002,
       {"no context"},
       [](World&) { return aclrtGetStreamAvailableNum(&count); },
       bare},
      {"aclrtSetStreamFailureMode",
       107000,
       {"mode", "2"},
       [](World& world) { return aclrtSetStreamFailureMode(world.stream, 2); }},
      {"aclrtSetStreamFailureMode",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclrtSetStreamFailureMode(world.invalid_handle(), 1); }},
      {"aclgradLaunchTask",
       100000,
       {"run"},
       [](World& world) {
         return aclgradLaunchTask(world.stream, "nothing", nullptr, nullptr, nullptr);
       }},
      {"aclgradLaunchTask",
       107017,
       {"stream", "not a live stream"},
       [](World& world) {
         return aclgradLaunchTiled(
             world.invalid_handle(), "nothing", [](void*) { return 0; }, nullptr, nullptr, nullptr);
       }},
      {"aclgradWakeStream",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclgradWakeStream(world.invalid_handle()); }},
  };
}

}  // namespace aclgrad::contract
