// SPDX-License-Identifier: Apache-2.0
#include "ops/record/helpers.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "ops/threads/thread_guards.h"

namespace aclgrad::record {
namespace {

constexpr unsigned kMost = 3;  // reading memory is not much faster with more

struct Job {
  Job(size_t count, std::function<void(size_t)> its_work)
      : work(std::move(its_work)), left(count), undone(count) {}

  std::function<void(size_t)> work;
  std::atomic<size_t> left;    // not begun
  std::atomic<size_t> undone;  // begun or not

  void do_some() {
    for (size_t i = left.load(); i > 0;) {
      if (!left.compare_exchange_weak(i, i - 1)) continue;
      work(i - 1);
      if (undone.fetch_sub(1) == 1) undone.notify_one();
      i = left.load();
    }
  }
};

struct Helpers {
  std::mutex mutex;
  std::condition_variable changed;
  std::shared_ptr<Job> latest;
  bool are_made = false;
  bool are_any = false;
};

// There as long as the process, as its threads are.
Helpers& helpers() {
  static Helpers* const instance = new Helpers;
  return *instance;
}

[[noreturn]] void help() {
  Helpers& all = helpers();
  std::shared_ptr<Job> job;
  while (true) {
    {
      std::unique_lock lock(all.mutex);
      all.changed.wait(lock, [&] { return all.latest != job; });
      job = all.latest;
    }
    job->do_some();
  }
}

void make(Helpers& all) {
  all.are_made = true;
  const SignalsBlocked signals_are_for_the_program;
  try {
    for (unsigned i = 1; i < std::min(std::thread::hardware_concurrency(), kMost + 1); ++i) {
      std::thread(help).detach();
      all.are_any = true;
    }
  } catch (const std::system_error&) {
    // There are fewer of them, then.
  }
}

}  // namespace

void share_out(size_t count, std::function<void(size_t)> work) {
  const auto job = std::make_shared<Job>(count, std::move(work));
  if (count > 1) {
    Helpers& all = helpers();
    const std::lock_guard lock(all.mutex);
    if (!all.are_made) make(all);
    if (all.are_any) {
      all.latest = job;
      all.changed.notify_all();
    }
  }
  job->do_some();
  for (size_t undone = job->undone; undone > 0; undone = job->undone) job->undone.wait(undone);
}

void forget_helpers() { new (&helpers()) Helpers; }

}  // namespace aclgrad::record
