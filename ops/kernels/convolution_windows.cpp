// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/convolution_windows.h"

#include <algorithm>
#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/convolution_windows.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#ifndef ACLGRAD_OPS_KERNELS_CONVOLUTION_WINDOWS_ONCE
#define ACLGRAD_OPS_KERNELS_CONVOLUTION_WINDOWS_ONCE
namespace aclgrad::ops {

inline int64_t ceil_div(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

// Places of an output channel that lie behind each other, from (plane, row, column) on.
struct PlaceRange {
  PlaceRange(const ConvolutionShape& s, int64_t begin, int64_t end)
      : plane(begin / s.out[2] / s.out[1]),
        row(begin / s.out[2] % s.out[1]),
        column(begin % s.out[2]),
        count(end - begin) {}

  int64_t plane, row, column, count;
};

// What lies under one tap of the kernel. All divisions are here, so that a row of places, which may
// be short, costs a few additions.
struct Tap {
  Tap(const ConvolutionShape& s, int64_t tap)
      : plane(tap / s.kernel[2] / s.kernel[1] * s.dilation[0] - s.padding[0]),
        row(tap / s.kernel[2] % s.kernel[1] * s.dilation[1] - s.padding[1]),
        column(tap % s.kernel[2] * s.dilation[2] - s.padding[2]),
        first(std::clamp<int64_t>(ceil_div(-column, s.stride[2]), 0, s.out[2])),
        last(std::clamp<int64_t>(ceil_div(s.in[2] - column, s.stride[2]), first, s.out[2])) {}

  int64_t plane, row, column;  // of the input, under place (0, 0, 0)
  int64_t first, last;         // columns of places under which there are input elements
};

// Rows of places of a range, in planes without a third axis: those of most convolutions.
struct PlaceRows {
  struct Row {
    int64_t i;       // number of its first place in the range
    int64_t count;   // of places
    int64_t source;  // the input element under the first place, but for the tap
  };

  PlaceRows(const ConvolutionShape& s, const PlaceRange& range)
      : first(range.row * s.stride[1]), last(first) {
    int64_t column = range.column;
    if (s.in[0] != 1 || s.out[0] != 1) return;
    for (int64_t i = 0; i < range.count; column = 0, last += s.stride[1]) {
      if (size == rows.size()) {
        size = 0;
        return;
      }
      const int64_t count = std::min(s.out[2] - column, range.count - i);
      rows[size++] = {i, count, last * s.in[2] + column * s.stride[2]};
      i += count;
    }
    last -= s.stride[1];
  }

  // Whether there are input elements under all places. Never where there are too many rows.
  bool all_inside(const ConvolutionShape& s, const Tap& tap) const {
    return size > 0 && tap.plane == 0 && first + tap.row >= 0 && last + tap.row < s.in[1] &&
           tap.first == 0 && tap.last == s.out[2];
  }

  std::array<Row, 64> rows;
  size_t size = 0;
  int64_t first, last;  // rows of the input
};

}  // namespace aclgrad::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Calls inside(i, source, count) for runs of `count` places from number i of the range on under
// which there are input elements source, source + stride, ..., and outside(i, count) where there
// are none.
template <class Inside, class Outside>
HWY_INLINE void walk_tap(const ConvolutionShape& s, const Tap& tap, const PlaceRange& range,
                         const Inside& inside, const Outside& outside) {
  int64_t column = range.column, out_row = range.row;
  int64_t row = out_row * s.stride[1] + tap.row;
  int64_t plane = range.plane * s.stride[0] + tap.plane;
  for (int64_t i = 0; i < range.count;) {
    const int64_t count = std::min(s.out[2] - column, range.count - i);
    const bool is_in = row >= 0 && row < s.in[1] && plane >= 0 && plane < s.in[0];
    const int64_t from = is_in ? std::clamp<int64_t>(tap.first - column, 0, count) : count;
    const int64_t to = is_in ? std::clamp<int64_t>(tap.last - column, from, count) : count;
    if (from > 0) outside(i, from);
    if (to > from) {
      inside(i + from,
             (plane * s.in[1] + row) * s.in[2] + (column + from) * s.stride[2] + tap.column,
             to - from);
    }
    if (count > to) outside(i + to, count - to);
    i += count;
    column = 0;
    row += s.stride[1];
    if (++out_row == s.out[1]) {
      out_row = 0;
      row = tap.row;
      plane += s.stride[0];
    }
  }
}

// The same for each tap of each channel, from which body(channel, tap) makes the two callables.
template <class Body>
HWY_INLINE void walk_taps(const ConvolutionShape& s, int64_t channels, int64_t begin, int64_t end,
                          const Body& body) {
  const PlaceRange range(s, begin, end);
  const PlaceRows rows(s, range);
  for (int64_t t = 0; t < s.taps(); ++t) {
    const Tap tap(s, t);
    const bool all_inside = rows.all_inside(s, tap);
    const int64_t offset = tap.row * s.in[2] + tap.column;
    for (int64_t channel = 0; channel < channels; ++channel) {
      const auto [inside, outside] = body(channel, t);
      if (!all_inside) {
        walk_tap(s, tap, range, inside, outside);
        continue;
      }
      for (size_t r = 0; r < rows.size; ++r) {
        const PlaceRows::Row& row = rows.rows[r];
        inside(row.i, row.source + offset, row.count);
      }
    }
  }
}

// Calls whole(i) for every whole vector of `count` elements and part(i, mask) for the rest, or
// one(i) for each of the rest where loads and stores cannot leave out elements.
template <class D, class Whole, class Part, class One>
HWY_INLINE void each_vector(D d, int64_t count, const Whole& whole, const Part& part,
                            const One& one) {
  constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(D()));
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) whole(i);
  if constexpr (HWY_TARGET <= HWY_AVX2) {
    if (i < count) part(i, hn::FirstN(d, static_cast<size_t>(count - i)));
  } else {
    for (; i < count; ++i) one(i);
  }
}

template <class T>
HWY_INLINE void copy_run(const T* from, int64_t step, int64_t count, T* to) {
  if (step != 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * step];
    return;
  }
  const hn::ScalableTag<T> d;
  each_vector(
      d, count, [&](int64_t i) { hn::StoreU(hn::LoadU(d, from + i), d, to + i); },
      [&](int64_t i, auto mask) {
        hn::BlendedStore(hn::MaskedLoad(mask, d, from + i), mask, d, to + i);
      },
      [&](int64_t i) { to[i] = from[i]; });
}

template <class T>
HWY_INLINE void add_run(const T* from, int64_t step, int64_t count, T* to) {
  if (step != 1) {
    for (int64_t i = 0; i < count; ++i) to[i * step] += from[i];
    return;
  }
  const hn::ScalableTag<T> d;
  each_vector(
      d, count,
      [&](int64_t i) {
        hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
      },
      [&](int64_t i, auto mask) {
        const auto sum =
            hn::Add(hn::MaskedLoad(mask, d, to + i), hn::MaskedLoad(mask, d, from + i));
        hn::BlendedStore(sum, mask, d, to + i);
      },
      [&](int64_t i) { to[i] += from[i]; });
}

template <class T>
void gather_columns(const ConvolutionShape& s, const T* x, int64_t channels, int64_t begin,
                    int64_t end, T* columns) {
  walk_taps(s, channels, begin, end, [&](int64_t channel, int64_t tap) {
    const T* const from = x + channel * s.pixels();
    T* const to = columns + (channel * s.taps() + tap) * (end - begin);
    return std::pair(
        [from, to, step = s.stride[2]](int64_t i, int64_t source, int64_t count) {
          copy_run(from + source, step, count, to + i);
        },
        [to](int64_t i, int64_t count) { std::fill_n(to + i, count, T{0}); });
  });
}

template <class T>
void add_columns(const ConvolutionShape& s, const T* columns, int64_t channels, int64_t begin,
                 int64_t end, T* x) {
  walk_taps(s, channels, begin, end, [&](int64_t channel, int64_t tap) {
    const T* const from = columns + (channel * s.taps() + tap) * (end - begin);
    T* const to = x + channel * s.pixels();
    return std::pair(
        [from, to, step = s.stride[2]](int64_t i, int64_t target, int64_t count) {
          add_run(from + i, step, count, to + target);
        },
        [](int64_t, int64_t) {});
  });
}

}  // namespace

void Im2colFloats(const ConvolutionShape& s, const float* x, int64_t channels, int64_t begin,
                  int64_t end, float* columns) {
  gather_columns(s, x, channels, begin, end, columns);
}
void Im2colDoubles(const ConvolutionShape& s, const double* x, int64_t channels, int64_t begin,
                   int64_t end, double* columns) {
  gather_columns(s, x, channels, begin, end, columns);
}
void Col2imFloats(const ConvolutionShape& s, const float* columns, int64_t channels, int64_t begin,
                  int64_t end, float* x) {
  add_columns(s, columns, channels, begin, end, x);
}
void Col2imDoubles(const ConvolutionShape& s, const double* columns, int64_t channels,
                   int64_t begin, int64_t end, double* x) {
  add_columns(s, columns, channels, begin, end, x);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(Im2colFloats);
HWY_EXPORT(Im2colDoubles);
HWY_EXPORT(Col2imFloats);
HWY_EXPORT(Col2imDoubles);

void im2col(const ConvolutionShape& s, const float* x, int64_t channels, int64_t begin, int64_t end,
            float* columns) {
  HWY_DYNAMIC_DISPATCH(Im2colFloats)(s, x, channels, begin, end, columns);
}
void im2col(const ConvolutionShape& s, const double* x, int64_t channels, int64_t begin,
            int64_t end, double* columns) {
  HWY_DYNAMIC_DISPATCH(Im2colDoubles)(s, x, channels, begin, end, columns);
}
void col2im(const ConvolutionShape& s, const float* columns, int64_t channels, int64_t begin,
            int64_t end, float* x) {
  HWY_DYNAMIC_DISPATCH(Col2imFloats)(s, columns, channels, begin, end, x);
}
void col2im(const ConvolutionShape& s, const double* columns, int64_t channels, int64_t begin,
            int64_t end, double* x) {
  HWY_DYNAMIC_DISPATCH(Col2imDoubles)(s, columns, channels, begin, end, x);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
