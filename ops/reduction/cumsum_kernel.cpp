// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/cumsum_kernel.h"

#include <algorithm>
#include <array>
#include <complex>
#include <utility>

#include "ops/engine/iterate.h"
#include "ops/engine/tree_sum.h"
#include "ops/meta/dtypes.h"
#include "ops/reduction/fold_kernel.h"

namespace aclgrad::ops {
namespace {

// Slices that are handled together: where their elements lie side by side, what one has brought
// into the caches is there for the others.
constexpr int64_t kTogether = 16;

// Elements that a thread takes at a time, at least.
constexpr int64_t kGrain = 1 << 15;

struct Sum {
  static constexpr int kStart = 0;
  template <class T>
  static T combine(const T& a, const T& b) {
    return wrapping_sum(a, b);
  }
};

struct Product {
  static constexpr int kStart = 1;
  template <class T>
  static T combine(const T& a, const T& b) {
    return wrapping_product(a, b);
  }
};

// A running sum or product along each line, from the front or from the back.
template <class Operation>
struct Lines {
  Slices self, out;
  CumsumDirection direction;

  int64_t length() const { return out.index.count(); }

  // Where elements from number `first` of a line on lie, in the order in which they are added.
  static std::pair<int64_t, int64_t> place(const Slices& lines, int64_t start, int64_t first,
                                           bool reverse) {
    const int64_t step = lines.index.inner_stride();
    if (!reverse) return {start + first * step, step};
    return {start + (lines.index.count() - 1 - first) * step, -step};
  }

  template <class T>
  void run_along(const Run& run, int64_t begin, int64_t end) const {
    std::array<T, kTogether> sums;
    sums.fill(static_cast<T>(Operation::kStart));
    alignas(64) T block[kBlock];
    for_blocks(0, length(), [&](int64_t first, int64_t stop) {
      const auto some = static_cast<size_t>(stop - first);
      for (int64_t line = begin; line < end; ++line) {
        T& sum = sums[static_cast<size_t>(line - begin)];
        const auto [from, step] = place(self, self.starts.offset(line), first, direction.reverse);
        load_through(self.at(run, from), self.dtype, out.dtype, step, block, some);
        for (size_t i = 0; i < some; ++i) {
          const T before = sum;
          sum = Operation::combine(before, block[i]);
          block[i] = direction.exclusive ? before : sum;
        }
        const auto [to, out_step] = place(out, out.starts.offset(line), first, direction.reverse);
        store(block, out.at(run, to), out.dtype, out_step, some);
      }
    });
  }

  template <class T>
  Plan plan() const {
    return {[lines = *this, count = out.starts.count()](const Run& run) -> aclError {
      const int64_t groups = (count + kTogether - 1) / kTogether;
      parallel_pieces(groups, std::max<int64_t>(1, kGrain / (lines.length() * kTogether)),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t group = begin; group < end; ++group) {
                          const int64_t first = group * kTogether;
                          lines.template run_along<T>(run, first,
                                                      std::min(count, first + kTogether));
                        }
                      });
      return ACL_SUCCESS;
    }};
  }
};

template <class Operation>
Plan plan_lines(const Arguments& arguments, size_t self, size_t out, size_t axis,
                CumsumDirection direction) {
  if (arguments.empty(self)) return {};
  // A 0-d tensor is one line of one element.
  const DimSet along = dimensions(axis, 1);
  const Lines<Operation> lines{Slices(arguments, self, along), Slices(arguments, out, along),
                               direction};
  const aclDataType dtype = arguments.dtype(out);
  if (is_complex(dtype)) return lines.template plan<std::complex<double>>();
  return is_floating(dtype) ? lines.template plan<double>() : lines.template plan<int64_t>();
}

}  // namespace

Plan plan_cumsum(const Arguments& arguments, size_t self, size_t out, size_t axis,
                 CumsumDirection direction) {
  return plan_lines<Sum>(arguments, self, out, axis, direction);
}

Plan plan_cumprod(const Arguments& arguments, size_t self, size_t out, size_t axis) {
  return plan_lines<Product>(arguments, self, out, axis, {});
}

}  // namespace aclgrad::ops
