// SPDX-License-Identifier: Apache-2.0
// Pooling of one plane, or of the slices of one volume, in vectors over the windows of a row. Every
// instruction set gives the same bits: an element of a result is made in one order of operations.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace aclgrad::ops {

// Elements that vectors may reach beyond what they are asked for.
inline constexpr int64_t kPoolSlack = 64;

// An axis with windows of `kernel` elements, `dilation` apart, that begin `padding` before it.
struct SlidingWindows {
  int64_t kernel, stride, dilation, padding;

  // Of a window in an axis of `size` elements, the first that is there, and the end.
  int64_t first(int64_t window) const;
  int64_t end(int64_t window, int64_t size) const;

  // Where in the axis element `number` of a window lies, and the number of the one that lies there.
  int64_t place(int64_t window, int64_t number) const {
    return window * stride - padding + number * dilation;
  }
  int64_t number(int64_t window, int64_t at) const {
    const int64_t distance = at - place(window, 0);
    return dilation == 1 ? distance : distance / dilation;
  }
};

// Windows along an axis that need not be alike: where each begins and ends, and how many elements
// it counts for. Those that slide say so.
struct AxisWindows {
  std::vector<int64_t> begin, end, counted;
  std::optional<SlidingWindows> sliding = std::nullopt;

  int64_t count() const { return static_cast<int64_t>(begin.size()); }
  int64_t dilation() const { return sliding ? sliding->dilation : 1; }  // from element to element
};

// What windows lie in: rows one behind the other, slice by slice. A plane is a volume of one slice.
struct VolumeSize {
  int64_t depth, height, width;

  int64_t rows() const { return depth * height; }
  int64_t slice() const { return height * width; }
};

// Those along the depth, the height and the width of a volume.
struct PoolWindows {
  AxisWindows slices, rows, columns;
};

// A plane, or a volume as one of all its rows, in phases: its columns 0, stride, 2 stride, ...,
// then 1, 1 + stride, ... What a tap has of the windows of a row lies side by side. What windows
// have beside the plane is the neighbouring row's, or outside the plane, and must be masked.
struct PhasedPlane {
  struct Tap {
    int64_t place;       // of the first window of the first row
    int64_t column;      // in the plane; may lie before it
    int64_t begin, end;  // windows that have it in the plane; with slack behind the last

    bool has(int64_t first, int64_t windows) const {
      return begin <= first && first + windows <= end;
    }
  };

  PhasedPlane(int64_t plane_height, int64_t plane_width, int64_t windows_count,
              const SlidingWindows& windows);

  int64_t size() const { return before + stride * height * row + after; }

  int64_t height, width;  // of the plane
  int64_t count;          // of windows along a row
  int64_t stride;
  int64_t row;            // elements of a row in a phase
  int64_t before, after;  // elements that taps reach beyond the phases
  std::vector<Tap> taps;  // those that some window has in the plane
};

// ---- Maxima -------------------------------------------------------------------------------------

// The place of the maximum of a window without elements.
inline constexpr int64_t kNoPlace = -1;

// T: what elements are compared as; the places of a volume's elements fit into integers of its
// size.
template <class T>
struct MaxPool {
  using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

  MaxPool(const VolumeSize& volume, PoolWindows of);

  int64_t row_size() const { return windows.columns.count() + kPoolSlack; }
  int64_t phases_size() const { return phased ? phased->size() : 0; }

  VolumeSize size;
  PoolWindows windows;
  std::optional<PhasedPlane> phased;  // where the columns slide
  std::vector<Index> starts;          // of the windows along a row, less the padding
  std::vector<Index> lefts;           // their first elements that are there
  std::vector<int64_t> empties;       // those without any
};

template <class T>
struct MaxScratch {
  T* phases;                           // phases_size()
  typename MaxPool<T>::Index* places;  // row_size()
};

// results and places are dense, the rows of `in` `row_stride` apart.
void max_pool_plane(const MaxPool<float>& pool, const float* in, int64_t row_stride,
                    const MaxScratch<float>& scratch, float* results, int32_t* places);
void max_pool_plane(const MaxPool<float>& pool, const float* in, int64_t row_stride,
                    const MaxScratch<float>& scratch, float* results, int64_t* places);
void max_pool_plane(const MaxPool<double>& pool, const double* in, int64_t row_stride,
                    const MaxScratch<double>& scratch, double* results, int64_t* places);

// Of windows that slide over a plane of one slice: in row k of `bits`, of `bytes` each, bit e says
// whether the maximum of window e is element k of it. There must be room for the windows' bits in
// whole words of 64, and for kPoolSlack behind the places, which are changed.
void max_pool_bits(const MaxPool<float>& pool, int32_t* places, int8_t* bits, int64_t bytes);
void max_pool_bits(const MaxPool<double>& pool, int64_t* places, int8_t* bits, int64_t bytes);

// ---- Averages -----------------------------------------------------------------------------------

// Sums are taken in double, and multiplied by the inverse of what they are divided by.
struct AveragePool {
  AveragePool(const VolumeSize& volume, PoolWindows of, std::optional<int64_t> divisor);

  int64_t phases_size() const { return phased ? phased->size() : 0; }
  int64_t count() const { return windows.columns.count(); }  // of the windows of a row

  VolumeSize size;
  PoolWindows windows;
  std::optional<PhasedPlane> phased;  // where the columns slide
  std::vector<double> starts;         // of the windows along a row, less the padding
  // Of that inverse: for each row of windows, slice by slice, and for each along a row, with slack.
  std::vector<double> row_factors, column_factors;
};

// The scratch is of T and of phases_size(), of double and of a row.
void average_pool_plane(const AveragePool& pool, const float* in, int64_t row_stride, float* phases,
                        double* row, float* results);
void average_pool_plane(const AveragePool& pool, const double* in, int64_t row_stride,
                        double* phases, double* row, double* results);

// What each element of the volume gets of the windows that have it.
struct AverageSpread {
  explicit AverageSpread(const AveragePool& average);

  int64_t scratch_size() const;
  int64_t joined_size() const { return stride * length + kPoolSlack; }

  const AveragePool pool;
  // Where the columns slide: column x is number x + shift of the padded row, y, which has tap
  // y % stride + t stride of window y / stride - t. For each remainder, the first window of each t
  // for the first y / stride; and how many of those there are.
  int64_t stride = 1, shift = 0, length = 0;
  int64_t left = 0, row = 0;  // zeros before the gradients of a row of windows; its size with them
  std::vector<std::vector<int64_t>> firsts;
};

// Rows of windows, by where what each gives begins.
using ShareRows = std::vector<const double*>;

// gradients and results are dense; `windows` is room that is kept from call to call.
void average_pool_backward_plane(const AverageSpread& spread, const double* gradients,
                                 double* scratch, ShareRows& windows, float* joined,
                                 float* results);
void average_pool_backward_plane(const AverageSpread& spread, const double* gradients,
                                 double* scratch, ShareRows& windows, double* joined,
                                 double* results);

}  // namespace aclgrad::ops
