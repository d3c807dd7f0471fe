// SPDX-License-Identifier: Apache-2.0
#include "ops/ordering/count_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// What all elements of out are before they are rounded to its dtype. Counts of one thread: another
// one would need a list of its own, and sums their order.
template <class T>
class Totals {
 public:
  explicit Totals(const Arguments& arguments, size_t out) : out_(arguments, out) {}

  int64_t size() const { return out_.index.count(); }
  uint64_t workspace_size() const {
    return static_cast<uint64_t>(saturating_product({size(), static_cast<int64_t>(sizeof(T))})) +
           alignof(T);
  }
  T* begin(const Run& run) const {
    T* const totals = aligned<T>(run.workspace());
    std::fill_n(totals, size(), T{});
    return totals;
  }
  void finish(const Run& run, const T* totals) const { out_.write(run, totals, 0, size()); }

 private:
  Elements out_;
};

template <class T>
Plan plan_counts(const Arguments& arguments, size_t numbers, const std::optional<size_t>& weights,
                 size_t out) {
  const Totals<T> all(arguments, out);
  std::optional<Elements> factors;
  if (weights) factors.emplace(arguments, *weights);
  return {[all, factors, from = Elements(arguments, numbers),
           name = arguments.name(numbers)](const Run& run) -> aclError {
            T* const totals = all.begin(run);
            alignas(64) int64_t block[kBlock];
            alignas(64) T terms[kBlock];
            std::fill_n(terms, kBlock, T{1});
            for_blocks(0, from.index.count(), [&](int64_t first, int64_t stop) {
              from.read(run, first, stop, block);
              if (factors) factors->read(run, first, stop, terms);
              for (int64_t i = first; i < stop; ++i) {
                const int64_t number = block[i - first];
                if (number < 0) {
                  throw std::runtime_error(fmt::format(
                      "element {} of {} is {}, but must be at least 0", i, name, number));
                }
                if (number < all.size()) totals[number] += terms[i - first];
              }
            });
            all.finish(run, totals);
            return ACL_SUCCESS;
          },
          all.workspace_size()};
}

struct Range {
  double low, high;
};

// That of the elements which are finite, around one number if there is only one.
Range range_of(const Run& run, const Elements& self, double fallback) {
  Range range{fallback, fallback};
  bool is_first = true;
  alignas(64) double block[kBlock];
  for_blocks(0, self.index.count(), [&](int64_t first, int64_t stop) {
    self.read(run, first, stop, block);
    for (int64_t i = 0; i < stop - first; ++i) {
      const double x = block[i];
      if (!std::isfinite(x)) continue;
      if (is_first) range = {x, x};
      is_first = false;
      range = {std::min(range.low, x), std::max(range.high, x)};
    }
  });
  return range.low == range.high ? Range{range.low - 1, range.high + 1} : range;
}

}  // namespace

Plan plan_bincount(const Arguments& arguments, size_t numbers, const std::optional<size_t>& weights,
                   size_t out) {
  if (arguments.empty(out)) return {};
  return weights ? plan_counts<double>(arguments, numbers, weights, out)
                 : plan_counts<int64_t>(arguments, numbers, weights, out);
}

Plan plan_histogram(const Arguments& arguments, size_t self, double low, double high, size_t out) {
  const Totals<int64_t> all(arguments, out);
  return {[all, low, high, from = Elements(arguments, self)](const Run& run) -> aclError {
            const Range range = low == high ? range_of(run, from, low) : Range{low, high};
            const auto bins = static_cast<double>(all.size());
            int64_t* const counts = all.begin(run);
            alignas(64) double block[kBlock];
            for_blocks(0, from.index.count(), [&](int64_t first, int64_t stop) {
              from.read(run, first, stop, block);
              for (int64_t i = 0; i < stop - first; ++i) {
                const double x = block[i];
                if (!(x >= range.low && x <= range.high)) continue;
                const double place = (x - range.low) * bins / (range.high - range.low);
                ++counts[place < bins ? static_cast<int64_t>(place) : all.size() - 1];
              }
            });
            all.finish(run, counts);
            return ACL_SUCCESS;
          },
          all.workspace_size()};
}

}  // namespace aclgrad::ops
