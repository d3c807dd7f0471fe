// SPDX-License-Identifier: Apache-2.0
// Per-target: how tiles of products walk over the lines of images, and convolutions of few outputs,
// whose tiles are as wide as a line. Included by kernel files inside Highway's foreach_target loop.
#ifndef ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_LINES_ONCE
#define ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_LINES_ONCE

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "ops/convolution/convolution_kernel_tiles.h"
#include "ops/engine/thread_scratch.h"
#include "ops/matmul/product_fetch.h"

namespace aclgrad::ops {

// Most places or pixels whose sums, a panel wide, wait in the second-level cache.
inline constexpr int64_t kBlockPlaces = 512;

// Lines of `width` elements in blocks: as many lines as fit, or parts of one.
struct LineBlocks {
  int64_t lines, width;

  int64_t lines_at_once() const { return std::max<int64_t>(1, kBlockPlaces / width); }
  int64_t blocks_of_line() const { return (width + kBlockPlaces - 1) / kBlockPlaces; }
  int64_t count() const {
    return width == 0 ? 0 : (lines + lines_at_once() - 1) / lines_at_once() * blocks_of_line();
  }

  struct Block {
    int64_t first_line, last_line;      // the last one excluded
    int64_t first_column, last_column;  // of each of them

    int64_t width() const { return last_column - first_column; }
    int64_t size() const { return (last_line - first_line) * width(); }
  };
  Block operator[](int64_t block) const {
    const int64_t line = block / blocks_of_line() * lines_at_once();
    const int64_t column = block % blocks_of_line() * kBlockPlaces;
    return {line, std::min(lines, line + lines_at_once()), column,
            std::min(width, column + kBlockPlaces)};
  }
};

inline LineBlocks place_lines(const ConvolutionShape& s) { return {s.out[0] * s.out[1], s.out[2]}; }
inline LineBlocks pixel_lines(const ConvolutionShape& s) { return {s.in[0] * s.in[1], s.in[2]}; }

inline int64_t ceil_div(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

// Memory that a thread keeps.
struct TileScratch {
  GrowingMemory values;
  std::vector<int64_t> taps, lines;  // where they begin in the planes
};

// What tiles have fetched while they compute: results that are written next, then an image, or two,
// that are read after that.
class NextImages {
 public:
  // Each with its elements; there may be none where an image would lie.
  template <class T>
  NextImages(std::initializer_list<std::pair<const T*, int64_t>> images) {
    for (const auto& [image, elements] : images) {
      const auto bytes = elements * static_cast<int64_t>(sizeof(T));
      fetches_[count_++].set_next(image, 1, bytes / kLineBytes, kLineBytes);
    }
  }
  // Rows of so many elements, `stride` elements apart.
  template <class T>
  void set_first(const T* results, int64_t elements, int64_t rows, int64_t stride) {
    constexpr auto kSize = static_cast<int64_t>(sizeof(T));
    fetches_[0].set_next(results, elements * kSize, rows, stride * kSize);
    first_ = 0;
  }
  Fetches::CacheLines take(int64_t terms, const void* at_hand) {
    while (first_ < count_) {
      const Fetches::CacheLines lines = fetches_[first_].take(terms, at_hand);
      if (lines.stride != 0) return lines;
      ++first_;
    }
    return {reinterpret_cast<uintptr_t>(at_hand), 0};
  }

 private:
  std::array<Fetches, 3> fetches_;
  size_t first_ = 0, count_ = 1;
};

}  // namespace aclgrad::ops
#endif

#if defined(ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_LINES_INL_H_
#undef ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_LINES_INL_H_
#else
#define ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_LINES_INL_H_
#endif

#include "hwy/highway.h"
#include "ops/convolution/convolution_planes-inl.h"
#include "ops/matmul/product_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Terms in runs of one length, in pieces of about kKc: calls body(run, runs, term, terms).
template <class Body>
HWY_INLINE void each_piece(int64_t runs, int64_t terms, const Body& body) {
  const int64_t together = std::max<int64_t>(1, kKc / terms);
  for (int64_t run = 0; run < runs; run += together) {
    for (int64_t term = 0; term < terms; term += kKc) {
      body(run, std::min(together, runs - run), term, std::min(kKc, terms - term));
    }
  }
}

// Calls body(panel, columns) for each panel of channels.
template <class T, class Body>
HWY_INLINE void each_panel(int64_t channels, const Body& body) {
  for (int64_t j = 0; j < channels; j += kPanel<T>) {
    body(j / kPanel<T>, std::min(kPanel<T>, channels - j));
  }
}

// Of a tile, what all have in common; b and c are panels.
template <class T>
HWY_INLINE Tile<T> panel_tile(const T* a, int64_t a_row, int64_t a_term, const T* b, T* c,
                              int64_t c_row, int64_t terms, bool adds) {
  return {.a = a,
          .a_row = a_row,
          .a_term = a_term,
          .b = b,
          .b_row = kPanel<T>,
          .b_panel = 0,
          .c = c,
          .c_row = c_row,
          .terms = static_cast<size_t>(terms),
          .columns = 0,
          .adds = adds,
          .fetched = {reinterpret_cast<uintptr_t>(a), 0}};
}

// to[i] = from[i] for begin <= i < end, zeros before and behind, in whole vectors up to `width`.
template <class T>
HWY_INLINE void copy_between_zeros(const T* from, int64_t begin, int64_t end, int64_t width,
                                   T* to) {
  const hn::ScalableTag<T> d;
  constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(d));
  for (int64_t i = 0; i < width; i += kLanes) {
    if (begin <= i && i + kLanes <= end) {
      hn::StoreU(hn::LoadU(d, from + i), d, to + i);
      continue;
    }
    const int64_t first = std::clamp<int64_t>(begin - i, 0, kLanes);
    const int64_t last = std::clamp<int64_t>(end - i, first, kLanes);
#if HWY_TARGET <= HWY_AVX2
    const auto before = hn::FirstN(d, static_cast<size_t>(first));
    const auto within = hn::AndNot(before, hn::FirstN(d, static_cast<size_t>(last)));
    hn::StoreU(hn::MaskedLoad(within, d, from + i), d, to + i);
#else
    hn::StoreU(hn::Zero(d), d, to + i);
    for (int64_t k = first; k < last; ++k) to[i + k] = from[i + k];
#endif
  }
}

// Copies a line of an image, between zeros, for every column of taps, and for each of those every
// channel: what the taps of one line of the kernel multiply, for all places of a line.
template <class T>
void spread_line(const ConvolutionShape& s, const T* x, int64_t row, T* to) {
  const int64_t width = s.out[2], inputs = s.group_inputs();
  if (row < 0 || row >= s.in[1]) {
    std::fill_n(to, s.kernel[2] * inputs * width, T{0});
    return;
  }
  for (int64_t channel = 0; channel < inputs; ++channel) {
    const T* const line = x + channel * s.pixels() + row * s.in[2];
    for (int64_t tap = 0; tap < s.kernel[2]; ++tap) {
      T* const spread = to + (tap * inputs + channel) * width;
      const int64_t first = tap * s.dilation[2] - s.padding[2];
      const int64_t begin = std::clamp<int64_t>(-first, 0, width);
      const int64_t end = std::clamp<int64_t>(s.in[2] - first, begin, width);
      copy_between_zeros(line + first, begin, end, width, spread);
    }
  }
}

// convolve_blocks() for few outputs: places are a tile's columns and outputs its rows, as they are
// in the result.
template <class T>
void convolve_lines(const ConvolutionShape& s, const T* x, const T* w, const T* bias, int64_t begin,
                    int64_t end, T* y) {
  constexpr int64_t kWidth = kPanel<T>;
  const int64_t inputs = s.group_inputs(), outputs = s.group_outputs(), width = s.out[2];
  const int64_t line_elements = s.kernel[2] * inputs * width;
  const int64_t most_lines = (place_lines(s).lines_at_once() - 1) * s.stride[1] + s.kernel[1];
  const ThreadScratch<TileScratch> scratch;
  T* const biases = scratch->values.of<T>(outputs * kWidth + most_lines * line_elements);
  T* const lines = biases + outputs * kWidth;
  NextImages next({std::pair{x + inputs * s.pixels(), inputs * s.pixels()}});
  for (int64_t i = 0; bias != nullptr && i < outputs; ++i) {
    std::fill_n(biases + i * kWidth, kWidth, bias[i]);
  }
  for (int64_t i = begin; i < end; ++i) {
    const LineBlocks::Block block = place_lines(s)[i];
    const int64_t first_row = block.first_line * s.stride[1] - s.padding[1];
    int64_t row = 0;  // the next one: a line is used while it is in the nearest cache
    for (int64_t line = block.first_line; line < block.last_line; ++line) {
      const int64_t first = (line - block.first_line) * s.stride[1];
      for (; row < first + s.kernel[1]; ++row) {
        spread_line(s, x, first_row + row, lines + row * line_elements);
      }
      const T* const from = lines + first * line_elements;
      each_piece(s.taps(), inputs, [&](int64_t tap, int64_t count, int64_t term, int64_t terms) {
        const int64_t done = tap * inputs + term;
        const bool is_last = tap + count == s.taps() && term + terms == inputs;
        const T* const a = w + done * kWidth;
        for (int64_t column = 0; column < width; column += kWidth) {
          Tile<T> tile = panel_tile(a, int64_t{1}, kWidth, from + done * width + column,
                                    y + line * width + column, s.places(), count * terms, done > 0);
          tile.b_row = width;
          tile.fetched = next.take(count * terms, a);
          if (is_last && bias != nullptr) {
            tile.added = biases;
            tile.added_row = kWidth;
          }
          multiply_tiles<kTileRows<T>>(outputs, kWidth, tile);
        }
      });
    }
  }
}

// Whether that is faster: with tiles that are one vector wide, every factor is loaded for a single
// multiplication.
template <class T>
bool convolves_lines(const ConvolutionShape& s) {
  return s.kernel[0] == 1 && s.out[0] == 1 && s.padding[0] == 0 && s.dilation[1] == 1 &&
         s.stride[2] == 1 && s.out[2] % kPanel<T> == 0 && s.out[2] <= kBlockPlaces &&
         s.group_outputs() <= kPanel<T> / 2;
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
