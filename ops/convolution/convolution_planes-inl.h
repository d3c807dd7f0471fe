// SPDX-License-Identifier: Apache-2.0
// Per-target: channels of an image where windows may reach beyond its edges. Included by kernel
// files inside Highway's foreach_target loop.
#ifndef ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_PLANES_ONCE
#define ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_PLANES_ONCE

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/convolution/convolution_kernel.h"

namespace aclgrad::ops {

using Axes = ConvolutionShape::Axes;

// Channels of an image; strides in elements.
template <class T>
struct Planes {
  const T* data;
  int64_t channel, plane, row;

  int64_t at(int64_t z, int64_t y, int64_t x) const { return z * plane + y * row + x; }
};

// How planes are made of an image of size `from`: as they are, or copied between zeros. Planes that
// are a multiple of 1 KiB apart are copied too, as they would share a few sets of a cache.
template <class T>
struct PlaneLayout {
  Axes from, padding, size;

  static PlaneLayout of_inputs(const ConvolutionShape& s) {
    PlaneLayout layout{s.in, s.padding, {}};
    for (size_t i = 0; i < 3; ++i) {
      layout.size[i] = (s.out[i] - 1) * s.stride[i] + (s.kernel[i] - 1) * s.dilation[i] + 1;
    }
    return layout;
  }
  static PlaneLayout of_outputs(const ConvolutionShape& s) { return {s.out, {0, 0, 0}, s.out}; }

  bool copies() const {
    constexpr int64_t kSharing = 1024 / sizeof(T);
    bool inside = true;
    for (size_t i = 0; i < 3; ++i) inside &= padding[i] == 0 && size[i] <= from[i];
    return !inside || ConvolutionShape::product(from) % kSharing == 0;
  }
  // From one copied channel to the next: an odd number of cache lines.
  int64_t channel() const {
    constexpr int64_t kLine = 64 / sizeof(T);
    return (ConvolutionShape::product(size) / kLine | 1) * kLine + kLine * 2;
  }
  int64_t elements(int64_t channels) const { return copies() ? channels * channel() : 0; }
};

}  // namespace aclgrad::ops
#endif

#if defined(ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_PLANES_INL_H_
#undef ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_PLANES_INL_H_
#else
#define ACLGRAD_OPS_CONVOLUTION_CONVOLUTION_PLANES_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void copy_line(const T* from, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(d));
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
#if HWY_TARGET <= HWY_AVX2
  if (i < count) {
    const auto rest = hn::FirstN(d, static_cast<size_t>(count - i));
    hn::BlendedStore(hn::MaskedLoad(rest, d, from + i), rest, d, to + i);
  }
#else
  for (; i < count; ++i) to[i] = from[i];
#endif
}

template <class T>
Planes<T> planes_of(const PlaneLayout<T>& layout, const T* image, int64_t channels, T* memory) {
  const Axes& from = layout.from;
  const Axes& size = layout.size;
  const int64_t pixels = ConvolutionShape::product(from);
  if (!layout.copies()) return {image, pixels, from[1] * from[2], from[2]};
  const Planes<T> planes{memory, layout.channel(), size[1] * size[2], size[2]};
  Axes last;  // of the image, what the planes have room for
  for (size_t i = 0; i < 3; ++i) last[i] = std::min(from[i], size[i] - layout.padding[i]);
  for (int64_t channel = 0; channel < channels; ++channel) {
    std::fill_n(memory + channel * planes.channel, planes.channel, T{0});
    T* const to = memory + channel * planes.channel + layout.padding[2];
    for (int64_t z = 0; z < last[0]; ++z) {
      for (int64_t y = 0; y < last[1]; ++y) {
        copy_line(image + channel * pixels + (z * from[1] + y) * from[2], last[2],
                  to + planes.at(z + layout.padding[0], y + layout.padding[1], 0));
      }
    }
  }
  return planes;
}

// Where the taps of the kernel begin, and under the first one the lines of places.
template <class T>
void find_taps(const ConvolutionShape& s, const Planes<T>& planes, std::vector<int64_t>& taps) {
  taps.clear();
  for (int64_t z = 0; z < s.kernel[0]; ++z) {
    for (int64_t y = 0; y < s.kernel[1]; ++y) {
      for (int64_t x = 0; x < s.kernel[2]; ++x) {
        taps.push_back(planes.at(z * s.dilation[0], y * s.dilation[1], x * s.dilation[2]));
      }
    }
  }
}
template <class T>
void find_lines(const ConvolutionShape& s, const Planes<T>& planes, std::vector<int64_t>& lines) {
  lines.clear();
  for (int64_t z = 0; z < s.out[0]; ++z) {
    for (int64_t y = 0; y < s.out[1]; ++y) {
      lines.push_back(planes.at(z * s.stride[0], y * s.stride[1], 0));
    }
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
