// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/tensor/math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "aclgrad/error.h"

namespace aclgrad {
namespace {

const Tensor kMatrix = Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor kRow = Tensor::from({3}, {10, 20, 30});
const Tensor kColumn = Tensor::from({2, 1}, {1, -1});

void expect_same(const Tensor& got, const Tensor& expected) {
  EXPECT_TRUE(bitwise_equal(got, expected)) << to_string(got) << " of " << to_string(got.dtype());
}

TEST(TensorMath, BroadcastsAsGraphsDo) {
  expect_same(kMatrix + kRow, Tensor::from({2, 3}, {11, 22, 33, 14, 25, 36}));
  expect_same(kRow - kMatrix, Tensor::from({2, 3}, {9, 18, 27, 6, 15, 24}));
  expect_same(kMatrix * kColumn, Tensor::from({2, 3}, {1, 2, 3, -4, -5, -6}));
  expect_same(kColumn / kRow, Tensor::from({2, 3}, {0.1, 0.05, 1.0 / 30, -0.1, -0.05, -1.0 / 30}));
  expect_same(kRow + Tensor::scalar(1), Tensor::from({3}, {11, 21, 31}));
  EXPECT_EQ((Tensor::zeros({0, 3}) + kRow).shape(), (Shape{0, 3}));
  EXPECT_THROW(kMatrix + kMatrix.transpose(0, 1), ShapeError);
}

TEST(TensorMath, TakesNumbersOnEitherSide) {
  expect_same(kRow + 1, Tensor::from({3}, {11, 21, 31}));
  expect_same(1 - kRow, Tensor::from({3}, {-9, -19, -29}));
  expect_same(kRow * 0.5, Tensor::from({3}, {5, 10, 15}));
  expect_same(60 / kRow, Tensor::from({3}, {6, 3, 2}));
  expect_same(-kRow / 10, Tensor::from({3}, {-1, -2, -3}));
}

TEST(TensorMath, HasPyTorchsDtypes) {
  const auto of = [](DType dtype) { return Tensor::full({2}, 3, dtype); };
  EXPECT_EQ((of(DType::float32) + of(DType::float64)).dtype(), DType::float64);
  EXPECT_EQ((of(DType::float16) * of(DType::bfloat16)).dtype(), DType::float32);
  EXPECT_EQ((of(DType::int64) - of(DType::float16)).dtype(), DType::float16);
  EXPECT_EQ((of(DType::float16) * 0.1).dtype(), DType::float16);
  expect_same(of(DType::int32) + 1, Tensor::full({2}, 4, DType::int32));
  expect_same(of(DType::int32) + 0.5, Tensor::full({2}, 3.5));
  expect_same(of(DType::int32) / 2, Tensor::full({2}, 1.5));
  expect_same(of(DType::int64) / of(DType::int64), Tensor::full({2}, 1));
  EXPECT_EQ((of(DType::boolean) + 1).dtype(), DType::int64);
  expect_same(of(DType::boolean) + of(DType::boolean), of(DType::boolean));
}

TEST(TensorMath, WholeNumbersAreExactAndWrapAround) {
  const auto whole = [](std::int64_t value) {
    return Tensor::from({1}, std::span<const std::int64_t>(&value, 1));
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  expect_same(whole(kMost - 1) + 1, whole(kMost));
  expect_same(whole(kMost) + 1, whole(std::numeric_limits<std::int64_t>::min()));
  expect_same(Tensor::full({1}, 200, DType::uint8) + Tensor::full({1}, 100, DType::uint8),
              Tensor::full({1}, 44, DType::uint8));
  expect_same(Tensor::full({1}, 100, DType::int8) * Tensor::full({1}, 2, DType::int8),
              Tensor::full({1}, -56, DType::int8));
  expect_same(eq(whole(kMost), whole(kMost - 1)), Tensor::full({1}, 0, DType::boolean));
}

TEST(TensorMath, Compares) {
  const Tensor x = Tensor::from({4}, {1, 2, NAN, INFINITY});
  const auto are = [](std::initializer_list<double> values) {
    return Tensor::from({4}, values, DType::boolean);
  };
  expect_same(lt(x, 2), are({1, 0, 0, 0}));
  expect_same(le(x, 2), are({1, 1, 0, 0}));
  expect_same(gt(x, 2), are({0, 0, 0, 1}));
  expect_same(ge(x, 2), are({0, 1, 0, 1}));
  expect_same(eq(x, x), are({1, 1, 0, 1}));
  expect_same(ne(x, x), are({0, 0, 1, 0}));
  EXPECT_EQ(mean(eq(Tensor::full({3}, 0.1), 0.1)), 1) << "as float32 has it";
  EXPECT_EQ(mean(lt(Tensor::full({3}, 1, DType::int32), 1.5)), 1);
}

TEST(TensorMath, PutsTensorsTogether) {
  const Tensor a = Tensor::from({2, 2}, {1, 2, 3, 4}), b = Tensor::from({2, 1}, {5, 6});
  expect_same(cat({a, b, a}, 1), Tensor::from({2, 5}, {1, 2, 5, 1, 2, 3, 4, 6, 3, 4}));
  expect_same(cat({a, b, a}, -1), cat({a, b, a}, 1));
  expect_same(cat({a, Tensor::zeros({0, 2}), a}), Tensor::from({4, 2}, {1, 2, 3, 4, 1, 2, 3, 4}));
  expect_same(cat({a.reshape({2, 1, 2}), a.reshape({2, 1, 2})}, 1),
              Tensor::from({2, 2, 2}, {1, 2, 1, 2, 3, 4, 3, 4}));
  expect_same(cat({Tensor::from({1}, {7}, DType::int64), Tensor::from({1}, {0.5})}),
              Tensor::from({2}, {7, 0.5}));
  EXPECT_EQ(
      cat({Tensor::from({1}, {7}, DType::uint8), Tensor::from({1}, {-1}, DType::int64)}).dtype(),
      DType::int64);
  EXPECT_THROW(cat(std::vector<Tensor>{}), ShapeError);
  EXPECT_THROW(cat({Tensor::scalar(1)}), ShapeError) << "no axis";
  EXPECT_THROW(cat({a, b}, 2), ShapeError);
  EXPECT_THROW(cat({a, b}, 0), ShapeError) << "[2, 1] behind [2, 2]";
  EXPECT_THROW(cat({a, Tensor::zeros({2})}, 1), ShapeError);
}

TEST(TensorMath, MapsAndSumsUp) {
  expect_same(map(kRow, [](double v) { return v * v; }), Tensor::from({3}, {100, 400, 900}));
  EXPECT_THROW(map(kRow, {}), ValueError);
  EXPECT_EQ(sum(kMatrix), 21);
  EXPECT_EQ(mean(kMatrix), 3.5);
  EXPECT_EQ(min(kMatrix), 1);
  EXPECT_EQ(max(-kMatrix), -1);
  EXPECT_EQ(sum(Tensor()), 0);
  EXPECT_TRUE(std::isnan(mean(Tensor())));
  EXPECT_THROW(max(Tensor()), ShapeError);
  EXPECT_TRUE(std::isnan(min(Tensor::from({2}, {1, NAN}))));
  EXPECT_TRUE(std::isnan(max(Tensor::from({2}, {NAN, 1}))));
}

TEST(TensorMath, FindsDifferentElements) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = Tensor::from({2, 3}, {2, kNaN, -1, 2, 0, kNaN}, DType::float16);
  const auto [values, inverse, counts] = unique(x);
  EXPECT_EQ(values.dtype(), DType::float16);
  EXPECT_EQ(to_string(values), "[-1, 0, 2, nan, nan]");
  expect_same(inverse, Tensor::from({2, 3}, {2, 3, 0, 2, 1, 4}, DType::int64));
  expect_same(counts, Tensor::from({5}, {1, 1, 2, 1, 1}, DType::int64));
  expect_same(nonzero(x), Tensor::from({5, 2}, {0, 0, 0, 1, 0, 2, 1, 0, 1, 2}, DType::int64));
  expect_same(masked_select(kMatrix, gt(kMatrix, 4)), Tensor::from({2}, {5, 6}));
  EXPECT_THROW(masked_select(kMatrix, kRow), ShapeError);
  const std::int64_t large[] = {(std::int64_t{1} << 53) + 1, std::int64_t{1} << 53};
  expect_same(unique(Tensor::from({2}, large)).counts, Tensor::full({2}, 1, DType::int64));
  EXPECT_EQ(nonzero(Tensor::scalar(3)).shape(), (Shape{1, 0}));
  EXPECT_EQ(unique(Tensor::zeros({0, 2})).inverse.shape(), (Shape{0, 2}));
}

}  // namespace
}  // namespace aclgrad
