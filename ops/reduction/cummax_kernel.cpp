// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/cummax_kernel.h"

#include <algorithm>
#include <array>

#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// Lines that are handled together: where their elements lie side by side, what one has brought into
// the caches is there for the others.
constexpr int64_t kTogether = 16;

// Elements that a thread takes at a time, at least.
constexpr int64_t kGrain = 1 << 15;

template <class T>
struct Lines {
  Slices self, values, indices;

  int64_t count() const { return self.starts.count(); }
  int64_t length() const { return self.index.count(); }

  template <bool kLargest>
  void run_along(const Run& run, int64_t begin, int64_t end) const {
    std::array<T, kTogether> best{};
    std::array<int64_t, kTogether> best_place{};
    alignas(64) T block[kBlock];
    alignas(64) int64_t places[kBlock];
    for_blocks(0, length(), [&](int64_t first, int64_t stop) {
      for (int64_t line = begin; line < end; ++line) {
        T& most = best[static_cast<size_t>(line - begin)];
        int64_t& place = best_place[static_cast<size_t>(line - begin)];
        self.read(run, first, stop, block, self.starts.offset(line));
        for (int64_t i = first; i < stop; ++i) {
          const T x = block[i - first];
          const bool reaches = kLargest ? x >= most : x <= most;
          if (i == 0 || reaches || x != x) {
            most = x;
            place = i;
          }
          block[i - first] = most;
          places[i - first] = place;
        }
        values.write(run, block, first, stop, values.starts.offset(line));
        indices.write(run, places, first, stop, indices.starts.offset(line));
      }
    });
  }
};

template <class T, bool kLargest>
Plan plan_for(const Lines<T>& lines) {
  return {[lines](const Run& run) -> aclError {
    const int64_t groups = (lines.count() + kTogether - 1) / kTogether;
    parallel_pieces(groups, std::max<int64_t>(1, kGrain / (lines.length() * kTogether)),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t group = begin; group < end; ++group) {
                        const int64_t first = group * kTogether;
                        lines.template run_along<kLargest>(
                            run, first, std::min(lines.count(), first + kTogether));
                      }
                    });
    return ACL_SUCCESS;
  }};
}

template <class T>
Plan plan_in(const Arguments& arguments, const RunningExtremum& problem) {
  const DimSet along = dimensions(problem.axis, 1);
  const Lines<T> lines{Slices(arguments, problem.self, along),
                       Slices(arguments, problem.values, along),
                       Slices(arguments, problem.indices, along)};
  return problem.largest ? plan_for<T, true>(lines) : plan_for<T, false>(lines);
}

}  // namespace

Plan plan_running_extremum(const Arguments& arguments, const RunningExtremum& problem) {
  if (arguments.empty(problem.self)) return {};
  return is_floating(arguments.dtype(problem.self)) ? plan_in<double>(arguments, problem)
                                                    : plan_in<int64_t>(arguments, problem);
}

}  // namespace aclgrad::ops
