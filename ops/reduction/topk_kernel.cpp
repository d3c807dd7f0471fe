// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/topk_kernel.h"

#include <algorithm>
#include <vector>

#include "ops/engine/iterate.h"
#include "ops/engine/thread_scratch.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time, at least.
constexpr int64_t kGrain = 1 << 14;

template <class T>
struct Item {
  T value;
  int64_t index;
};

template <class T>
bool is_less(T a, T b) {
  return a < b || (b != b && a == a);
}

// The order of the results, which is total.
template <class T>
bool comes_before(const Item<T>& a, const Item<T>& b, bool largest) {
  if (largest ? is_less(b.value, a.value) : is_less(a.value, b.value)) return true;
  if (largest ? is_less(a.value, b.value) : is_less(b.value, a.value)) return false;
  return a.index < b.index;
}

template <class T>
struct LineScratch {
  std::vector<T> values;
  std::vector<int64_t> indices;
  std::vector<Item<T>> items;
};

template <class T>
void take_slice(const Run& run, const Slices& self, const Slices& values, const Slices& indices,
                int64_t slice, bool largest) {
  const ThreadScratch<LineScratch<T>> scratch;
  const auto length = static_cast<size_t>(self.index.count());
  const auto k = static_cast<size_t>(values.index.count());
  scratch->values.resize(length);
  scratch->items.resize(length);
  scratch->indices.resize(k);
  // A slice is a line.
  load(self.at(run, self.starts.offset(slice)), self.dtype, self.index.inner_stride(),
       scratch->values.data(), length);
  std::vector<Item<T>>& items = scratch->items;
  for (size_t i = 0; i < length; ++i) items[i] = {scratch->values[i], static_cast<int64_t>(i)};
  std::partial_sort(
      items.begin(), items.begin() + static_cast<ptrdiff_t>(k), items.end(),
      [largest](const Item<T>& a, const Item<T>& b) { return comes_before(a, b, largest); });
  for (size_t i = 0; i < k; ++i) {
    scratch->values[i] = items[i].value;
    scratch->indices[i] = items[i].index;
  }
  store(scratch->values.data(), values.at(run, values.starts.offset(slice)), values.dtype,
        values.index.inner_stride(), k);
  store(scratch->indices.data(), indices.at(run, indices.starts.offset(slice)), indices.dtype,
        indices.index.inner_stride(), k);
}

template <class T>
Plan plan_for(const Slices& self, const Slices& values, const Slices& indices, bool largest) {
  return {[=](const Run& run) -> aclError {
    parallel_pieces(self.starts.count(), std::max<int64_t>(1, kGrain / self.index.count()),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t slice = begin; slice < end; ++slice) {
                        take_slice<T>(run, self, values, indices, slice, largest);
                      }
                    });
    return ACL_SUCCESS;
  }};
}

}  // namespace

Plan plan_topk(const Arguments& arguments, size_t self, size_t axis, bool largest, size_t values,
               size_t indices) {
  if (arguments.empty(self) || arguments.empty(values)) return {};
  const DimSet along = dimensions(axis, 1);
  const Slices from(arguments, self, along);
  const Slices best(arguments, values, along);
  const Slices places(arguments, indices, along);
  return is_floating(arguments.dtype(self)) ? plan_for<double>(from, best, places, largest)
                                            : plan_for<int64_t>(from, best, places, largest);
}

}  // namespace aclgrad::ops
