// SPDX-License-Identifier: Apache-2.0
// Sequences of runtime calls over handles that are live, destroyed, of another kind or invalid.
// What the hardware would punish stays out: memory that queued work uses is freed only at the end.
#include <pthread.h>

#include <vector>

#include "acl/acl.h"
#include "aclgrad_ext.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace aclgrad::fuzz {
namespace {

constexpr size_t kHostBytes = 4096;
constexpr size_t kDeviceBytes = 512;
constexpr int32_t kTimeout = 1;  // ms; a stream may wait for a callback that is never processed
constexpr int kMaxSteps = 64;

class Sequence {
 public:
  Sequence(const uint8_t* data, size_t size) : input_(data, size) {
    aclrtSetDevice(0);
    for (void*& each : device_) aclrtMalloc(&each, kDeviceBytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclGetRecentErrMsg();
  }
  ~Sequence() {
    aclrtSetDevice(0);
    require(aclrtResetDeviceForce(0) == 0, "the device goes away with all that is left");
    for (void* each : pinned_) aclrtFreeHost(each);
    aclGetRecentErrMsg();
  }
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  void run() {
    for (int i = 0; !input_.empty() && i < kMaxSteps; ++i) step();
  }

 private:
  using Handles = std::vector<void*>;

  // A handle of the kind, or something that is none.
  void* any(const Handles& handles) {
    const size_t choice = input_.below(16);
    if (choice == 15) return reinterpret_cast<void*>(static_cast<uintptr_t>(input_.extent()));
    if (choice == 14) return streams_.empty() ? nullptr : streams_.back();
    if (choice == 13) return events_.empty() ? nullptr : events_.back();
    if (choice == 12 || handles.empty()) return nullptr;
    return handles[input_.below(handles.size())];
  }
  void* stream() { return any(streams_); }
  void* event() { return any(events_); }
  void* model() { return any(models_); }
  void* device_memory() { return input_.pick(device_); }
  size_t count() { return input_.once_in(8) ? 0 : input_.below(300) * 2; }

  template <class Number>
  Number value() {
    return static_cast<Number>(input_.extent());
  }

  void check(aclError status, const char* call) {
    require(status != ACL_ERROR_INTERNAL_ERROR, "no unexpected exception");
    require_message(status, call);
  }

  void keep(Handles& handles, void* made, aclError status) {
    if (status == ACL_SUCCESS) handles.push_back(made);
  }

  void step() {
    using Action = void (Sequence::*)();
    constexpr Action kActions[] = {&Sequence::make_stream,
                                   &Sequence::destroy_stream,
                                   &Sequence::make_event,
                                   &Sequence::destroy_event,
                                   &Sequence::record,
                                   &Sequence::wait_event,
                                   &Sequence::query,
                                   &Sequence::synchronize,
                                   &Sequence::allocate,
                                   &Sequence::release,
                                   &Sequence::copy,
                                   &Sequence::copy_async,
                                   &Sequence::copy_rows,
                                   &Sequence::fill,
                                   &Sequence::begin_capture,
                                   &Sequence::end_capture,
                                   &Sequence::execute,
                                   &Sequence::host_function,
                                   &Sequence::callback,
                                   &Sequence::process_report,
                                   &Sequence::context,
                                   &Sequence::device,
                                   &Sequence::stream_settings,
                                   &Sequence::ask,
                                   &Sequence::process,
                                   &Sequence::meta_handles};
    (this->*input_.pick(kActions))();
  }

  void make_stream() {
    aclrtStream made = nullptr;
    const aclError status = input_.once_in(3)
                                ? aclrtCreateStreamWithConfig(&made, input_.byte(), input_.byte())
                                : aclrtCreateStream(&made);
    check(status, "aclrtCreateStream");
    keep(streams_, made, status);
  }
  void destroy_stream() {
    // Without force it would wait for callbacks that are never processed.
    check(aclrtDestroyStreamForce(stream()), "aclrtDestroyStreamForce");
  }
  void make_event() {
    aclrtEvent made = nullptr;
    aclError status = 0;
    switch (input_.below(3)) {
      case 0:
        status = aclrtCreateEvent(&made);
        break;
      case 1:
        status = aclrtCreateEventWithFlag(&made, input_.byte());
        break;
      default:
        status = aclrtCreateEventExWithFlag(&made, input_.byte());
    }
    check(status, "aclrtCreateEvent");
    keep(events_, made, status);
  }
  void destroy_event() { check(aclrtDestroyEvent(event()), "aclrtDestroyEvent"); }
  void record() {
    check(input_.once_in(6) ? aclrtResetEvent(event(), stream())
                            : aclrtRecordEvent(event(), stream()),
          "aclrtRecordEvent");
  }
  void wait_event() {
    check(input_.once_in(2) ? aclrtStreamWaitEventWithTimeout(stream(), event(), input_.byte())
                            : aclrtStreamWaitEvent(stream(), event()),
          "aclrtStreamWaitEvent");
  }
  void query() {
    aclrtStreamStatus stream_status = ACL_STREAM_STATUS_RESERVED;
    aclrtEventStatus event_status = ACL_EVENT_STATUS_RESERVED;
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    aclrtEventWaitStatus waited = ACL_EVENT_WAIT_STATUS_RESERVED;
    uint64_t timestamp = 0;
    float ms = 0;
    switch (input_.below(6)) {
      case 0:
        return check(aclrtStreamQuery(stream(), &stream_status), "aclrtStreamQuery");
      case 1:
        return check(aclrtQueryEvent(event(), &event_status), "aclrtQueryEvent");
      case 2:
        return check(aclrtQueryEventStatus(event(), &recorded), "aclrtQueryEventStatus");
      case 3:
        return check(aclrtQueryEventWaitStatus(event(), &waited), "aclrtQueryEventWaitStatus");
      case 4:
        return check(aclrtEventGetTimestamp(event(), &timestamp), "aclrtEventGetTimestamp");
      default:
        return check(aclrtEventElapsedTime(&ms, event(), event()), "aclrtEventElapsedTime");
    }
  }
  void synchronize() {
    const int32_t timeout = input_.once_in(16) ? -2 : kTimeout;
    switch (input_.below(3)) {
      case 0:
        return check(aclrtSynchronizeStreamWithTimeout(stream(), timeout),
                     "synchronising a stream");
      case 1:
        return check(aclrtSynchronizeEventWithTimeout(event(), timeout), "synchronising an event");
      default:
        return check(aclrtSynchronizeDeviceWithTimeout(timeout), "synchronising the device");
    }
  }
  void allocate() {
    void* made = nullptr;
    size_t size = input_.once_in(4) ? value<size_t>() : input_.below(64);
    // What the machine would really hand out takes the sanitizer long.
    if (size > (size_t{1} << 20) && size < (size_t{1} << 40)) size >>= 20;
    const bool host = input_.once_in(4);
    const aclError status =
        host ? aclrtMallocHost(&made, size)
             : aclrtMalloc(&made, size, static_cast<aclrtMemMallocPolicy>(input_.byte()));
    check(status, "aclrtMalloc");
    keep(host ? pinned_ : memory_, made, status);
  }
  void release() {
    // Never what copies use.
    void* const address = any(memory_);
    for (void* each : device_) {
      if (each == address) return;
    }
    check(aclrtFree(address), "aclrtFree");
  }
  void copy() {
    void* const to = input_.once_in(2) ? device_memory() : host_;
    const void* const from = input_.once_in(2) ? device_memory() : host_ + kHostBytes / 2;
    const auto kind = static_cast<aclrtMemcpyKind>(input_.below(8));
    check(aclrtMemcpy(to, count(), from, count(), kind), "aclrtMemcpy");
  }
  void copy_async() {
    // From one half of the device's memory to the other: ranges that overlap are undefined.
    const auto kind = static_cast<aclrtMemcpyKind>(input_.below(8));
    check(aclrtMemcpyAsync(device_[0], count(), device_[1], count(), kind, stream()),
          "aclrtMemcpyAsync");
  }
  void copy_rows() {
    const auto kind = static_cast<aclrtMemcpyKind>(input_.below(8));
    const size_t to_pitch = input_.once_in(4) ? value<size_t>() : input_.below(64);
    const size_t from_pitch = input_.once_in(4) ? value<size_t>() : input_.below(64);
    const size_t width = input_.once_in(8) ? value<size_t>() : input_.below(64);
    const size_t height = input_.once_in(4) ? value<size_t>() : input_.below(16);
    check(input_.once_in(2)
              ? aclrtMemcpy2d(device_[0], to_pitch, device_[1], from_pitch, width, height, kind)
              : aclrtMemcpy2dAsync(device_[0], to_pitch, device_[1], from_pitch, width, height,
                                   kind, stream()),
          "aclrtMemcpy2d");
  }
  void fill() {
    check(input_.once_in(2)
              ? aclrtMemset(device_memory(), count(), input_.byte(), count())
              : aclrtMemsetAsync(device_memory(), count(), input_.byte(), count(), stream()),
          "aclrtMemset");
  }
  void begin_capture() {
    const auto mode = static_cast<aclmdlRICaptureMode>(input_.below(4));
    if (input_.once_in(4)) {
      auto exchanged = mode;
      return check(aclmdlRICaptureThreadExchangeMode(&exchanged), "exchanging the capture mode");
    }
    check(aclmdlRICaptureBegin(stream(), mode), "aclmdlRICaptureBegin");
  }
  void end_capture() {
    aclmdlRI made = nullptr;
    aclmdlRICaptureStatus capture = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    if (input_.once_in(3)) {
      return check(aclmdlRICaptureGetInfo(stream(), &capture, &made), "aclmdlRICaptureGetInfo");
    }
    const aclError status = aclmdlRICaptureEnd(stream(), &made);
    check(status, "aclmdlRICaptureEnd");
    keep(models_, made, status);
  }
  void execute() {
    switch (input_.below(4)) {
      case 0:
        return check(aclmdlRIDestroy(model()), "aclmdlRIDestroy");
      case 1:
        return check(aclmdlRIExecute(model(), kTimeout), "aclmdlRIExecute");
      case 2:
        aclgradModelStepCount(model());
        aclgradFailedTask(model());
        aclgradCapturedTaskCount(stream());
        return;
      default:
        return check(aclmdlRIExecuteAsync(model(), stream()), "aclmdlRIExecuteAsync");
    }
  }
  static void called(void* argument) {
    // A callback may call the runtime; what it may not do is answered, not hung.
    if (argument != nullptr) aclrtSynchronizeStream(argument);
    aclGetRecentErrMsg();
  }
  void host_function() {
    void* const where = stream();
    check(aclrtLaunchHostFunc(where, input_.once_in(8) ? nullptr : called,
                              input_.once_in(4) ? where : nullptr),
          "aclrtLaunchHostFunc");
  }
  void callback() {
    const auto self = input_.once_in(8) ? value<uint64_t>() : static_cast<uint64_t>(pthread_self());
    switch (input_.below(4)) {
      case 0:
        return check(aclrtSubscribeReport(self, stream()), "aclrtSubscribeReport");
      case 1:
        return check(aclrtUnSubscribeReport(self, stream()), "aclrtUnSubscribeReport");
      default:
        return check(
            aclrtLaunchCallback(input_.once_in(8) ? nullptr : called, nullptr,
                                static_cast<aclrtCallbackBlockType>(input_.below(3)), stream()),
            "aclrtLaunchCallback");
    }
  }
  void process_report() {
    check(aclrtProcessReport(input_.once_in(8) ? 0 : kTimeout), "aclrtProcessReport");
  }
  void context() {
    aclrtContext made = nullptr;
    aclError status = 0;
    switch (input_.below(4)) {
      case 0:
        status = aclrtCreateContext(&made, static_cast<int32_t>(input_.below(3)) - 1);
        keep(contexts_, made, status);
        break;
      case 1:
        status = aclrtSetCurrentContext(any(contexts_));
        break;
      case 2:
        status = aclrtGetCurrentContext(&made);
        break;
      default:
        status = aclrtSetDevice(0);
    }
    check(status, "a call about contexts");
  }
  void device() {
    check(aclrtSetDevice(static_cast<int32_t>(input_.below(3)) - 1), "aclrtSetDevice");
    int32_t id = 0;
    check(aclrtGetDevice(&id), "aclrtGetDevice");
    int64_t attribute = 0;
    check(aclrtGetDeviceInfo(input_.byte(), static_cast<aclrtDevAttr>(value<int>()), &attribute),
          "aclrtGetDeviceInfo");
  }
  void stream_settings() {
    uint32_t number = 0;
    int32_t id = 0;
    check(aclrtSetStreamFailureMode(stream(), input_.below(3)), "aclrtSetStreamFailureMode");
    check(aclrtStreamGetPriority(stream(), &number), "aclrtStreamGetPriority");
    check(aclrtStreamGetFlags(stream(), &number), "aclrtStreamGetFlags");
    check(aclrtStreamGetId(stream(), &id), "aclrtStreamGetId");
  }
  void ask() {
    aclrtPtrAttributes attributes = {};
    size_t available = 0, total = 0;
    check(aclrtPointerGetAttributes(any(memory_), &attributes), "aclrtPointerGetAttributes");
    check(aclrtGetMemInfo(static_cast<aclrtMemAttr>(value<int>()), &available, &total),
          "aclrtGetMemInfo");
    int64_t option = 0;
    check(aclrtSetSysParamOpt(static_cast<aclSysParamOpt>(input_.byte()), value<int64_t>()),
          "aclrtSetSysParamOpt");
    check(aclrtCtxGetSysParamOpt(static_cast<aclSysParamOpt>(input_.byte()), &option),
          "aclrtCtxGetSysParamOpt");
    aclDataTypeSize(static_cast<aclDataType>(value<int>()));
  }
  void process() {
    if (input_.once_in(2)) {
      check(aclInit(nullptr), "aclInit");
    } else {
      // Finalising waits for the streams, and one may wait for a callback that is never processed.
      aclrtResetDeviceForce(0);
      aclGetRecentErrMsg();
      check(aclFinalizeReference(nullptr), "aclFinalizeReference");
      // The memory went with the devices.
      aclrtSetDevice(0);
      for (void*& each : device_) aclrtMalloc(&each, kDeviceBytes, ACL_MEM_MALLOC_HUGE_FIRST);
    }
  }
  void meta_handles() {
    const void* const handle = any(memory_);
    const auto kind = static_cast<aclgradHandleKind>(input_.byte());
    require(aclgradHandleCheck(handle, kind) == 0, "the runtime's handles are none of these");
  }

  Input input_;
  Handles streams_, events_, models_, memory_, contexts_, pinned_;
  void* device_[2] = {};
  unsigned char host_[kHostBytes] = {};
};

}  // namespace

void fuzz_runtime(const uint8_t* data, size_t size) { Sequence(data, size).run(); }

}  // namespace aclgrad::fuzz
