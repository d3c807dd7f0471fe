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

// While it lives, this thread and the processes that it starts have only so many cores: always the
// same ones, the last of those that it may use. Contenders on different cores would not be
// comparable where other programs use some of them, too.
class FewCores {
 public:
  explicit FewCores(int count) {
    CPU_ZERO(&all_);
    if (sched_getaffinity(0, sizeof(all_), &all_) != 0) return;
    cpu_set_t few;
    CPU_ZERO(&few);
    for (int core = CPU_SETSIZE; core-- > 0 && CPU_COUNT(&few) < count;) {
      const auto number = static_cast<size_t>(core);
      if (CPU_ISSET(number, &all_)) CPU_SET(number, &few);
    }
    sched_setaffinity(0, sizeof(few), &few);
  }
  ~FewCores() {
    if (CPU_COUNT(&all_) > 0) sched_setaffinity(0, sizeof(all_), &all_);
  }
  FewCores(const FewCores&) = delete;
  FewCores& operator=(const FewCores&) = delete;

 private:
  cpu_set_t all_;
};

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_CORES_H_
