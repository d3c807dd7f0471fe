// SPDX-License-Identifier: Apache-2.0
#include "ops/resampling/axis_map_kernel.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "ops/engine/thread_scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/resampling/axis_map_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A row of `count` elements as the weighted sum of rows, which lie `count` apart.
void CombineRows(const double* from, const int64_t* places, const double* weights, int64_t taps,
                 int64_t count, double* HWY_RESTRICT to) {
  const auto sum_at = [&](auto d, int64_t x) HWY_ATTR {
    auto sum = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, from + places[0] * count + x));
    for (int64_t t = 1; t < taps; ++t) {
      const auto row = hn::LoadU(d, from + places[t] * count + x);
      sum = hn::Add(sum, hn::Mul(hn::Set(d, weights[t]), row));
    }
    hn::StoreU(sum, d, to + x);
  };
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t x = 0;
  for (; x + lanes <= count; x += lanes) sum_at(d, x);
  for (; x < count; ++x) sum_at(hn::CappedTag<double, 1>(), x);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(CombineRows);

// Elements that are worth a thread.
constexpr int64_t kMinMappedPerThread = 1 << 13;

struct MapScratch {
  GrowingMemory in, out;
};

// Elements of a line, one after the other.
void combine_line(const AxisMap& map, const double* from, double* to) {
  for (int64_t i = 0; i < map.out(); ++i) {
    const int64_t begin = map.begins[static_cast<size_t>(i)];
    const int64_t end = map.begins[static_cast<size_t>(i) + 1];
    const int64_t* const places = map.places.data();
    const double* const weights = map.weights.data();
    double sum = begin == end ? 0 : weights[begin] * from[places[begin]];
    for (int64_t t = begin + 1; t < end; ++t) sum += weights[t] * from[places[t]];
    to[i] = sum;
  }
}

// Along the middle of three dimensions.
void map_axis(const AxisMap& map, const double* from, int64_t outer, int64_t inner, double* to) {
  for (int64_t o = 0; o < outer; ++o, from += map.in * inner, to += map.out() * inner) {
    if (inner == 1) {
      combine_line(map, from, to);
      continue;
    }
    for (size_t i = 0; i + 1 < map.begins.size(); ++i) {
      const int64_t begin = map.begins[i], taps = map.begins[i + 1] - begin;
      double* const row = to + static_cast<int64_t>(i) * inner;
      if (taps == 0) {
        std::fill_n(row, inner, 0.0);
      } else {
        HWY_DYNAMIC_DISPATCH(CombineRows)
        (from, map.places.data() + begin, map.weights.data() + begin, taps, inner, row);
      }
    }
  }
}

// The largest tensors in between are made or read along rows: from the last axis on where there are
// more results than elements, else from the first one on.
class AxisMaps {
 public:
  explicit AxisMaps(std::vector<AxisMap> maps) : maps_(std::move(maps)) {
    std::vector<int64_t> sizes;
    for (const AxisMap& map : maps_) {
      sizes.push_back(map.in);
      results_ *= map.out();
    }
    const auto product = [&](size_t begin, size_t end) {
      int64_t count = 1;
      for (size_t i = begin; i < end; ++i) count *= sizes[i];
      return count;
    };
    elements_ = most_ = product(0, sizes.size());
    for (size_t i = 0; i < maps_.size(); ++i) {
      const size_t axis = results_ >= elements_ ? maps_.size() - 1 - i : i;
      steps_.push_back({axis, product(0, axis), product(axis + 1, sizes.size())});
      sizes[axis] = maps_[axis].out();
      most_ = std::max(most_, product(0, sizes.size()));
    }
  }

  int64_t elements() const { return elements_; }
  int64_t results() const { return results_; }
  int64_t most() const { return most_; }

  // Both have room for most() elements; the one that has the results is returned.
  const double* apply(double* from, double* to) const {
    for (const Step& step : steps_) {
      map_axis(maps_[step.axis], from, step.outer, step.inner, to);
      std::swap(from, to);
    }
    return from;
  }

 private:
  struct Step {
    size_t axis;
    int64_t outer, inner;  // elements before it and behind it
  };

  std::vector<AxisMap> maps_;
  std::vector<Step> steps_ = {};
  int64_t elements_ = 1, results_ = 1, most_ = 1;
};

}  // namespace

AxisMap AxisMap::transposed() const {
  AxisMap other(out());
  std::vector<int64_t> next(static_cast<size_t>(in) + 1, 0);
  for (const int64_t place : places) ++next[static_cast<size_t>(place) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  other.begins = next;
  other.places.resize(places.size());
  other.weights.resize(places.size());
  for (int64_t i = 0; i < out(); ++i) {
    for (int64_t t = begins[static_cast<size_t>(i)]; t < begins[static_cast<size_t>(i) + 1]; ++t) {
      const auto tap = static_cast<size_t>(t);
      const auto at = static_cast<size_t>(next[static_cast<size_t>(places[tap])]++);
      other.places[at] = i;
      other.weights[at] = weights[tap];
    }
  }
  return other;
}

Plan plan_axis_maps(const Arguments& arguments, size_t from, size_t to, std::vector<AxisMap> maps) {
  if (arguments.empty(to)) return {};
  const size_t outside = arguments.shape(to).size() - maps.size();
  const DimSet inside = dimensions(outside, maps.size());
  const auto all = std::make_shared<const AxisMaps>(std::move(maps));
  const Slices source(arguments, from, inside), target(arguments, to, inside);
  return {[=](const Run& run) -> aclError {
    const int64_t grain = std::max<int64_t>(1, kMinMappedPerThread / all->most());
    parallel_pieces(target.starts.count(), grain, [&](int64_t begin, int64_t end) {
      const ThreadScratch<MapScratch> scratch;
      double* const block = scratch->in.of<double>(all->most());
      double* const other = scratch->out.of<double>(all->most());
      for (int64_t i = begin; i < end; ++i) {
        source.read(run, 0, all->elements(), block, source.starts.offset(i));
        const double* const results = all->apply(block, other);
        target.write(run, results, 0, all->results(), target.starts.offset(i));
      }
    });
    return ACL_SUCCESS;
  }};
}

Plan plan_axis_maps_backward(const Arguments& arguments, size_t from, size_t to,
                             const std::vector<AxisMap>& maps) {
  std::vector<AxisMap> back;
  for (const AxisMap& map : maps) back.push_back(map.transposed());
  return plan_axis_maps(arguments, from, to, std::move(back));
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
