// SPDX-License-Identifier: Apache-2.0
// Convolution of channels that have a group each (depthwise). A channel is copied between zeros,
// and cut into one plane for every remainder of a place by the strides. In such a plane the
// elements under one tap, for all outputs, lie one after the other as the outputs do, some of no
// output between them: vectors run over the whole channel, from line to line.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/convolution/convolution_kernel.h"

namespace aclgrad::ops {

// The planes of a channel, and outputs that are laid out as they are.
class ChannelPlanes {
 public:
  explicit ChannelPlanes(const ConvolutionShape& shape);

  // Pixels pixel, pixel + stride, ... of the channel are elements place, place + 1, ... of the
  // planes; outputs from `output` on, of a line, lie from `place` on among those laid out.
  struct PixelRun {
    int64_t pixel, place, count;
  };
  struct OutputLine {
    int64_t output, place;
  };
  // A tap reads elements from `offset` on, in one plane.
  struct Tap {
    int64_t offset, plane;
  };

  const ConvolutionShape& shape() const { return shape_; }
  int64_t plane_elements() const { return plane_; }
  int64_t elements() const { return ConvolutionShape::product(shape_.stride) * plane_; }
  int64_t outputs() const { return outputs_; }  // with what is between the lines

  const std::vector<PixelRun>& pixel_runs() const { return pixel_runs_; }
  const std::vector<OutputLine>& output_lines() const { return output_lines_; }
  const std::vector<Tap>& taps() const { return taps_; }

 private:
  int64_t at(const ConvolutionShape::Axes& p) const {
    return (p[0] * size_[1] + p[1]) * size_[2] + p[2];
  }

  ConvolutionShape shape_;
  ConvolutionShape::Axes size_;  // of a plane
  int64_t plane_, outputs_;
  std::vector<PixelRun> pixel_runs_;
  std::vector<OutputLine> output_lines_;
  std::vector<Tap> taps_;
};

template <class T>
struct ChannelConvolution {
  // y = conv(x, w) + bias of one channel of one image.
  void (*forward)(const ChannelPlanes& planes, const T* x, const T* w, T bias, T* y);
  // The adjoint with respect to x, with a bias.
  void (*adjoint)(const ChannelPlanes& planes, const T* y, const T* w, T bias, T* x);
  // The gradient of a channel's weights, over all images.
  void (*weight_gradient)(const ChannelPlanes& planes, int64_t channel, const T* x, const T* y,
                          T* w);
};
// Of this processor.
template <class T>
const ChannelConvolution<T>& channel_convolution();

}  // namespace aclgrad::ops
