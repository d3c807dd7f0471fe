// SPDX-License-Identifier: Apache-2.0
// Where the windows of a convolution lie over its input: the elements under one tap, and columns of
// them.
#ifndef ACLGRAD_OPS_KERNELS_CONVOLUTION_WINDOWS_H_
#define ACLGRAD_OPS_KERNELS_CONVOLUTION_WINDOWS_H_

#include <algorithm>

#include "ops/kernels/convolution.h"

namespace aclgrad::ops {

inline int64_t ceil_div(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

// One tap of the kernel, over places [begin, end) of an output channel. Calls
// inside(i, source, count) for runs of `count` places from begin + i on under which there are input
// elements source, source + stride, ..., and outside(i, count) where there are none.
template <class Inside, class Outside>
void walk_tap(const ConvolutionShape& s, int64_t tap, int64_t begin, int64_t end,
              const Inside& inside, const Outside& outside) {
  const int64_t at[3] = {tap / s.kernel[2] / s.kernel[1] * s.dilation[0] - s.padding[0],
                         tap / s.kernel[2] % s.kernel[1] * s.dilation[1] - s.padding[1],
                         tap % s.kernel[2] * s.dilation[2] - s.padding[2]};
  const int64_t width = s.out[2];
  const int64_t first = std::clamp<int64_t>(ceil_div(-at[2], s.stride[2]), 0, width);
  const int64_t last = std::clamp<int64_t>(ceil_div(s.in[2] - at[2], s.stride[2]), first, width);
  for (int64_t p = begin; p < end;) {
    const int64_t column = p % width;
    const int64_t count = std::min(width - column, end - p);
    const int64_t row = p / width % s.out[1] * s.stride[1] + at[1];
    const int64_t plane = p / width / s.out[1] * s.stride[0] + at[0];
    const bool is_in = row >= 0 && row < s.in[1] && plane >= 0 && plane < s.in[0];
    const int64_t from = is_in ? std::clamp(first, column, column + count) : column + count;
    const int64_t to = is_in ? std::clamp(last, from, column + count) : column + count;
    if (from > column) outside(p - begin, from - column);
    if (to > from) {
      inside(p - begin + from - column,
             (plane * s.in[1] + row) * s.in[2] + from * s.stride[2] + at[2], to - from);
    }
    if (column + count > to) outside(p - begin + to - column, column + count - to);
    p += count;
  }
}

// The elements of `channels` input channels under the windows of places [begin, end): a row for
// each channel and tap.
template <class T>
void unfold(const ConvolutionShape& s, const T* x, int64_t channels, int64_t begin, int64_t end,
            T* columns) {
  const int64_t step = s.stride[2];
  for (int64_t channel = 0; channel < channels; ++channel, x += s.pixels()) {
    for (int64_t tap = 0; tap < s.taps(); ++tap, columns += end - begin) {
      walk_tap(
          s, tap, begin, end,
          [&](int64_t i, int64_t source, int64_t count) {
            const T* from = x + source;
            T* const to = columns + i;
            if (step == 1) {
              std::copy_n(from, count, to);
            } else {
              for (int64_t j = 0; j < count; ++j) to[j] = from[j * step];
            }
          },
          [&](int64_t i, int64_t count) { std::fill_n(columns + i, count, T{0}); });
    }
  }
}

// Adds such rows to the elements that they stand for.
template <class T>
void fold(const ConvolutionShape& s, const T* columns, int64_t channels, int64_t begin, int64_t end,
          T* x) {
  const int64_t step = s.stride[2];
  for (int64_t channel = 0; channel < channels; ++channel, x += s.pixels()) {
    for (int64_t tap = 0; tap < s.taps(); ++tap, columns += end - begin) {
      walk_tap(
          s, tap, begin, end,
          [&](int64_t i, int64_t target, int64_t count) {
            const T* const from = columns + i;
            T* const to = x + target;
            for (int64_t j = 0; j < count; ++j) to[j * step] += from[j];
          },
          [](int64_t, int64_t) {});
    }
  }
}

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_CONVOLUTION_WINDOWS_H_
