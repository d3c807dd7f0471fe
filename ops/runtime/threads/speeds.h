// SPDX-License-Identifier: Apache-2.0
// The relative speeds of threads, measured, and each one's share of the next loop (feedback-guided
// loop scheduling). A core may be slower than its neighbour for good, or while other processes use
// it; with equal shares the fast ones would wait.
#pragma once

#include <array>
#include <cstdint>

namespace aclgrad::runtime {

inline constexpr int32_t kMaxThreads = 256;  // that share the work of an operator

class Speeds {
 public:
  Speeds() { speeds_.fill(1); }

  // Thread i gets units [bounds[i], bounds[i + 1]): at least one, if there are as many as threads.
  void cut(int64_t units, int32_t threads, int64_t* bounds) const;

  // Updates the speeds by the time that each thread took for its units; 0 where it did none.
  void learn(const int64_t* bounds, const double* seconds, int32_t threads);

 private:
  std::array<double, kMaxThreads> speeds_;  // about 1 on average
};

}  // namespace aclgrad::runtime
