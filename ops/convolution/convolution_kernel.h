// SPDX-License-Identifier: Apache-2.0
// Convolution over up to three spatial axes, and its two adjoints: tiles of matrix products, for
// every tap of the kernel one (convolution_kernel_tiles.h), or, where every channel has a group of
// its own, loops over a channel (convolution_kernel_channels.h).
//
// Sums are taken in the type of the arrays, in an order that follows from the shape alone; those of
// weight and bias gradients over more than a block in double. Arrays of BFLOAT16 are there for the
// processor's own instructions (convolution_kernel_pairs.h), which take sums in float.
#pragma once

#include <array>
#include <cstdint>

namespace aclgrad::ops {

// Of an ordinary convolution: x [images, in_channels, in...], w [out_channels, in_channels /
// groups, kernel...], y [images, out_channels, out...]. Axes that are not there have the size 1.
struct ConvolutionShape {
  using Axes = std::array<int64_t, 3>;

  int64_t images = 1;
  int64_t groups = 1;
  int64_t in_channels = 1;
  int64_t out_channels = 1;
  Axes in{1, 1, 1};
  Axes out{1, 1, 1};
  Axes kernel{1, 1, 1};
  Axes stride{1, 1, 1};
  Axes dilation{1, 1, 1};
  Axes padding{0, 0, 0};  // before the first element; behind the last one there is enough

  static int64_t product(const Axes& axes) { return axes[0] * axes[1] * axes[2]; }
  int64_t places() const { return product(out); }  // of an output channel
  int64_t pixels() const { return product(in); }   // of an input channel
  int64_t taps() const { return product(kernel); }
  int64_t group_inputs() const { return in_channels / groups; }
  int64_t group_outputs() const { return out_channels / groups; }
  // Terms of an output element.
  int64_t terms() const { return group_inputs() * taps(); }
  // Every channel has a group of its own.
  bool is_depthwise() const { return group_inputs() == 1 && group_outputs() == 1; }
};

// Elements of the memory that the functions below use for the weights in another order.
template <class T>
int64_t packed_weights(const ConvolutionShape& shape);

// y = conv(x, w) + bias; no bias where it is null. All arrays are dense; T is float or double, or
// Bfloat16 where convolves_in_pairs().
template <class T>
void convolve(const ConvolutionShape& shape, const T* x, const T* w, const T* bias, T* packed,
              T* y);

// The adjoint with respect to x, which is also what a transposed convolution of y computes, with a
// bias for each channel of x. With strides of 1 it may be a convolution itself.
template <class T>
void convolve_adjoint(const ConvolutionShape& shape, const T* y, const T* w, const T* bias,
                      T* packed, T* x);

// The gradient of w from x and the gradient y. `sums` has room for weight_sums().
template <class T>
void convolve_weight_gradient(const ConvolutionShape& shape, const T* x, const T* y, double* sums,
                              T* w);
template <class T>
int64_t weight_sums(const ConvolutionShape& shape);

// sums[c] = the sum of all elements of channel c of a dense array of images.
template <class T>
void sum_channels(int64_t images, int64_t channels, int64_t places, const T* values, T* sums);

}  // namespace aclgrad::ops
