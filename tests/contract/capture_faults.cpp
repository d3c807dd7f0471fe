// SPDX-License-Identifier: Apache-2.0
// Callbacks, capture and replay.
#include <pthread.h>

#include <future>
#include <thread>

#include "tests/contract/wrong_calls.h"

namespace aclgrad::contract {
namespace {

constexpr auto kToDevice = ACL_MEMCPY_HOST_TO_DEVICE;
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
  std::vector<RuntimeFault> faults;
  WrongCalls(faults, "aclrtLaunchHostFunc", aclrtLaunchHostFunc, &World::stream, nothing, nullptr)
      .with<1>(nullptr, 107000, {"fn"})
      .with<0>(&World::invalid_handle, 107017, {"stream", "not a live stream"})
      .without_context()
      .with<0>(&World::with_reports, 107011, {"taken already"});
  WrongCalls(faults, "aclrtSubscribeReport", aclrtSubscribeReport, pthread_self(), &World::stream)
      .with<1>(&World::with_reports, 107011, {"taken already"})
      .without_context();
  WrongCalls(faults, "aclrtUnSubscribeReport", aclrtUnSubscribeReport, pthread_self(),
             &World::with_reports)
      .with<1>(&World::stream, 107015, {"no thread is subscribed"})
      .with<0>(7, 107012, {"threadId", "7"});
  WrongCalls(faults, "aclrtLaunchCallback", aclrtLaunchCallback, nothing, nullptr,
             ACL_CALLBACK_BLOCK, &World::stream)
      .with<2>(no_member<aclrtCallbackBlockType>(), 100000, {"blockType", "99"})
      .with<0>(nullptr, 107000, {"fn"})
      .unchanged(107015, {"no thread is subscribed"});
  WrongCalls(faults, "aclrtProcessReport", aclrtProcessReport, 1)
      .with<0>(0, 100000, {"timeout", "0"})
      .unchanged(107012, {"not subscribed"})
      .when(507012, {"1 ms"},
            [](World& world) { return world.with_reports(), aclrtProcessReport(1); });
  return faults;
}

std::vector<RuntimeFault> capture_faults() {
  const auto mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
  std::vector<RuntimeFault> faults;
  WrongCalls(faults, "aclmdlRICaptureEnd", aclmdlRICaptureEnd, &World::captured, &made)
      .when(107025, {"not joined back"},
            [](World& world) {
              aclrtStream stream = world.captured();
              if (aclrtRecordEvent(world.reusable, stream) != 0) return -1;
              if (aclrtStreamWaitEvent(world.stream, world.reusable) != 0) return -1;
              return aclmdlRICaptureEnd(stream, &made);
            })
      .when(107036, {"began on another stream"},
            [](World& world) {
              if (aclrtStreamWaitEvent(world.stream, world.captured_event()) != 0) return -1;
              return aclmdlRICaptureEnd(world.stream, &made);
            })
      .when(107038, {"began on another thread"}, end_elsewhere)
      .null<0>("stream")
      .with<1>(nullptr, 107000, {"modelRI"})
      .with<0>(&World::stream, 107029, {"not being captured"})
      .when(507903, {"made void"},
            [](World& world) { return aclmdlRICaptureEnd(made_void(world.captured()), &made); });
  WrongCalls(faults, "aclrtMemsetAsync", aclrtMemsetAsync, &World::memory, 8, 0, 8, &World::stream)
      .when(507903, {"made void"}, [](World& world) {
        return aclrtMemsetAsync(world.memory, 8, 0, 8, made_void(world.captured()));
      });
  WrongCalls(faults, "aclmdlRIExecuteAsync", aclmdlRIExecuteAsync, &World::model, &World::stream)
      .when(107026, {"still being captured"},
            [](World& world) {
              if (aclmdlRICaptureGetInfo(world.captured(), nullptr, &made) != 0) return -1;
              return aclmdlRIExecuteAsync(made, world.stream);
            })
      .when(107037, {"still runs"},
            [](World& world) {
              aclmdlRI model = world.slow_model();
              if (aclmdlRIExecuteAsync(model, world.stream) != 0) return -1;
              return aclmdlRIExecuteAsync(model, world.stream);
            })
      .when(207000, {"cannot be recorded into another"},
            [](World& world) {
              aclmdlRI model = world.model();
              return aclmdlRIExecuteAsync(model, world.captured());
            })
      .null<0>("modelRI")
      .with<0>(&World::invalid_handle, 107000, {"modelRI", "not a live recorded model"})
      .with<1>(&World::invalid_handle, 107017, {"stream", "not a live stream"});
  WrongCalls(faults, "aclmdlRIExecute", aclmdlRIExecute, &World::model, -1)
      .with<0>(&World::invalid_handle, 107000, {"modelRI", "not a live recorded model"})
      .when(507046, {"longer than the timeout"},
            [](World& world) { return aclmdlRIExecute(world.slow_model(), 1); })
      .null<0>("modelRI")
      .with<1>(0, 107000, {"timeout", "0"});
  WrongCalls(faults, "aclmdlRIDestroy", aclmdlRIDestroy, &World::model)
      .when(107037, {"still runs"},
            [](World& world) {
              aclmdlRI model = world.slow_model();
              if (aclmdlRIExecuteAsync(model, world.stream) != 0) return -1;
              return aclmdlRIDestroy(model);
            })
      .null<0>("modelRI")
      .with<0>(&World::invalid_handle, 107000, {"modelRI", "not a live recorded model"});
  WrongCalls(faults, "aclmdlRICaptureBegin", aclmdlRICaptureBegin, &World::stream, mode)
      .null<0>("stream")
      .when(207000, {"default stream"},
            [=](World&) {
              return aclrtCtxGetCurrentDefaultStream(&made) != 0 ? -1
                                                                 : aclmdlRICaptureBegin(made, mode);
            })
      .with<1>(no_member<aclmdlRICaptureMode>(), 107000, {"mode", "99"})
      .with<0>(&World::captured, 107027, {"captured already"});
  WrongCalls(faults, "aclmdlRICaptureGetInfo", aclmdlRICaptureGetInfo, &World::stream, nullptr,
             &made)
      .null<0>("stream")
      .null<2>("status and modelRI");
  static auto no_mode = no_member<aclmdlRICaptureMode>();
  WrongCalls(faults, "aclmdlRICaptureThreadExchangeMode", aclmdlRICaptureThreadExchangeMode,
             &no_mode)
      .null<0>("mode")
      .unchanged(107000, {"mode", "99"});
  // Another stream is captured meanwhile.
  WrongCalls(faults, "aclrtMemcpy", aclrtMemcpy, &World::memory, 8, &World::host, 8, kToDevice)
      .when(107030, {"captured in a mode that forbids"}, [](World& world) {
        world.captured();
        return aclrtMemcpy(world.memory, 8, world.host, 8, kToDevice);
      });
  WrongCalls(faults, "aclrtMemcpyAsync", aclrtMemcpyAsync, &World::memory, 8, &World::host, 8,
             kToDevice, &World::stream)
      .when(107041, {"captured in a mode that forbids"}, [](World& world) {
        world.captured();
        return aclrtMemcpyAsync(world.memory, 8, world.host, 8, kToDevice, world.stream);
      });
  return faults;
}

}  // namespace aclgrad::contract
