// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/cumsum_kernel.h"

#include <algorithm>
#include <array>
#include <complex>

#include "ops/engine/tree_sum.h"
#include "ops/meta/dtypes.h"
#include "ops/reduction/axis_slices.h"

namespace aclgrad::ops {
namespace {

// Slices that are handled together: where their elements lie side by side, what one has brought
// into the caches is there for the others.
constexpr int64_t kTogether = 16;

// Elements that a thread takes at a time, at least.
constexpr int64_t kGrain = 1 << 15;

template <class T>
void sum_slices_of(const Run& run, const AxisSlices& self, const AxisSlices& out, int64_t begin,
                   int64_t end, bool exclusive) {
  std::array<T, kTogether> sums{};
  std::array<int64_t, kTogether> from{}, to{};
  const auto count = static_cast<size_t>(end - begin);
  for (size_t k = 0; k < count; ++k) {
    from[k] = self.starts.offset(begin + static_cast<int64_t>(k));
    to[k] = out.starts.offset(begin + static_cast<int64_t>(k));
  }
  alignas(64) T block[kBlock];
  for (int64_t first = 0; first < self.length; first += static_cast<int64_t>(kBlock)) {
    const auto some =
        static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(kBlock), self.length - first));
    for (size_t k = 0; k < count; ++k) {
      load_through(self.at(run, from[k], first), self.dtype, out.dtype, self.stride, block, some);
      for (size_t i = 0; i < some; ++i) {
        const T before = sums[k];
        sums[k] = wrapping_sum(before, block[i]);
        block[i] = exclusive ? before : sums[k];
      }
      store(block, out.at(run, to[k], first), out.dtype, out.stride, some);
    }
  }
}

template <class T>
Plan plan_for(const AxisSlices& self, const AxisSlices& out, bool exclusive) {
  return {[self, out, exclusive](const Run& run) -> aclError {
    const int64_t groups = (self.count() + kTogether - 1) / kTogether;
    parallel_pieces(groups, std::max<int64_t>(1, kGrain / (self.length * kTogether)),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t group = begin; group < end; ++group) {
                        const int64_t first = group * kTogether;
                        sum_slices_of<T>(run, self, out, first,
                                         std::min(self.count(), first + kTogether), exclusive);
                      }
                    });
    return ACL_SUCCESS;
  }};
}

}  // namespace

Plan plan_cumsum(const Arguments& arguments, size_t self, size_t out, size_t axis,
                 CumsumDirection direction) {
  if (arguments.empty(self)) return {};
  std::array slices{AxisSlices(arguments, self, axis), AxisSlices(arguments, out, axis)};
  if (direction.reverse) {
    for (AxisSlices& each : slices) each.reverse();
  }
  const aclDataType dtype = arguments.dtype(out);
  if (is_complex(dtype)) {
    return plan_for<std::complex<double>>(slices[0], slices[1], direction.exclusive);
  }
  if (is_floating(dtype)) return plan_for<double>(slices[0], slices[1], direction.exclusive);
  return plan_for<int64_t>(slices[0], slices[1], direction.exclusive);
}

}  // namespace aclgrad::ops
