// SPDX-License-Identifier: Apache-2.0
// What no contract has of rounding, of rounded quotients and remainders, and of bounds and other
// numbers: special values as PyTorch 1.13 gives them, mixed dtypes, and what goes with what.
#include <cmath>
#include <limits>
#include <random>

#include "aclnnop/aclnn_ceil.h"
#include "aclnnop/aclnn_clamp.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_floor.h"
#include "aclnnop/aclnn_floor_divide.h"
#include "aclnnop/aclnn_fmod_scalar.h"
#include "aclnnop/aclnn_fmod_tensor.h"
#include "aclnnop/aclnn_frac.h"
#include "aclnnop/aclnn_gcd.h"
#include "aclnnop/aclnn_nan_to_num.h"
#include "aclnnop/aclnn_remainder.h"
#include "aclnnop/aclnn_round.h"
#include "aclnnop/aclnn_trunc.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class RoundingTest : public AclTest {
 protected:
  template <class Plan, class Start>
  Values of_one(Plan phase_one, Start phase_two, aclDataType dtype, const Values& x) {
    const Array self(dtype, {static_cast<int64_t>(x.size())}, Array::Layout{}, x);
    const Array out(dtype, self.shape());
    EXPECT_TRUE(runs(phase_one, phase_two, self, out));
    return out.values();
  }
  template <class Plan, class Start>
  Values of_two(Plan phase_one, Start phase_two, aclDataType dtype, const Values& x,
                const Values& y) {
    const Shape shape = {static_cast<int64_t>(x.size())};
    const Array self(dtype, shape, Array::Layout{}, x), other(dtype, shape, Array::Layout{}, y);
    const Array out(dtype, shape);
    EXPECT_TRUE(runs(phase_one, phase_two, self, other, out));
    return out.values();
  }
  Values divided(aclDataType dtype, const Values& x, const Values& y, int mode) {
    const Shape shape = {static_cast<int64_t>(x.size())};
    const Array self(dtype, shape, Array::Layout{}, x), other(dtype, shape, Array::Layout{}, y);
    const Array out(dtype, shape);
    EXPECT_TRUE(runs(PHASES(aclnnDivMod), self, other, mode, out));
    return out.values();
  }
  Values decimals(aclDataType dtype, const Values& x, int64_t count) {
    const Array self(dtype, {static_cast<int64_t>(x.size())}, Array::Layout{}, x);
    const Array out(dtype, self.shape());
    EXPECT_TRUE(runs(PHASES(aclnnRoundDecimals), self, count, out));
    return out.values();
  }
};

const aclDataType kFloating[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};

TEST_F(RoundingTest, KeepsInfinitiesNanAndTheSignOfZero) {
  const Values x = {0.5L, 1.5L, 2.5L, -0.5L, -1.5L, -2.5L, -0.0L, kInfinity, -kInfinity, kNaN};
  for (const aclDataType dtype : kFloating) {
    expect_same(of_one(PHASES(aclnnFloor), dtype, x),
                {0, 1, 2, -1, -2, -3, -0.0L, kInfinity, -kInfinity, kNaN});
    expect_same(of_one(PHASES(aclnnCeil), dtype, x),
                {1, 2, 3, -0.0L, -1, -2, -0.0L, kInfinity, -kInfinity, kNaN});
    expect_same(of_one(PHASES(aclnnTrunc), dtype, x),
                {0, 1, 2, -0.0L, -1, -2, -0.0L, kInfinity, -kInfinity, kNaN});
    expect_same(of_one(PHASES(aclnnRound), dtype, x),
                {0, 2, 2, -0.0L, -2, -2, -0.0L, kInfinity, -kInfinity, kNaN});
    expect_same(of_one(PHASES(aclnnFrac), dtype, x),
                {0.5L, 0.5L, 0.5L, -0.5L, -0.5L, -0.5L, 0, kNaN, kNaN, kNaN});
  }
}

TEST_F(RoundingTest, IsExactBesideTheLargestFractions) {
  const Values x = {0.5L - 0x1p-25L, 8388607.5L, 1e20L, -8388606.5L};
  const Values large = {0, 8388608, 1e20f, -8388606};
  EXPECT_EQ(of_one(PHASES(aclnnRound), ACL_FLOAT, x), large);
  EXPECT_EQ(of_one(PHASES(aclnnRound), ACL_DOUBLE, {0x1p52L - 0.5L, 0x1p62L}),
            (Values{0x1p52L, 0x1p62L}));
}

// Each step is rounded to FLOAT: 0.35f * 10 is 3.5 there.
TEST_F(RoundingTest, ToDecimalsGoesByTheStepsOfTheDtype) {
  const Values x = {0.25L, 0.35f, -0.05f, 1.005f, 12.345f, 15, 25, -125, 135, 1e38f, kInfinity};
  expect_same(decimals(ACL_FLOAT, x, 1),
              {0.2f, 0.4f, -0.0L, 1, 12.3f, 15, 25, -125, 135, kInfinity, kInfinity});
  expect_same(decimals(ACL_FLOAT, x, 2),
              {0.25L, 0.35f, -0.05f, 1, 12.34f, 15, 25, -125, 135, kInfinity, kInfinity});
  expect_same(decimals(ACL_FLOAT, x, -1),
              {0, 0, -0.0L, 0, 10, 20, 20, -120, 140, 9.999999680285692e+37f, kInfinity});
  expect_same(decimals(ACL_DOUBLE, {0.35f, -0.05f, 12.345f}, 1), {0.3, -0.1, 12.3});
  expect_same(decimals(ACL_FLOAT, {0.35L, 1, 1e38L}, 39), {kNaN, kNaN, kNaN});
  expect_same(decimals(ACL_FLOAT, {0.35L, 1, 1e38L}, -39), {kNaN, kNaN, kNaN});
  EXPECT_EQ(decimals(ACL_FLOAT, {2.5L}, 0), Values{2});
}

// A FLOAT tensor into a DOUBLE one goes another way in the engine.
TEST_F(RoundingTest, ToDecimalsDoesNotDependOnTheResultsDtype) {
  const Array x(ACL_FLOAT, {2}, {0.35L, 12.345L}), out(ACL_DOUBLE, {2});
  ASSERT_TRUE(runs(PHASES(aclnnRoundDecimals), x, int64_t{1}, out));
  EXPECT_EQ(out.values(), (Values{0.4f, 12.3f}));
}

TEST_F(RoundingTest, OfIntegersRoundsTheDigitsBeforeThePoint) {
  EXPECT_EQ(decimals(ACL_INT32, {15, 25, 125, 135, -15, -25}, -1),
            (Values{20, 20, 120, 140, -20, -20}));
  EXPECT_EQ(decimals(ACL_INT64, {15, 25, 150, 250, -150}, -2), (Values{0, 0, 200, 200, -200}));
  EXPECT_EQ(decimals(ACL_INT64, {15, -15}, 3), (Values{15, -15}));
  EXPECT_EQ(decimals(ACL_INT64, {15, 0x7FFFFFFFFFFFFFFFL}, -20), (Values{0, 0}));
  EXPECT_EQ(decimals(ACL_INT64, {15}, std::numeric_limits<int64_t>::min()), (Values{0}));
}

// ---- Quotients and remainders -------------------------------------------------------------------

struct Quotients {
  Values x, y, floored, truncated, floored_rest, truncated_rest;
};

// As PyTorch gives them.
Quotients special_quotients() {
  return {{5.5L, -5.5L, 5.5L, -5.5L, 1,    -1, 0, -0.0L, kInfinity, 2,
           1,    -1,    1,    -1,    kNaN, 1,  6, -6,    -0.0L,     0},
          {3,         3,         -3,         -3,         0, 0,    0,  3, 2,  kInfinity,
           kInfinity, kInfinity, -kInfinity, -kInfinity, 1, kNaN, -3, 3, -3, -3},
          {1, -2, -2, 1, kInfinity, -kInfinity, kNaN, -0.0L, kNaN, 0,
           0, -1, -1, 0, kNaN,      kNaN,       -2,   -2,    0,    -0.0L},
          {1, -1,    -1,    1, kInfinity, -kInfinity, kNaN, -0.0L, kInfinity, 0,
           0, -0.0L, -0.0L, 0, kNaN,      kNaN,       -2,   -2,    0,         -0.0L},
          {2.5L, 0.5L,      -0.5L,      -2.5L, kNaN, kNaN, kNaN, -0.0L, kNaN,  2,
           1,    kInfinity, -kInfinity, -1,    kNaN, kNaN, 0,    -0.0L, -0.0L, 0},
          {2.5L, -2.5L, 2.5L, -2.5L, kNaN, kNaN, kNaN, -0.0L, kNaN,  2,
           1,    -1,    1,    -1,    kNaN, kNaN, 0,    -0.0L, -0.0L, 0}};
}

TEST_F(RoundingTest, QuotientsAndRemaindersOfSpecialValues) {
  const Quotients q = special_quotients();
  for (const aclDataType dtype : kFloating) {
    expect_same(of_two(PHASES(aclnnFloorDivide), dtype, q.x, q.y), q.floored);
    expect_same(divided(dtype, q.x, q.y, 2), q.floored);
    expect_same(divided(dtype, q.x, q.y, 1), q.truncated);
    expect_same(of_two(PHASES(aclnnRemainderTensorTensor), dtype, q.x, q.y), q.floored_rest);
    expect_same(of_two(PHASES(aclnnFmodTensor), dtype, q.x, q.y), q.truncated_rest);
  }
}

// 7 / 0.1f is 70 when it is rounded, and 69 when it is rounded down.
TEST_F(RoundingTest, FlooredQuotientsBelongToTheRemainder) {
  const Values x = {7, -7e10f, 0.3f, 1e30f}, y = {0.1f, 0.7f, 0.1f, 3};
  EXPECT_EQ(of_two(PHASES(aclnnFloorDivide), ACL_FLOAT, x, y),
            (Values{69, -100000006144.0L, 3, 3.333333383491554e+29f}));
  EXPECT_EQ(divided(ACL_FLOAT, x, y, 1), (Values{70, -100000006144.0L, 3, 3.333333383491554e+29f}));
  EXPECT_EQ(of_two(PHASES(aclnnRemainderTensorTensor), ACL_FLOAT, x, y),
            (Values{0.09999989718198776f, 0.10706675052642822f, 7.450580596923828e-09f, 0}));
  EXPECT_EQ(of_two(PHASES(aclnnFmodTensor), ACL_FLOAT, x, y),
            (Values{0.09999989718198776f, -0.5929332375526428f, 7.450580596923828e-09f, 0}));
}

// The quick way for quotients below 2^28 and the long one for others, side by side in vectors: all
// remainders are the C library's.
TEST_F(RoundingTest, RemaindersAreExactForQuotientsOfEverySize) {
  std::mt19937 random(7);
  std::uniform_int_distribution<uint32_t> bits;
  Values x(3000), y(3000);
  for (size_t i = 0; i < x.size(); ++i) {
    const auto mantissa = [&] { return 1 + static_cast<long double>(bits(random) >> 9) / 0x1p23L; };
    const int exponent = static_cast<int>(bits(random) % 60) - 30;
    x[i] = std::ldexp(bits(random) % 2 == 0 ? mantissa() : -mantissa(), exponent);
    y[i] = std::ldexp(bits(random) % 2 == 0 ? mantissa() : -mantissa(),
                      i % 3 == 0 ? exponent - 27 - static_cast<int>(i % 5) : exponent - 3);
    if (i % 7 == 0) x[i] = static_cast<float>(y[i] * static_cast<float>(1 + bits(random) % 999));
  }
  const Values fmod = of_two(PHASES(aclnnFmodTensor), ACL_FLOAT, x, y);
  const Values remainder = of_two(PHASES(aclnnRemainderTensorTensor), ACL_FLOAT, x, y);
  const Values in_double = of_two(PHASES(aclnnFmodTensor), ACL_DOUBLE, x, y);
  for (size_t i = 0; i < x.size(); ++i) {
    const long double rest = std::fmod(x[i], y[i]);
    ASSERT_EQ(fmod[i], rest) << i;
    ASSERT_EQ(in_double[i], rest) << i;
    const bool is_unlike = rest != 0 && (rest < 0) != (y[i] < 0);
    ASSERT_EQ(remainder[i], static_cast<float>(is_unlike ? rest + y[i] : rest)) << i;
  }
}

TEST_F(RoundingTest, IntegersAreDividedAsIntegers) {
  for (const aclDataType dtype : {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64}) {
    const Values x = {-7, 7, -7, 7, -8, 0, 5, -5}, y = {3, 3, -3, -3, 2, 5, 0, 0};
    EXPECT_EQ(of_two(PHASES(aclnnFloorDivide), dtype, x, y), (Values{-3, 2, 2, -3, -4, 0, 0, 0}));
    EXPECT_EQ(divided(dtype, x, y, 1), (Values{-2, 2, 2, -2, -4, 0, 0, 0}));
    EXPECT_EQ(divided(dtype, x, y, 2), (Values{-3, 2, 2, -3, -4, 0, 0, 0}));
    EXPECT_EQ(of_two(PHASES(aclnnRemainderTensorTensor), dtype, x, y),
              (Values{2, 1, -1, -2, 0, 0, 0, 0}));
    EXPECT_EQ(of_two(PHASES(aclnnFmodTensor), dtype, x, y), (Values{-1, 1, -1, 1, 0, 0, 0, 0}));
    const long double least = -std::ldexp(1.0L, 8 * static_cast<int>(aclDataTypeSize(dtype)) - 1);
    EXPECT_EQ(of_two(PHASES(aclnnFloorDivide), dtype, {least, least}, {-1, 1}),
              (Values{least, least}));
    EXPECT_EQ(of_two(PHASES(aclnnFmodTensor), dtype, {least}, {-1}), Values{0});
  }
  // Nothing goes through a floating number.
  const long double large = 0x7FFFFFFFFFFFFFFFL;
  EXPECT_EQ(of_two(PHASES(aclnnFloorDivide), ACL_INT64, {large}, {1}), Values{large});
  EXPECT_EQ(of_two(PHASES(aclnnRemainderTensorTensor), ACL_INT64, {large}, {10}), Values{7});
  EXPECT_EQ(of_two(PHASES(aclnnFloorDivide), ACL_UINT8, {200}, {7}), Values{28});
}

TEST_F(RoundingTest, NumbersPromoteByTheirKind) {
  const Array whole(ACL_INT32, {2}, {7, -7}), real(ACL_FLOAT, {2}), narrow(ACL_INT32, {2});
  ASSERT_TRUE(runs(PHASES(aclnnFloorDivides), whole, Scalar(2.5), real));
  EXPECT_EQ(real.values(), (Values{2, -3}));
  ASSERT_TRUE(runs(PHASES(aclnnFloorDivides), whole, Scalar(int64_t{-4}), narrow));
  EXPECT_EQ(narrow.values(), (Values{-2, 1}));
  ASSERT_TRUE(runs(PHASES(aclnnRemainderTensorScalar), whole, Scalar(int64_t{3}), narrow));
  EXPECT_EQ(narrow.values(), (Values{1, 2}));
  ASSERT_TRUE(runs(PHASES(aclnnRemainderScalarTensor), Scalar(int32_t{5}), whole, narrow));
  EXPECT_EQ(narrow.values(), (Values{5, -2}));
  ASSERT_TRUE(runs(PHASES(aclnnFmodScalar), whole, Scalar(2.5f), real));
  EXPECT_EQ(real.values(), (Values{2, -2}));
  EXPECT_TRUE(fails_with(161002, {"aclnnFmodScalar", "DT_FLOAT", "DT_INT32"},
                         plan(aclnnFmodScalarGetWorkspaceSize, whole, Scalar(2.5f), narrow)));
  // BOOL beside an integer has its dtype.
  const Array flags(ACL_BOOL, {2}, {1, 0}), wide(ACL_INT64, {2});
  ASSERT_TRUE(runs(PHASES(aclnnFloorDivides), flags, Scalar(int64_t{1}), wide));
  EXPECT_EQ(wide.values(), (Values{1, 0}));
  EXPECT_TRUE(fails_with(161002, {"aclnnFmodTensor", "DT_BOOL"},
                         plan(aclnnFmodTensorGetWorkspaceSize, flags, flags, wide)));
}

TEST_F(RoundingTest, DivisionWithAModeDiffersFromDivInIntegersAlone) {
  const Array x(ACL_INT32, {3}, {7, -7, 9}), y(ACL_INT32, {3}, {2, 2, 4});
  const Array whole(ACL_INT32, {3}), real(ACL_FLOAT, {3});
  ASSERT_TRUE(runs(PHASES(aclnnDivMod), x, y, 0, real));
  EXPECT_EQ(real.values(), (Values{3.5L, -3.5L, 2.25L}));
  ASSERT_TRUE(runs(PHASES(aclnnDivMods), x, Scalar(int64_t{2}), 2, whole));
  EXPECT_EQ(whole.values(), (Values{3, -4, 4}));
  // On 950 a true quotient of integers is no integer, the rounded ones are.
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  EXPECT_TRUE(fails_with(161002, {"aclnnDivMod", "DT_INT32"},
                         plan(aclnnDivModGetWorkspaceSize, x, y, 0, whole)));
  ASSERT_TRUE(runs(PHASES(aclnnDivMod), x, y, 2, whole));
  EXPECT_EQ(whole.values(), (Values{3, -4, 2}));
}

TEST_F(RoundingTest, GreatestDivisors) {
  EXPECT_EQ(of_two(PHASES(aclnnGcd), ACL_INT32, {-12, 0, 0, 7, -2147483648.0L}, {18, -5, 0, 13, 6}),
            (Values{6, 5, 0, 1, 2}));
  const Array narrow(ACL_INT16, {1}, {4});
  EXPECT_TRUE(fails_with(161002, {"aclnnGcd", "DT_INT16"},
                         plan(aclnnGcdGetWorkspaceSize, narrow, narrow, narrow)));
}

// ---- Bounds and other numbers -------------------------------------------------------------------

TEST_F(RoundingTest, BoundsThatCrossGiveTheUpperOne) {
  const Array x(ACL_FLOAT, {4}, {1, 5, 9, kNaN}), out(ACL_FLOAT, {4});
  ASSERT_TRUE(runs(PHASES(aclnnClamp), x, Scalar(6.0f), Scalar(3.0f), out));
  expect_same(out, {3, 3, 3, kNaN});
  const Array whole(ACL_INT64, {3}, {1, 5, 9}), held(ACL_INT64, {3});
  ASSERT_TRUE(runs(PHASES(aclnnClamp), whole, Scalar(6.0f), Scalar(3.0f), held));
  EXPECT_EQ(held.values(), (Values{3, 3, 3}));
  const Array low(ACL_INT64, {1}, {6}), high(ACL_INT64, {3}, {3, 7, 8});
  ASSERT_TRUE(runs(PHASES(aclnnClampTensor), whole, low, high, held));
  EXPECT_EQ(held.values(), (Values{3, 6, 8}));
}

TEST_F(RoundingTest, TensorsAsBoundsGiveNanAndMayBeLeftOut) {
  const aclTensor* none = nullptr;
  for (const aclDataType dtype : kFloating) {
    const Array x(dtype, {7}, {5, 2, 3, kNaN, 1, 1, 0}), out(dtype, {7});
    const Array low(dtype, {7}, {3, 3, 3, 0, kNaN, 0, 5}),
        high(dtype, {7}, {4, 4, 4, 1, 1, kNaN, 2});
    ASSERT_TRUE(runs(PHASES(aclnnClampTensor), x, low, high, out));
    expect_same(out, {4, 3, 3, kNaN, kNaN, kNaN, 2});
    ASSERT_TRUE(runs(PHASES(aclnnClampTensor), x, low, none, out));
    expect_same(out, {5, 3, 3, kNaN, kNaN, 1, 5});
    ASSERT_TRUE(runs(PHASES(aclnnClampTensor), x, none, high, out));
    expect_same(out, {4, 2, 3, kNaN, 1, kNaN, 0});
    EXPECT_TRUE(fails_with(161001, {"aclnnClampTensor", "clipValueMin"},
                           plan(aclnnClampTensorGetWorkspaceSize, x, none, none, out)));
  }
  // An integer beside a bound with a fraction.
  const Array x(ACL_INT32, {2}, {1, 5}), low(ACL_FLOAT, {1}, {2.5L});
  const Array out(ACL_FLOAT, {2}), narrow(ACL_INT32, {2});
  ASSERT_TRUE(runs(PHASES(aclnnClampMinTensor), x, low, out));
  EXPECT_EQ(out.values(), (Values{2.5L, 5}));
  EXPECT_TRUE(fails_with(161002, {"aclnnClampMinTensor", "DT_INT32"},
                         plan(aclnnClampMinTensorGetWorkspaceSize, x, low, narrow)));
}

TEST_F(RoundingTest, OtherNumbersAreTakenAsTheyAre) {
  for (const aclDataType dtype : kFloating) {
    const Array x(dtype, {5}, {kNaN, kInfinity, -kInfinity, 1.5L, -0.0L}), out(dtype, {5});
    ASSERT_TRUE(runs(PHASES(aclnnNanToNum), x, 1.0f, 2.0f, 3.0f, out));
    expect_same(out, {1, 2, 3, 1.5L, -0.0L});
    const auto infinity = static_cast<float>(kInfinity);
    ASSERT_TRUE(runs(PHASES(aclnnInplaceNanToNum), x, -infinity, infinity, -infinity));
    expect_same(x, {-kInfinity, kInfinity, -kInfinity, 1.5L, -0.0L});
  }
  // 3e38 is beyond FLOAT16, and 0.1f is not 0.1.
  const Array half(ACL_FLOAT16, {1}, {kInfinity}), wide(ACL_DOUBLE, {1}, {kNaN});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceNanToNum), half, 0.0f, 3e38f, 0.0f));
  expect_same(half, {kInfinity});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceNanToNum), wide, 0.1f, 0.0f, 0.0f));
  expect_same(wide, {0.1f});
}

}  // namespace
}  // namespace aclgrad::testing
