// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_BENCH_MEDIAN_H_
#define ACLGRAD_BENCH_MEDIAN_H_

#include <algorithm>
#include <vector>

namespace aclgrad::bench {

// Of an even number of values the upper one of the two in the middle.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_MEDIAN_H_
