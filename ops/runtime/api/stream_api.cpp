// SPDX-License-Identifier: Apache-2.0
// Stream functions of acl/acl_rt.h.
#include "ops/runtime/capture/capture.h"
#include "ops/runtime/context/context.h"
#include "ops/runtime/context/synchronize.h"
#include "ops/runtime/device/soc.h"
#include "ops/runtime/stream/callback.h"
#include "ops/runtime/stream/timeout.h"

namespace aclgrad::runtime {
namespace {

constexpr uint32_t kKnownStreamFlags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC |
                                       ACL_STREAM_PERSISTENT | ACL_STREAM_HUGE |
                                       ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;

// Streams that programs made; default streams do not count against the limit.
uint32_t streams_on(int32_t device) {
  return static_cast<uint32_t>(streams().count([&](const Stream& stream) {
    return stream.settings().device == device && !stream.settings().is_default;
  }));
}

void make_stream(const Call& call, aclrtStream* stream, uint32_t priority, uint32_t flags) {
  const Context& context = require_context(call);
  const uint32_t most = current_soc().family->most_streams;
  if (streams_on(context.device()) >= most) {
    call.failed(
        ACL_ERROR_RT_NO_STREAM_RESOURCE,
        fmt::format("device {} has {} streams already, which is its limit", context.device(), most),
        "", "Destroy streams that are no longer needed.");
  }
  *stream = streams().add(std::make_shared<Stream>(Stream::Settings{
      .context = context.id(), .device = context.device(), .priority = priority, .flags = flags}));
}

void destroy_stream(const Call& call, aclrtStream handle, bool drain) {
  const BorrowedStream chosen = choose_named_stream(call, handle);
  Stream& stream = *chosen;
  if (stream.settings().is_default) {
    call.failed(ACL_ERROR_RT_PARAM_INVALID, "argument stream is the default stream of its context",
                "Default streams go away with their context.");
  }
  if (stream.is_running_here()) inside_own_task(call);
  if (stream.capture()) {
    call.failed(ACL_ERROR_RT_STREAM_CAPTURED, "the stream is being captured", "",
                "End the capture first.");
  }
  // Several threads may call this: one removes the handle, the others find none.
  if (!streams().remove(handle)) call.bad_handle("stream", handle, "stream");
  if (!drain) cancel_reports(stream);
  stream.close(drain);
}

void synchronize_stream(const Call& call, aclrtStream handle, Deadline deadline) {
  const BorrowedStream chosen = choose_stream(call, handle);
  Stream& stream = *chosen;
  refuse_captured(call, stream);
  check_waited(call, stream.wait(stream.submitted(), deadline), [&] {
    call.failed(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the stream's work took longer than the timeout",
                "", "The work goes on; synchronise again to wait for it.");
  });
  report_task_failure(call, stream);
}

}  // namespace
}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclrtCreateStream(aclrtStream* stream) {
  return entry(__func__, [&](const Call& call) {
    call.require(stream, "stream");
    make_stream(call, stream, kGreatestPriority, /*flags=*/0);
  });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return entry(__func__, [&](const Call& call) {
    call.require(stream, "stream");
    if (priority > kLeastPriority) {
      call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "priority", priority,
                     fmt::format("{}..{}", kGreatestPriority, kLeastPriority).c_str());
    }
    if ((flag & ~kKnownStreamFlags) != 0) {
      call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "flag", flag, "ACL_STREAM_* flags or-ed");
    }
    make_stream(call, stream, priority, flag);
  });
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return entry(__func__,
               [&](const Call& call) { return destroy_stream(call, stream, /*drain=*/true); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return entry(__func__,
               [&](const Call& call) { return destroy_stream(call, stream, /*drain=*/false); });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return entry(__func__, [&](const Call& call) { return synchronize_stream(call, stream, {}); });
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return entry(__func__, [&](const Call& call) {
    check_timeout(call, timeout);
    synchronize_stream(call, stream, deadline_after(timeout));
  });
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  return entry(__func__, [&](const Call& call) {
    call.require(status, "status");
    const BorrowedStream chosen = choose_named_stream(call, stream);
    refuse_captured(call, *chosen);
    Stream& asked = *chosen;
    const uint64_t latest = asked.submitted();
    const bool done = asked.is_done(latest) && asked.wait(latest) == Stream::WaitResult::kDone;
    if (!done) asked.wake();
    *status = done ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  });
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  return entry(__func__, [&](const Call& call) {
    call.require(streamId, "streamId");
    *streamId = choose_named_stream(call, stream)->id();
  });
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  return entry(__func__, [&](const Call& call) {
    call.require(priority, "priority");
    *priority = choose_named_stream(call, stream)->settings().priority;
  });
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  return entry(__func__, [&](const Call& call) {
    call.require(flags, "flags");
    *flags = choose_named_stream(call, stream)->settings().flags;
  });
}

aclError aclrtGetStreamAvailableNum(uint32_t* streamCount) {
  return entry(__func__, [&](const Call& call) {
    call.require(streamCount, "streamCount");
    const Context& context = require_context(call);
    const uint32_t most = current_soc().family->most_streams;
    const uint32_t used = streams_on(context.device());
    *streamCount = used >= most ? 0 : most - used;
  });
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  return entry(__func__, [&](const Call& call) {
    const BorrowedStream chosen = choose_named_stream(call, stream);
    if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE) {
      call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "mode", mode,
                     "ACL_CONTINUE_ON_FAILURE (0) or ACL_STOP_ON_FAILURE (1)");
    }
    chosen->set_stop_on_failure(mode == ACL_STOP_ON_FAILURE);
  });
}
