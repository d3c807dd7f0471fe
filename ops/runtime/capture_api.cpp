// SPDX-License-Identifier: Apache-2.0
// Capture and replay of acl/acl_rt.h and aclgrad_ext.h.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "aclgrad_ext.h"
#include "ops/runtime/capture.h"
#include "ops/runtime/context.h"
#include "ops/runtime/device.h"
#include "ops/runtime/timeout.h"

namespace aclgrad::runtime {
namespace {

aclError check_mode(const Call& call, aclmdlRICaptureMode mode) {
  if (is_member(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, ACL_MODEL_RI_CAPTURE_MODE_RELAXED)) {
    return ACL_SUCCESS;
  }
  return call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "mode", static_cast<int>(mode),
                        "a value of aclmdlRICaptureMode (0..2)");
}

aclError end_capture(const Call& call, const Stream& stream, aclmdlRI* model) {
  const std::shared_ptr<Capture> capture = stream.capture();
  if (!capture) {
    return call.failed(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the stream is not being captured", "",
                       "aclmdlRICaptureBegin must have succeeded for this stream before.");
  }
  if (!capture->began_on(stream)) {
    return call.failed(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
                       "the capture began on another stream, which this one joined", "",
                       "End it on the stream that it began on.");
  }
  if (capture->mode() != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && !capture->began_here()) {
    return call.failed(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
                       "the capture began on another thread", "",
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
    return ACL_SUCCESS;
  }
  recorded_models().remove(capture->model()->handle());
  if (unjoined) {
    return call.failed(ACL_ERROR_RT_STREAM_UNJOINED,
                       "a stream that joined the capture was not joined back; the recording is "
                       "lost",
                       "",
                       "Record an event on it and let the stream of aclmdlRICaptureBegin wait for "
                       "the event.");
  }
  return call.failed(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
                     "the capture was made void by an earlier call; the recording is lost", "",
                     "Capture again without that call.");
}

struct ModelChoice {
  aclError status = ACL_SUCCESS;
  std::shared_ptr<RecordedModel> model;
};

ModelChoice choose_model(const Call& call, aclmdlRI handle) {
  if (handle == nullptr) return {call.null_pointer("modelRI"), nullptr};
  std::shared_ptr<RecordedModel> model = recorded_models().find(handle);
  if (!model) {
    return {call.bad_handle("modelRI", handle, "recorded model", ACL_ERROR_RT_PARAM_INVALID),
            nullptr};
  }
  if (!model->is_complete()) {
    return {call.failed(ACL_ERROR_RT_MODEL_CAPTURED, "the model is still being captured", "",
                        "End the capture first."),
            nullptr};
  }
  return {ACL_SUCCESS, std::move(model)};
}

aclError still_running(const Call& call) {
  return call.failed(ACL_ERROR_RT_MODEL_RUNNING, "the model still runs from an earlier launch", "",
                     "Synchronise its stream first.");
}

aclError execute(const Call& call, RecordedModel& model, Stream& stream, uint64_t* ticket) {
  if (stream.capture()) {
    return call.unsupported("a recorded model cannot be recorded into another one",
                            "Execute it on a stream that is not being captured.");
  }
  if (model.context() != stream.settings().context) {
    return call.failed(ACL_ERROR_RT_MODEL_CONTEXT,
                       "the model was captured in another context than the stream's");
  }
  std::optional<Task> task = model.replay();
  if (!task) return still_running(call);
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
  return entry(__func__, [&](const Call& call) -> aclError {
    if (stream == nullptr) return call.null_pointer("stream");
    if (const auto found = streams().find(stream); found && found->settings().is_default) {
      return call.unsupported("a default stream cannot be captured",
                              "Capture a stream made by aclrtCreateStream.");
    }
    if (const aclError status = check_mode(call, mode)) return status;
    const StreamChoice chosen = choose_stream(call, stream);
    if (!chosen.stream) return chosen.status;
    if (!chosen.stream->takes_tasks()) {
      return call.unsupported("the stream's flags keep it from taking tasks",
                              "Use a stream without PERSISTENT, DEVICE_USE_ONLY and CPU_SCHEDULE.");
    }
    if (chosen.stream->capture()) {
      return call.failed(ACL_ERROR_RT_STREAM_CAPTURED, "the stream is being captured already", "",
                         "End that capture first: aclmdlRICaptureEnd.");
    }
    begin_capture(chosen.stream->shared_from_this(), mode);
    return ACL_SUCCESS;
  });
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status,
                                aclmdlRI* modelRI) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (stream == nullptr) return call.null_pointer("stream");
    if (status == nullptr && modelRI == nullptr) return call.null_pointer("status and modelRI");
    const StreamChoice chosen = choose_stream(call, stream);
    if (!chosen.stream) return chosen.status;
    const std::shared_ptr<Capture> capture = chosen.stream->capture();
    if (status != nullptr) {
      *status = !capture              ? ACL_MODEL_RI_CAPTURE_STATUS_NONE
                : capture->is_valid() ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE
                                      : ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
    }
    if (modelRI != nullptr) {
      *modelRI = capture && capture->is_valid() ? capture->model()->handle() : nullptr;
    }
    return ACL_SUCCESS;
  });
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (stream == nullptr) return call.null_pointer("stream");
    if (modelRI == nullptr) return call.null_pointer("modelRI", ACL_ERROR_RT_PARAM_INVALID);
    const StreamChoice chosen = choose_stream(call, stream);
    if (!chosen.stream) return chosen.status;
    return end_capture(call, *chosen.stream, modelRI);
  });
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (mode == nullptr) return call.null_pointer("mode");
    if (const aclError status = check_mode(call, *mode)) return status;
    std::swap(thread_capture_mode(), *mode);
    return ACL_SUCCESS;
  });
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) -> aclError {
    const ModelChoice chosen = choose_model(call, modelRI);
    if (!chosen.model) return chosen.status;
    const StreamChoice where = choose_stream(call, stream);
    if (!where.stream) return where.status;
    return execute(call, *chosen.model, *where.stream, nullptr);
  });
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) {
  return entry(__func__, [&](const Call& call) -> aclError {
    const ModelChoice chosen = choose_model(call, modelRI);
    if (!chosen.model) return chosen.status;
    if (const aclError status = check_timeout(call, timeout)) return status;
    const StreamChoice where = choose_stream(call, nullptr);
    if (!where.stream) return where.status;
    uint64_t ticket = 0;
    if (const aclError status = execute(call, *chosen.model, *where.stream, &ticket)) return status;
    switch (where.stream->wait(ticket, deadline_after(timeout))) {
      case Stream::WaitResult::kDone:
        return report_task_failure(call, *where.stream);
      case Stream::WaitResult::kTimeout:
        return call.failed(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                           "the model took longer than the timeout", /*cause=*/"",
                           "The work goes on; synchronise the default stream to wait for it.");
      case Stream::WaitResult::kInsideOwnTask:
        return inside_own_task(call);
      case Stream::WaitResult::kFrozen:
        return process_ends(call);
    }
    return ACL_SUCCESS;
  });
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
  return entry(__func__, [&](const Call& call) -> aclError {
    const ModelChoice chosen = choose_model(call, modelRI);
    if (!chosen.model) return chosen.status;
    if (chosen.model->is_running()) return still_running(call);
    if (!recorded_models().remove(modelRI)) {
      return call.bad_handle("modelRI", modelRI, "recorded model", ACL_ERROR_RT_PARAM_INVALID);
    }
    return ACL_SUCCESS;
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
  return entry(__func__, [&](const Call& call) -> aclError {
    if (tensor == nullptr) return call.null_pointer("tensor");
    const ModelChoice chosen = choose_model(call, model);
    if (!chosen.model) return chosen.status;
    return chosen.model->move_tensor(tensor, bytes) ? ACL_SUCCESS : still_running(call);
  });
}

void aclgradSetReplayFusion(int32_t allow) { replay_fusion() = allow != 0; }

int32_t aclgradGetReplayFusion() { return replay_fusion() ? 1 : 0; }

size_t aclgradModelStepCount(aclmdlRI model) {
  const std::shared_ptr<RecordedModel> found = recorded_models().find(model);
  return found ? found->step_count() : 0;
}
