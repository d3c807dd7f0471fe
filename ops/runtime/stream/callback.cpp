// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/stream/callback.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ops/runtime/base/never_destroyed.h"

namespace aclgrad::runtime {
namespace {

struct ReportQueues {
  std::mutex mutex;
  std::unordered_map<uint64_t, std::shared_ptr<ReportQueue>> by_thread;
};

ReportQueues& queues() { return never_destroyed<ReportQueues>(); }

}  // namespace

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

void PostedCallback::run() const {
  if (RuntimeHooks* const active = hooks()) {
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
