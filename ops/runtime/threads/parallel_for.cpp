// SPDX-License-Identifier: Apache-2.0
// The threads that share the work of an operator, whichever stream it runs on: one set of them for
// the process, so that they never compete with each other for the cores.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "aclgrad_ext.h"
#include "ops/runtime/base/float_environment.h"
#include "ops/runtime/base/library_thread.h"
#include "ops/runtime/threads/parallel_for.h"
#include "ops/runtime/threads/speeds.h"
#include "ops/runtime/threads/stalls.h"
#include "ops/threads/thread_guards.h"

namespace aclgrad::runtime {
namespace {

using std::chrono::steady_clock;

// How long a worker looks for more work before it sleeps. Operators that follow each other find it
// awake; waking it takes longer than many of them.
constexpr std::chrono::microseconds kIdleSpin{100};
// How long the caller watches workers finish before it lets others have the core.
constexpr std::chrono::microseconds kWatch{50};

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Looks until `done` says so or the time is over.
template <class Done>
bool spin(std::chrono::microseconds time, const Done& done) {
  constexpr int kLooks = 32;
  const auto end = steady_clock::now() + time;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (done()) return true;
      relax();
    }
  } while (steady_clock::now() < end);
  return false;
}

thread_local bool t_in_parallel_for = false;

class WorkerPool {
 public:
  // Never destroyed: workers outlive the end of main. Null where there is no memory for them; the
  // next call tries again.
  static WorkerPool* instance() {
    try {
      static WorkerPool& workers = []() -> WorkerPool& {
        made_ = new WorkerPool;
        pthread_atfork(nullptr, nullptr, begin_anew);
        return *made_;
      }();
      return &workers;
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  // False when they are at work for another caller, or rest.
  bool run(int64_t chunks, int32_t threads, IndexBody body, void* context,
           const CoScheduled& co_scheduled) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || !prepare(threads)) return false;
    for (int32_t i = 0; i < threads_; ++i) {
      share(i).next.store(chunks * i / threads_, std::memory_order_relaxed);
      share(i).end = chunks * (i + 1) / threads_;
    }
    measures_ = false;
    run_prepared(body, context, co_scheduled);
    return true;
  }

  // A body that takes a range of units, one range for each thread.
  bool parallel_for_ranges(int64_t units, int32_t threads, RangeBody body, void* context,
                           const CoScheduled& co_scheduled) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || !prepare(threads)) return false;
    speeds_.cut(units, threads_, bounds_.data());
    for (int32_t i = 0; i < threads_; ++i) {
      share(i).next.store(i, std::memory_order_relaxed);
      share(i).end = i + 1;
      share(i).seconds = 0;
    }
    measures_ = true;
    struct Ranges {
      const int64_t* bounds;
      RangeBody body;
      void* context;
    } ranges{bounds_.data(), body, context};
    run_prepared(
        [](void* pointer, int64_t chunk) {
          const auto& [bounds, range_body, range_context] = *static_cast<const Ranges*>(pointer);
          if (bounds[chunk] == bounds[chunk + 1]) return;
          range_body(range_context, bounds[chunk], bounds[chunk + 1]);
        },
        &ranges, co_scheduled);
    std::array<double, kMaxThreads> seconds;
    for (int32_t i = 0; i < threads_; ++i) seconds[static_cast<size_t>(i)] = share(i).seconds;
    speeds_.learn(bounds_.data(), seconds.data(), threads_);
    return true;
  }

 private:
  // A thread that finds this much in inside_ is too late.
  static constexpr int64_t kClosed = -(int64_t{1} << 32);

  // A thread's part of the chunks. It takes them one by one, then what is co-scheduled, then those
  // that others have left.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
    double seconds = 0;                   // that the thread took for the last one of its own
    std::atomic<bool> is_at_work{false};  // if the thread is a worker
  };

  Share& share(int32_t i) { return shares_[static_cast<size_t>(i)]; }

  // False while they rest.
  bool prepare(int32_t threads) {
    start_ = steady_clock::now();
    if (stalls_.workers_rest(start_)) return false;
    grow(threads - 1);
    threads_ = std::min(threads, static_cast<int32_t>(workers_.size()) + 1);
    keep_off_this_core();
    return true;
  }

  void run_prepared(IndexBody body, void* context, const CoScheduled& co_scheduled) {
    body_ = body;
    context_ = context;
    co_scheduled_ = co_scheduled;
    next_co_scheduled_.store(0, std::memory_order_relaxed);
    inside_.fetch_sub(kClosed);  // opens
    call_.fetch_add(1);
    if (asleep_.load() > 0) call_.notify_all();
    // Also when a body ends this thread: the workers work with what is on its stack.
    const struct Afterwards {
      WorkerPool& workers;
      ~Afterwards() { workers.close(); }
    } afterwards{*this};
    work(0);
  }

  void close() {
    inside_.fetch_add(kClosed);
    const auto all_left = [this] { return inside_.load() == kClosed; };
    if (spin(kWatch, all_left)) return;
    await_late([&] {
      while (!all_left()) std::this_thread::yield();
    });
  }

  // Of the time that this takes, the longest in which a late worker has no core is lost.
  template <class Await>
  void await_late(const Await& await) {
    std::array<std::chrono::nanoseconds, kMaxThreads> cpu_begin;
    int32_t late[kMaxThreads];
    int32_t count = 0;
    const auto cpu_time_of = [this](int32_t i) {
      return cpu_time(workers_[static_cast<size_t>(i - 1)]);
    };
    const auto begin = steady_clock::now();
    for (int32_t i = 1; i < threads_; ++i) {
      if (!share(i).is_at_work) continue;
      cpu_begin[static_cast<size_t>(count)] = cpu_time_of(i);
      late[count++] = i;
    }
    if (count == 0) return await();
    await();
    const auto end = steady_clock::now();
    std::chrono::nanoseconds lost{0};
    for (int32_t k = 0; k < count; ++k) {
      const auto had = cpu_time_of(late[k]) - cpu_begin[static_cast<size_t>(k)];
      lost = std::max<std::chrono::nanoseconds>(lost, end - begin - had);
    }
    stalls_.learn(end, threads_, begin - start_, lost);
  }

  static std::chrono::nanoseconds cpu_time(pthread_t thread) {
    clockid_t clock;
    timespec time{};
    if (pthread_getcpuclockid(thread, &clock) == 0) clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  // The threads stayed behind in the parent of a forked process, and whatever they were doing.
  static void begin_anew() {
    if (!t_in_parallel_for) new (made_) WorkerPool;
  }

  void grow(int32_t wanted) {
    if (!kHasThreads) return;
    try {
      workers_.reserve(kMaxThreads);  // a running worker must find its place
      while (static_cast<int32_t>(workers_.size()) < std::min(wanted, kMaxThreads - 1)) {
        const auto number = static_cast<int32_t>(workers_.size()) + 1;
        const uint32_t seen = call_.load();
        std::thread worker = make_library_thread([this, number, seen] { help(number, seen); });
        workers_.push_back(worker.native_handle());
        worker.detach();
        avoided_ = -1;
        confined_ = true;  // where the caller was when it made them
      }
    } catch (const std::exception&) {
      // No thread, or no memory for one: there are fewer of them, then.
    }
  }

  // A worker that the system puts on the caller's core is worse than none, and it may leave it
  // there for long where other programs keep the cores busy.
  void keep_off_this_core() {
    if (!kHasThreads) return;
    const int core = sched_getcpu();
    if (core < 0 || core == avoided_) return;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return;
    cpu_set_t others = cores;
    CPU_CLR(static_cast<size_t>(core), &others);
    const int count = CPU_COUNT(&others);
    if (count == 0) return;  // for now; the caller may have more the next time
    avoided_ = core;
    // With more cores than workers, the system's scheduler places them better.
    const bool roomy = count > static_cast<int>(workers_.size());
    if (roomy && !confined_) return;
    confined_ = !roomy;
    const cpu_set_t& allowed = roomy ? cores : others;
    for (const pthread_t worker : workers_) {
      pthread_setaffinity_np(worker, sizeof(allowed), &allowed);
    }
  }

  // A body that ended this thread would leave the caller waiting for ever: the process ends.
  [[noreturn]] void help(int32_t number, uint32_t seen) noexcept {
    t_in_parallel_for = true;
    while (true) {
      if (!spin(kIdleSpin, [&] { return call_.load() != seen; })) {
        asleep_.fetch_add(1);
        call_.wait(seen);
        asleep_.fetch_sub(1);
      }
      seen = call_.load();
      if (inside_.fetch_add(1) >= 0 && number < threads_) {
        const DefaultFloatEnvironment standard;
        share(number).is_at_work = true;
        work(number);
        share(number).is_at_work = false;
      }
      inside_.fetch_sub(1);
    }
  }

  // Calls what is given for numbers below `end` that no other thread has taken.
  template <class Run>
  static void take(std::atomic<int64_t>& next, int64_t end, const Run& run_one) {
    while (true) {
      const int64_t number = next.fetch_add(1);
      if (number >= end) return;
      run_one(number);
    }
  }

  void work(int32_t number) {
    Share& own = share(number);
    take(own.next, own.end,
         [&](int64_t chunk) { measures_ ? run_measured(own, chunk) : body_(context_, chunk); });
    if (co_scheduled_.count > 0) {
      take(next_co_scheduled_, co_scheduled_.count,
           [&](int64_t i) { co_scheduled_.body(co_scheduled_.context, i); });
    }
    for (int32_t i = 1; i < threads_; ++i) {
      Share& from = share((number + i) % threads_);
      take(from.next, from.end, [&](int64_t chunk) { body_(context_, chunk); });
    }
  }

  void run_measured(Share& own, int64_t chunk) {
    const auto start = steady_clock::now();
    body_(context_, chunk);
    own.seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
  }

  static inline WorkerPool* made_ = nullptr;  // the instance

  std::mutex mutex_;
  std::vector<pthread_t> workers_;
  int avoided_ = -1;       // the core that workers were last kept off
  bool confined_ = false;  // they may not run wherever the caller may
  Speeds speeds_;
  Stalls stalls_;
  std::array<int64_t, kMaxThreads + 1> bounds_;

  // The present call. These members do not change while a worker reads them.
  steady_clock::time_point start_{};
  int32_t threads_ = 0;
  bool measures_ = false;
  IndexBody body_ = nullptr;
  void* context_ = nullptr;
  CoScheduled co_scheduled_;
  std::array<Share, kMaxThreads> shares_;

  alignas(64) std::atomic<int64_t> next_co_scheduled_{0};
  // WorkerPool at work; less than 0 while no thread may come in.
  alignas(64) std::atomic<int64_t> inside_{kClosed};
  std::atomic<uint32_t> call_{0};  // counts calls
  std::atomic<int32_t> asleep_{0};
};

// Whether workers did it, as run(workers, threads) says.
template <class RunOn>
bool run_shared(int64_t most, const RunOn& run_on) {
  const auto threads =
      static_cast<int32_t>(std::min<int64_t>({most, aclgradGetNumThreads(), kMaxThreads}));
  if (threads <= 1 || t_in_parallel_for) return false;
  const struct Inside {
    Inside() { t_in_parallel_for = true; }
    ~Inside() { t_in_parallel_for = false; }
  } inside;
  WorkerPool* const workers = WorkerPool::instance();
  return workers != nullptr && run_on(*workers, threads);
}

void run_alone(const CoScheduled& co_scheduled) {
  for (int64_t i = 0; i < co_scheduled.count; ++i) co_scheduled.body(co_scheduled.context, i);
}

}  // namespace

// Neither is left halfway by a thread that is cancelled: bodies may catch everything, and others
// work on its behalf.
void parallel_for(int64_t chunks, IndexBody body, void* context, const CoScheduled& co_scheduled) {
  const NotCancellable whole;
  const auto run = [&](WorkerPool& workers, int32_t threads) {
    return workers.run(chunks, threads, body, context, co_scheduled);
  };
  if (run_shared(chunks, run)) return;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) body(context, chunk);
  run_alone(co_scheduled);
}

void parallel_for_ranges(int64_t units, RangeBody body, void* context,
                         const CoScheduled& co_scheduled) {
  const NotCancellable whole;
  const auto run = [&](WorkerPool& workers, int32_t threads) {
    return workers.parallel_for_ranges(units, threads, body, context, co_scheduled);
  };
  if (run_shared(units, run)) return;
  if (units > 0) body(context, 0, units);
  run_alone(co_scheduled);
}

}  // namespace aclgrad::runtime

void aclgradParallelFor(int64_t chunks, void (*body)(void* context, int64_t chunk), void* context) {
  const aclgrad::runtime::DefaultFloatEnvironment standard;
  aclgrad::runtime::parallel_for(chunks, body, context, {});
}

void aclgradParallelForRanges(int64_t units,
                              void (*body)(void* context, int64_t begin, int64_t end),
                              void* context) {
  const aclgrad::runtime::DefaultFloatEnvironment standard;
  aclgrad::runtime::parallel_for_ranges(units, body, context, {});
}
