// SPDX-License-Identifier: Apache-2.0
// Convolutions in tiles, against sums that are written down in their order: places or channels may
// be a tile's columns, and the adjoint a convolution itself, which changes what is read and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "aclgrad_ext.h"
#include "ops/convolution/convolution_kernel.h"
#include "ops/matmul/product_kernel.h"
#include "tests/ops/engine/targets.h"

namespace aclgrad::ops {
namespace {

using Numbers = std::vector<float>;

Numbers draw(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> number;
  Numbers numbers(static_cast<size_t>(count));
  for (float& value : numbers) value = number(generator);
  return numbers;
}

std::vector<uint32_t> bits(const Numbers& numbers) {
  std::vector<uint32_t> list;
  for (const float value : numbers) list.push_back(std::bit_cast<uint32_t>(value));
  return list;
}

struct Convolution {
  ConvolutionShape s;
  Numbers x = draw(s.images * s.in_channels * s.pixels(), 1);
  Numbers w = draw(s.out_channels * s.terms(), 2);
  Numbers bias = draw(s.out_channels, 3);
  Numbers dy = draw(s.images * s.out_channels * s.places(), 4);
  Numbers y = Numbers(dy.size()), dx = Numbers(x.size());

  void run() {
    Numbers packed(static_cast<size_t>(packed_weights<float>(s)));
    convolve(s, x.data(), w.data(), bias.data(), packed.data(), y.data());
    convolve_adjoint<float>(s, dy.data(), w.data(), nullptr, packed.data(), dx.data());
  }

  // The pixel under a tap for a place, -1 beside the image.
  int64_t under(int64_t place, int64_t tap) const {
    int64_t index = 0, step = 1;
    for (size_t axis = 3; axis-- > 0; place /= s.out[axis], tap /= s.kernel[axis]) {
      const int64_t at = place % s.out[axis] * s.stride[axis] +
                         tap % s.kernel[axis] * s.dilation[axis] - s.padding[axis];
      if (at < 0 || at >= s.in[axis]) return -1;
      index += at * step;
      step *= s.in[axis];
    }
    return index;
  }
  float weight(int64_t output, int64_t input, int64_t tap) const {
    return w[static_cast<size_t>((output * s.group_inputs() + input) * s.taps() + tap)];
  }

  // Taps after taps with all channels, in chains of as many as fit among kKc terms, then the bias.
  float output(int64_t image, int64_t channel, int64_t place) const {
    const int64_t group = channel / s.group_outputs(), inputs = s.group_inputs();
    const int64_t together = std::max<int64_t>(1, kKc / inputs);
    float sum = 0, chain = 0;
    for (int64_t tap = 0; tap < s.taps(); ++tap) {
      const int64_t at = under(place, tap);
      for (int64_t input = 0; input < inputs; ++input) {
        if (input % kKc == 0 && tap % together == 0) {
          sum = tap + input == 0 ? 0 : sum + chain;
          chain = 0;
        }
        const int64_t of_x = (image * s.in_channels + group * inputs + input) * s.pixels() + at;
        chain =
            std::fma(weight(channel, input, tap), at < 0 ? 0 : x[static_cast<size_t>(of_x)], chain);
      }
    }
    return sum + chain + bias[static_cast<size_t>(channel)];
  }

  Numbers outputs() const {
    Numbers all;
    for (int64_t i = 0; i < s.images * s.out_channels; ++i) {
      for (int64_t place = 0; place < s.places(); ++place) {
        all.push_back(output(i / s.out_channels, i % s.out_channels, place));
      }
    }
    return all;
  }

  // The gradients of x, and the sums of their terms' magnitudes.
  std::pair<std::vector<double>, std::vector<double>> gradients() const {
    std::vector<double> sums(dx.size()), sizes(dx.size());
    for (int64_t i = 0; i < s.images * s.out_channels; ++i) {
      const int64_t channel = i % s.out_channels, group = channel / s.group_outputs();
      const int64_t first =
          (i / s.out_channels * s.in_channels + group * s.group_inputs()) * s.pixels();
      for (int64_t place = 0; place < s.places(); ++place) {
        const double g = dy[static_cast<size_t>(i * s.places() + place)];
        for (int64_t tap = 0; tap < s.taps(); ++tap) {
          const int64_t at = under(place, tap);
          for (int64_t input = 0; at >= 0 && input < s.group_inputs(); ++input) {
            const auto pixel = static_cast<size_t>(first + input * s.pixels() + at);
            sums[pixel] += g * weight(channel, input, tap);
            sizes[pixel] += std::abs(g * weight(channel, input, tap));
          }
        }
      }
    }
    return {sums, sizes};
  }
};

ConvolutionShape shape(int64_t images, int64_t inputs, int64_t outputs, ConvolutionShape::Axes out,
                       ConvolutionShape::Axes kernel, ConvolutionShape::Axes stride = {1, 1, 1},
                       ConvolutionShape::Axes dilation = {1, 1, 1},
                       ConvolutionShape::Axes padding = {0, 0, 0}, int64_t groups = 1) {
  ConvolutionShape s{.images = images,
                     .groups = groups,
                     .in_channels = inputs,
                     .out_channels = outputs,
                     .out = out,
                     .kernel = kernel,
                     .stride = stride,
                     .dilation = dilation,
                     .padding = padding};
  for (size_t i = 0; i < 3; ++i) {
    s.in[i] = (out[i] - 1) * stride[i] + (kernel[i] - 1) * dilation[i] + 1 - 2 * padding[i];
  }
  return s;
}

constexpr ConvolutionShape::Axes kOnes{1, 1, 1};

const ConvolutionShape kShapes[] = {
    shape(2, 16, 16, {1, 32, 32}, {1, 3, 3}, kOnes, kOnes, {0, 1, 1}),  // places are columns
    shape(1, 3, 5, {1, 20, 64}, {1, 3, 2}, kOnes, {1, 1, 3}, {0, 1, 2}),
    shape(1, 2, 7, {1, 17, 32}, {1, 3, 5}, {1, 2, 1}, kOnes, {0, 2, 2}),
    shape(1, 70, 4, {1, 3, 32}, {1, 3, 3}, kOnes, kOnes, {0, 1, 1}),   // several chains
    shape(1, 300, 3, {1, 2, 32}, {1, 1, 3}, kOnes, kOnes, {0, 0, 1}),  // and one is cut
    shape(2, 6, 24, {1, 9, 32}, {1, 3, 3}, kOnes, kOnes, {0, 1, 1}, 3),
    shape(1, 2, 3, {1, 4, 32}, {1, 2, 3}, kOnes, kOnes, {0, 0, 14}),   // mostly zeros
    shape(2, 20, 40, {1, 9, 16}, {1, 3, 3}, kOnes, kOnes, {0, 1, 1}),  // channels are columns
    shape(1, 4, 8, {3, 5, 32}, {2, 3, 3}, kOnes, kOnes, {0, 1, 1}),
    shape(1, 5, 8, {1, 6, 31}, {1, 3, 3}, {1, 2, 2}, kOnes, {0, 1, 1}),
    shape(1, 6, 8, {1, 6, 32}, {1, 2, 2}, kOnes, kOnes, {0, 3, 3}),  // more zeros than taps
};

TEST(ConvolutionsInTiles, AreSumsInTheirOrderOnEveryInstructionSet) {
  for (size_t i = 0; i < std::size(kShapes); ++i) {
    Convolution convolution{kShapes[i]};
    const std::vector<uint32_t> outputs = bits(convolution.outputs());
    testing::for_each_target([&](int64_t) {
      convolution.run();
      EXPECT_EQ(bits(convolution.y), outputs) << "shape " << i;
    });
  }
}

TEST(ConvolutionsInTiles, HaveAdjointsWithinRounding) {
  for (size_t i = 0; i < std::size(kShapes); ++i) {
    Convolution convolution{kShapes[i]};
    convolution.run();
    const auto [sums, sizes] = convolution.gradients();
    for (size_t k = 0; k < sums.size(); ++k) {
      ASSERT_NEAR(convolution.dx[k], sums[k], sizes[k] * 0x1p-20) << "shape " << i << ' ' << k;
    }
  }
}

TEST(ConvolutionsInTiles, OfWeightsThatAreNotFiniteReachOnlyPixelsUnderPlaces) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (size_t i = 0; i < std::size(kShapes); ++i) {
    Convolution convolution{kShapes[i]};
    convolution.w.front() = kInfinity;
    convolution.w.back() = std::numeric_limits<float>::quiet_NaN();
    convolution.run();
    const auto [sums, sizes] = convolution.gradients();
    for (size_t k = 0; k < sums.size(); ++k) {
      ASSERT_EQ(std::isfinite(convolution.dx[k]), std::isfinite(sums[k])) << "shape " << i;
      if (!std::isfinite(sums[k])) continue;
      ASSERT_NEAR(convolution.dx[k], sums[k], sizes[k] * 0x1p-20) << "shape " << i << ' ' << k;
    }
  }
}

TEST(ConvolutionsInTiles, OnAnyNumberOfThreadsHaveTheSameBits) {
  for (size_t i = 0; i < std::size(kShapes); ++i) {
    Convolution one{kShapes[i]}, many{kShapes[i]};
    aclgradSetNumThreads(1);
    one.run();
    for (const int32_t threads : {2, 3, 8}) {
      aclgradSetNumThreads(threads);
      many.run();
      EXPECT_EQ(bits(many.y), bits(one.y)) << "shape " << i << ", threads " << threads;
      EXPECT_EQ(bits(many.dx), bits(one.dx)) << "shape " << i << ", threads " << threads;
    }
  }
  aclgradSetNumThreads(0);
}

}  // namespace
}  // namespace aclgrad::ops
