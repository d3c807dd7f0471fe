// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/context/context.h"

#include <algorithm>

#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/base/thread_owned.h"
#include "ops/runtime/capture/capture.h"
#include "ops/runtime/stream/callback.h"

namespace aclgrad::runtime {
namespace {

uint64_t next_context_id() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1);
}

// Null when the thread is over but for its last destructors: it has no context, then.
std::shared_ptr<Context>* thread_context() { return ThreadOwned<std::shared_ptr<Context>>::get(); }

// A thread works with the same stream most of the time.
BorrowedStream borrow_stream(aclrtStream handle) {
  auto* const last = ThreadOwned<HandleTable<Stream>::Found>::get();
  if (last == nullptr) return BorrowedStream(streams().find(handle));
  return streams().borrow(handle, *last);
}

}  // namespace

Context::Context(int32_t device, bool is_primary)
    : id_(next_context_id()),
      device_(device),
      is_primary_(is_primary),
      default_stream_(std::make_shared<Stream>(
          Stream::Settings{.context = id_, .device = device, .is_default = true})) {}

HandleTable<Context>& contexts() { return never_destroyed<HandleTable<Context>>(); }

std::shared_ptr<Context> make_context(int32_t device, bool is_primary) {
  recorded_models();  // there from now on, for ending a context must not need memory
  auto context = std::make_shared<Context>(device, is_primary);
  streams().add(context->default_stream());
  try {
    contexts().add(context);
  } catch (...) {
    streams().remove(context->default_stream()->handle());
    throw;
  }
  return context;
}

bool end_context(Context& context, bool drain) {
  const auto is_owned = [&](const Stream& stream) {
    return stream.settings().context == context.id();
  };
  while (const std::shared_ptr<Stream> stream = streams().find_any(is_owned)) {
    // Blocking callbacks of a forgotten subscription would hold the queue up for ever otherwise.
    if (!drain) cancel_reports(*stream);
    abandon_capture(*stream);
    if (!stream->close(drain)) return false;
    streams().remove(stream->handle());
  }
  // Nothing can run them any more.
  const auto is_recorded_here = [&](const RecordedModel& model) {
    return model.context() == context.id();
  };
  while (const auto model = recorded_models().find_any(is_recorded_here)) {
    recorded_models().remove(model->handle());
  }
  context.end_life();
  contexts().remove(context.handle());
  return true;
}

Context* current_context() {
  const std::shared_ptr<Context>* const mine = thread_context();
  return mine != nullptr && *mine && (*mine)->is_alive() ? mine->get() : nullptr;
}

void set_current_context(std::shared_ptr<Context> context) {
  if (std::shared_ptr<Context>* const mine = thread_context()) *mine = std::move(context);
}

Context& require_context(const Call& call) {
  Context* const context = current_context();
  if (context == nullptr) call.no_context();
  return *context;
}

BorrowedStream choose_stream(const Call& call, aclrtStream handle) {
  const Context& context = require_context(call);
  if (handle == nullptr) return BorrowedStream(context.default_stream());
  BorrowedStream stream = borrow_stream(handle);
  if (!stream) call.bad_handle("stream", handle, "stream");
  if (stream->settings().context != context.id()) {
    call.failed(ACL_ERROR_RT_STREAM_CONTEXT,
                "argument stream belongs to another context than the calling thread's",
                "The stream was created under another context or device.",
                "Make that context current with aclrtSetCurrentContext first.");
  }
  return stream;
}

BorrowedStream choose_named_stream(const Call& call, aclrtStream handle) {
  call.require(handle, "stream");
  return choose_stream(call, handle);
}

void submit(const Call& call, Stream& stream, Task&& task, uint64_t* ticket,
            const Effects& effects) {
  if (!stream.takes_tasks()) {
    task.drop();
    call.unsupported("the stream's flags keep it from taking tasks",
                     "Use a stream without PERSISTENT, DEVICE_USE_ONLY and CPU_SCHEDULE.");
  }
  RuntimeHooks* const active = hooks();
  if (active != nullptr && effects.are_known()) {
    task = active->watch(std::move(task), stream, effects);
  }
  if (const auto capture = stream.capture()) return capture->add(call, stream, std::move(task));
  const aclError status = active == nullptr
                              ? stream.submit(std::move(task), ticket)
                              : active->submit(stream, std::move(task), ticket, effects.awaits);
  if (status == ACL_ERROR_RT_INVALID_HANDLE) {
    call.bad_handle("stream", stream.handle(), "stream");
  }
  if (status != ACL_SUCCESS) call.failed(status, "the stream could not queue the task");
}

}  // namespace aclgrad::runtime
