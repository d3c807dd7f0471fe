// SPDX-License-Identifier: Apache-2.0
// Callbacks, capture and replay.
#include <pthread.h>

#include <future>
#include <thread>

#include "tests/contract/runtime_faults.h"

namespace aclgrad::contract {
namespace {

void* made;

void nothing(void*) {}

// Ends a capture that another thread began, and then lets that thread do it.
int end_elsewhere(World& world) {
  std::promise<bool> began, tried;
  std::thread other([&] {
    const bool ready =
        aclrtSetDevice(0) == 0 &&
        aclmdlRICaptureBegin(world.stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL) == 0;
    began.set_value(ready);
    tried.get_future().wait();
    aclmdlRI model = nullptr;
    if (aclmdlRICaptureEnd(world.stream, &model) == 0) aclmdlRIDestroy(model);
    aclrtResetDevice(0);
  });
  const bool ready = began.get_future().get();
  const int status = ready ? aclmdlRICaptureEnd(world.stream, &made) : -1;
  tried.set_value(true);
  other.join();
  return status;
}

}  // namespace

std::vector<RuntimeFault> callback_faults() {
  return {
      {"aclrtLaunchHostFunc",
       107000,
       {"fn"},
       [](World& world) { return aclrtLaunchHostFunc(world.stream, nullptr, nullptr); }},
      {"aclrtLaunchHostFunc",
       107011,
       {"taken already"},
       [](World& world) { return aclrtLaunchHostFunc(world.with_reports(), nothing, nullptr); }},
      {"aclrtSubscribeReport",
       107011,
       {"taken already"},
       [](World& world) { return aclrtSubscribeReport(pthread_self(), world.with_reports()); }},
      {"aclrtUnSubscribeReport",
       107015,
       {"no thread is subscribed"},
       [](World& world) { return aclrtUnSubscribeReport(pthread_self(), world.stream); }},
      {"aclrtUnSubscribeReport",
       107012,
       {"threadId", "7"},
       [](World& world) { return aclrtUnSubscribeReport(7, world.with_reports()); }},
      {"aclrtLaunchCallback",
       100000,
       {"blockType", "99"},
       [](World& world) {
         return aclrtLaunchCallback(nothing, nullptr, no_member<aclrtCallbackBlockType>(),
                                    world.stream);
       }},
      {"aclrtLaunchCallback",
       107000,
       {"fn"},
       [](World& world) {
         return aclrtLaunchCallback(nullptr, nullptr, ACL_CALLBACK_BLOCK, world.stream);
       }},
      {"aclrtLaunchCallback",
       107015,
       {"no thread is subscribed"},
       [](World& world) {
         return aclrtLaunchCallback(nothing, nullptr, ACL_CALLBACK_BLOCK, world.stream);
       }},
      {"aclrtProcessReport",
       100000,
       {"timeout", "0"},
       [](World&) { return aclrtProcessReport(0); }},
      {"aclrtProcessReport",
       107012,
       {"not subscribed"},
       [](World&) { return aclrtProcessReport(1); }},
      {"aclrtProcessReport",
       507012,
       {"1 ms"},
       [](World& world) { return world.with_reports(), aclrtProcessReport(1); }},
  };
}

std::vector<RuntimeFault> capture_faults() {
  const auto mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
  return {
      {"aclmdlRICaptureEnd",
       107025,
       {"not joined back"},
       [](World& world) {
         aclrtStream stream = world.captured();
         if (aclrtRecordEvent(world.reusable, stream) != 0) return -1;
         if (aclrtStreamWaitEvent(world.stream, world.reusable) != 0) return -1;
         return aclmdlRICaptureEnd(stream, &made);
       }},
      {"aclmdlRICaptureEnd",
       107036,
       {"began on another stream"},
       [](World& world) {
         if (aclrtRecordEvent(world.reusable, world.captured()) != 0) return -1;
         if (aclrtStreamWaitEvent(world.stream, world.reusable) != 0) return -1;
         return aclmdlRICaptureEnd(world.stream, &made);
       }},
      {"aclmdlRICaptureEnd", 107038, {"began on another thread"}, end_elsewhere},
      {"aclrtMemsetAsync",
       507903,
       {"made void"},
       [](World& world) {
         aclrtStream stream = world.captured();
         if (aclrtSynchronizeStream(stream) == 0) return -1;
         aclGetRecentErrMsg();
         return aclrtMemsetAsync(world.memory, 8, 0, 8, stream);
       }},
      {"aclmdlRIExecuteAsync",
       107026,
       {"still being captured"},
       [](World& world) {
         if (aclmdlRICaptureGetInfo(world.captured(), nullptr, &made) != 0) return -1;
         return aclmdlRIExecuteAsync(made, world.stream);
       }},
      {"aclmdlRIExecuteAsync",
       107037,
       {"still runs"},
       [](World& world) {
         aclmdlRI model = world.slow_model();
         if (aclmdlRIExecuteAsync(model, world.stream) != 0) return -1;
         return aclmdlRIExecuteAsync(model, world.stream);
       }},
      {"aclmdlRIExecuteAsync",
       207000,
       {"cannot be recorded into another"},
       [](World& world) {
         aclmdlRI model = world.model();
         return aclmdlRIExecuteAsync(model, world.captured());
       }},
      {"aclmdlRIExecute",
       507046,
       {"longer than the timeout"},
       [](World& world) { return aclmdlRIExecute(world.slow_model(), 1); }},
      {"aclmdlRIDestroy",
       107037,
       {"still runs"},
       [](World& world) {
         aclmdlRI model = world.slow_model();
         if (aclmdlRIExecuteAsync(model, world.stream) != 0) return -1;
         return aclmdlRIDestroy(model);
       }},
      {"aclmdlRICaptureBegin",
       100000,
       {"stream"},
       [=](World&) { return aclmdlRICaptureBegin(nullptr, mode); }},
      {"aclmdlRICaptureBegin",
       207000,
       {"default stream"},
       [=](World&) {
         return aclrtCtxGetCurrentDefaultStream(&made) != 0 ? -1 : aclmdlRICaptureBegin(made, mode);
       }},
      {"aclmdlRICaptureBegin",
       107000,
       {"mode", "99"},
       [](World& world) {
         return aclmdlRICaptureBegin(world.stream, no_member<aclmdlRICaptureMode>());
       }},
      {"aclmdlRICaptureBegin",
       107027,
       {"captured already"},
       [=](World& world) { return aclmdlRICaptureBegin(world.captured(), mode); }},
      {"aclmdlRICaptureGetInfo",
       100000,
       {"stream"},
       [](World&) { return aclmdlRICaptureGetInfo(nullptr, nullptr, &made); }},
      {"aclmdlRICaptureGetInfo",
       100000,
       {"status and modelRI"},
       [](World& world) { return aclmdlRICaptureGetInfo(world.stream, nullptr, nullptr); }},
      {"aclmdlRICaptureEnd",
       100000,
       {"stream"},
       [](World&) { return aclmdlRICaptureEnd(nullptr, &made); }},
      {"aclmdlRICaptureEnd",
       107000,
       {"modelRI"},
       [](World& world) { return aclmdlRICaptureEnd(world.captured(), nullptr); }},
      {"aclmdlRICaptureEnd",
       107029,
       {"not being captured"},
       [](World& world) { return aclmdlRICaptureEnd(world.stream, &made); }},
      {"aclmdlRICaptureEnd",
       507903,
       {"made void"},
       [](World& world) {
         aclrtStream stream = world.captured();
         if (aclrtSynchronizeStream(stream) == 0) return -1;
         aclGetRecentErrMsg();
         return aclmdlRICaptureEnd(stream, &made);
       }},
      {"aclmdlRICaptureThreadExchangeMode",
       100000,
       {"mode"},
       [](World&) { return aclmdlRICaptureThreadExchangeMode(nullptr); }},
      {"aclmdlRICaptureThreadExchangeMode",
       107000,
       {"mode", "99"},
       [](World&) {
         auto wrong = no_member<aclmdlRICaptureMode>();
         return aclmdlRICaptureThreadExchangeMode(&wrong);
       }},
      {"aclmdlRIExecuteAsync",
       100000,
       {"modelRI"},
       [](World& world) { return aclmdlRIExecuteAsync(nullptr, world.stream); }},
      {"aclmdlRIExecuteAsync",
       107000,
       {"modelRI", "not a live recorded model"},
       [](World& world) { return aclmdlRIExecuteAsync(world.invalid_handle(), world.stream); }},
      {"aclmdlRIExecuteAsync",
       107017,
       {"stream", "not a live stream"},
       [](World& world) { return aclmdlRIExecuteAsync(world.model(), world.invalid_handle()); }},
      {"aclmdlRIExecute", 100000, {"modelRI"}, [](World&) { return aclmdlRIExecute(nullptr, -1); }},
      {"aclmdlRIExecute",
       107000,
       {"timeout", "0"},
       [](World& world) { return aclmdlRIExecute(world.model(), 0); }},
      {"aclmdlRIDestroy", 100000, {"modelRI"}, [](World&) { return aclmdlRIDestroy(nullptr); }},
      {"aclmdlRIDestroy",
       107000,
       {"modelRI", "not a live recorded model"},
       [](World& world) { return aclmdlRIDestroy(world.invalid_handle()); }},
      {"aclrtMemcpy",
       107030,
       {"captured in a mode that forbids"},
       [](World& world) {
         world.captured();
         return aclrtMemcpy(world.memory, 8, world.host, 8, ACL_MEMCPY_HOST_TO_DEVICE);
       }},
      {"aclrtMemcpyAsync",
       107041,
       {"captured in a mode that forbids"},
       [](World& world) {
         world.captured();
         return aclrtMemcpyAsync(world.memory, 8, world.host, 8, ACL_MEMCPY_HOST_TO_DEVICE,
                                 world.stream);
       }},
  };
}

}  // namespace aclgrad::contract
