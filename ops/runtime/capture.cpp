// SPDX-License-Identifier: Apache-2.0
// Capture and replay of acl/acl_rt.h: the checks of the arguments. Nothing is recorded yet, so no
// stream is ever capturing and no handle of a recorded model exists.
#include "ops/runtime/context.h"
#include "ops/runtime/timeout.h"

namespace aclgrad::runtime {
namespace {

thread_local aclmdlRICaptureMode t_capture_mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

aclError check_mode(const Call& call, aclmdlRICaptureMode mode) {
  if (is_member(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, ACL_MODEL_RI_CAPTURE_MODE_RELAXED)) {
    return ACL_SUCCESS;
  }
  return call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "mode", static_cast<int>(mode),
                        "a value of aclmdlRICaptureMode (0..2)");
}

// Always an error: nothing is recorded, so there is nothing that the handle could name.
aclError refuse_model(const Call& call, aclmdlRI model) {
  if (model == nullptr) return call.null_pointer("modelRI");
  return call.bad_handle("modelRI", model, "recorded model", ACL_ERROR_RT_PARAM_INVALID);
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
    return call.unsupported("this version of the library does not record streams yet",
                            "Submit the tasks afresh for each run.");
  });
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status,
                                aclmdlRI* modelRI) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (stream == nullptr) return call.null_pointer("stream");
    if (status == nullptr && modelRI == nullptr) return call.null_pointer("status and modelRI");
    const StreamChoice chosen = choose_stream(call, stream);
    if (!chosen.stream) return chosen.status;
    if (status != nullptr) *status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    if (modelRI != nullptr) *modelRI = nullptr;
    return ACL_SUCCESS;
  });
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (stream == nullptr) return call.null_pointer("stream");
    if (modelRI == nullptr) return call.null_pointer("modelRI", ACL_ERROR_RT_PARAM_INVALID);
    const StreamChoice chosen = choose_stream(call, stream);
    if (!chosen.stream) return chosen.status;
    return call.failed(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the stream is not being captured", "",
                       "aclmdlRICaptureBegin must have succeeded for this stream before.");
  });
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (mode == nullptr) return call.null_pointer("mode");
    if (const aclError status = check_mode(call, *mode)) return status;
    std::swap(t_capture_mode, *mode);
    return ACL_SUCCESS;
  });
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream /*stream*/) {
  return entry(__func__, [&](const Call& call) { return refuse_model(call, modelRI); });
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t /*timeout*/) {
  return entry(__func__, [&](const Call& call) { return refuse_model(call, modelRI); });
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
  return entry(__func__, [&](const Call& call) { return refuse_model(call, modelRI); });
}
