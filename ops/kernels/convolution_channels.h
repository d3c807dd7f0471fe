// SPDX-License-Identifier: Apache-2.0
// Convolution of channels that have a group each (depthwise). A channel is copied between zeros,
// and cut into one plane for every remainder of a place by the strides. In such a plane the
// elements under one tap, for all outputs, lie one after the other as the outputs do, some of no
// output between them: each tap is one loop over the whole channel.
#ifndef ACLGRAD_OPS_KERNELS_CONVOLUTION_CHANNELS_H_
#define ACLGRAD_OPS_KERNELS_CONVOLUTION_CHANNELS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ops/kernels/convolution.h"
#include "ops/kernels/tree_sum.h"

namespace aclgrad::ops {

// The planes of a channel, and outputs that are laid out as they are.
class ChannelPlanes {
 public:
  explicit ChannelPlanes(const ConvolutionShape& shape) : s_(shape) {
    for (size_t i = 0; i < 3; ++i) {
      const int64_t wanted = (s_.out[i] - 1) * s_.stride[i] + (s_.kernel[i] - 1) * s_.dilation[i];
      size_[i] = s_.out[i] == 0 ? 0 : wanted / s_.stride[i] + 1;
    }
  }

  int64_t elements() const {
    return ConvolutionShape::product(s_.stride) * ConvolutionShape::product(size_);
  }

  // Of the outputs: from the first to the last.
  int64_t outputs() const {
    return s_.places() == 0 ? 0 : at({s_.out[0] - 1, s_.out[1] - 1, s_.out[2] - 1}) + 1;
  }

  // Of the memory that the functions below want.
  int64_t scratch() const { return elements() + outputs(); }

  // Where the elements under a tap begin.
  int64_t offset(int64_t tap) const {
    return place({tap / s_.kernel[2] / s_.kernel[1] * s_.dilation[0],
                  tap / s_.kernel[2] % s_.kernel[1] * s_.dilation[1],
                  tap % s_.kernel[2] * s_.dilation[2]});
  }

  // Calls body(pixel, place, count) for each run of pixels that lies in the planes: pixels pixel,
  // pixel + stride, ... of the channel are elements place, place + 1, ...
  template <class Body>
  void each_pixel(const Body& body) const {
    const int64_t planes = ConvolutionShape::product(size_);
    for (int64_t z = 0; z < s_.in[0]; ++z) {
      for (int64_t y = 0; y < s_.in[1]; ++y) {
        const int64_t pixel = (z * s_.in[1] + y) * s_.in[2];
        const int64_t top = z + s_.padding[0], row = y + s_.padding[1];
        if (top / s_.stride[0] >= size_[0] || row / s_.stride[1] >= size_[1]) continue;
        for (int64_t rest = 0; rest < s_.stride[2]; ++rest) {
          // Columns x with (x + padding) % stride = rest, from `first` on.
          const int64_t first =
              ((rest - s_.padding[2]) % s_.stride[2] + s_.stride[2]) % s_.stride[2];
          const int64_t from = (first + s_.padding[2]) / s_.stride[2];
          const int64_t count =
              std::min((s_.in[2] - first + s_.stride[2] - 1) / s_.stride[2], size_[2] - from);
          const int64_t plane =
              ((top % s_.stride[0]) * s_.stride[1] + row % s_.stride[1]) * s_.stride[2] + rest;
          if (first < s_.in[2] && count > 0) {
            body(pixel + first, plane * planes + at({top / s_.stride[0], row / s_.stride[1], from}),
                 count);
          }
        }
      }
    }
  }

  // Calls body(place, output) for each line of the outputs: where it begins among outputs(), and
  // among the dense ones.
  template <class Body>
  void each_output_line(const Body& body) const {
    for (int64_t line = 0; line < s_.out[0] * s_.out[1]; ++line) {
      body(at({line / s_.out[1], line % s_.out[1], 0}), line * s_.out[2]);
    }
  }

  // The planes of channel x; whether all its elements are finite.
  template <class T>
  bool spread(const T* x, T* planes) const {
    std::fill_n(planes, elements(), T{0});
    bool finite = true;
    each_pixel([&](int64_t pixel, int64_t place, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const T value = x[pixel + i * s_.stride[2]];
        planes[place + i] = value;
        finite &= std::abs(value) <= std::numeric_limits<T>::max();
      }
    });
    return finite;
  }

  // Outputs y, with zeros between them.
  template <class T>
  void spread_outputs(const T* y, T* outputs) const {
    std::fill_n(outputs, this->outputs(), T{0});
    each_output_line([&](int64_t place, int64_t output) {
      std::copy_n(y + output, s_.out[2], outputs + place);
    });
  }

  // Calls body(begin, count) for runs of outputs: one for all, or one for each line, without what
  // is between them, where that would multiply something by a 0 that is none of its business.
  template <class Body>
  void each_run(bool whole, const Body& body) const {
    if (whole) return body(int64_t{0}, outputs());
    each_output_line([&](int64_t place, int64_t) { body(place, s_.out[2]); });
  }

 private:
  int64_t at(const ConvolutionShape::Axes& p) const {
    return (p[0] * size_[1] + p[1]) * size_[2] + p[2];
  }
  int64_t place(const ConvolutionShape::Axes& p) const {
    const auto& stride = s_.stride;
    const int64_t plane =
        ((p[0] % stride[0]) * stride[1] + p[1] % stride[1]) * stride[2] + p[2] % stride[2];
    return plane * ConvolutionShape::product(size_) +
           at({p[0] / stride[0], p[1] / stride[1], p[2] / stride[2]});
  }

  const ConvolutionShape& s_;
  ConvolutionShape::Axes size_;  // of a plane
};

// y = conv(x, w) + bias of one channel. `scratch` has room for planes.scratch().
template <class T>
void convolve_channel(const ConvolutionShape& s, const ChannelPlanes& planes, const T* x,
                      const T* w, T bias, T* y, T* scratch) {
  T* const sums = scratch + planes.elements();
  const int64_t count = planes.outputs();
  planes.spread(x, scratch);
  std::fill_n(sums, count, bias);
  for (int64_t tap = 0; tap < s.taps(); ++tap) {
    const T factor = w[tap];
    const T* const from = scratch + planes.offset(tap);
    for (int64_t i = 0; i < count; ++i) sums[i] += factor * from[i];
  }
  planes.each_output_line(
      [&](int64_t place, int64_t output) { std::copy_n(sums + place, s.out[2], y + output); });
}

// The adjoint with respect to x, with a bias.
template <class T>
void convolve_channel_adjoint(const ConvolutionShape& s, const ChannelPlanes& planes, const T* y,
                              const T* w, T bias, T* x, T* scratch) {
  T* const outputs = scratch + planes.elements();
  planes.spread_outputs(y, outputs);
  std::fill_n(scratch, planes.elements(), T{0});
  for (int64_t tap = 0; tap < s.taps(); ++tap) {
    const T factor = w[tap];
    T* const to = scratch + planes.offset(tap);
    planes.each_run(std::isfinite(factor), [&](int64_t begin, int64_t count) {
      for (int64_t i = begin; i < begin + count; ++i) to[i] += factor * outputs[i];
    });
  }
  std::fill_n(x, s.pixels(), bias);
  planes.each_pixel([&](int64_t pixel, int64_t place, int64_t count) {
    for (int64_t i = 0; i < count; ++i) x[pixel + i * s.stride[2]] += scratch[place + i];
  });
}

// Adds a[j] b[j] to lane j, modulo their number; a few terms of a lane are added in T.
template <class T>
void add_products(const T* a, const T* b, int64_t count, double* lanes) {
  constexpr auto kLanes = static_cast<int64_t>(kSumLanes);
  constexpr int64_t kAtOnce = 32 * kLanes;
  for (int64_t begin = 0; begin < count; begin += kAtOnce) {
    const int64_t end = std::min(count, begin + kAtOnce);
    std::array<T, kSumLanes> sums{};
    int64_t j = begin;
    for (; j + kLanes <= end; j += kLanes) {
      for (size_t lane = 0; lane < kSumLanes; ++lane) {
        sums[lane] += a[static_cast<size_t>(j) + lane] * b[static_cast<size_t>(j) + lane];
      }
    }
    for (size_t lane = 0; j < end; ++j, ++lane) sums[lane] += a[j] * b[j];
    for (size_t lane = 0; lane < kSumLanes; ++lane) lanes[lane] += static_cast<double>(sums[lane]);
  }
}

// The gradient of a channel's weights. `sums` has room for kSumLanes numbers a tap.
template <class T>
void channel_weight_gradient(const ConvolutionShape& s, const ChannelPlanes& planes,
                             int64_t channel, const T* x, const T* y, T* w, T* scratch,
                             double* sums) {
  T* const outputs = scratch + planes.elements();
  constexpr auto kLanes = static_cast<int64_t>(kSumLanes);
  std::fill_n(sums, s.taps() * kLanes, 0.0);
  for (int64_t image = 0; image < s.images; ++image) {
    const bool finite = planes.spread(x + (image * s.in_channels + channel) * s.pixels(), scratch);
    planes.spread_outputs(y + (image * s.out_channels + channel) * s.places(), outputs);
    for (int64_t tap = 0; tap < s.taps(); ++tap) {
      const T* const from = scratch + planes.offset(tap);
      planes.each_run(finite, [&](int64_t begin, int64_t count) {
        add_products(outputs + begin, from + begin, count, sums + tap * kLanes);
      });
    }
  }
  for (int64_t tap = 0; tap < s.taps(); ++tap) {
    std::array<double, kSumLanes> lanes;
    std::copy_n(sums + tap * kLanes, kSumLanes, lanes.begin());
    w[tap] = static_cast<T>(LaneSum<double>::combine(lanes));
  }
}

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_CONVOLUTION_CHANNELS_H_
