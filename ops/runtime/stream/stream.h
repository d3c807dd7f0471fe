// SPDX-License-Identifier: Apache-2.0
// A stream: an in-order queue of tasks.
//
// Tasks are run by the stream's worker thread, which starts with the first task, or by a thread
// that synchronises the stream while no other thread is running it: a short task then costs no
// hand-over between threads. At most one thread runs tasks of a stream at any time, always in
// order.
//
// No task blocks a thread to wait for something: a task that has to wait carries a latch, and the
// stream is parked at it until the latch opens. So waiting streams cannot deadlock the threads that
// run them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "acl/acl_rt.h"
#include "aclgrad_ext.h"
#include "ops/runtime/call/handles.h"
#include "ops/runtime/stream/latch.h"
#include "ops/runtime/stream/ring_queue.h"

namespace aclgrad::runtime {

class Capture;             // capture.h
class ReportSubscription;  // callback.h

// Of streams; the numbers are accepted, and change nothing.
constexpr uint32_t kGreatestPriority = 0;
constexpr uint32_t kLeastPriority = 7;

// Nothing: wait for ever.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

struct Task {
  const char* name = "";
  aclgradTaskFunction run = nullptr;  // may be null for a task that only waits
  void* argument = nullptr;
  void (*release)(void*) = nullptr;            // exactly once, whether the task ran or was dropped
  std::shared_ptr<Latch> latch = nullptr;      // after run, the stream waits here
  std::chrono::milliseconds latch_timeout{0};  // 0: for ever, else the task fails with 107019
  const aclgradTiling* tiling = nullptr;       // how a recorded model may cut the task
  bool only_on_worker = false;  // code of the program that must not run inside a synchronisation
  bool may_block = false;       // until the program, or another rank, does something

  // The end of a task that does not run.
  void drop() const {
    if (release != nullptr) release(argument);
  }
};

// A task that owns its argument.
template <class Argument>
Task make_task(const char* name, aclgradTaskFunction run, Argument argument) {
  Task task{.name = name, .run = run};
  task.argument = new Argument(std::move(argument));
  task.release = [](void* owned) { delete static_cast<Argument*>(owned); };
  return task;
}

// Thrown by a task that has more to say than its status.
struct TaskError : std::exception {
  TaskError(aclError failed_with, std::string why) : status(failed_with), reason(std::move(why)) {}
  const char* what() const noexcept override { return reason.c_str(); }

  aclError status;
  std::string reason;
};

// Calls tell(status, reason) for the exception that a task left with; to be called by its handler.
template <class Tell>
auto describe_exception(const Tell& tell) {
  try {
    throw;
  } catch (const TaskError& error) {
    return tell(error.status, error.what());
  } catch (const std::bad_alloc&) {
    return tell(ACL_ERROR_RT_MEMORY_ALLOCATION, "out of memory");
  } catch (const std::exception& error) {
    return tell(ACL_ERROR_RT_INTERNAL_ERROR, error.what());
  } catch (...) {
    return tell(ACL_ERROR_RT_INTERNAL_ERROR, "an exception of unknown type");
  }
}

// The first task that failed since it was last asked for.
struct TaskFailure {
  aclError status = ACL_SUCCESS;
  std::string message;
};

class Stream : public Handled, public std::enable_shared_from_this<Stream> {
 public:
  struct Settings {
    uint64_t context = 0;  // Context::id
    int32_t device = 0;
    uint32_t priority = 0;
    uint32_t flags = 0;
    bool is_default = false;
  };

  enum class WaitResult { kDone, kTimeout, kInsideOwnTask, kFrozen };

  static constexpr char kKind[] = "stream";

  explicit Stream(const Settings& settings);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const Settings& settings() const { return settings_; }
  bool is_made_by_program() const { return !settings_.is_default; }
  int32_t id() const { return id_; }

  // False for streams that exist for the device's own use and take no tasks.
  bool takes_tasks() const;

  // Queues the task and tells its ticket: the number of tasks up to and including it. On failure
  // the task is released. Returns 107017 once the stream is closed, 207005 without a thread.
  aclError submit(Task&& task, uint64_t* ticket = nullptr);

  // The ticket of the latest task.
  uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }

  bool is_done(uint64_t ticket) const { return done_.load(std::memory_order_acquire) >= ticket; }

  // Whether there is work that is not over, and the calling thread has queued some of it.
  bool has_work_of_this_thread() const;

  // Waits until the task with this ticket is over. Without a deadline the calling thread may run
  // the tasks itself. kFrozen: it will not be over, for the process ends.
  WaitResult wait(uint64_t ticket, Deadline deadline = {});

  // Runs tasks up to the ticket, or waits while another thread does, until there is one that may
  // block, or a closed latch. Returns whether any task is over that was not before. The program may
  // not rely on it, so no hook is told.
  bool run_ahead(uint64_t ticket);

  // Tasks are needed that may not even have begun: the worker begins now.
  void wake();

  // Hands out the failure, so that it is reported once; a stopped stream keeps reporting it.
  TaskFailure take_failure();

  void set_stop_on_failure(bool stop);

  // Refuses further tasks, lets the queued ones end (drain) or drops those that have not started,
  // as a frozen stream always does, ends the worker and the subscription of reports. False when
  // called from inside a task of this stream, which cannot wait for itself; nothing has changed
  // then.
  bool close(bool drain);

  // Whether the calling thread is inside a task of this stream.
  bool is_running_here() const;

  // At the end of the process, on the thread that ends it: starts no further task and waits for the
  // running one until the deadline. That thread never waits for the stream's tasks again; others,
  // which may not know yet that the process ends, stop at the deadline.
  void freeze(std::chrono::steady_clock::time_point deadline);

  // A latch that the stream was parked at has opened.
  void latch_opened();

  // The capture that records this stream's tasks, null when they are run.
  std::shared_ptr<Capture> capture() const;
  void set_capture(std::shared_ptr<Capture> capture);

  // Callbacks of the program: which thread processes them. The two kinds exclude each other; both
  // functions return false when the other kind (or another thread) has the stream already.
  bool subscribe(std::shared_ptr<ReportSubscription> subscription);
  bool use_host_functions();
  std::shared_ptr<ReportSubscription> subscription() const;
  std::shared_ptr<ReportSubscription> unsubscribe();

 private:
  enum class Runner { kWorker, kWaiter, kAhead };  // the last two: a thread that waits
  enum class WorkerState { kNotStarted, kBusy, kIdleSpin, kAsleep };
  using Lock = std::unique_lock<std::mutex>;

  // Of the worker: how many looks in a row have found nothing new, and the time between them.
  struct Idleness {
    int looks = 0;
    std::chrono::microseconds look_every;
  };

  WaitResult wait_until_done(uint64_t ticket, Deadline deadline);
  bool await_progress(Lock& lock, Deadline deadline);
  void start_worker();
  void work();
  void replace_worker(Lock& lock);
  void ensure_worker(Lock& lock);
  void end_worker(WaitResult waited);
  void idle(Lock& lock, Idleness& idleness);
  bool may_start() const { return !held_ && !frozen_; }
  bool can_run(Runner runner) const;
  bool park_is_over() const;
  void run_tasks(Lock& lock, uint64_t until, Runner runner);
  bool perform(Lock& lock, Task& task);
  void stop_running(Runner runner);
  void finish(Lock& lock, Task& task);
  void complete_one();
  void record_failure(const Task& task, aclError status, const char* reason) noexcept;
  void wake_worker();
  void drop_queue(Lock& lock);
  void await_no_runner(Lock& lock, Deadline deadline);
  void spin_until_done(uint64_t ticket) const;

  const Settings settings_;
  const int32_t id_;

  mutable std::mutex mutex_;
  std::condition_variable worker_wakes_;
  std::condition_variable progress_;  // for waiting threads

  RingQueue<Task> queue_;
  std::optional<Task> parked_;  // ran, and waits at its latch
  Deadline parked_until_;
  std::atomic<uint64_t> submitted_{0};  // changes under the lock
  std::atomic<uint64_t> done_{0};
  uint64_t notify_at_ = UINT64_MAX;  // the earliest ticket that is waited for

  std::thread::id submitter_;  // of the latest task
  bool is_shared_ = false;     // by threads: others have queued tasks too, since it was idle

  bool running_ = false;
  std::thread::id runner_;  // while running_
  bool may_block_ = false;  // while running_: the task may
  bool closed_ = false;
  bool held_ = false;  // no task may be started
  struct Freeze {
    std::thread::id by;
    std::chrono::steady_clock::time_point until;  // others than `by` wait
  };
  std::optional<Freeze> frozen_;  // for good: no task may ever be started again
  bool stop_on_failure_ = false;
  bool stopped_ = false;
  TaskFailure failure_;
  std::atomic<bool> has_failed_{false};  // failure_ is one; spares most callers the lock

  std::thread worker_;
  WorkerState worker_state_ = WorkerState::kNotStarted;

  std::atomic<bool> is_captured_{false};  // spares most callers the lock
  std::shared_ptr<Capture> capture_;

  std::shared_ptr<ReportSubscription> subscription_;
  bool has_host_functions_ = false;
};

// All live streams, default streams too.
HandleTable<Stream>& streams();

}  // namespace aclgrad::runtime
