// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/stream/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "ops/runtime/base/float_environment.h"
#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/call/errors.h"
#include "ops/runtime/call/hooks.h"
#include "ops/runtime/stream/callback.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::runtime {
namespace {

using std::chrono::steady_clock;

// So many tasks are worth waking a spinning worker at once.
constexpr size_t kWakeAtDepth = 4;

// How long a waiting thread watches a running task before it goes to sleep.
constexpr std::chrono::microseconds kSpin{10};

constexpr uint32_t kFlagsWithoutTasks =
    ACL_STREAM_PERSISTENT | ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_CPU_SCHEDULE;

int32_t next_stream_id() {
  static std::atomic<int32_t> next{0};
  return next.fetch_add(1);
}

// The handle of the stream that this thread has used last. Not a pointer that keeps it alive: that
// would have to be destroyed with the thread, while other destructors still run tasks.
thread_local void* t_last_used = nullptr;

// This thread has queued something there that the worker has not been woken for.
thread_local bool t_has_left_work = false;

// A thread that turns to another stream leaves what it has queued to the worker.
void turn_to(const Stream& stream) {
  if (t_last_used == stream.handle()) return;
  const void* const left = std::exchange(t_last_used, stream.handle());
  if (!std::exchange(t_has_left_work, false)) return;
  if (const std::shared_ptr<Stream> other = streams().find(left)) other->wake();
}

// Once, even if it ends the thread; a thread that is cancelled goes on to the end of it.
void release(Task& task) {
  const auto function = std::exchange(task.release, nullptr);
  if (function == nullptr) return;
  const NotCancellable whole;
  function(task.argument);
}

}  // namespace

HandleTable<Stream>& streams() { return never_destroyed<HandleTable<Stream>>(); }

Stream::Stream(const Settings& settings) : settings_(settings), id_(next_stream_id()) {}

Stream::~Stream() {
  // close() has ended the worker, unless the stream never was in use.
  if (worker_.joinable()) worker_.detach();
}

bool Stream::takes_tasks() const { return (settings_.flags & kFlagsWithoutTasks) == 0; }

aclError Stream::submit(Task&& task, uint64_t* ticket) {
  turn_to(*this);
  aclError status = ACL_SUCCESS;
  try {
    if (task.latch) task.latch->expect_stream();
    const std::lock_guard lock(mutex_);
    if (closed_) {
      status = ACL_ERROR_RT_INVALID_HANDLE;
    } else {
      if (kHasThreads && worker_state_ == WorkerState::kNotStarted) start_worker();
      const auto me = std::this_thread::get_id();
      is_shared_ = !is_done(submitted_) && (is_shared_ || submitter_ != me);
      submitter_ = me;
      const bool urgent = task.only_on_worker;
      queue_.push_back(std::move(task));
      const uint64_t latest = submitted_.load(std::memory_order_relaxed) + 1;
      submitted_.store(latest, std::memory_order_release);
      if (ticket != nullptr) *ticket = latest;
      if (urgent || worker_state_ == WorkerState::kAsleep || queue_.size() >= kWakeAtDepth) {
        wake_worker();
      }
      t_has_left_work = worker_state_ == WorkerState::kIdleSpin;
      return ACL_SUCCESS;
    }
  } catch (const std::system_error&) {
    status = ACL_ERROR_RT_RESOURCE_ALLOC_FAIL;
  } catch (const std::bad_alloc&) {
    status = ACL_ERROR_BAD_ALLOC;
  }
  release(task);
  return status;
}

Stream::WaitResult Stream::wait(uint64_t ticket, Deadline deadline) {
  const WaitResult result = wait_until_done(ticket, deadline);
  if (RuntimeHooks* const active = hooks(); active != nullptr && result == WaitResult::kDone) {
    active->waited(id_, ticket);
  }
  return result;
}

Stream::WaitResult Stream::wait_until_done(uint64_t ticket, Deadline deadline) {
  if (is_done(ticket)) return WaitResult::kDone;
  turn_to(*this);
  t_has_left_work =
      false;  // a thread that stops running tasks wakes the worker for those that are left
  Lock lock(mutex_);
  bool has_spun = false;
  while (!is_done(ticket)) {
    if (running_ && runner_ == std::this_thread::get_id()) return WaitResult::kInsideOwnTask;
    // With a deadline the tasks are left to the worker: this thread could not leave them in time.
    if (!deadline && can_run(Runner::kWaiter)) {
      run_tasks(lock, ticket, Runner::kWaiter);
      continue;
    }
    if (running_ && !has_spun) {
      has_spun = true;
      lock.unlock();
      spin_until_done(ticket);
      lock.lock();
      continue;
    }
    if (frozen_ &&
        (frozen_->by == std::this_thread::get_id() || steady_clock::now() >= frozen_->until)) {
      return WaitResult::kFrozen;
    }
    if (!running_) wake_worker();
    notify_at_ = std::min(notify_at_, ticket);
    if (!await_progress(lock, deadline) && !is_done(ticket) && deadline &&
        steady_clock::now() >= *deadline) {
      return WaitResult::kTimeout;
    }
  }
  return WaitResult::kDone;
}

// False when the deadline, or the time that a frozen stream gives, passes first.
bool Stream::await_progress(Lock& lock, Deadline deadline) {
  if (frozen_) deadline = std::min(deadline.value_or(frozen_->until), frozen_->until);
  if (deadline) return progress_.wait_until(lock, *deadline) == std::cv_status::no_timeout;
  progress_.wait(lock);
  return true;
}

void Stream::spin_until_done(uint64_t ticket) const {
  const auto end = steady_clock::now() + kSpin;
  while (!is_done(ticket) && steady_clock::now() < end) std::this_thread::yield();
}

bool Stream::has_work_of_this_thread() const {
  if (is_done(submitted())) return false;
  const std::lock_guard lock(mutex_);
  return is_shared_ || submitter_ == std::this_thread::get_id();
}

bool Stream::run_ahead(uint64_t ticket) {
  const uint64_t done_before = done_.load(std::memory_order_acquire);
  if (done_before >= ticket) return false;
  Lock lock(mutex_);
  bool has_spun = false;
  while (!is_done(ticket)) {
    if (can_run(Runner::kAhead)) {
      run_tasks(lock, ticket, Runner::kAhead);
      continue;
    }
    if (!running_ || may_block_ || frozen_ || runner_ == std::this_thread::get_id()) break;
    if (!std::exchange(has_spun, true)) {
      lock.unlock();
      spin_until_done(ticket);
      lock.lock();
      continue;
    }
    notify_at_ = 0;  // the next task may be one that blocks
    progress_.wait(lock);
  }
  return done_.load(std::memory_order_acquire) > done_before;
}

TaskFailure Stream::take_failure() {
  if (!has_failed_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  if (stopped_) return failure_;
  has_failed_.store(false, std::memory_order_relaxed);
  return std::exchange(failure_, {});
}

void Stream::set_stop_on_failure(bool stop) {
  const std::lock_guard lock(mutex_);
  stop_on_failure_ = stop;
  stopped_ = false;
}

bool Stream::close(bool drain) {
  const NotCancellable whole;
  Lock lock(mutex_);
  if (running_ && runner_ == std::this_thread::get_id()) return false;
  closed_ = true;
  const uint64_t last = submitted_;
  try {
    if (!drain) drop_queue(lock);
    ensure_worker(lock);
    lock.unlock();
    end_worker(wait(last));
  } catch (const ForcedUnwind&) {
    // A task has ended this thread. The others are left to the worker, which must not outlive the
    // stream.
    if (lock.owns_lock()) lock.unlock();
    end_worker(wait(last, steady_clock::now() + std::chrono::years(1)));
    cancel_reports(*this);
    throw;
  }
  cancel_reports(*this);
  return true;
}

bool Stream::is_running_here() const {
  const std::lock_guard lock(mutex_);
  return running_ && runner_ == std::this_thread::get_id();
}

// Drops what has not started. The dropped tasks count as done once their arguments are released.
void Stream::drop_queue(Lock& lock) {
  held_ = true;
  const struct Afterwards {
    bool& held;
    ~Afterwards() { held = false; }
  } afterwards{held_};
  await_no_runner(lock, {});
  if (parked_) {
    Task task = std::move(*parked_);
    parked_.reset();
    finish(lock, task);
  }
  while (!queue_.empty()) {
    Task task = queue_.pop_front();
    finish(lock, task);
  }
}

void Stream::freeze(steady_clock::time_point deadline) {
  Lock lock(mutex_);
  frozen_ = {std::this_thread::get_id(), deadline};
  progress_.notify_all();
  if (running_ && runner_ == std::this_thread::get_id()) return;
  await_no_runner(lock, deadline);
}

// Only while no task may be started: the thread that runs tasks then stops after the present one.
void Stream::await_no_runner(Lock& lock, Deadline deadline) {
  while (running_) {
    notify_at_ = 0;
    if (!deadline) {
      progress_.wait(lock);
    } else if (progress_.wait_until(lock, *deadline) == std::cv_status::timeout) {
      return;
    }
  }
}

void Stream::latch_opened() {
  const std::lock_guard lock(mutex_);
  wake_worker();
  progress_.notify_all();
}

std::shared_ptr<Capture> Stream::capture() const {
  if (!is_captured_.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard lock(mutex_);
  return capture_;
}

void Stream::set_capture(std::shared_ptr<Capture> capture) {
  const std::lock_guard lock(mutex_);
  capture_ = std::move(capture);
  is_captured_.store(capture_ != nullptr, std::memory_order_release);
}

// ---- Running ------------------------------------------------------------------------------------

bool Stream::park_is_over() const {
  return parked_->latch->is_open() || (parked_until_ && steady_clock::now() >= *parked_until_);
}

bool Stream::can_run(Runner runner) const {
  if (running_ || !may_start()) return false;
  if (parked_) return park_is_over();
  if (queue_.empty()) return false;
  const Task& next = queue_.front();
  return runner == Runner::kWorker ||
         !(next.only_on_worker || (runner == Runner::kAhead && next.may_block));
}

void Stream::run_tasks(Lock& lock, uint64_t until, Runner runner) try {
  const DefaultFloatEnvironment standard;
  while (!is_done(until) && can_run(runner)) {
    running_ = true;
    runner_ = std::this_thread::get_id();
    if (parked_) {
      Task task = std::move(*parked_);
      parked_.reset();
      may_block_ = false;
      if (!task.latch->is_open()) {
        record_failure(task, ACL_ERROR_RT_WAIT_TIMEOUT, "waited too long for an event");
      }
      finish(lock, task);
    } else {
      Task task = queue_.pop_front();
      may_block_ = task.may_block;
      if (perform(lock, task)) finish(lock, task);
    }
    running_ = false;
  }
  stop_running(runner);
} catch (const ForcedUnwind&) {
  stop_running(runner);
  throw;
}

// Others that could go on from here are woken: the worker, or another waiting thread.
void Stream::stop_running(Runner runner) {
  running_ = false;
  if (runner != Runner::kWorker && (parked_ || !queue_.empty())) wake_worker();
  if (notify_at_ != UINT64_MAX) {
    notify_at_ = UINT64_MAX;
    progress_.notify_all();
  }
}

// Runs the task; false when it now waits at its latch.
bool Stream::perform(Lock& lock, Task& task) {
  if (stopped_) return true;
  if (task.run != nullptr) {
    lock.unlock();
    const auto fail = [&](aclError status, const char* reason) {
      lock.lock();
      record_failure(task, status, reason);
    };
    try {
      const aclError status = run_without_trace(task.run, task.argument);
      if (status != ACL_SUCCESS) {
        fail(status, take_explanation().c_str());
      } else {
        // What the task holds goes while the stream is unlocked anyway. A failed task still has a
        // name to tell, and one with a latch is not over.
        if (!task.latch) release(task);
        lock.lock();
      }
    } catch (const ForcedUnwind&) {
      fail(ACL_ERROR_RT_INTERNAL_ERROR,
           "it ended the thread that ran it, or another thread ended it");
      finish(lock, task);
      throw;
    } catch (...) {
      describe_exception(fail);
    }
  }
  if (!task.latch || task.latch->open_or_park(shared_from_this())) return true;
  parked_until_.reset();
  if (task.latch_timeout.count() > 0) parked_until_ = steady_clock::now() + task.latch_timeout;
  parked_ = std::move(task);
  if (parked_until_) wake_worker();  // to watch the time
  return false;
}

void Stream::finish(Lock& lock, Task& task) {
  const struct Afterwards {  // also when the release ends the thread
    Stream& stream;
    Lock& lock;
    ~Afterwards() {
      if (!lock.owns_lock()) lock.lock();
      stream.complete_one();
    }
  } afterwards{*this, lock};
  if (task.release == nullptr) return;
  lock.unlock();
  release(task);
}

void Stream::complete_one() {
  const uint64_t done = done_.load(std::memory_order_relaxed) + 1;
  done_.store(done, std::memory_order_release);
  if (done >= notify_at_) {
    notify_at_ = UINT64_MAX;  // those who wait for more will say so again
    progress_.notify_all();
  }
}

void Stream::record_failure(const Task& task, aclError status, const char* reason) noexcept {
  if (failure_.status == ACL_SUCCESS) {
    has_failed_.store(true, std::memory_order_release);
    failure_.status = status;
    try {
      failure_.message = fmt::format("task {} on stream {} failed with {}{}{}", task.name, id_,
                                     status, *reason == '\0' ? "" : ": ", reason);
    } catch (const std::bad_alloc&) {
      failure_.message.clear();  // the status alone has to do
    }
  }
  if (stop_on_failure_) stopped_ = true;
}

}  // namespace aclgrad::runtime
