// SPDX-License-Identifier: Apache-2.0
// Convolutions of one group of BFLOAT16 channels by the processor's own instructions, which add two
// terms at a time (ops/matmul/product_kernel_pairs.h). A channel is copied between zeros: what lies
// under a tap, for all places, are then elements that follow one another, some of no place between
// the lines. Two channels side by side make the pairs of a convolution, two places those of a
// weight gradient.
//
// Zeros multiply what lies beside the image and between the lines, so where a weight or an input is
// not finite, NaN may come out beside what it reaches.
#pragma once

#include "ops/convolution/convolution_kernel_tiles.h"
#include "ops/engine/dtype/formats.h"
#include "ops/matmul/product_kernel_pairs.h"

namespace aclgrad::ops {

// Whether the processor has such an instruction, and this thread's settings allow it for a
// convolution and its adjoints: where strides are 1, channels share groups and the product is one
// that would be multiplied so, with a term for each weight of an output.
bool convolves_in_pairs(const ConvolutionShape& s);

// Weights as the functions below read them: a row for each of the channels that are side by side,
// in whole blocks; in it for each tap its terms, one more where their number is odd, and zeros to
// the end of a block.
constexpr int64_t paired_row(int64_t taps, int64_t terms) {
  return (taps * (terms + terms % 2) + kPairBlock - 1) / kPairBlock * kPairBlock;
}

// As place_blocks() and pixel_blocks().
int64_t paired_place_blocks(const ConvolutionShape& s);
int64_t paired_pixel_blocks(const ConvolutionShape& s);

// forward: outputs are side by side, and inputs are the terms. adjoint: the other way round, and
// the taps' order is reversed. weight_gradient: sums lie as the weights of forward.
template <>
const GroupConvolution<Bfloat16>& group_convolution();

}  // namespace aclgrad::ops
