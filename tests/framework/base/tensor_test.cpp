// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(DTypeTest, NamesAndSizesGoBothWays) {
  const std::pair<DType, std::size_t> rows[] = {
      {DType::float32, 4}, {DType::float16, 2}, {DType::int8, 1},  {DType::int32, 4},
      {DType::uint8, 1},   {DType::int16, 2},   {DType::int64, 8}, {DType::float64, 8},
      {DType::boolean, 1}, {DType::bfloat16, 2}};
  for (const auto& [dtype, size] : rows) {
    EXPECT_EQ(size_of(dtype), size) << dtype;
    EXPECT_EQ(dtype_from_string(to_string(dtype)), dtype);
  }
  EXPECT_EQ(to_string(DType::boolean), "bool");
  EXPECT_TRUE(is_floating(DType::bfloat16));
  EXPECT_FALSE(is_floating(DType::int64));
  EXPECT_THAT([] { dtype_from_string("float"); },
              ThrowsMessage<DTypeError>(HasSubstr("known are float32")));
  EXPECT_THAT([] { size_of(static_cast<DType>(5)); },
              ThrowsMessage<DTypeError>("unknown dtype number 5"));
}

TEST(ShapeTest, AxesElementsAndStrides) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.rank(), 3u);
  EXPECT_EQ(shape.numel(), 24);
  EXPECT_EQ(shape[-1], 4);
  EXPECT_EQ(shape[0], 2);
  EXPECT_THAT(shape.strides(), ElementsAre(12, 4, 1));
  EXPECT_EQ(shape.normalize_axis(-3), 0u);
  EXPECT_THAT([&] { shape.normalize_axis(3); },
              ThrowsMessage<ShapeError>("axis 3 is out of range for shape [2, 3, 4] of rank 3"));
  EXPECT_THROW(shape[-4], ShapeError);
  EXPECT_EQ(Shape{}.numel(), 1);
  EXPECT_EQ(Shape({5, 0}).numel(), 0);
  EXPECT_EQ(fmt::format("{} {}", shape, Shape{}), "[2, 3, 4] []");
}

TEST(ShapeTest, RejectsNegativeAndUncountableExtents) {
  EXPECT_THAT([] { Shape({2, -1}); }, ThrowsMessage<ShapeError>(HasSubstr("negative extent")));
  const std::int64_t big = std::int64_t{1} << 32;
  EXPECT_THAT([&] { Shape({big, big}); }, ThrowsMessage<ShapeError>(HasSubstr("63 bits")));
  EXPECT_THROW(Shape({big, big, 0}), ShapeError);
  EXPECT_THROW(Tensor::zeros({std::int64_t{1} << 61}, DType::float64), ShapeError);
}

TEST(ShapeTest, Broadcast) {
  EXPECT_EQ(broadcast({2, 1, 4}, {3, 1}), (Shape{2, 3, 4}));
  EXPECT_EQ(broadcast({}, {7}), Shape{7});
  EXPECT_EQ(broadcast({1}, {0}), Shape{0});
  EXPECT_TRUE(expands_to({3, 1}, {2, 3, 4}));
  EXPECT_TRUE(expands_to({}, {0}));
  EXPECT_FALSE(expands_to({2, 3}, {3}));  // more dimensions
  EXPECT_FALSE(expands_to({3}, {1}));
  EXPECT_FALSE(expands_to({2}, {3}));
  EXPECT_THAT(
      [] {
        broadcast({2, 3}, {2, 1, 4});
      },
      ThrowsMessage<ShapeError>("shapes [2, 3] and [2, 1, 4] do not broadcast: extents 3 "
                                "and 4 meet at axis -1"));
}

TEST(TensorTest, FactoriesFillAndConvert) {
  const Tensor t = Tensor::from({4, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(t.dtype(), DType::float32);
  EXPECT_EQ(t.nbytes(), 32u);
  EXPECT_EQ(t.at({2, 1}), 5);
  EXPECT_EQ(t.at({-1, -1}), 7);
  EXPECT_THAT(t.data<float>(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(Tensor::arange(3, 1, 0.5).data<float>(), ElementsAre(1, 1.5, 2));
  EXPECT_THAT(Tensor::full({2}, 3, DType::int16).data<std::int16_t>(), ElementsAre(3, 3));
  EXPECT_EQ(Tensor::scalar(0.25, DType::bfloat16).item(), 0.25);
  EXPECT_EQ(Tensor::scalar(1).rank(), 0u);
  const std::vector<std::int64_t> labels = {1, -5};
  EXPECT_EQ(Tensor::from({2}, labels).dtype(), DType::int64);
  const std::vector<float> floats = {1.5f};
  EXPECT_EQ(Tensor::from({1}, floats, DType::float64).item(), 1.5);
  EXPECT_EQ(Tensor().numel(), 0);
}

TEST(TensorTest, ErrorsNameWhatIsWrong) {
  EXPECT_THAT(
      [] {
        Tensor::from({2, 2}, {1, 2, 3});
      },
      ThrowsMessage<ShapeError>("shape [2, 2] needs 4 values, got 3"));
  Tensor t = Tensor::zeros({2, 3});
  EXPECT_THAT([&] { t.data<double>(); },
              ThrowsMessage<DTypeError>("the tensor holds float32, it was asked for float64"));
  EXPECT_THAT([&] { t.item(); }, ThrowsMessage<ShapeError>(HasSubstr("[2, 3]")));
  EXPECT_THAT([&] { t.at({0}); }, ThrowsMessage<ShapeError>(HasSubstr("1 indices")));
  EXPECT_THAT([&] { t.at({0, 3}); }, ThrowsMessage<ShapeError>(HasSubstr("index 3 of axis 1")));
  EXPECT_THROW(t.get(6), ShapeError);
  EXPECT_THROW(t.set(-1, 0), ShapeError);
  EXPECT_THAT([&] { t.reshape({5}); },
              ThrowsMessage<ShapeError>("cannot give the 6 elements of [2, 3] the shape [5]"));
}

TEST(TensorTest, ReshapeWorksOutOneExtent) {
  const Tensor t = Tensor::arange(6);
  EXPECT_EQ(t.reshape({-1, 2}).shape(), (Shape{3, 2}));
  EXPECT_EQ(Tensor(t).reshape({3, -1, 1}).shape(), (Shape{3, 2, 1}));
  EXPECT_TRUE(bitwise_equal(t.reshape({2, -1}).reshape({-1}), t));
  EXPECT_EQ(Tensor::zeros({1}).reshape({}).shape(), Shape());
  EXPECT_EQ(Tensor::zeros({0, 3}).reshape({-1, 3}).shape(), (Shape{0, 3}));
  EXPECT_THAT([&] { t.reshape({-1, -1}); }, ThrowsMessage<ShapeError>("only one extent can be -1"));
  EXPECT_THAT(
      [&] {
        t.reshape({-1, 4});
      },
      ThrowsMessage<ShapeError>("cannot give the 6 elements of [6] the shape [-1, 4]"));
  EXPECT_THAT([&] { t.reshape({-2, -3}); }, ThrowsMessage<ShapeError>("extent -2 is negative"));
  EXPECT_THAT(
      [&] {
        Tensor().reshape({-1, 0});
      },
      ThrowsMessage<ShapeError>(HasSubstr("beside a 0, -1 could be anything")));
}

TEST(TensorTest, CopiesAreDeepAndReshapeKeepsElements) {
  Tensor a = Tensor::from({2, 2}, {1, 2, 3, 4});
  Tensor b = a;
  b.set(0, 9);
  EXPECT_EQ(a.get(0), 1);
  const std::byte* storage = b.bytes();
  const Tensor c = std::move(b).reshape({4});
  EXPECT_EQ(c.bytes(), storage) << "reshaping a temporary should not copy";
  EXPECT_THAT(c.data<float>(), ElementsAre(9, 2, 3, 4));
  EXPECT_EQ(a.reshape({4, 1}).shape(), (Shape{4, 1}));
}

TEST(TensorTest, ElementsAreWrittenByTheirIndicesAsTheyAreRead) {
  Tensor a = Tensor::zeros({2, 3});
  a.set({1, 2}, 5);
  a.set({0, -2}, 7);
  EXPECT_THAT(a.data<float>(), ElementsAre(0, 7, 0, 0, 0, 5));
  EXPECT_EQ(a.at({-1, -1}), 5);
  EXPECT_THAT([&] { a.set({1}, 0); }, ThrowsMessage<ShapeError>(HasSubstr("1 indices given")));
  EXPECT_THAT([&] { a.set({0, 3}, 0); }, ThrowsMessage<ShapeError>(HasSubstr("index 3 of axis 1")));
}

TEST(TensorTest, ConversionRules) {
  const Tensor t = Tensor::from({6}, {-1.9, 300, kNan, kInf, -kInf, 2.5}, DType::float64);
  EXPECT_THAT(t.to(DType::int8).data<std::int8_t>(), ElementsAre(-1, 127, 0, 127, -128, 2));
  EXPECT_THAT(t.to(DType::uint8).data<std::uint8_t>(), ElementsAre(0, 255, 0, 255, 0, 2));
  EXPECT_THAT(t.to(DType::int64).data<std::int64_t>(),
              ElementsAre(-1, 300, 0, std::numeric_limits<std::int64_t>::max(),
                          std::numeric_limits<std::int64_t>::min(), 2));
  EXPECT_THAT(Tensor::from({3}, {0, -0.0, kNan}).to(DType::boolean).data<bool>(),
              ElementsAre(false, false, true));
  EXPECT_THAT(Tensor::from({2}, {1, 0}, DType::boolean)
                  .to(DType::float16)
                  .to(DType::int32)
                  .data<std::int32_t>(),
              ElementsAre(1, 0));
  // Not through double: 2^53 + 1 survives, and clamping between integers is exact.
  const std::vector<std::int64_t> wide = {(std::int64_t{1} << 53) + 1, -200};
  const Tensor integers = Tensor::from({2}, wide);
  EXPECT_EQ(integers.to(DType::int64).data<std::int64_t>()[0], wide[0]);
  EXPECT_THAT(integers.to(DType::int8).data<std::int8_t>(), ElementsAre(127, -128));
  // And rounded once: just above a tie of bfloat16, and in double just that tie.
  const std::int64_t above = (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1;
  const std::vector<std::int64_t> ties = {above, -above, above - 1};
  EXPECT_THAT(Tensor::from({3}, ties).to(DType::bfloat16).to(DType::float64).data<double>(),
              ElementsAre(0x1.02p60, -0x1.02p60, 0x1p60));
}

TEST(TensorTest, WhatWasMovedFromHasNoElements) {
  for (const Shape& shape : {Shape{}, Shape{2, 3}}) {
    Tensor from = Tensor::full(shape, 7);
    const Tensor to = std::move(from);
    EXPECT_EQ(to.get(0), 7);
    EXPECT_EQ(from.numel(), 0);  // NOLINT: that is the subject
    EXPECT_NE(from.shape(), shape);
    EXPECT_THROW(from.get(0), ShapeError);
    EXPECT_THROW(from.item(), ShapeError);
    from = to;
    EXPECT_EQ(from.get(0), 7);
  }
}

TEST(TensorTest, EqualityByBitsAndByTolerance) {
  const Tensor zero = Tensor::scalar(0.0), minus_zero = Tensor::scalar(-0.0);
  EXPECT_FALSE(bitwise_equal(zero, minus_zero));
  EXPECT_TRUE(allclose(zero, minus_zero, 0, 0));
  const Tensor nan = Tensor::scalar(kNan);
  EXPECT_TRUE(bitwise_equal(nan, nan));
  EXPECT_FALSE(allclose(nan, nan));
  EXPECT_FALSE(bitwise_equal(Tensor::scalar(1), Tensor::scalar(1).to(DType::int32)));
  EXPECT_FALSE(bitwise_equal(Tensor::zeros({2, 1}), Tensor::zeros({1, 2})));
  EXPECT_TRUE(bitwise_equal(Tensor(), Tensor()));
  const Tensor inf = Tensor::scalar(kInf);
  EXPECT_TRUE(allclose(inf, inf));
  EXPECT_FALSE(allclose(Tensor::scalar(1), inf));
  EXPECT_FALSE(allclose(inf, Tensor::scalar(1)));
  EXPECT_TRUE(allclose(Tensor::scalar(100.1), Tensor::scalar(100), 2e-3, 0));
  EXPECT_FALSE(allclose(Tensor::scalar(100.1), Tensor::scalar(100), 5e-4, 0));
  EXPECT_FALSE(allclose(Tensor::zeros({2}), Tensor::zeros({1})));
}

TEST(TensorTest, Printing) {
  EXPECT_EQ(to_string(Tensor::from({2, 2}, {1, 2, 3, 4})), "[[1, 2], [3, 4]]");
  EXPECT_EQ(fmt::format("{}", Tensor::scalar(1.0 / 3)), "0.333333");
  EXPECT_EQ(to_string(Tensor::from({5}, {1e-10, -2.5e9, kNan, kInf, -kInf})),
            "[1e-10, -2.5e+09, nan, inf, -inf]");
  EXPECT_EQ(to_string(Tensor::from({2}, {1, 0}, DType::boolean)), "[true, false]");
  const std::vector<std::int64_t> wide = {1234567890123456789};
  EXPECT_EQ(to_string(Tensor::from({1}, wide)), "[1234567890123456789]");
  EXPECT_EQ(to_string(Tensor::zeros({0, 3})), "[] (shape [0, 3])");
  EXPECT_EQ(to_string(Tensor::arange(100)), "[0, 1, 2, ..., 97, 98, 99]");
  EXPECT_EQ(to_string(Tensor::arange(64)).find("..."), std::string::npos);
  EXPECT_EQ(to_string(Tensor::arange(70).reshape({35, 2})),
            "[[0, 1], [2, 3], [4, 5], ..., [64, 65], [66, 67], [68, 69]]");
  std::ostringstream stream;
  stream << Tensor::scalar(2, DType::int8) << ' ' << DType::float16 << ' ' << Shape{1};
  EXPECT_EQ(stream.str(), "2 float16 [1]");
  EXPECT_EQ(fmt::format("{:>8}|", DType::int8), "    int8|");
}

// The usual way to drop an element of a list whose order does not matter, with one element in it.
TEST(Tensor, TooLargeForMemorySaysHowLarge) {
  EXPECT_THAT([] { Tensor::zeros({std::int64_t{1} << 58}); },
              ThrowsMessage<ShapeError>(HasSubstr("[288230376151711744] and dtype float32 takes "
                                                  "1152921504606846976 bytes")));
}

TEST(Tensor, MovedOntoItselfKeepsWhatItHolds) {
  std::vector<Tensor> tensors = {Tensor::from({3}, {1, 2, 3})};
  tensors.front() = std::move(tensors.back());
  EXPECT_TRUE(bitwise_equal(tensors.front(), Tensor::from({3}, {1, 2, 3})));
  std::vector<Shape> shapes = {Shape{2, 3}};
  shapes.front() = std::move(shapes.back());
  EXPECT_EQ(shapes.front(), (Shape{2, 3}));
  EXPECT_EQ(shapes.front().numel(), 6);
  Tensor other = std::move(tensors.front());
  EXPECT_EQ(tensors.front().numel(), 0);  // NOLINT: what is left
  EXPECT_EQ(tensors.front().nbytes(), 0U);
  tensors.front() = std::move(other);
  EXPECT_EQ(tensors.front().get(2), 3);
}

TEST(Tensor, SlicesAlongAnAxis) {
  const Tensor x = Tensor::arange(24).reshape({2, 3, 4});
  EXPECT_TRUE(bitwise_equal(
      x.slice(1, 1, 3),
      Tensor::from({2, 2, 4}, {4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23})));
  EXPECT_TRUE(bitwise_equal(x.slice(-1, -1), Tensor::from({2, 3, 1}, {3, 7, 11, 15, 19, 23})));
  EXPECT_TRUE(bitwise_equal(x.slice(0, 1), x.slice(0, 1, 2)));
  EXPECT_EQ(x.slice(2, 2, 2).shape(), (Shape{2, 3, 0}));
  EXPECT_TRUE(bitwise_equal(x.to(DType::int8).slice(1, 0, 1), x.slice(1, 0, 1).to(DType::int8)));
  EXPECT_THROW(x.slice(1, 2, 5), ShapeError);
  EXPECT_THROW(x.slice(1, 2, 1), ShapeError);
  EXPECT_THROW(x.slice(3, 0), ShapeError);
  EXPECT_THROW(Tensor::scalar(1).slice(0, 0), ShapeError);
}

TEST(Tensor, ExchangesTwoAxes) {
  const Tensor x = Tensor::arange(24).reshape({2, 3, 4});
  const Tensor y = x.transpose(0, -1);
  ASSERT_EQ(y.shape(), (Shape{4, 3, 2}));
  const Tensor z = x.transpose(2, 1);
  ASSERT_EQ(z.shape(), (Shape{2, 4, 3}));
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) {
        EXPECT_EQ(y.at({k, j, i}), x.at({i, j, k}));
        EXPECT_EQ(z.at({i, k, j}), x.at({i, j, k}));
      }
    }
  }
  EXPECT_TRUE(bitwise_equal(x.transpose(1, 1), x));
  EXPECT_TRUE(bitwise_equal(y.transpose(0, 2), x));
  EXPECT_EQ(Tensor::zeros({0, 3}).transpose(0, 1).shape(), (Shape{3, 0}));
  EXPECT_THROW(x.transpose(0, 3), ShapeError);
}

}  // namespace
}  // namespace aclgrad
