// SPDX-License-Identifier: Apache-2.0
// Convolutions of one group of channels of one image, as tiles of matrix products: neighbouring
// channels fill a vector, neighbouring places of a line are a tile's rows; where a group has few
// outputs, it is the other way round (convolution_lines-inl.h). What lies under a window is read
// where it lies.
#pragma once

#include "ops/convolution/convolution_kernel.h"
#include "ops/matmul/product_kernel.h"

namespace aclgrad::ops {

// Weights as tiles read them: for every tap and term a row of kPanel<T> channels, zeros where there
// are none; one panel of channels after the other.
template <class T>
constexpr int64_t padded_channels(int64_t channels) {
  return channels == 0 ? 0 : ((channels - 1) / kPanel<T> + 1) * kPanel<T>;
}

// Places, or pixels, are cut into so many blocks; no result depends on that.
int64_t place_blocks(const ConvolutionShape& s);
int64_t pixel_blocks(const ConvolutionShape& s);

template <class T>
struct GroupConvolution {
  // y = conv(x, w) + bias in blocks [begin, end) of places. x and y begin with the group's
  // channels; in the panels of w, outputs are side by side and inputs are the terms.
  void (*forward)(const ConvolutionShape& s, const T* x, const T* w, const T* bias, int64_t begin,
                  int64_t end, T* y);
  // The adjoint in blocks of pixels: in the panels of w, inputs are side by side and outputs are
  // the terms.
  void (*adjoint)(const ConvolutionShape& s, const T* y, const T* w, const T* bias, int64_t begin,
                  int64_t end, T* x);
  // Over some images: the gradient of the weights of the group's inputs [begin, end). In sums, as
  // in panels of w, outputs are side by side and all the group's inputs are terms.
  void (*weight_gradient)(const ConvolutionShape& s, const T* x, const T* y, int64_t images,
                          int64_t begin, int64_t end, double* sums);
};
// Of this processor.
template <class T>
const GroupConvolution<T>& group_convolution();

}  // namespace aclgrad::ops
