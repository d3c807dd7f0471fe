// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution_kernel_tiles.h"

#include <algorithm>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/convolution/convolution_kernel_tiles.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"
#include "ops/convolution/convolution_lines-inl.h"
#include "ops/engine/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void convolve_blocks(const ConvolutionShape& s, const T* x, const T* w, const T* bias,
                     int64_t begin, int64_t end, T* y) {
  constexpr int64_t kWidth = kPanel<T>;
  if (convolves_lines<T>(s)) return convolve_lines(s, x, w, bias, begin, end, y);
  const int64_t inputs = s.group_inputs(), taps = s.taps();
  const PlaneLayout<T> layout = PlaneLayout<T>::of_inputs(s);
  const ThreadScratch<TileScratch> scratch;
  T* const sums = scratch->values.of<T>(kBlockPlaces * kWidth + layout.elements(inputs));
  const Planes<T> planes = planes_of(layout, x, inputs, sums + kBlockPlaces * kWidth);
  find_taps(s, planes, scratch->taps);
  find_lines(s, planes, scratch->lines);
  NextImages next({std::pair{x + inputs * s.pixels(), inputs * s.pixels()}});
  for (int64_t i = begin; i < end; ++i) {
    const LineBlocks::Block block = place_lines(s)[i];
    each_panel<T>(s.group_outputs(), [&](int64_t panel, int64_t columns) {
      const T* const weights = w + panel * taps * inputs * kWidth;
      T* const to =
          y + panel * kWidth * s.places() + block.first_line * s.out[2] + block.first_column;
      next.set_first(to, block.size(), columns, s.places());
      each_piece(taps, inputs, [&](int64_t tap, int64_t count, int64_t term, int64_t terms) {
        const bool is_first = tap == 0 && term == 0;
        const bool is_last = tap + count == taps && term + terms == inputs;
        T* c = sums;
        for (int64_t line = block.first_line; line < block.last_line; ++line) {
          const T* const a = planes.data + scratch->lines[static_cast<size_t>(line)] +
                             block.first_column * s.stride[2] + term * planes.channel;
          Tile<T> tile =
              panel_tile(a, s.stride[2], planes.channel, weights + (tap * inputs + term) * kWidth,
                         c, kWidth, terms, !is_first);
          tile.runs = static_cast<size_t>(count);
          tile.run_begins = scratch->taps.data() + tap;
          tile.fetched = next.take(count * terms, a);
          if (is_last && bias != nullptr) tile.added = bias + panel * kWidth;
          multiply_tiles(block.width(), columns, tile);
          c += block.width() * kWidth;
        }
      });
      transpose_lines(sums, kWidth, block.size(), columns, to, s.places());
    });
  }
}

// Adds what the places of a line send to the pixels of a block. Pixels get their terms by lines,
// taps and channels of y, in this order, however the blocks are cut.
template <class T>
void add_line(const ConvolutionShape& s, const Planes<T>& planes, int64_t line, const T* weights,
              int64_t columns, const LineBlocks::Block& block, T* sums) {
  constexpr int64_t kWidth = kPanel<T>;
  const int64_t outputs = s.group_outputs();
  const int64_t z = line / s.out[1] * s.stride[0] - s.padding[0];
  const int64_t y = line % s.out[1] * s.stride[1] - s.padding[1];
  for (int64_t tap = 0; tap < s.taps(); ++tap) {
    const int64_t tap_z = z + tap / s.kernel[2] / s.kernel[1] * s.dilation[0];
    const int64_t tap_y = y + tap / s.kernel[2] % s.kernel[1] * s.dilation[1];
    const int64_t tap_x = tap % s.kernel[2] * s.dilation[2] - s.padding[2];
    const int64_t row = tap_z * s.in[1] + tap_y;
    if (tap_z < 0 || tap_y < 0 || tap_y >= s.in[1] || row < block.first_line ||
        row >= block.last_line) {
      continue;
    }
    const auto place = [&](int64_t column) {
      return std::clamp<int64_t>(ceil_div(column - tap_x, s.stride[2]), 0, s.out[2]);
    };
    const int64_t first = place(block.first_column), last = place(block.last_column);
    T* const c = sums + ((row - block.first_line) * block.width() + first * s.stride[2] + tap_x -
                         block.first_column) *
                            kWidth;
    each_piece(1, outputs, [&](int64_t, int64_t, int64_t term, int64_t terms) {
      multiply_tiles(
          last - first, columns,
          panel_tile(planes.data + line * s.out[2] + first + term * planes.channel, int64_t{1},
                     planes.channel, weights + (tap * outputs + term) * kWidth, c,
                     s.stride[2] * kWidth, terms, true));
    });
  }
}

template <class T>
void convolve_blocks_adjoint(const ConvolutionShape& s, const T* y, const T* w, const T* bias,
                             int64_t begin, int64_t end, T* x) {
  constexpr int64_t kWidth = kPanel<T>;
  const int64_t outputs = s.group_outputs();
  const PlaneLayout<T> layout = PlaneLayout<T>::of_outputs(s);
  const ThreadScratch<TileScratch> scratch;
  T* const sums = scratch->values.of<T>(kBlockPlaces * kWidth + layout.elements(outputs));
  const Planes<T> planes = planes_of(layout, y, outputs, sums + kBlockPlaces * kWidth);
  for (int64_t i = begin; i < end; ++i) {
    const LineBlocks::Block block = pixel_lines(s)[i];
    each_panel<T>(s.group_inputs(), [&](int64_t panel, int64_t columns) {
      for (int64_t pixel = 0; pixel < block.size(); ++pixel) {
        T* const to = sums + pixel * kWidth;
        if (bias == nullptr) {
          std::fill_n(to, kWidth, T{0});
        } else {
          std::copy_n(bias + panel * kWidth, columns, to);
        }
      }
      const T* const weights = w + panel * s.taps() * outputs * kWidth;
      for (int64_t line = 0; line < place_lines(s).lines; ++line) {
        add_line(s, planes, line, weights, columns, block, sums);
      }
      transpose_lines(
          sums, kWidth, block.size(), columns,
          x + panel * kWidth * s.pixels() + block.first_line * s.in[2] + block.first_column,
          s.pixels());
    });
  }
}

// to = from, or to += from.
template <class T>
HWY_INLINE void add_to(double* to, const T* from, int64_t count, bool adds) {
  const hn::ScalableTag<double> d;
  static_assert(kPanel<T> % hn::MaxLanes(d) == 0);
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::MaxLanes(d))) {
    auto sum = hn::Zero(d);
    if constexpr (sizeof(T) == sizeof(double)) {
      sum = hn::LoadU(d, from + i);
    } else {
      sum = hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, decltype(d)>(), from + i));
    }
    hn::StoreU(adds ? hn::Add(hn::LoadU(d, to + i), sum) : sum, d, to + i);
  }
}

// The gradient of some inputs' weights. Up to kMostTerms terms, of one image or several, are added
// in T; such sums in double.
template <class T>
class WeightGradient {
 public:
  WeightGradient(const ConvolutionShape& s, int64_t begin, int64_t end, double* sums)
      : s_(s),
        layout_(PlaneLayout<T>::of_inputs(s)),
        begin_(begin),
        channels_(end - begin),
        sums_(sums) {
    const int64_t panels = padded_channels<T>(s.group_outputs());
    const int64_t products = panels * s.taps() * channels_;
    products_ = scratch_->values.of<T>(products + kKc * kWidth + layout_.elements(channels_));
    gradients_ = products_ + products;
    memory_ = gradients_ + kKc * kWidth;
  }

  void add(const T* x, const T* y) {
    const Planes<T> planes = planes_of(layout_, x + begin_ * s_.pixels(), channels_, memory_);
    find_taps(s_, planes, scratch_->taps);
    find_lines(s_, planes, scratch_->lines);
    NextImages next(
        {std::pair{x + (s_.in_channels + begin_) * s_.pixels(), channels_ * s_.pixels()},
         std::pair{y + s_.out_channels * s_.places(), s_.group_outputs() * s_.places()}});
    each_piece(place_lines(s_).lines, s_.out[2],
               [&](int64_t line, int64_t lines, int64_t column, int64_t terms) {
                 if (pending_ + lines * terms > kMostTerms) flush();
                 add_piece(planes, y, line, lines, column, terms, next);
                 pending_ += lines * terms;
               });
  }

  void flush() {
    if (pending_ == 0) return;
    each_row([&](double* to, const T* from) { add_to(to, from, channels_ * kWidth, has_sums_); });
    pending_ = 0;
    has_sums_ = true;
  }

  void finish() {
    flush();
    if (has_sums_) return;
    each_row([&](double* to, const T*) { std::fill_n(to, channels_ * kWidth, 0.0); });
  }

 private:
  static constexpr int64_t kWidth = kPanel<T>;
  static constexpr int64_t kMostTerms = 2 * kKc;

  // Calls body(sums, products) for the rows of each panel and tap.
  template <class Body>
  HWY_INLINE void each_row(const Body& body) {
    const int64_t rows = padded_channels<T>(s_.group_outputs()) / kWidth * s_.taps();
    for (int64_t row = 0; row < rows; ++row) {
      body(sums_ + (row * s_.group_inputs() + begin_) * kWidth,
           products_ + row * channels_ * kWidth);
    }
  }

  void add_piece(const Planes<T>& planes, const T* y, int64_t line, int64_t lines, int64_t column,
                 int64_t terms, NextImages& next) {
    const int64_t first = line * s_.out[2] + column;
    // A tile's rows are inputs, or the taps of a line of the kernel where those are more.
    const bool by_taps = s_.kernel[2] > channels_;
    each_panel<T>(s_.group_outputs(), [&](int64_t panel, int64_t columns) {
      transpose_lines(y + panel * kWidth * s_.places() + first, s_.places(), columns, lines * terms,
                      gradients_, kWidth);
      T* const products = products_ + panel * s_.taps() * channels_ * kWidth;
      const auto multiply = [&](int64_t tap, int64_t channel) {
        const T* const a = planes.data + scratch_->taps[static_cast<size_t>(tap)] +
                           channel * planes.channel + column * s_.stride[2];
        T* const c = products + (tap * channels_ + channel) * kWidth;
        Tile<T> tile = panel_tile(a, by_taps ? s_.dilation[2] : planes.channel, s_.stride[2],
                                  static_cast<const T*>(gradients_), c,
                                  by_taps ? channels_ * kWidth : kWidth, terms, pending_ > 0);
        tile.runs = static_cast<size_t>(lines);
        tile.run_begins = scratch_->lines.data() + line;
        tile.fetched = next.take(lines * terms, a);
        multiply_tiles(by_taps ? s_.kernel[2] : channels_, columns, tile);
      };
      for (int64_t tap = 0; tap < s_.taps(); tap += by_taps ? s_.kernel[2] : 1) {
        for (int64_t channel = 0; channel < (by_taps ? channels_ : 1); ++channel) {
          multiply(tap, channel);
        }
      }
    });
  }

  const ConvolutionShape& s_;
  const PlaneLayout<T> layout_;
  const ThreadScratch<TileScratch> scratch_;
  const int64_t begin_, channels_;  // of the group's inputs
  double* const sums_;
  T* products_;          // of each panel and tap, a row a channel
  T* gradients_;         // a piece of y, a row a place
  T* memory_;            // for planes
  int64_t pending_ = 0;  // terms in the products
  bool has_sums_ = false;
};

template <class T>
void sum_weight_gradient(const ConvolutionShape& s, const T* x, const T* y, int64_t images,
                         int64_t begin, int64_t end, double* sums) {
  WeightGradient<T> gradient(s, begin, end, sums);
  for (int64_t image = 0; image < images; ++image) {
    gradient.add(x + image * s.in_channels * s.pixels(), y + image * s.out_channels * s.places());
  }
  gradient.finish();
}

template <class T>
inline constexpr GroupConvolution<T> kAll{convolve_blocks<T>, convolve_blocks_adjoint<T>,
                                          sum_weight_gradient<T>};

}  // namespace

const GroupConvolution<float>& FloatGroups() { return kAll<float>; }
const GroupConvolution<double>& DoubleGroups() { return kAll<double>; }

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(FloatGroups);
HWY_EXPORT(DoubleGroups);

template <>
const GroupConvolution<float>& group_convolution() {
  return HWY_DYNAMIC_DISPATCH(FloatGroups)();
}
template <>
const GroupConvolution<double>& group_convolution() {
  return HWY_DYNAMIC_DISPATCH(DoubleGroups)();
}

int64_t place_blocks(const ConvolutionShape& s) { return place_lines(s).count(); }
int64_t pixel_blocks(const ConvolutionShape& s) { return pixel_lines(s).count(); }

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
