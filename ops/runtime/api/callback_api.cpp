// SPDX-License-Identifier: Apache-2.0
// Callbacks of the program: host functions, and reports that a subscribed thread processes.
#include <pthread.h>

#include "ops/runtime/context/context.h"
#include "ops/runtime/stream/callback.h"

namespace aclgrad::runtime {
namespace {

uint64_t this_thread() { return static_cast<uint64_t>(pthread_self()); }

[[noreturn]] void stream_is_taken(const Call& call) {
  call.failed(ACL_ERROR_RT_STREAM_SUBSCRIBE, "the stream's callbacks are taken already",
              "The stream has a subscribed thread, or runs host functions; one stream does "
              "not mix the two.");
}

// ---- aclrtLaunchCallback: the task posts, the stream waits at the latch if it has to
// -------------

struct CallbackTask {
  std::shared_ptr<ReportSubscription> subscription;
  PostedCallback posted;
};

aclError post_callback(void* argument) {
  auto& task = *static_cast<CallbackTask*>(argument);
  try {
    if (RuntimeHooks* const active = hooks()) task.posted.from_task = active->current_task();
    task.subscription->queue()->post(task.posted);
  } catch (...) {
    task.posted.processed->open();  // it never will be, and the stream must not wait for it
    throw;
  }
  return ACL_SUCCESS;
}

// ---- aclrtLaunchHostFunc ------------------------------------------------------------------------

struct HostFunctionTask {
  aclrtHostFunc function;
  void* arguments;
};

aclError run_host_function(void* argument) {
  const auto& task = *static_cast<HostFunctionTask*>(argument);
  task.function(task.arguments);
  return ACL_SUCCESS;
}

constexpr Effects kHostCode{.is_host_code = true};

}  // namespace
}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return entry(__func__, [&](const Call& call) {
    call.require(fn, "fn", ACL_ERROR_RT_PARAM_INVALID);
    const BorrowedStream chosen = choose_stream(call, stream);
    if (!chosen->use_host_functions()) stream_is_taken(call);
    Task task = make_task("host function", run_host_function, HostFunctionTask{fn, args});
    task.only_on_worker = true;
    task.may_block = true;
    submit(call, *chosen, std::move(task), /*ticket=*/nullptr, kHostCode);
  });
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    const BorrowedStream chosen = choose_stream(call, stream);
    const std::shared_ptr<ReportQueue> queue = queue_of(threadId);
    if (!chosen->subscribe(std::make_shared<ReportSubscription>(threadId, queue))) {
      stream_is_taken(call);
    }
    queue->add_subscription();
  });
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    const BorrowedStream chosen = choose_stream(call, stream);
    const std::shared_ptr<ReportSubscription> subscription = chosen->subscription();
    if (!subscription) {
      call.failed(ACL_ERROR_RT_STREAM_NO_CB_REG, "no thread is subscribed to the stream", "",
                  "Only what aclrtSubscribeReport bound can be taken back.");
    }
    if (subscription->thread() != threadId) {
      call.bad_value(ACL_ERROR_RT_THREAD_SUBSCRIBE, "threadId", threadId,
                     "the thread that is subscribed to the stream");
    }
    cancel_reports(*chosen);
  });
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream) {
  return entry(__func__, [&](const Call& call) {
    if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK) {
      call.bad_value(ACL_ERROR_INVALID_PARAM, "blockType", static_cast<int>(blockType),
                     "ACL_CALLBACK_NO_BLOCK (0) or ACL_CALLBACK_BLOCK (1)");
    }
    call.require(fn, "fn", ACL_ERROR_RT_PARAM_INVALID);
    const BorrowedStream chosen = choose_stream(call, stream);
    if (chosen->capture()) {
      call.unsupported("a callback for another thread cannot be recorded",
                       "Use aclrtLaunchHostFunc, which can.");
    }
    const std::shared_ptr<ReportSubscription> subscription = chosen->subscription();
    if (!subscription) {
      call.failed(ACL_ERROR_RT_STREAM_NO_CB_REG, "no thread is subscribed to the stream", "",
                  "Call aclrtSubscribeReport for the stream first.");
    }
    const auto processed = std::make_shared<Latch>();
    Task task = make_task(
        "callback", post_callback,
        CallbackTask{subscription, {fn, userData, processed, subscription.get(), nullptr}});
    if (blockType == ACL_CALLBACK_BLOCK) task.latch = processed;
    submit(call, *chosen, std::move(task), /*ticket=*/nullptr, kHostCode);
    chosen->wake();  // there is a thread that waits for the callback
  });
}

aclError aclrtProcessReport(int32_t timeout) {
  return entry(__func__, [&](const Call& call) {
    check_timeout(call, timeout, ACL_ERROR_INVALID_PARAM);
    PostedCallback report;
    auto result = ReportQueue::TakeResult::kNotSubscribed;
    if (const auto queue = find_queue_of(this_thread())) {
      result = queue->take(report, deadline_after(timeout));
    }
    switch (result) {
      case ReportQueue::TakeResult::kTaken:
        break;
      case ReportQueue::TakeResult::kTimeout:
        call.failed(ACL_ERROR_RT_REPORT_TIMEOUT,
                    fmt::format("no callback arrived within {} ms", timeout),
                    "Nothing was launched on the thread's streams, or it takes longer.");
      case ReportQueue::TakeResult::kNotSubscribed:
        call.failed(ACL_ERROR_RT_THREAD_SUBSCRIBE,
                    "the calling thread is not subscribed to any stream", "",
                    "Call aclrtSubscribeReport with this thread's id first.");
    }
    // Also when the function throws: the stream must not wait for ever.
    const struct Opener {
      Latch& processed;
      ~Opener() { processed.open(); }
    } afterwards{*report.processed};
    report.run();
  });
}
