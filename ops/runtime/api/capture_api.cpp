// SPDX-License-Identifier: Apache-2.0
// Capture and replay of acl/acl_rt.h and aclgrad_ext.h.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "aclgrad_ext.h"
#include "ops/runtime/capture/capture.h"
#include "ops/runtime/context/context.h"
#include "ops/runtime/context/synchronize.h"
#include "ops/runtime/stream/timeout.h"

namespace aclgrad::runtime {
namespace {

void check_mode(const Call& call, aclmdlRICaptureMode mode) {
  if (is_member(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, ACL_MODEL_RI_CAPTURE_MODE_RELAXED)) return;
  call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "mode", static_cast<int>(mode),
                 "a value of aclmdlRICaptureMode (0..2)");
}

void end_capture(const Call& call, const Stream& stream, aclmdlRI* model) {
  const std::shared_ptr<Capture> capture = stream.capture();
  if (!capture) {
    call.failed(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the stream is not being captured", "",
                "aclmdlRICaptureBegin must have succeeded for this stream before.");
  }
  if (!capture->began_on(stream)) {
    call.failed(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
                "the capture began on another stream, which this one joined", "",
                "End it on the stream that it began on.");
  }
  if (capture->mode() != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && !capture->began_here()) {
    call.failed(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, "the capture began on another thread", "",
                "End it there, or begin it in mode RELAXED.");
  }
  const bool unjoined = capture->is_valid() && !capture->is_joined();
  if (unjoined) capture->invalidate();
  bool complete = false;
  try {
    complete = capture->finish();
  } catch (...) {
    recorded_models().remove(capture->model()->handle());
    throw;
  }
  if (complete) {
    *model = capture->model()->handle();
    return;
  }
  recorded_models().remove(capture->model()->handle());
  if (unjoined) {
    call.failed(ACL_ERROR_RT_STREAM_UNJOINED,
                "a stream that joined the capture was not joined back; the recording is "
                "lost",
                "",
                "Record an event on it and let the stream of aclmdlRICaptureBegin wait for "
                "the event.");
  }
  call.failed(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
              "the capture was made void by an earlier call; the recording is lost", "",
              "Capture again without that call.");
}

std::shared_ptr<RecordedModel> choose_model(const Call& call, aclmdlRI handle) {
  call.require(handle, "modelRI");
  std::shared_ptr<RecordedModel> model = recorded_models().find(handle);
  if (!model) {
    call.bad_handle("modelRI", handle, RecordedModel::kKind, ACL_ERROR_RT_PARAM_INVALID);
  }
  if (!model->is_complete()) {
    call.failed(ACL_ERROR_RT_MODEL_CAPTURED, "the model is still being captured", "",
                "End the capture first.");
  }
  return model;
}

[[noreturn]] void still_running(const Call& call) {
  call.failed(ACL_ERROR_RT_MODEL_RUNNING, "the model still runs from an earlier launch", "",
              "Synchronise its stream first.");
}

void execute(const Call& call, RecordedModel& model, Stream& stream, uint64_t* ticket) {
  if (stream.capture()) {
    call.unsupported("a recorded model cannot be recorded into another one",
                     "Execute it on a stream that is not being captured.");
  }
  if (model.context() != stream.settings().context) {
    call.failed(ACL_ERROR_RT_MODEL_CONTEXT,
                "the model was captured in another context than the stream's");
  }
  std::optional<Task> task = model.replay();
  if (!task) still_running(call);
  return submit(call, stream, std::move(*task), ticket);
}

std::atomic<bool>& replay_fusion() {
  static std::atomic<bool> allow = [] {
    const char* const wanted = std::getenv("ACLGRAD_REPLAY_FUSION");
    return wanted == nullptr || std::strcmp(wanted, "0") != 0;
  }();
  return allow;
}

}  // namespace
}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
  return entry(__func__, [&](const Call& call) {
    call.require(stream, "stream");
    if (const auto found = streams().find(stream); found && found->settings().is_default) {
      call.unsupported("a default stream cannot be captured",
                       "Capture a stream made by aclrtCreateStream.");
    }
    check_mode(call, mode);
    const BorrowedStream chosen = choose_stream(call, stream);
    if (!chosen->takes_tasks()) {
      call.unsupported("the stream's flags keep it from taking tasks",
                       "Use a stream without PERSISTENT, DEVICE_USE_ONLY and CPU_SCHEDULE.");
    }
    if (chosen->capture()) {
      call.failed(ACL_ERROR_RT_STREAM_CAPTURED, "the stream is being captured already", "",
                  "End that capture first: aclmdlRICaptureEnd.");
    }
    begin_capture(chosen->shared_from_this(), mode);
  });
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status,
                                aclmdlRI* modelRI) {
  return entry(__func__, [&](const Call& call) {
    call.require(stream, "stream");
    if (status == nullptr) call.require(modelRI, "status and modelRI");
    const BorrowedStream chosen = choose_stream(call, stream);
    const std::shared_ptr<Capture> capture = chosen->capture();
    if (status != nullptr) {
      *status = !capture              ? ACL_MODEL_RI_CAPTURE_STATUS_NONE
                : capture->is_valid() ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE
                                      : ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
    }
    if (modelRI != nullptr) {
      *modelRI = capture && capture->is_valid() ? capture->model()->handle() : nullptr;
    }
  });
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
  return entry(__func__, [&](const Call& call) {
    call.require(stream, "stream");
    call.require(modelRI, "modelRI", ACL_ERROR_RT_PARAM_INVALID);
    const BorrowedStream chosen = choose_stream(call, stream);
    end_capture(call, *chosen, modelRI);
  });
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
  return entry(__func__, [&](const Call& call) {
    call.require(mode, "mode");
    check_mode(call, *mode);
    std::swap(thread_capture_mode(), *mode);
  });
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    const std::shared_ptr<RecordedModel> chosen = choose_model(call, modelRI);
    const BorrowedStream where = choose_stream(call, stream);
    execute(call, *chosen, *where, nullptr);
  });
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) {
  return entry(__func__, [&](const Call& call) {
    const std::shared_ptr<RecordedModel> chosen = choose_model(call, modelRI);
    check_timeout(call, timeout);
    const BorrowedStream where = choose_stream(call, nullptr);
    uint64_t ticket = 0;
    execute(call, *chosen, *where, &ticket);
    check_waited(call, where->wait(ticket, deadline_after(timeout)), [&] {
      call.failed(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the model took longer than the timeout", "",
                  "The work goes on; synchronise the default stream to wait for it.");
    });
    report_task_failure(call, *where);
  });
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
  return entry(__func__, [&](const Call& call) {
    const std::shared_ptr<RecordedModel> chosen = choose_model(call, modelRI);
    if (chosen->is_running()) still_running(call);
    if (!recorded_models().remove(modelRI)) {
      call.bad_handle("modelRI", modelRI, "recorded model", ACL_ERROR_RT_PARAM_INVALID);
    }
  });
}

size_t aclgradCapturedTaskCount(aclrtStream stream) {
  const std::shared_ptr<Stream> found = streams().find(stream);
  const std::shared_ptr<Capture> capture = found ? found->capture() : nullptr;
  return capture ? capture->task_count() : 0;
}

int64_t aclgradFailedTask(aclmdlRI model) {
  const std::shared_ptr<RecordedModel> found = recorded_models().find(model);
  return found ? found->failed_task() : -1;
}

aclError aclgradModelMoveTensor(aclmdlRI model, const void* tensor, intptr_t bytes) {
  return entry(__func__, [&](const Call& call) {
    call.require(tensor, "tensor");
    const std::shared_ptr<RecordedModel> chosen = choose_model(call, model);
    if (!chosen->move_tensor(tensor, bytes)) still_running(call);
  });
}

void aclgradSetReplayFusion(int32_t allow) { replay_fusion() = allow != 0; }

int32_t aclgradGetReplayFusion() { return replay_fusion() ? 1 : 0; }

size_t aclgradModelStepCount(aclmdlRI model) {
  const std::shared_ptr<RecordedModel> found = recorded_models().find(model);
  return found ? found->segment_count() : 0;
}
