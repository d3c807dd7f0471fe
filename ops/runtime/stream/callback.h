// SPDX-License-Identifier: Apache-2.0
// Callbacks that a thread of the program processes (aclrtSubscribeReport and its relatives).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "acl/acl_rt.h"
#include "ops/runtime/stream/latch.h"
#include "ops/runtime/stream/timeout.h"

namespace aclgrad::runtime {

// A callback on its way to the thread that runs it. The latch opens when it ran or was cancelled.
struct PostedCallback {
  aclrtCallback function = nullptr;
  void* user_data = nullptr;
  std::shared_ptr<Latch> processed;
  const ReportSubscription* from = nullptr;
  std::shared_ptr<void> from_task = nullptr;  // the task that posted it, as hooks know it

  void run() const;
};

// What waits for one thread of the program. Streams post, the thread takes.
class ReportQueue {
 public:
  void add_subscription();
  void cancel_subscription(const ReportSubscription& subscription);

  // Opens the latch at once when the subscription was cancelled.
  void post(const PostedCallback& report);

  enum class TakeResult { kTaken, kTimeout, kNotSubscribed };
  TakeResult take(PostedCallback& report, Deadline deadline);

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<PostedCallback> reports_;
  int subscriptions_ = 0;
};

// The queue of a thread, by its pthread_self(): made when it is missing, or null then.
std::shared_ptr<ReportQueue> queue_of(uint64_t thread);
std::shared_ptr<ReportQueue> find_queue_of(uint64_t thread);

// A stream's bond to the thread that processes its callbacks.
class ReportSubscription {
 public:
  ReportSubscription(uint64_t thread, std::shared_ptr<ReportQueue> queue)
      : thread_(thread), queue_(std::move(queue)) {}

  uint64_t thread() const { return thread_; }
  const std::shared_ptr<ReportQueue>& queue() const { return queue_; }

 private:
  friend class ReportQueue;
  const uint64_t thread_;
  const std::shared_ptr<ReportQueue> queue_;
  bool cancelled_ = false;  // guarded by the queue
};

// Ends the stream's subscription, if it has one: its waiting callbacks will not run.
void cancel_reports(Stream& stream);

}  // namespace aclgrad::runtime
