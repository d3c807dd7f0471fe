// SPDX-License-Identifier: Apache-2.0
// Elementwise functions, rounding and logic: dtypes of results, numbers beside tensors, what is
// refused, and values for which tests/autograd/pytorch has none.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/framework/graph/operators.h"

namespace aclgrad {
namespace {

// Files are compiled together.
namespace elementwise {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST_F(Operators, WholeNumbersAreRoundedAndDivided) {
  const Value n = value({4}, {-7, 7, 15, 25}, DType::int32);
  EXPECT_EQ(floor(n).dtype(), DType::int32);
  expect(round(n, -1), {4}, {-10, 10, 20, 20});
  expect(frac(n), {4}, {0, 0, 0, 0});
  expect(floor_divide(n, 3), {4}, {-3, 2, 5, 8});
  expect(div(n, 3, Rounding::trunc), {4}, {-2, 2, 5, 8});
  expect(remainder(n, 4), {4}, {1, 3, 3, 1});
  expect(fmod(n, 4), {4}, {-3, 3, 3, 1});
  expect(remainder(10, n), {4}, {-4, 3, 10, 10});
  expect(floor_divide(n, 0), {4}, {0, 0, 0, 0});
  EXPECT_EQ(remainder(n, value({1}, {3}, DType::int64)).dtype(), DType::int64);
  EXPECT_EQ(fmod(n, value({1}, {0.5})).dtype(), DType::float32);
}

TEST_F(Operators, BitsOfWholeNumbersAndOfTruth) {
  const Value yes = gt(value({3}, {1, 2, -3}), 0);
  const Value no = lt(value({3}, {1, -2, -3}), 0);
  EXPECT_EQ((yes & no).dtype(), DType::boolean);
  expect(yes & no, {3}, {0, 1, 0});
  expect(yes | no, {3}, {1, 1, 1});
  expect(yes ^ no, {3}, {1, 0, 1});
  expect(~yes, {3}, {0, 0, 1});
  // All 64 bits of a number arrive.
  const Value big = whole({1}, {-1}) & ((std::int64_t{1} << 62) + 1);
  expect(big ^ ((std::int64_t{1} << 62) + 3), {1}, {2});
  const Value bytes = value({2}, {129, 3}, DType::uint8);
  expect(bitwise_left_shift(bytes, 1), {2}, {2, 6});
  expect(bitwise_right_shift(bytes, 1), {2}, {64, 1});
  expect(~bytes, {2}, {126, 252});
  expect(logical_and(value({3}, {0.5, 0, kNaN}), whole({3}, {2, 2, 2})), {3}, {1, 0, 1});
}

TEST_F(Operators, TestsOfNumbers) {
  const Value x = value({5}, {1, kNaN, kInf, -kInf, -0.0});
  expect(isnan(x), {5}, {0, 1, 0, 0, 0});
  expect(isfinite(x), {5}, {1, 0, 0, 0, 1});
  expect(isinf(x), {5}, {0, 0, 1, 1, 0});
  expect(isposinf(x), {5}, {0, 0, 1, 0, 0});
  expect(isneginf(x), {5}, {0, 0, 0, 1, 0});
  expect(signbit(value({3}, {1, -0.0, -2})), {3}, {0, 1, 1});
  expect(isclose(x, x), {5}, {1, 0, 1, 1, 1});
  expect(isclose(x, x, {.equal_nan = true}), {5}, {1, 1, 1, 1, 1});
  expect(isfinite(whole({2}, {1, 2})), {2}, {1, 1});
}

TEST_F(Operators, NumbersInThePlaceOfOthers) {
  const std::initializer_list<double> numbers = {1, kNaN, kInf, -kInf};
  for (const auto& [dtype, largest] :
       {std::pair(DType::float16, 65504.0), {DType::float32, 0x1.fffffep127}}) {
    const Value x = value({4}, numbers, dtype);
    expect(nan_to_num(x) / largest, {4}, {1 / largest, 0, 1, -1});
    expect(nan_to_num(x, {.nan = 0.5, .posinf = 2, .neginf = -3}), {4}, {1, 0.5, 2, -3});
  }
  const Value x = value({4}, numbers, DType::float64);
  const double largest = std::numeric_limits<double>::max();
  expect(nan_to_num(x, {.nan = 0.1}) / largest, {4}, {0, 0, 1, -1});
  expect(nan_to_num(x, {.nan = 0.1, .posinf = 0.2, .neginf = 0.3}), {4}, {1, 0.1, 0.2, 0.3});
  const Value same = whole({2}, {3, 4});
  EXPECT_EQ(nan_to_num(same).id(), same.id());
}

TEST_F(Operators, BoundsThatCrossGiveTheUpperOne) {
  const Value x = value({3}, {1, 5, 9});
  expect(clamp(x, value({1}, {6}), value({1}, {4})), {3}, {4, 4, 4});
  expect(clamp(whole({3}, {1, 5, 9}), whole({}, {3}), whole({}, {6})), {3}, {3, 5, 6});
  expect(pow(0.5, x), {3}, {0.5, 0.03125, std::pow(0.5, 9)});
}

TEST_F(Operators, ElementwiseCallsThatAreRefused) {
  const Value x = value({2}, {1, 2}), n = whole({2}, {1, 2}), yes = gt(x, 0);
  const Value half = value({2}, {1, 2}, DType::float16), bytes = value({2}, {1, 2}, DType::uint8);
  struct Refused {
    std::function<Value()> call;
    const char* words;
  };
  const std::vector<Refused> dtypes = {
      {[&] { return asin(n); }, "asin"},
      {[&] { return atan2(x, n); }, "int64"},
      {[&] { return lerp(x, n, 0.5); }, "int64"},
      {[&] { return square(yes); }, "bool"},
      {[&] { return floor(yes); }, "bool"},
      {[&] { return round(bytes); }, "uint8"},
      {[&] { return remainder(yes, yes); }, "bool"},
      {[&] { return gcd(n, bytes); }, "uint8"},
      {[&] { return clamp(yes, yes, yes); }, "bool"},
      {[&] { return bitwise_and(x, n); }, "float32"},
      {[&] { return ~x; }, "float32"},
      {[&] { return bitwise_left_shift(yes, yes); }, "bool"},
  };
  for (const Refused& each : dtypes) {
    EXPECT_THAT(each.call, testing::ThrowsMessage<DTypeError>(testing::HasSubstr(each.words)));
  }
  const std::vector<Refused> values = {
      {[&] { return fmod(half, 1e6); }, "65504"},
      {[&] { return floor_divide(n, 0.5); }, "whole"},
      {[&] { return bytes & 256; }, "255"},
      {[&] { return clamp(x, {}, {}); }, "min, max or both"},
      {[&] { return isclose(x, x, {.rtol = -1}); }, "at least 0"},
      {[&] { return nan_to_num(half, {.nan = 1e5}); }, "nan 100000"},
      {[&] { return lerp(half, half, 1e39); }, "the weight"},
      {[&] { return pow(1e5, half); }, "the number"},
  };
  for (const Refused& each : values) {
    EXPECT_THAT(each.call, testing::ThrowsMessage<ValueError>(testing::HasSubstr(each.words)));
  }
  EXPECT_THROW(atan2(x, value({3}, {1, 2, 3})), ShapeError);
}

}  // namespace elementwise
}  // namespace
}  // namespace aclgrad
