// SPDX-License-Identifier: Apache-2.0
// Who has the cores while contenders take turns.
#ifndef ACLGRAD_BENCH_CORES_H_
#define ACLGRAD_BENCH_CORES_H_

#include <sched.h>

#include <chrono>
#include <cstddef>
#include <thread>

namespace aclgrad::bench {

// OpenMP's threads spin for a while after their work, 4 to 5 ms here: the next contender, or
// another process, would have a core less.
inline void let_threads_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(8)); }

// The last ones of those that this thread may use: always the same, as contenders on different
// cores would not be comparable where other programs use some of them, too.
inline cpu_set_t last_cores(int count) {
  cpu_set_t all;
  cpu_set_t few;
  CPU_ZERO(&few);
  if (sched_getaffinity(0, sizeof(all), &all) != 0) return few;
  for (int core = CPU_SETSIZE; core-- > 0 && CPU_COUNT(&few) < count;) {
    const auto number = static_cast<size_t>(core);
    if (CPU_ISSET(number, &all)) CPU_SET(number, &few);
  }
  return few;
}

// While it lives, this thread and the processes that it starts have these cores only.
class OnlyCores {
 public:
  explicit OnlyCores(const cpu_set_t& cores) {
    CPU_ZERO(&all_);
    if (sched_getaffinity(0, sizeof(all_), &all_) != 0) return;
    sched_setaffinity(0, sizeof(cores), &cores);
  }
  ~OnlyCores() {
    if (CPU_COUNT(&all_) > 0) sched_setaffinity(0, sizeof(all_), &all_);
  }
  OnlyCores(const OnlyCores&) = delete;
  OnlyCores& operator=(const OnlyCores&) = delete;

 private:
  cpu_set_t all_;
};

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_CORES_H_
