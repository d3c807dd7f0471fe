// SPDX-License-Identifier: Apache-2.0
#include "ops/normalization/channel_rows_kernel.h"

#include <algorithm>
#include <array>

#include "ops/engine/tree_sum.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/normalization/channel_rows_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/math/sigmoid-inl.h"
#include "ops/engine/rowwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

HWY_INLINE Doubles wide(double value) { return hn::Set(DoubleTag(), value); }

HWY_INLINE Doubles on_line(Doubles x, double mean, const Line& line) {
  return hn::Add(hn::Mul(hn::Sub(x, wide(mean)), wide(line.scale)), wide(line.shift));
}

// Calls body(gradient), where gradient(g, x) is what goes on to the line.
template <class Body>
HWY_INLINE void with_gradient(double mean, const Line& line, const Body& body) {
  if (!line.swish) return body([](Doubles g, Doubles) HWY_ATTR { return g; });
  body([&](Doubles g, Doubles x) HWY_ATTR {
    return silu_backward(DoubleTag(), g, hn::Mul(wide(*line.swish), on_line(x, mean, line)));
  });
}

// The next row's first page: a channel's rows lie apart, and processors see no stream beyond a
// page.
constexpr size_t kPage = 4096;
template <class Element>
HWY_INLINE void fetch_next(const NativeRows<Element>& rows, size_t row, const RowBlock& block) {
  if (row + 1 == block.count) return;
  const auto* const at = reinterpret_cast<const char*>(rows[row + 1]);
  const size_t bytes = HWY_MIN(block.length * sizeof(Element), kPage);
  for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(at + i);
}

}  // namespace

// Adds x - center to the lanes, or its square.
void AddOffsets(const RowBlock& rows, double center, bool squared, double* lanes) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    const NativeRows<const typename decltype(tag)::type> x(rows, 0);
    Accumulators sum;
    sum.load(lanes);
    for (size_t row = 0; row < rows.count; ++row) {
      if (!squared) fetch_next(x, row, rows);
      const auto offset = [&](size_t i, auto n) HWY_ATTR {
        return hn::Sub(load_doubles(x[row] + i, n), wide(center));
      };
      const auto square = [&](size_t i, auto n) HWY_ATTR {
        const Doubles each = offset(i, n);
        return hn::Mul(each, each);
      };
      squared ? add_terms(rows.length, square, sum) : add_terms(rows.length, offset, sum);
    }
    sum.store(lanes);
  });
}

constexpr size_t kTogether = 8 * kAccumulators;

// Adds gradients g to the lanes `plain`, and g (x - mean) to the lanes `along`.
void AddGradients(const RowBlock& rows, double mean, const Line& line, double* plain,
                  double* along) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Element = typename decltype(tag)::type;
    const NativeRows<const Element> g(rows, 0), x(rows, 1);
    Accumulators sum, product;
    sum.load(plain);
    product.load(along);
    with_gradient(mean, line, [&](const auto& on) HWY_ATTR {
      for (size_t row = 0; row < rows.count; ++row) {
        fetch_next(g, row, rows);
        fetch_next(x, row, rows);
        // By turns: each sum waits for its last addition.
        for (size_t begin = 0; begin < rows.length; begin += kTogether) {
          const size_t count = HWY_MIN(kTogether, rows.length - begin);
          const Element *g_row = g[row] + begin, *x_row = x[row] + begin;
          const auto gradient = [&](size_t i, auto n) HWY_ATTR {
            return on(load_doubles(g_row + i, n), load_doubles(x_row + i, n));
          };
          add_terms(count, gradient, sum);
          add_terms(
              count,
              [&](size_t i, auto n) HWY_ATTR {
                return hn::Mul(gradient(i, n), hn::Sub(load_doubles(x_row + i, n), wide(mean)));
              },
              product);
        }
      }
    });
    sum.store(plain);
    product.store(along);
  });
}

void Normalize(const RowBlock& rows, double mean, const Line& line) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Element = typename decltype(tag)::type;
    const NativeRows<const Element> x(rows, 0);
    const NativeRows<Element> y(rows, 1);
    const auto store_each = [&](const auto& of_line) HWY_ATTR {
      for (size_t row = 0; row < rows.count; ++row) {
        for_vectors(rows.length, [&](size_t i, auto n) HWY_ATTR {
          store_doubles(of_line(on_line(load_doubles(x[row] + i, n), mean, line)), y[row] + i, n);
        });
      }
    };
    if (!line.swish) return store_each([](Doubles z) HWY_ATTR { return z; });
    store_each([&](Doubles z) HWY_ATTR {
      return sigmoid_times(DoubleTag(), z, hn::Mul(z, wide(*line.swish)));
    });
  });
}

void MapGradients(const RowBlock& rows, double mean, const GradientMap& map) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Element = typename decltype(tag)::type;
    const NativeRows<const Element> g(rows, 0), x(rows, 1);
    const NativeRows<Element> dx(rows, 2);
    with_gradient(mean, map.line, [&](const auto& on) HWY_ATTR {
      for (size_t row = 0; row < rows.count; ++row) {
        for_vectors(rows.length, [&](size_t i, auto n) HWY_ATTR {
          const auto element = [&]() HWY_ATTR { return load_doubles(x[row] + i, n); };
          Doubles result = hn::Mul(on(load_doubles(g[row] + i, n), element()), wide(map.weight));
          if (map.depends_on_means) {
            const Doubles offset = hn::Sub(element(), wide(mean));
            result = hn::Sub(hn::Sub(result, wide(map.plain)), hn::Mul(offset, wide(map.along)));
          }
          store_doubles(hn::Mul(result, wide(map.scale)), dx[row] + i, n);
        });
      }
    });
  });
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(AddOffsets);
HWY_EXPORT(AddGradients);
HWY_EXPORT(Normalize);
HWY_EXPORT(MapGradients);

namespace {

// Calls body(RowBlock) with the same rows of all views, the last of which it writes if it writes
// any: as they lie in memory, or converted to double piece by piece.
template <size_t kViews, class Body>
void visit_rows(const Run& run, const Rows& rows, const View (&views)[kViews], bool writes,
                const Body& body) {
  RowBlock block{views[0].elements.dtype, static_cast<size_t>(rows.count),
                 static_cast<size_t>(rows.length)};
  bool in_place = block.dtype == ACL_FLOAT || block.dtype == ACL_DOUBLE ||
                  block.dtype == ACL_BF16 || block.dtype == ACL_FLOAT16;
  for (size_t k = 0; k < kViews && in_place; ++k) {
    const Elements& elements = views[k].elements;
    const std::optional<int64_t> distance = elements.index.row_distance(rows.length);
    in_place = distance && elements.dtype == block.dtype;
    if (!in_place) break;
    const int64_t row = rows.begin / std::max<int64_t>(rows.length, 1);
    const int64_t first = views[k].offset + row * *distance;
    block.rows[k] = {elements.at(run, first), *distance};
  }
  if (in_place) return body(block);
  alignas(64) double memory[kViews][kBlock];
  for (int64_t row = 0; row < rows.count; ++row) {
    for (int64_t i = 0; i < rows.length; i += static_cast<int64_t>(kBlock)) {
      const int64_t count = std::min(rows.length - i, static_cast<int64_t>(kBlock));
      const int64_t begin = rows.begin + row * rows.length + i;
      block = {ACL_DOUBLE, 1, static_cast<size_t>(count)};
      for (size_t k = 0; k < kViews; ++k) {
        block.rows[k] = {memory[k], 0};
        if (writes && k + 1 == kViews) continue;
        views[k].elements.read(run, begin, begin + count, memory[k], views[k].offset);
      }
      body(block);
      if (!writes) continue;
      const View& target = views[kViews - 1];
      target.elements.write(run, memory[kViews - 1], begin, begin + count, target.offset);
    }
  }
}

using SumAccumulators = std::array<double, kAccumulators>;

SumAccumulators no_lanes() {
  SumAccumulators lanes;
  lanes.fill(kNothing<double>);
  return lanes;
}

}  // namespace

Moments moments_of(const Run& run, const Rows& rows, const View& x) {
  const auto mean_of = [&](double center, bool squared) {
    SumAccumulators lanes = no_lanes();
    visit_rows(run, rows, {x}, false, [&](const RowBlock& block) {
      HWY_DYNAMIC_DISPATCH(AddOffsets)(block, center, squared, lanes.data());
    });
    return AccumulatorSum<double>::combine(lanes) / static_cast<double>(rows.count * rows.length);
  };
  const double mean = mean_of(0, false);
  return {mean, mean_of(mean, true)};
}

GradientSums sums_of(const Run& run, const Rows& rows, const View& g, const View& x, double mean,
                     const Line& line) {
  SumAccumulators plain = no_lanes(), along = no_lanes();
  visit_rows(run, rows, {g, x}, false, [&](const RowBlock& block) {
    HWY_DYNAMIC_DISPATCH(AddGradients)(block, mean, line, plain.data(), along.data());
  });
  return {AccumulatorSum<double>::combine(plain), AccumulatorSum<double>::combine(along)};
}

void normalize_rows(const Run& run, const Rows& rows, const View& x, const View& y, double mean,
                    const Line& line) {
  visit_rows(run, rows, {x, y}, true, [&](const RowBlock& block) {
    HWY_DYNAMIC_DISPATCH(Normalize)(block, mean, line);
  });
}

void map_gradients(const Run& run, const Rows& rows, const View& g, const View& x, const View& dx,
                   double mean, const GradientMap& map) {
  visit_rows(run, rows, {g, x, dx}, true, [&](const RowBlock& block) {
    HWY_DYNAMIC_DISPATCH(MapGradients)(block, mean, map);
  });
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
