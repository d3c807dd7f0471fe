// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution_kernel_channels.h"

#include <algorithm>
#include <cmath>

#include "ops/engine/thread_scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/convolution/convolution_kernel_channels.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"
#include "ops/convolution/convolution_planes-inl.h"
#include "ops/engine/math/fused-inl.h"

#ifndef ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_CHANNELS_ONCE
#define ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_CHANNELS_ONCE
namespace aclgrad::ops {

// Accumulators of a sum over a channel, and terms of a lane that are added in T: such sums in
// double.
inline constexpr int64_t kChannelLanes = 16;
inline constexpr int64_t kLaneTerms = 32;
// Elements behind an array that vectors may read, and write where it is scratch.
inline constexpr int64_t kBehind = 64;

// Memory that a thread keeps.
struct ChannelScratch {
  GrowingMemory planes, outputs, lanes, sums;
};

}  // namespace aclgrad::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
constexpr auto kLanesOf = static_cast<int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));

// The planes of channel x, with zeros around it; whether all its elements are finite.
template <class T>
bool spread(const ChannelPlanes& planes, const T* x, T* to) {
  const ConvolutionShape& s = planes.shape();
  std::fill_n(to, planes.elements() + kBehind, T{0});
  for (const auto& [pixel, place, count] : planes.pixel_runs()) {
    if (s.stride[2] == 1) {
      copy_line(x + pixel, count, to + place);
    } else {
      for (int64_t i = 0; i < count; ++i) to[place + i] = x[pixel + i * s.stride[2]];
    }
  }
  const hn::ScalableTag<T> d;
  auto zeros = hn::Zero(d);  // an infinity or a NaN minus itself is none
  for (int64_t i = 0; i < planes.elements(); i += kLanesOf<T>) {
    const auto copied = hn::LoadU(d, to + i);
    zeros = hn::Add(zeros, hn::Sub(copied, copied));
  }
  return hn::AllTrue(d, hn::Eq(zeros, hn::Zero(d)));
}

// Outputs y, with zeros between and behind them.
template <class T>
void spread_outputs(const ChannelPlanes& planes, const T* y, T* to) {
  std::fill_n(to, planes.outputs() + kBehind, T{0});
  for (const auto& [output, place] : planes.output_lines()) {
    copy_line(y + output, planes.shape().out[2], to + place);
  }
}

// A tap with its weight: what it multiplies begins `offset` behind (or before) the first element.
template <class T>
struct WeightedTap {
  int64_t offset;
  T weight;
};

// to[i] = first + the taps' products with elements from[offset + i], for i < count and a few more.
template <class T>
void add_taps(const T* from, const WeightedTap<T>* taps, size_t tap_count, T first, int64_t count,
              T* to) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kTogether = 4;
  static_assert(kTogether * kLanesOf<T> <= kBehind);
  for (int64_t i = 0; i < count; i += kTogether * kLanesOf<T>) {
    hn::Vec<decltype(d)> sums[kTogether];
    for (auto& sum : sums) sum = hn::Set(d, first);
    for (size_t t = 0; t < tap_count; ++t) {
      const auto weight = hn::Set(d, taps[t].weight);
      const T* const at = from + taps[t].offset + i;
      for (int64_t k = 0; k < kTogether; ++k) {
        sums[k] = mul_add(d, weight, hn::LoadU(d, at + k * kLanesOf<T>), sums[k]);
      }
    }
    for (int64_t k = 0; k < kTogether; ++k) hn::StoreU(sums[k], d, to + i + k * kLanesOf<T>);
  }
}

template <class T>
void convolve_channel(const ChannelPlanes& planes, const T* x, const T* w, T bias, T* y) {
  const ThreadScratch<ChannelScratch> scratch;
  T* const from = scratch->planes.of<T>(planes.elements() + kBehind);
  T* const sums = scratch->outputs.of<T>(planes.outputs() + kBehind);
  auto* const taps = scratch->lanes.of<WeightedTap<T>>(static_cast<int64_t>(planes.taps().size()));
  spread(planes, x, from);
  for (size_t t = 0; t < planes.taps().size(); ++t) taps[t] = {planes.taps()[t].offset, w[t]};
  add_taps(from, taps, planes.taps().size(), bias, planes.outputs(), sums);
  for (const auto& [output, place] : planes.output_lines()) {
    copy_line(sums + place, planes.shape().out[2], y + output);
  }
}

// What an infinite or NaN weight sends to the elements under outputs, and to no others.
template <class T>
void add_outputs(const ChannelPlanes& planes, const T* outputs, T weight, T* to) {
  for (const auto& [output, place] : planes.output_lines()) {
    for (int64_t i = place; i < place + planes.shape().out[2]; ++i) to[i] += weight * outputs[i];
  }
}

template <class T>
void convolve_channel_adjoint(const ChannelPlanes& planes, const T* y, const T* w, T bias, T* x) {
  const ConvolutionShape& s = planes.shape();
  const int64_t plane = planes.plane_elements();
  const ThreadScratch<ChannelScratch> scratch;
  T* const to = scratch->planes.of<T>(planes.elements() + kBehind);
  // A plane of zeros before the outputs and one behind them, for taps that reach beyond.
  T* const outputs = scratch->outputs.of<T>(3 * plane + 2 * kBehind) + plane;
  auto* const taps = scratch->lanes.of<WeightedTap<T>>(static_cast<int64_t>(planes.taps().size()));
  std::fill_n(outputs - plane, 3 * plane + 2 * kBehind, T{0});
  spread_outputs(planes, y, outputs);
  for (int64_t begin = 0; begin < planes.elements(); begin += plane) {
    size_t count = 0;
    for (size_t t = 0; t < planes.taps().size(); ++t) {
      const ChannelPlanes::Tap& tap = planes.taps()[t];
      if (tap.plane != begin || !std::isfinite(w[t])) continue;
      taps[count++] = {tap.plane - tap.offset, w[t]};
    }
    add_taps(outputs, taps, count, bias, plane, to + begin);
  }
  for (size_t t = 0; t < planes.taps().size(); ++t) {
    if (!std::isfinite(w[t])) add_outputs(planes, outputs, w[t], to + planes.taps()[t].offset);
  }
  std::fill_n(x, s.pixels(), bias);  // pixels under no window
  for (const auto& [pixel, place, count] : planes.pixel_runs()) {
    if (s.stride[2] == 1) {
      copy_line(to + place, count, x + pixel);
    } else {
      for (int64_t i = 0; i < count; ++i) x[pixel + i * s.stride[2]] = to[place + i];
    }
  }
}

// The sums of a channel's weight gradients: kChannelLanes lanes for every tap, output i in lane
// i mod kChannelLanes. Some terms of a lane are added in T, such sums in double.
template <class T>
class TapSums {
 public:
  TapSums(ChannelScratch& scratch, const ChannelPlanes& planes)
      : planes_(planes),
        count_(static_cast<int64_t>(planes.taps().size()) * kChannelLanes),
        lanes_(scratch.lanes.of<T>(count_)),
        sums_(scratch.sums.of<double>(count_)) {
    std::fill_n(lanes_, count_, T{0});
    std::fill_n(sums_, count_, 0.0);
  }

  // Where all x are finite, what is between the outputs adds nothing.
  void add(const T* x, const T* outputs, bool finite) {
    if (!finite) return add_lines(x, outputs);
    constexpr int64_t kPiece = kLaneTerms * kChannelLanes;
    for (int64_t begin = 0; begin < planes_.outputs(); begin += kPiece) {
      const int64_t count = std::min(kPiece, planes_.outputs() - begin);
      count_terms((count + kChannelLanes - 1) / kChannelLanes);
      for (size_t t = 0; t < planes_.taps().size();) {
        t += add_together(x + begin, outputs + begin, count, t);
      }
    }
  }

  void store(T* w) {
    flush();
    for (size_t t = 0; t < planes_.taps().size(); ++t) {
      double* const lanes = sums_ + static_cast<int64_t>(t) * kChannelLanes;
      for (int64_t width = kChannelLanes / 2; width > 0; width /= 2) {
        for (int64_t i = 0; i < width; ++i) lanes[i] += lanes[i + width];
      }
      w[t] = static_cast<T>(lanes[0]);
    }
  }

 private:
  static constexpr int64_t kVectors = kChannelLanes / kLanesOf<T>;
  // Most taps whose lanes registers hold together: nine and five, as kernels of 3 x 3 and 5 x 5
  // consist of them.
  static constexpr size_t kMostTaps = HWY_TARGET <= HWY_AVX3 ? 18 / (kVectors + 1) : 10 / kVectors;

  void count_terms(int64_t terms) {
    if (pending_ + terms > kLaneTerms) flush();
    pending_ += terms;
  }
  void flush() {
    for (int64_t i = 0; i < count_; ++i) sums_[i] += static_cast<double>(lanes_[i]);
    std::fill_n(lanes_, count_, T{0});
    pending_ = 0;
  }

  size_t add_together(const T* x, const T* outputs, int64_t count, size_t first) {
    const size_t left = planes_.taps().size() - first;
    if constexpr (kMostTaps >= 9) {
      if (left >= 9) return add_some<9>(x, outputs, count, first);
    }
    if constexpr (kMostTaps >= 5) {
      if (left >= 5) return add_some<5>(x, outputs, count, first);
    }
    return add_some<1>(x, outputs, count, first);
  }
  template <size_t kCount>
  HWY_INLINE size_t add_some(const T* x, const T* outputs, int64_t count, size_t first) {
    const hn::ScalableTag<T> d;
    hn::Vec<decltype(d)> sums[kCount][kVectors];
    const T* from[kCount];
    T* const lanes = lanes_ + static_cast<int64_t>(first) * kChannelLanes;
    for (size_t t = 0; t < kCount; ++t) {
      from[t] = x + planes_.taps()[first + t].offset;
      for (size_t k = 0; k < kVectors; ++k) {
        sums[t][k] = hn::LoadU(d, lanes + (t * kVectors + k) * kLanesOf<T>);
      }
    }
    for (int64_t i = 0; i < count; i += kChannelLanes) {
      for (size_t k = 0; k < kVectors; ++k) {
        const int64_t at = i + static_cast<int64_t>(k) * kLanesOf<T>;
        const auto output = hn::LoadU(d, outputs + at);
        for (size_t t = 0; t < kCount; ++t) {
          sums[t][k] = mul_add(d, output, hn::LoadU(d, from[t] + at), sums[t][k]);
        }
      }
    }
    for (size_t t = 0; t < kCount; ++t) {
      for (size_t k = 0; k < kVectors; ++k) {
        hn::StoreU(sums[t][k], d, lanes + (t * kVectors + k) * kLanesOf<T>);
      }
    }
    return kCount;
  }

  void add_lines(const T* x, const T* outputs) {
    const hn::CappedTag<T, 1> d;
    for (const auto& [output, place] : planes_.output_lines()) {
      for (int64_t i = place; i < place + planes_.shape().out[2]; ++i) {
        if (i == place || i % kChannelLanes == 0) count_terms(1);
        for (size_t t = 0; t < planes_.taps().size(); ++t) {
          T* const lane = lanes_ + static_cast<int64_t>(t) * kChannelLanes + i % kChannelLanes;
          const auto element = hn::Set(d, x[planes_.taps()[t].offset + i]);
          hn::StoreU(mul_add(d, hn::Set(d, outputs[i]), element, hn::Set(d, *lane)), d, lane);
        }
      }
    }
  }

  const ChannelPlanes& planes_;
  const int64_t count_;
  T* const lanes_;
  double* const sums_;
  int64_t pending_ = 0;  // terms in a lane
};

template <class T>
void channel_weight_gradient(const ChannelPlanes& planes, int64_t channel, const T* x, const T* y,
                             T* w) {
  const ConvolutionShape& s = planes.shape();
  const ThreadScratch<ChannelScratch> scratch;
  T* const from = scratch->planes.of<T>(planes.elements() + kBehind);
  T* const outputs = scratch->outputs.of<T>(planes.outputs() + kBehind);
  TapSums<T> sums(*scratch, planes);
  for (int64_t image = 0; image < s.images; ++image) {
    const bool finite = spread(planes, x + (image * s.in_channels + channel) * s.pixels(), from);
    spread_outputs(planes, y + (image * s.out_channels + channel) * s.places(), outputs);
    sums.add(from, outputs, finite);
  }
  sums.store(w);
}

template <class T>
inline constexpr ChannelConvolution<T> kAll{convolve_channel<T>, convolve_channel_adjoint<T>,
                                            channel_weight_gradient<T>};

}  // namespace

const ChannelConvolution<float>& FloatChannels() { return kAll<float>; }
const ChannelConvolution<double>& DoubleChannels() { return kAll<double>; }

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

ChannelPlanes::ChannelPlanes(const ConvolutionShape& shape) : shape_(shape) {
  const ConvolutionShape& s = shape_;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t wanted = (s.out[i] - 1) * s.stride[i] + (s.kernel[i] - 1) * s.dilation[i];
    size_[i] = s.out[i] == 0 ? 0 : wanted / s.stride[i] + 1;
  }
  plane_ = ConvolutionShape::product(size_);
  outputs_ = s.places() == 0 ? 0 : at({s.out[0] - 1, s.out[1] - 1, s.out[2] - 1}) + 1;
  for (int64_t line = 0; line < s.out[0] * s.out[1]; ++line) {
    output_lines_.push_back({line * s.out[2], at({line / s.out[1], line % s.out[1], 0})});
  }
  // Where (z, y, x) lies among the planes, and where its plane begins.
  const auto plane_of = [&](const ConvolutionShape::Axes& p) {
    return (((p[0] % s.stride[0]) * s.stride[1] + p[1] % s.stride[1]) * s.stride[2] +
            p[2] % s.stride[2]) *
           plane_;
  };
  const auto within = [&](const ConvolutionShape::Axes& p) {
    return at({p[0] / s.stride[0], p[1] / s.stride[1], p[2] / s.stride[2]});
  };
  for (int64_t tap = 0; tap < s.taps(); ++tap) {
    const ConvolutionShape::Axes p{tap / s.kernel[2] / s.kernel[1] * s.dilation[0],
                                   tap / s.kernel[2] % s.kernel[1] * s.dilation[1],
                                   tap % s.kernel[2] * s.dilation[2]};
    taps_.push_back({plane_of(p) + within(p), plane_of(p)});
  }
  for (int64_t line = 0; line < s.in[0] * s.in[1]; ++line) {
    const int64_t z = line / s.in[1] + s.padding[0], y = line % s.in[1] + s.padding[1];
    if (z / s.stride[0] >= size_[0] || y / s.stride[1] >= size_[1]) continue;
    // The first columns of each remainder.
    for (int64_t x = s.padding[2]; x < s.padding[2] + std::min(s.stride[2], s.in[2]); ++x) {
      const int64_t left = s.in[2] - (x - s.padding[2]);
      const int64_t count =
          std::min((left + s.stride[2] - 1) / s.stride[2], size_[2] - x / s.stride[2]);
      if (count <= 0) continue;
      pixel_runs_.push_back(
          {line * s.in[2] + x - s.padding[2], plane_of({z, y, x}) + within({z, y, x}), count});
    }
  }
}

HWY_EXPORT(FloatChannels);
HWY_EXPORT(DoubleChannels);

template <>
const ChannelConvolution<float>& channel_convolution() {
  return HWY_DYNAMIC_DISPATCH(FloatChannels)();
}
template <>
const ChannelConvolution<double>& channel_convolution() {
  return HWY_DYNAMIC_DISPATCH(DoubleChannels)();
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
