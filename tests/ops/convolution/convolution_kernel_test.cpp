// SPDX-License-Identifier: Apache-2.0
// Convolutions by the processor's own instructions for BFLOAT16, against products by them of
// weights and of what lies under every tap.
#include "ops/convolution/convolution_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "aclgrad_ext.h"
#include "ops/convolution/convolution_kernel_pairs.h"

namespace aclgrad::ops {
namespace {

using Numbers = std::vector<Bfloat16>;

Numbers draw(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> number;
  Numbers numbers(static_cast<size_t>(count));
  for (Bfloat16& value : numbers) value = from_parts<Bfloat16>(number(generator), 0);
  return numbers;
}

std::vector<uint16_t> bits(const Numbers& numbers) {
  std::vector<uint16_t> list;
  for (const Bfloat16 value : numbers) list.push_back(value.bits);
  return list;
}

struct Convolution {
  ConvolutionShape s;
  Numbers x = draw(s.images * s.in_channels * s.pixels(), 1);
  Numbers w = draw(s.out_channels * s.terms(), 2);
  Numbers bias = draw(std::max(s.in_channels, s.out_channels), 3);
  Numbers dy = draw(s.images * s.out_channels * s.places(), 4);
  Numbers y = Numbers(dy.size()), dx = Numbers(x.size()), dw = Numbers(w.size());

  void run() {
    Numbers packed(static_cast<size_t>(packed_weights<Bfloat16>(s)));
    std::vector<double> sums(static_cast<size_t>(weight_sums<Bfloat16>(s)));
    convolve(s, x.data(), w.data(), bias.data(), packed.data(), y.data());
    convolve_adjoint<Bfloat16>(s, dy.data(), w.data(), nullptr, packed.data(), dx.data());
    convolve_weight_gradient(s, x.data(), dy.data(), sums.data(), dw.data());
  }

  // The pixel under a tap for a place, -1 beside the image; `sign` -1: the place for a pixel.
  int64_t under(int64_t place, int64_t tap, int64_t sign) const {
    const ConvolutionShape::Axes& from = sign > 0 ? s.out : s.in;
    const ConvolutionShape::Axes& to = sign > 0 ? s.in : s.out;
    int64_t index = 0, step = 1;
    for (size_t axis = 3; axis-- > 0; place /= from[axis], tap /= s.kernel[axis]) {
      const int64_t shift = tap % s.kernel[axis] * s.dilation[axis] - s.padding[axis];
      const int64_t at = place % from[axis] + sign * shift;
      if (at < 0 || at >= to[axis]) return -1;
      index += at * step;
      step *= to[axis];
    }
    return index;
  }

  int64_t weight(int64_t output, int64_t input, int64_t tap) const {
    return (output * s.group_inputs() + input) * s.taps() + tap;
  }

  // y or dx of an image's group: taps after taps, from the first or the last on, with all channels.
  Numbers product(int64_t image, int64_t group, bool adjoint) const {
    const int64_t rows = adjoint ? s.group_inputs() : s.group_outputs();
    const int64_t terms = adjoint ? s.group_outputs() : s.group_inputs();
    const int64_t columns = adjoint ? s.pixels() : s.places();
    const int64_t elements = adjoint ? s.places() : s.pixels();
    const int64_t paired = terms + terms % 2, depth = paired * s.taps();
    Numbers a(static_cast<size_t>(rows * depth)), b(static_cast<size_t>(depth * columns));
    const Bfloat16* const from =
        (adjoint ? dy : x).data() + (image * s.groups + group) * terms * elements;
    for (int64_t k = 0; k < s.taps(); ++k) {
      const int64_t tap = adjoint ? s.taps() - 1 - k : k;
      for (int64_t term = 0; term < terms; ++term) {
        const int64_t l = k * paired + term;
        for (int64_t i = 0; i < rows; ++i) {
          const int64_t at = group * s.group_outputs() * s.terms() +
                             (adjoint ? weight(term, i, tap) : weight(i, term, tap));
          a[static_cast<size_t>(i * depth + l)] = w[static_cast<size_t>(at)];
        }
        for (int64_t j = 0; j < columns; ++j) {
          const int64_t at = under(j, tap, adjoint ? -1 : 1);
          if (at >= 0) b[static_cast<size_t>(l * columns + j)] = from[term * elements + at];
        }
      }
    }
    Numbers out(static_cast<size_t>(rows * columns));
    const MatrixView view{0, ACL_BF16, columns, 1, {}};
    MatmulProblem problem{{}, rows, columns, depth, view, view, view, {}, 1, 1, ACL_BF16};
    if (!adjoint) problem.addend = MatrixView{1, ACL_BF16, 1, 0, {}};
    void* const addresses[] = {out.data(),
                               const_cast<Bfloat16*>(bias.data()) + group * s.group_outputs()};
    multiply_in_pairs({problem,
                       Run(addresses, nullptr),
                       0,
                       {a.data(), ACL_BF16, ACL_BF16, depth, 1},
                       {b.data(), ACL_BF16, ACL_BF16, columns, 1},
                       0,
                       rows,
                       0,
                       columns});
    return out;
  }

  void expect_products() const {
    Numbers outputs, inputs;
    for (int64_t image = 0; image < s.images; ++image) {
      for (int64_t group = 0; group < s.groups; ++group) {
        const Numbers of_y = product(image, group, false), of_dx = product(image, group, true);
        outputs.insert(outputs.end(), of_y.begin(), of_y.end());
        inputs.insert(inputs.end(), of_dx.begin(), of_dx.end());
      }
    }
    EXPECT_EQ(bits(y), bits(outputs));
    EXPECT_EQ(bits(dx), bits(inputs));
  }

  // Within the rounding of the result and of sums of so many terms.
  void expect_weight_gradient() const {
    for (int64_t output = 0; output < s.out_channels; ++output) {
      const int64_t group = output / s.group_outputs();
      for (int64_t input = 0; input < s.group_inputs(); ++input) {
        for (int64_t tap = 0; tap < s.taps(); ++tap) {
          double sum = 0, size = 0;
          for (int64_t image = 0; image < s.images; ++image) {
            const int64_t channel = image * s.in_channels + group * s.group_inputs() + input;
            for (int64_t place = 0; place < s.places(); ++place) {
              const int64_t at = under(place, tap, 1);
              if (at < 0) continue;
              const int64_t of_y = (image * s.out_channels + output) * s.places() + place;
              const double term = real_part(x[static_cast<size_t>(channel * s.pixels() + at)]) *
                                  real_part(dy[static_cast<size_t>(of_y)]);
              sum += term;
              size += std::abs(term);
            }
          }
          ASSERT_NEAR(real_part(dw[static_cast<size_t>(weight(output, input, tap))]), sum,
                      std::abs(sum) * 0x1p-8 + size * 0x1p-18)
              << output << ' ' << input << ' ' << tap;
        }
      }
    }
  }
};

ConvolutionShape shape(int64_t images, int64_t inputs, int64_t outputs, ConvolutionShape::Axes out,
                       ConvolutionShape::Axes kernel, ConvolutionShape::Axes dilation = {1, 1, 1},
                       ConvolutionShape::Axes padding = {0, 0, 0}, int64_t groups = 1) {
  ConvolutionShape s{.images = images,
                     .groups = groups,
                     .in_channels = inputs,
                     .out_channels = outputs,
                     .out = out,
                     .kernel = kernel,
                     .dilation = dilation,
                     .padding = padding};
  for (size_t i = 0; i < 3; ++i) {
    s.in[i] = out[i] + (kernel[i] - 1) * dilation[i] - 2 * padding[i];
  }
  return s;
}

const ConvolutionShape kShapes[] = {
    shape(3, 1, 32, {1, 12, 12}, {1, 5, 5}),                       // taps are a product's rows
    shape(2, 5, 33, {1, 9, 20}, {1, 3, 3}, {1, 2, 1}, {0, 2, 1}),  // an odd number of channels
    shape(2, 12, 70, {1, 8, 6}, {1, 3, 2}, {1, 1, 1}, {0, 1, 0}, 2),
    shape(1, 40, 33, {1, 1, 300}, {1, 1, 4}, {1, 1, 3}),
    shape(2, 3, 8, {4, 5, 6}, {2, 3, 3}, {1, 1, 2}, {1, 0, 2}),
    shape(2, 64, 48, {1, 7, 9}, {1, 1, 1}),
    shape(2, 16, 24, {1, 9, 9}, {1, 1, 1}, {1, 1, 1}, {0, 2, 1}),  // the adjoint takes a part of y
    shape(1, 3, 4, {1, 50, 60}, {1, 3, 3}),  // more places than are added in float
};

TEST(Convolutions, InPairsHaveTheBitsOfProducts) {
  if (pair_instruction() == PairInstruction::kNone) return;  // then there are none
  for (size_t i = 0; i < std::size(kShapes); ++i) {
    SCOPED_TRACE(i);
    Convolution convolution{kShapes[i]};
    ASSERT_EQ(convolves_in_pairs(convolution.s), pairs_are_faster());
    convolution.run();
    convolution.expect_products();
    convolution.expect_weight_gradient();
  }
}

TEST(Convolutions, InPairsOnAnyNumberOfThreadsHaveTheSameBits) {
  if (pair_instruction() == PairInstruction::kNone) return;
  for (size_t i = 0; i < std::size(kShapes); ++i) {
    SCOPED_TRACE(i);
    Convolution one{kShapes[i]}, many{kShapes[i]};
    aclgradSetNumThreads(1);
    one.run();
    for (const int32_t threads : {2, 3, 8}) {
      aclgradSetNumThreads(threads);
      many.run();
      EXPECT_EQ(bits(many.y), bits(one.y)) << threads;
      EXPECT_EQ(bits(many.dx), bits(one.dx)) << threads;
      EXPECT_EQ(bits(many.dw), bits(one.dw)) << threads;
    }
  }
  aclgradSetNumThreads(0);
}

TEST(Convolutions, InPairsWhereTheProcessorCan) {
  const bool can = pairs_are_faster();
  EXPECT_EQ(convolves_in_pairs(shape(1, 2, 32, {1, 8, 8}, {1, 3, 3})), can);
  EXPECT_FALSE(convolves_in_pairs(shape(1, 2, 8, {1, 8, 8}, {1, 3, 3})));     // too little work
  EXPECT_FALSE(convolves_in_pairs(shape(9, 1, 32, {1, 32, 32}, {1, 3, 3})));  // 9 terms
  ConvolutionShape strided = shape(1, 2, 32, {1, 8, 8}, {1, 3, 3});
  strided.stride = {1, 2, 1};
  EXPECT_FALSE(convolves_in_pairs(strided));
  EXPECT_FALSE(convolves_in_pairs(
      shape(9, 32, 32, {1, 32, 32}, {1, 5, 5}, {1, 1, 1}, {0, 0, 0}, 32)));  // a group each
}

}  // namespace
}  // namespace aclgrad::ops
