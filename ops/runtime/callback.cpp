// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/callback.h"

#include <pthread.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ops/runtime/context.h"
#include "ops/runtime/permanent.h"

namespace aclgrad::runtime {
namespace {

struct ReportQueues {
  std::mutex mutex;
  std::unordered_map<uint64_t, std::shared_ptr<ReportQueue>> by_thread;
};

ReportQueues& queues() { return permanent<ReportQueues>(); }

uint64_t this_thread() { return static_cast<uint64_t>(pthread_self()); }

std::shared_ptr<ReportQueue> queue_of(uint64_t thread) {
  const std::lock_guard lock(queues().mutex);
  std::shared_ptr<ReportQueue>& queue = queues().by_thread[thread];
  if (!queue) queue = std::make_shared<ReportQueue>();
  return queue;
}

std::shared_ptr<ReportQueue> find_queue_of(uint64_t thread) {
  const std::lock_guard lock(queues().mutex);
  const auto found = queues().by_thread.find(thread);
  return found == queues().by_thread.end() ? nullptr : found->second;
}

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
    if (Hooks* const active = hooks()) task.posted.from_task = active->current_task();
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

void PostedCallback::run() const {
  if (Hooks* const active = hooks()) {
    active->run_inside(from_task, function, user_data);
  } else {
    function(user_data);
  }
}

bool Stream::subscribe(std::shared_ptr<ReportSubscription> subscription) {
  const std::lock_guard lock(mutex_);
  if (subscription_ || has_host_functions_ || closed_) return false;
  subscription_ = std::move(subscription);
  return true;
}

bool Stream::use_host_functions() {
  const std::lock_guard lock(mutex_);
  if (subscription_) return false;
  has_host_functions_ = true;
  return true;
}

std::shared_ptr<ReportSubscription> Stream::subscription() const {
  const std::lock_guard lock(mutex_);
  return subscription_;
}

std::shared_ptr<ReportSubscription> Stream::unsubscribe() {
  const std::lock_guard lock(mutex_);
  return std::exchange(subscription_, nullptr);
}

void ReportQueue::add_subscription() {
  const std::lock_guard lock(mutex_);
  ++subscriptions_;
}

void ReportQueue::cancel_subscription(const ReportSubscription& subscription) {
  std::unique_lock lock(mutex_);
  const_cast<ReportSubscription&>(subscription).cancelled_ = true;
  --subscriptions_;
  arrived_.notify_all();
  // Nothing is posted for it any more. One by one, since a list might find no memory.
  const auto is_cancelled = [&](const PostedCallback& report) {
    return report.from == &subscription;
  };
  for (auto found = std::find_if(reports_.begin(), reports_.end(), is_cancelled);
       found != reports_.end();
       found = std::find_if(reports_.begin(), reports_.end(), is_cancelled)) {
    const std::shared_ptr<Latch> processed = std::move(found->processed);
    reports_.erase(found);
    lock.unlock();
    processed->open();
    lock.lock();
  }
}

void ReportQueue::post(const PostedCallback& report) {
  {
    const std::lock_guard lock(mutex_);
    if (!report.from->cancelled_) {
      reports_.push_back(report);
      arrived_.notify_one();
      return;
    }
  }
  report.processed->open();
}

ReportQueue::TakeResult ReportQueue::take(PostedCallback& report, Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (reports_.empty()) {
    if (subscriptions_ == 0) return TakeResult::kNotSubscribed;
    if (!deadline) {
      arrived_.wait(lock);
    } else if (arrived_.wait_until(lock, *deadline) == std::cv_status::timeout &&
               reports_.empty()) {
      return TakeResult::kTimeout;
    }
  }
  report = reports_.front();
  reports_.pop_front();
  return TakeResult::kTaken;
}

void cancel_reports(Stream& stream) {
  if (const std::shared_ptr<ReportSubscription> subscription = stream.unsubscribe()) {
    subscription->queue()->cancel_subscription(*subscription);
  }
}

}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return entry(__func__, [&](const Call& call) {
    call.require(fn, "fn", ACL_ERROR_RT_PARAM_INVALID);
    const BorrowedStream chosen = choose_stream(call, stream);
    if (!chosen->use_host_functions()) stream_is_taken(call);
    Task task = make_task("host function", run_host_function, HostFunctionTask{fn, args});
    task.only_on_worker = true;
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
