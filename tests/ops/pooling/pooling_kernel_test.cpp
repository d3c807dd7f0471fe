// SPDX-License-Identifier: Apache-2.0
// Pooling of planes and volumes against its definition, element by element, with every instruction
// set.
#include "ops/pooling/pooling_kernel_plane.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "tests/ops/engine/targets.h"

namespace aclgrad::ops {
namespace {

struct Geometry {
  int64_t height, width;
  SlidingWindows rows, columns;
  bool up;  // one more window, which begins inside, where there is room
  int64_t depth = 1;
  SlidingWindows slices = {1, 1, 1, 0};

  VolumeSize volume() const { return {depth, height, width}; }
  int64_t out_depth() const { return count(depth, slices); }
  int64_t count(int64_t size, const SlidingWindows& w) const {
    const int64_t room = size + 2 * w.padding - (w.kernel - 1) * w.dilation - 1;
    const int64_t whole = room / w.stride + 1;
    return up && room % w.stride != 0 && whole * w.stride < size + w.padding ? whole + 1 : whole;
  }
  int64_t out_height() const { return count(height, rows); }
  int64_t out_width() const { return count(width, columns); }

  // Calls visit(window, row of the volume, column) for the elements of all windows.
  template <class Visit>
  void visit_windows(const Visit& visit) const {
    size_t window = 0;
    for (int64_t z = 0; z < out_depth(); ++z) {
      for (int64_t i = 0; i < out_height(); ++i) {
        for (int64_t j = 0; j < out_width(); ++j) {
          visit_window(window++, z, i, j, visit);
        }
      }
    }
  }

 private:
  template <class Visit>
  void visit_window(size_t window, int64_t z, int64_t i, int64_t j, const Visit& visit) const {
    for (int64_t s = 0; s < slices.kernel; ++s) {
      const int64_t d = z * slices.stride - slices.padding + s * slices.dilation;
      for (int64_t r = 0; r < rows.kernel; ++r) {
        const int64_t h = i * rows.stride - rows.padding + r * rows.dilation;
        for (int64_t k = 0; k < columns.kernel; ++k) {
          const int64_t x = j * columns.stride - columns.padding + k * columns.dilation;
          const bool inside = d >= 0 && d < depth && h >= 0 && h < height && x >= 0 && x < width;
          if (inside) visit(window, d * height + h, x);
        }
      }
    }
  }
};

// Kernel, stride, dilation, padding.
const Geometry kGeometries[] = {
    {9, 28, {2, 2, 1, 0}, {2, 2, 1, 0}, false},  // rows that join
    {7, 29, {2, 2, 1, 0}, {2, 2, 1, 0}, true},   // and do not, the last window reaching out
    {6, 70, {3, 2, 1, 1}, {3, 2, 1, 1}, false},  // several vectors, padding
    {5, 33, {3, 1, 1, 1}, {5, 1, 1, 2}, false},  // stride 1
    {8, 40, {1, 3, 1, 0}, {3, 3, 1, 1}, false},  // stride 3
    {5, 11, {2, 1, 1, 0}, {4, 5, 1, 0}, true},   // elements in no window
    {4, 6, {4, 4, 1, 0}, {6, 6, 1, 0}, false},   // one window
    {3, 1, {2, 1, 1, 1}, {1, 1, 1, 0}, false},   // one column
    {6, 20, {2, 1, 3, 1}, {3, 2, 4, 1}, false},  // dilation
    {1, 2, {2, 1, 2, 1}, {2, 1, 3, 1}, false},   // windows without any element
    {4, 9, {2, 2, 1, 0}, {2, 2, 1, 0}, false, 6, {2, 2, 1, 0}},  // volumes
    {5, 40, {3, 2, 1, 1}, {3, 2, 1, 1}, true, 5, {3, 2, 1, 1}},
    {3, 33, {2, 1, 1, 0}, {3, 1, 1, 1}, false, 4, {2, 3, 1, 1}},  // slices in no window
    {4, 7, {2, 1, 2, 0}, {2, 2, 2, 1}, false, 6, {3, 1, 2, 1}},   // dilation
};

constexpr int64_t kGap = 3;  // between rows that do not join
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Quarters with many equal ones; some are -infinity, some NaN.
double element(int64_t h, int64_t x, bool is_whole) {
  const int64_t number = h * 31 + x * 7;
  if (!is_whole && number % 13 == 5) return -kInfinity;
  if (!is_whole && number % 53 == 7) return std::nan("");
  return static_cast<double>(number % 9 - 4) / 4;
}

template <class T>
std::vector<T> plane_of(const Geometry& g, int64_t row_stride, bool is_whole) {
  std::vector<T> plane(static_cast<size_t>(g.depth * g.height * row_stride),
                       std::numeric_limits<T>::max());
  for (int64_t h = 0; h < g.depth * g.height; ++h) {
    for (int64_t x = 0; x < g.width; ++x) {
      plane[static_cast<size_t>(h * row_stride + x)] = static_cast<T>(element(h, x, is_whole));
    }
  }
  return plane;
}

AxisWindows axis_of(const Geometry& g, int64_t size, const SlidingWindows& w, bool slides) {
  AxisWindows axis;
  for (int64_t i = 0; i < g.count(size, w); ++i) {
    axis.begin.push_back(w.first(i));
    axis.end.push_back(std::max(w.first(i), w.end(i, size)));
    axis.counted.push_back(std::max<int64_t>(1, axis.end.back() - axis.begin.back()));
  }
  if (slides) axis.sliding = w;
  return axis;
}

PoolWindows windows_of(const Geometry& g, bool slides) {
  return {axis_of(g, g.depth, g.slices, true), axis_of(g, g.height, g.rows, true),
          axis_of(g, g.width, g.columns, slides)};
}

template <class T>
void check_maxima(const Geometry& g, int64_t row_stride, bool slides) {
  const std::vector<T> in = plane_of<T>(g, row_stride, false);
  const MaxPool<T> pool(g.volume(), windows_of(g, slides));
  std::vector<T> phases(static_cast<size_t>(pool.phases_size()),
                        std::numeric_limits<T>::quiet_NaN());
  std::vector<typename MaxPool<T>::Index> row(static_cast<size_t>(pool.row_size()));
  std::vector<T> results(static_cast<size_t>(g.out_depth() * g.out_height() * g.out_width()));
  std::vector<int64_t> places(results.size());
  max_pool_plane(pool, in.data(), row_stride, {phases.data(), row.data()}, results.data(),
                 places.data());
  std::vector<double> best(results.size(), -kInfinity);
  std::vector<int64_t> wanted(results.size(), -1);
  g.visit_windows([&](size_t at, int64_t h, int64_t x) {
    const double value = element(h, x, false);
    const bool wins = value > best[at] || (std::isnan(value) && !std::isnan(best[at]));
    if (wins) best[at] = value;
    if (wins || wanted[at] < 0) wanted[at] = h * g.width + x;
  });
  for (size_t at = 0; at < results.size(); ++at) {
    EXPECT_EQ(places[at], wanted[at]) << at;
    EXPECT_TRUE(results[at] == best[at] || (std::isnan(best[at]) && std::isnan(results[at])))
        << at << ": " << results[at] << " instead of " << best[at];
  }
}

template <class T>
void check_averages(const Geometry& g, int64_t row_stride, bool slides) {
  const std::vector<T> in = plane_of<T>(g, row_stride, true);
  const AveragePool pool(g.volume(), windows_of(g, slides), 2);
  std::vector<T> phases(static_cast<size_t>(pool.phases_size()),
                        std::numeric_limits<T>::quiet_NaN());
  std::vector<double> row(static_cast<size_t>(g.width));
  std::vector<T> results(static_cast<size_t>(g.out_depth() * g.out_height() * g.out_width()));
  average_pool_plane(pool, in.data(), row_stride, phases.data(), row.data(), results.data());
  const AverageSpread spread(pool);
  std::vector<double> scratch(static_cast<size_t>(spread.scratch_size()), std::nan(""));
  std::vector<T> joined(static_cast<size_t>(spread.joined_size()));
  ShareRows windows;
  std::vector<double> gradients(results.size());
  for (size_t at = 0; at < gradients.size(); ++at) gradients[at] = static_cast<double>(at % 7) - 3;
  std::vector<T> back(static_cast<size_t>(g.depth * g.height * g.width));
  average_pool_backward_plane(spread, gradients.data(), scratch.data(), windows, joined.data(),
                              back.data());
  std::vector<T> expected(back.size());
  std::vector<double> sums(results.size());
  g.visit_windows([&](size_t at, int64_t h, int64_t x) {
    sums[at] += element(h, x, true);
    expected[static_cast<size_t>(h * g.width + x)] += static_cast<T>(gradients[at] / 2);
  });
  for (size_t at = 0; at < results.size(); ++at) {
    EXPECT_EQ(results[at], static_cast<T>(sums[at] / 2)) << at;
  }
  EXPECT_EQ(back, expected);
}

TEST(PoolPlane, IsWhatItsDefinitionSays) {
  testing::for_each_target([](int64_t target) {
    for (const Geometry& g : kGeometries) {
      for (const int64_t row_stride : {g.width, g.width + kGap}) {
        std::ostringstream where;
        where << "target " << target << ", " << g.height << " x " << row_stride << ", kernel "
              << g.columns.kernel << ", stride " << g.columns.stride;
        SCOPED_TRACE(where.str());
        check_maxima<float>(g, row_stride, true);
        check_maxima<double>(g, row_stride, true);
        if (g.columns.dilation > 1) continue;
        check_maxima<float>(g, row_stride, false);
        check_maxima<double>(g, row_stride, false);
        for (const bool slides : {true, false}) {
          check_averages<float>(g, row_stride, slides);
          check_averages<double>(g, row_stride, slides);
        }
      }
    }
  });
}

// Kernels and paddings that are far larger than the plane take no time or memory.
TEST(PoolPlane, TapsBesideThePlaneAreLeftOut) {
  constexpr int64_t kHuge = int64_t{1} << 30;
  const SlidingWindows windows{2 * kHuge, 1, 1, kHuge};
  const PhasedPlane phased(2, 5, 6, windows);
  EXPECT_LE(phased.taps.size(), 10U);
  EXPECT_LT(phased.size(), 1000);
  AxisWindows columns, rows{{0}, {2}, {1}};
  for (int64_t j = 0; j < 6; ++j) {
    columns.begin.push_back(windows.first(j));
    columns.end.push_back(windows.end(j, 5));
    columns.counted.push_back(1);
  }
  columns.sliding = windows;
  EXPECT_LT(AverageSpread(AveragePool({1, 2, 5}, {{{0}, {1}, {1}}, rows, columns}, std::nullopt))
                .scratch_size(),
            1000);
}

}  // namespace
}  // namespace aclgrad::ops
