// SPDX-License-Identifier: Apache-2.0
// A stream's worker thread: when it starts, looks for work, sleeps, is replaced and ends.
#include <algorithm>
#include <exception>
#include <utility>

#include "ops/runtime/base/library_thread.h"
#include "ops/runtime/call/hooks.h"
#include "ops/runtime/stream/at_exit.h"
#include "ops/runtime/stream/stream.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::runtime {
namespace {

// An idle worker looks for work by itself for a while before it sleeps for good. While it does,
// submitting need not wake it, which would cost more than a short task; the price is that a task
// may start this much later: one that no thread waits for or asks after and no other stream or rank
// needs, on the stream that its thread has used last. Where threads that synchronise do all the
// work, each look only takes a core, and its caches, from the operators' threads: at one look in
// 1.6 ms training steps of 1.4 ms took a hundredth longer. So looks become rarer.
constexpr std::chrono::microseconds kLookEvery{100};
constexpr std::chrono::microseconds kLookAtLeastEvery{12800};
constexpr int kLooksBeforeSleep = 20;

}  // namespace

void Stream::wake_worker() {
  if (worker_state_ == WorkerState::kIdleSpin || worker_state_ == WorkerState::kAsleep) {
    worker_state_ = WorkerState::kBusy;
    worker_wakes_.notify_one();
  }
}

// Throws std::system_error and std::bad_alloc.
void Stream::start_worker() {
  freeze_streams_at_exit();
  worker_ = make_library_thread([this] { work(); });
  worker_state_ = WorkerState::kBusy;
}

void Stream::work() {
  Lock lock(mutex_);
  Idleness idleness{.look_every = kLookEvery};
  try {
    while (!(closed_ && queue_.empty() && !parked_ && !running_)) {
      if (can_run(Runner::kWorker)) {
        run_tasks(lock, UINT64_MAX, Runner::kWorker);
        idleness = {.look_every = kLookEvery};
      } else {
        idle(lock, idleness);
      }
    }
  } catch (const ForcedUnwind&) {
    replace_worker(lock);
    throw;
  }
}

// A task has ended the worker's thread.
void Stream::replace_worker(Lock& lock) {
  if (!worker_.joinable()) return;  // the stream is closed, and the thread was to end anyway
  worker_.detach();
  worker_state_ = WorkerState::kNotStarted;
  ensure_worker(lock);
}

// If there is anything to do, and none any more.
void Stream::ensure_worker(Lock& lock) {
  if (worker_state_ != WorkerState::kNotStarted || queue_.empty()) return;
  try {
    start_worker();
  } catch (const std::exception&) {
    // The next task starts one; meanwhile those that synchronise do the work. On a closed stream
    // what is for the worker only would never run.
    if (closed_) drop_queue(lock);
  }
}

void Stream::idle(Lock& lock, Idleness& idleness) {
  const uint64_t submitted_before = submitted_;
  if (parked_ && parked_until_ && may_start()) {
    worker_state_ = WorkerState::kIdleSpin;
    worker_wakes_.wait_until(lock, *parked_until_);
  } else if (idleness.looks < kLooksBeforeSleep && !closed_ && may_start()) {
    worker_state_ = WorkerState::kIdleSpin;
    worker_wakes_.wait_for(lock, idleness.look_every);
    if (submitted_ == submitted_before) {
      ++idleness.looks;
    } else {
      idleness = {.look_every = std::min(2 * idleness.look_every, kLookAtLeastEvery)};
    }
  } else {
    worker_state_ = WorkerState::kAsleep;
    worker_wakes_.wait(lock);
    idleness = {.look_every = kLookEvery};
  }
  worker_state_ = WorkerState::kBusy;
}

void Stream::wake() {
  const std::lock_guard lock(mutex_);
  if (can_run(Runner::kWorker)) wake_worker();
}

void Stream::end_worker(WaitResult waited) {
  if (RuntimeHooks* const active = hooks()) active->closed(id_);
  Lock lock(mutex_);
  if (waited == WaitResult::kFrozen) drop_queue(lock);
  if (worker_state_ == WorkerState::kNotStarted) return;
  wake_worker();
  std::thread worker = std::move(worker_);
  lock.unlock();
  if (worker.joinable()) worker.join();
}

}  // namespace aclgrad::runtime
