// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "aclgrad_ext.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_mul.h"
#include "tests/faults/scenarios.h"

namespace aclgrad::faults {
namespace {

constexpr int64_t kElements = 1 << 17;  // of float32: enough for a recording to be fused
constexpr size_t kBytes = kElements * sizeof(float);

void set_device(Run& run) {
  run.call("aclrtSetDevice", [] { return aclrtSetDevice(0); });
  run.later("aclrtResetDevice", [] { return aclrtResetDevice(0); });
}

aclrtStream make_stream(Run& run) {
  aclrtStream stream = nullptr;
  run.call("aclrtCreateStream", [&] { return aclrtCreateStream(&stream); });
  run.later("aclrtDestroyStream", [stream] { return aclrtDestroyStream(stream); });
  return stream;
}

aclrtEvent make_event(Run& run, uint32_t flags = ACL_EVENT_SYNC) {
  aclrtEvent event = nullptr;
  run.call("aclrtCreateEventExWithFlag", [&] { return aclrtCreateEventExWithFlag(&event, flags); });
  run.later("aclrtDestroyEvent", [event] { return aclrtDestroyEvent(event); });
  return event;
}

void* allocate(Run& run, size_t bytes) {
  void* memory = nullptr;
  run.call("aclrtMalloc", [&] { return aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST); });
  run.later("aclrtFree", [memory] { return aclrtFree(memory); });
  return memory;
}

void synchronize(Run& run, aclrtStream stream) {
  run.call("aclrtSynchronizeStream", [&] { return aclrtSynchronizeStream(stream); });
}

// Undone before anything that the streams' work might still use.
void synchronize_later(Run& run) {
  run.later("aclrtSynchronizeDevice", [] {
    aclrtSynchronizeDevice();  // a failed task's status may come with the first one
    return ACL_SUCCESS;
  });
}

void events_and_copies(Run& run) {
  set_device(run);
  aclrtStream first = make_stream(run);
  aclrtStream second = make_stream(run);
  void* device = allocate(run, 4096);
  void* pinned = nullptr;
  run.call("aclrtMallocHost", [&] { return aclrtMallocHost(&pinned, 4096); });
  run.later("aclrtFreeHost", [&] { return aclrtFreeHost(pinned); });
  synchronize_later(run);
  aclrtEvent plain = nullptr;
  run.call("aclrtCreateEvent", [&] { return aclrtCreateEvent(&plain); });
  run.later("aclrtDestroyEvent", [&] { return aclrtDestroyEvent(plain); });
  aclrtEvent event = make_event(run);
  run.call("aclrtMemsetAsync", [&] { return aclrtMemsetAsync(device, 4096, 7, 4096, first); });
  run.call("aclrtRecordEvent", [&] { return aclrtRecordEvent(event, first); });
  run.call("aclrtStreamWaitEvent", [&] { return aclrtStreamWaitEvent(second, event); });
  run.call("aclrtMemcpyAsync", [&] {
    return aclrtMemcpyAsync(pinned, 4096, device, 4096, ACL_MEMCPY_DEVICE_TO_HOST, second);
  });
  run.call("aclrtRecordEvent", [&] { return aclrtRecordEvent(plain, second); });
  run.call("aclrtSynchronizeEvent", [&] { return aclrtSynchronizeEvent(plain); });
  synchronize(run, second);
  run.result(pinned, 4096);
  std::array<unsigned char, 64> host = {};
  run.call("aclrtMemcpy2dAsync", [&] {
    return aclrtMemcpy2dAsync(host.data(), 8, device, 16, 8, 8, ACL_MEMCPY_DEVICE_TO_HOST, first);
  });
  run.call("aclrtMemcpy2d", [&] {
    return aclrtMemcpy2d(host.data(), 8, device, 16, 8, 8, ACL_MEMCPY_DEVICE_TO_HOST);
  });
  run.result(host.data(), host.size());
  aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
  run.call("aclrtQueryEvent", [&] { return aclrtQueryEvent(plain, &status); });
  run.call("aclrtSynchronizeDevice", [] { return aclrtSynchronizeDevice(); });
  run.finish();
}

void virtual_memory(Run& run) {
  constexpr size_t kPiece = size_t{2} << 20;
  aclrtPhysicalMemProp prop = {};
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  void* pool = nullptr;
  aclrtDrvMemHandle memory = nullptr;
  run.call("aclrtReserveMemAddress",
           [&] { return aclrtReserveMemAddress(&pool, 2 * kPiece, 0, nullptr, 0); });
  run.later("aclrtReleaseMemAddress", [&] { return aclrtReleaseMemAddress(pool); });
  run.call("aclrtMallocPhysical", [&] { return aclrtMallocPhysical(&memory, kPiece, &prop, 0); });
  run.later("aclrtFreePhysical", [&] { return aclrtFreePhysical(memory); });
  run.call("aclrtMapMem", [&] { return aclrtMapMem(pool, kPiece, 0, memory, 0); });
  run.later("aclrtUnmapMem", [&] { return aclrtUnmapMem(pool); });
  run.result(pool, 64);
  run.finish();
}

void count_up(void* number) { ++*static_cast<int*>(number); }

void callbacks(Run& run) {
  int calls = 0;
  set_device(run);
  aclrtStream stream = make_stream(run);
  synchronize_later(run);
  run.call("aclrtLaunchHostFunc", [&] { return aclrtLaunchHostFunc(stream, count_up, &calls); });
  synchronize(run, stream);
  aclrtStream reporting = make_stream(run);
  const auto self = static_cast<uint64_t>(pthread_self());
  run.call("aclrtSubscribeReport", [&] { return aclrtSubscribeReport(self, reporting); });
  run.later("aclrtUnSubscribeReport", [&] { return aclrtUnSubscribeReport(self, reporting); });
  run.call("aclrtLaunchCallback",
           [&] { return aclrtLaunchCallback(count_up, &calls, ACL_CALLBACK_BLOCK, reporting); });
  run.call("aclrtProcessReport", [] { return aclrtProcessReport(1000); });
  synchronize(run, reporting);
  run.result(&calls, sizeof(calls));
  run.finish();
}

void contexts(Run& run) {
  set_device(run);
  aclrtContext context = nullptr;
  run.call("aclrtCreateContext", [&] { return aclrtCreateContext(&context, 0); });
  run.later("aclrtDestroyContext", [&] { return aclrtDestroyContext(context); });
  run.call("aclrtSetCurrentContext", [&] { return aclrtSetCurrentContext(context); });
  void* memory = allocate(run, 128);
  run.call("aclrtMemsetAsync", [&] { return aclrtMemsetAsync(memory, 128, 1, 128, nullptr); });
  run.call("aclrtSynchronizeStream", [] { return aclrtSynchronizeStream(nullptr); });
  run.result(memory, 128);
  // What is forgotten goes away with the device.
  set_device(run);
  aclrtStream forgotten = nullptr;
  run.call("aclrtCreateStream", [&] { return aclrtCreateStream(&forgotten); });
  run.finish();
}

// Two operators in a row over much memory, recorded on two streams.
void capture_two_streams(Run& run) {
  set_device(run);
  aclrtStream first = make_stream(run);
  aclrtStream second = make_stream(run);
  std::array<void*, 3> memory = {};
  std::array<aclTensor*, 3> tensors = {};
  static const std::vector<float> start(kElements, 1.5f);
  for (size_t i = 0; i < memory.size(); ++i) {
    memory[i] = allocate(run, kBytes);
    run.call("aclrtMemcpy", [&] {
      return aclrtMemcpy(memory[i], kBytes, start.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE);
    });
    tensors[i] = run.make("aclCreateTensor", [&] {
      return aclCreateTensor(&kElements, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &kElements, 1,
                             memory[i]);
    });
    run.later("aclDestroyTensor", [&tensors, i] { return aclDestroyTensor(tensors[i]); });
  }
  synchronize_later(run);
  float one = 1;
  aclScalar* alpha = run.make("aclCreateScalar", [&] { return aclCreateScalar(&one, ACL_FLOAT); });
  run.later("aclDestroyScalar", [&] { return aclDestroyScalar(alpha); });
  aclrtEvent fork = make_event(run);
  aclrtEvent join = make_event(run);

  aclmdlRI model = nullptr;
  const bool begun = run.call("aclmdlRICaptureBegin", [&] {
    return aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
  });
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const auto drop_executor = [&] {  // what phase two did not use up
    if (aclgradHandleCheck(executor, ACLGRAD_HANDLE_EXECUTOR) != 0) {
      aclDestroyAclOpExecutor(executor);
    }
  };
  run.call("aclnnAddGetWorkspaceSize", [&] {
    return aclnnAddGetWorkspaceSize(tensors[0], tensors[1], alpha, tensors[2], &size, &executor);
  });
  run.call("aclnnAdd", [&] { return aclnnAdd(nullptr, 0, executor, first); });
  in_library(drop_executor);
  run.call("aclnnMulGetWorkspaceSize", [&] {
    return aclnnMulGetWorkspaceSize(tensors[2], tensors[1], tensors[0], &size, &executor);
  });
  run.call("aclnnMul", [&] { return aclnnMul(nullptr, 0, executor, first); });
  in_library(drop_executor);
  run.call("aclrtRecordEvent", [&] { return aclrtRecordEvent(fork, first); });
  run.call("aclrtStreamWaitEvent", [&] { return aclrtStreamWaitEvent(second, fork); });
  run.call("aclrtMemcpyAsync", [&] {
    return aclrtMemcpyAsync(memory[1], kBytes, memory[0], kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE,
                            second);
  });
  run.call("aclrtRecordEvent", [&] { return aclrtRecordEvent(join, second); });
  run.call("aclrtStreamWaitEvent", [&] { return aclrtStreamWaitEvent(first, join); });
  const auto end = [&] { return aclmdlRICaptureEnd(first, &model); };
  if (begun && !run.call("aclmdlRICaptureEnd", end)) in_library(end);
  if (model != nullptr && run.failed()) in_library([&] { return aclmdlRIDestroy(model); });
  run.later("aclmdlRIDestroy", [&] { return aclmdlRIDestroy(model); });

  run.call("aclmdlRIExecute", [&] { return aclmdlRIExecute(model, 10000); });
  run.call("aclmdlRIExecuteAsync", [&] { return aclmdlRIExecuteAsync(model, second); });
  synchronize(run, second);
  run.result(memory[0], kBytes);
  run.finish();
}

// Lists own their elements once they are made.
void lists(Run& run) {
  const int64_t dims[] = {2, 3};
  aclTensor* tensor = run.make("aclCreateTensor", [&] {
    return aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 2, nullptr);
  });
  if (tensor != nullptr) {
    const aclTensor* elements[] = {tensor};
    aclTensorList* list =
        run.make("aclCreateTensorList", [&] { return aclCreateTensorList(elements, 1); });
    if (list == nullptr) in_library([&] { return aclDestroyTensor(tensor); });
    run.later("aclDestroyTensorList", [list] { return aclDestroyTensorList(list); });
  }
  float value = 2;
  aclScalar* scalar =
      run.make("aclCreateScalar", [&] { return aclCreateScalar(&value, ACL_FLOAT); });
  if (scalar != nullptr) {
    const aclScalar* elements[] = {scalar};
    aclScalarList* list =
        run.make("aclCreateScalarList", [&] { return aclCreateScalarList(elements, 1); });
    if (list == nullptr) in_library([&] { return aclDestroyScalar(scalar); });
    run.later("aclDestroyScalarList", [list] { return aclDestroyScalarList(list); });
  }
  const float reals[] = {1, 2};
  aclFloatArray* floats =
      run.make("aclCreateFloatArray", [&] { return aclCreateFloatArray(reals, 2); });
  run.later("aclDestroyFloatArray", [&] { return aclDestroyFloatArray(floats); });
  const bool flags[] = {true, false};
  aclBoolArray* bools =
      run.make("aclCreateBoolArray", [&] { return aclCreateBoolArray(flags, 2); });
  run.later("aclDestroyBoolArray", [&] { return aclDestroyBoolArray(bools); });
  int64_t* shape = nullptr;
  uint64_t rank = 0;
  run.call("aclGetViewShape", [&] { return aclGetViewShape(tensor, &shape, &rank); });
  if (!run.failed()) run.result(shape, rank * sizeof(int64_t));
  delete[] shape;
  run.finish();
}

void initialisation(Run& run) {
  const std::string path = "faults_config.json";
  std::ofstream(path)
      << R"({"dump": {"dump_mode": "all", "dump_list": [{}]}, "err_msg_mode": "0"})";
  run.call("aclInit", [&] { return aclInit(path.c_str()); });
  run.later("aclFinalize", [] { return aclFinalize(); });
  run.call("aclrtSetDevice", [] { return aclrtSetDevice(0); });
  aclrtStream forgotten = nullptr;
  run.call("aclrtCreateStream", [&] { return aclrtCreateStream(&forgotten); });
  run.call("aclgradSetSocName", [] { return aclgradSetSocName("Ascend310P3"); });
  run.call("aclgradSetSocName", [] { return aclgradSetSocName(nullptr); });
  run.finish();
  std::remove(path.c_str());
}

// Failures leave messages; when even those find no memory the status has to do. It is the fault's
// own (200000, 561000) or the same as ever.
void failures(Run& run) {
  set_device(run);
  void* const invalid = reinterpret_cast<void*>(16);
  const auto expect = [&](const char* what, aclError expected, auto function) {
    run.call(what, [&] {
      const aclError status = function();
      return status == expected ? ACL_SUCCESS : status;
    });
  };
  expect("aclrtFree", 100000, [] { return aclrtFree(nullptr); });
  expect("aclrtRecordEvent", 107017, [&] { return aclrtRecordEvent(invalid, nullptr); });
  expect("aclDestroyTensor", 161002,
         [&] { return aclDestroyTensor(static_cast<aclTensor*>(invalid)); });
  expect("aclSetTensorAddr", 161002,
         [&] { return aclSetTensorAddr(nullptr, 0, static_cast<aclTensor*>(invalid), nullptr); });
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  expect("phase one", 161001, [&] {
    return aclnnAddGetWorkspaceSize(nullptr, nullptr, nullptr, nullptr, &size, &executor);
  });
  expect("phase two", 561103,
         [&] { return aclnnAdd(nullptr, 0, static_cast<aclOpExecutor*>(invalid), nullptr); });
  run.finish();
}

}  // namespace

std::vector<Scenario> runtime_scenarios() {
  return {{"events and copies", events_and_copies},
          {"virtual memory", virtual_memory},
          {"callbacks", callbacks},
          {"contexts", contexts},
          {"a capture over two streams", capture_two_streams},
          {"lists and arrays", lists},
          {"initialisation", initialisation},
          {"failing calls", failures}};
}

}  // namespace aclgrad::faults
