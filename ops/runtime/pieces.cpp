// SPDX-License-Identifier: Apache-2.0
// The threads that share the work of an operator, whichever stream it runs on: one set of them for
// the process, so that they never compete with each other for the cores.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "aclgrad_ext.h"

namespace aclgrad::runtime {
namespace {

using std::chrono::steady_clock;

// How long a helper looks for more work before it sleeps. Operators that follow each other find it
// awake; waking it takes longer than many of them.
constexpr std::chrono::microseconds kSpin{100};
// How long the caller watches helpers finish before it lets others have the core.
constexpr std::chrono::microseconds kWatch{50};

constexpr int32_t kMostThreads = 256;

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

thread_local bool t_runs_pieces = false;

class Helpers {
 public:
  // Never destroyed: helpers outlive the end of main.
  static Helpers& instance() {
    static Helpers& helpers = []() -> Helpers& {
      made_ = new Helpers;
      pthread_atfork(nullptr, nullptr, begin_anew);
      return *made_;
    }();
    return helpers;
  }

  // False when they are at work for somebody else.
  bool run(int64_t pieces, int32_t threads, void (*body)(void*, int64_t), void* context) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    grow(threads - 1);
    threads_ = std::min(threads, static_cast<int32_t>(helpers_.size()) + 1);
    keep_off_this_core();
    body_ = body;
    context_ = context;
    for (int32_t i = 0; i < threads_; ++i) {
      shares_[static_cast<size_t>(i)].next.store(pieces * i / threads_, std::memory_order_relaxed);
      shares_[static_cast<size_t>(i)].end = pieces * (i + 1) / threads_;
    }
    inside_.fetch_sub(kClosed);  // opens
    call_.fetch_add(1);
    if (asleep_.load() > 0) call_.notify_all();
    work(0);
    inside_.fetch_add(kClosed);
    const auto all_left = [this] { return inside_.load() == kClosed; };
    if (!spin(kWatch, all_left)) {
      while (!all_left()) std::this_thread::yield();
    }
    return true;
  }

 private:
  // Whoever finds this much in inside_ is too late.
  static constexpr int64_t kClosed = -(int64_t{1} << 32);

  // A thread's part of the pieces. It takes them one by one, then those that others have left.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  // The threads stayed behind in the parent of a forked process, and whatever they were doing.
  static void begin_anew() {
    if (!t_runs_pieces) new (made_) Helpers;
  }

  void grow(int32_t wanted) {
    try {
      helpers_.reserve(kMostThreads);  // a running helper must find its place
      while (static_cast<int32_t>(helpers_.size()) < std::min(wanted, kMostThreads - 1)) {
        const auto number = static_cast<int32_t>(helpers_.size()) + 1;
        const uint32_t seen = call_.load();
        std::thread helper([this, number, seen] { help(number, seen); });
        helpers_.push_back(helper.native_handle());
        helper.detach();
        avoided_ = -1;
        confined_ = true;  // where the caller was when it made them
      }
    } catch (const std::exception&) {
      // No thread, or no memory for one: there are fewer of them, then.
    }
  }

  // A helper that the system puts on the caller's core is worse than none, and it may leave it
  // there for long where other programs keep the cores busy.
  void keep_off_this_core() {
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
    // With cores to spare the system does better by itself.
    const bool roomy = count > static_cast<int>(helpers_.size());
    if (roomy && !confined_) return;
    confined_ = !roomy;
    const cpu_set_t& allowed = roomy ? cores : others;
    for (const pthread_t helper : helpers_) {
      pthread_setaffinity_np(helper, sizeof(allowed), &allowed);
    }
  }

  [[noreturn]] void help(int32_t number, uint32_t seen) {
    t_runs_pieces = true;
    while (true) {
      if (!spin(kSpin, [&] { return call_.load() != seen; })) {
        asleep_.fetch_add(1);
        call_.wait(seen);
        asleep_.fetch_sub(1);
      }
      seen = call_.load();
      if (inside_.fetch_add(1) >= 0 && number < threads_) work(number);
      inside_.fetch_sub(1);
    }
  }

  void work(int32_t number) {
    for (int32_t i = 0; i < threads_; ++i) {
      Share& share = shares_[static_cast<size_t>((number + i) % threads_)];
      while (true) {
        const int64_t piece = share.next.fetch_add(1);
        if (piece >= share.end) break;
        body_(context_, piece);
      }
    }
  }

  static inline Helpers* made_ = nullptr;  // the instance

  std::mutex mutex_;
  std::vector<pthread_t> helpers_;
  int avoided_ = -1;       // the core that helpers were last kept off
  bool confined_ = false;  // they may not run wherever the caller may

  // Of the present call; they do not change while a helper is inside.
  int32_t threads_ = 0;
  void (*body_)(void*, int64_t) = nullptr;
  void* context_ = nullptr;
  std::array<Share, kMostThreads> shares_;

  std::atomic<int64_t> inside_{kClosed};  // helpers at work; less than 0 while nobody may come in
  std::atomic<uint32_t> call_{0};         // counts calls
  std::atomic<int32_t> asleep_{0};
};

}  // namespace
}  // namespace aclgrad::runtime

void aclgradRunPieces(int64_t pieces, void (*body)(void* context, int64_t piece), void* context) {
  using namespace aclgrad::runtime;
  const auto threads =
      static_cast<int32_t>(std::min<int64_t>({pieces, aclgradGetNumThreads(), kMostThreads}));
  if (threads > 1 && !t_runs_pieces) {
    t_runs_pieces = true;
    const bool done = Helpers::instance().run(pieces, threads, body, context);
    t_runs_pieces = false;
    if (done) return;
  }
  for (int64_t piece = 0; piece < pieces; ++piece) body(context, piece);
}
