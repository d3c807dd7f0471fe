// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/runtime_faults.h"

#include <pthread.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "aclnnop/aclnn_selu.h"

namespace aclgrad::contract {
namespace {

void require(int status) {
  if (status != 0) throw std::runtime_error("the world of a fault cannot be made");
}

// Longer than any timeout here.
void nap(void*) { std::this_thread::sleep_for(std::chrono::milliseconds(40)); }

std::string take_message() {
  const char* text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}

}  // namespace

World::World() {
  require(aclrtSetDevice(0));
  require(aclrtCreateStream(&stream));
  require(aclrtCreateEvent(&event));
  require(aclrtCreateEventWithFlag(&timer, ACL_EVENT_TIME_LINE));
  require(aclrtCreateEventExWithFlag(&reusable, ACL_EVENT_SYNC));
  require(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
}

World::~World() {
  for (aclrtStream each : captured_) {
    aclmdlRI left = nullptr;
    if (aclmdlRICaptureEnd(each, &left) == 0) aclmdlRIDestroy(left);
  }
  for (aclrtStream each : subscribed_) aclrtUnSubscribeReport(pthread_self(), each);
  if (reserved_ != nullptr) {
    aclrtUnmapMem(reserved_);
    aclrtFreePhysical(physical_);
    aclrtReleaseMemAddress(reserved_);
  }
  for (aclOpExecutor* each : executors_) aclDestroyAclOpExecutor(each);
  for (aclTensor* each : tensors_) aclDestroyTensor(each);
  for (aclTensorList* each : lists_) aclDestroyTensorList(each);
  aclrtFree(memory);
  aclrtResetDevice(0);
  take_message();
}

aclrtStream World::captured() {
  aclrtStream made = nullptr;
  require(aclrtCreateStream(&made));
  require(aclmdlRICaptureBegin(made, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  captured_.push_back(made);
  return made;
}

aclrtEvent World::captured_event() {
  require(aclrtRecordEvent(reusable, captured()));
  return reusable;
}

aclmdlRI World::model() {
  aclmdlRI made = nullptr;
  require(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  require(aclrtMemsetAsync(memory, kBytes, 0, kBytes, stream));
  require(aclmdlRICaptureEnd(stream, &made));
  return made;
}

aclrtStream World::with_reports() {
  aclrtStream made = nullptr;
  require(aclrtCreateStream(&made));
  require(aclrtSubscribeReport(pthread_self(), made));
  subscribed_.push_back(made);
  return made;
}

aclmdlRI World::slow_model() {
  aclmdlRI made = nullptr;
  require(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  keep_busy();
  require(aclmdlRICaptureEnd(stream, &made));
  return made;
}

char* World::mapped() {
  if (reserved_ == nullptr) {
    aclrtPhysicalMemProp prop = {};
    prop.memAttr = ACL_HBM_MEM_HUGE;
    prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    require(aclrtReserveMemAddress(&reserved_, 2 * kPiece, 0, nullptr, 1));
    require(aclrtMallocPhysical(&physical_, kPiece, &prop, 0));
    require(aclrtMapMem(reserved_, kPiece, 0, physical_, 0));
  }
  return static_cast<char*>(reserved_);
}

aclrtDrvMemHandle World::physical() {
  mapped();
  return physical_;
}

aclTensor* World::tensor() {
  constexpr int64_t kSize = 2;
  return tensors_.emplace_back(
      aclCreateTensor(&kSize, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &kSize, 1, nullptr));
}

aclOpExecutor* World::executor() {
  uint64_t size = 0;
  aclOpExecutor* made = nullptr;
  require(aclnnInplaceSeluGetWorkspaceSize(tensor(), &size, &made));
  return executors_.emplace_back(made);
}

aclTensorList* World::empty_list() { return lists_.emplace_back(aclCreateTensorList(nullptr, 0)); }

void World::keep_busy() { require(aclrtLaunchHostFunc(stream, nap, nullptr)); }

aclrtStream made_void(aclrtStream captured) {
  if (aclrtSynchronizeStream(captured) != 107027) throw std::runtime_error("the capture goes on");
  take_message();
  return captured;
}

const std::vector<RuntimeFault>& runtime_faults() {
  static const std::vector<RuntimeFault> all = [] {
    std::vector<RuntimeFault> faults;
    for (auto group : {device_faults, stream_faults, event_faults, callback_faults, capture_faults,
                       memory_faults, virtual_memory_faults, meta_faults, older_interface_faults}) {
      for (RuntimeFault& fault : group()) faults.push_back(std::move(fault));
    }
    return faults;
  }();
  return all;
}

Outcome provoke(const RuntimeFault& fault) {
  World world;
  take_message();
  Outcome outcome{};
  const auto call = [&] {
    outcome.status = fault.call(world);
    outcome.message = take_message();
  };
  if (fault.on_bare_thread) {
    std::thread(call).join();
  } else {
    call();
  }
  return outcome;
}

}  // namespace aclgrad::contract
