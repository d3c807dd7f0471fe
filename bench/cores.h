// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_BENCH_CORES_H_
#define ACLGRAD_BENCH_CORES_H_

#include <sched.h>

namespace aclgrad::bench {

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
