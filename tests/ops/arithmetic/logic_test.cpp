// SPDX-License-Identifier: Apache-2.0
// What no contract has of truth values, bits, shifts and tests of numbers: special values as
// PyTorch 1.13 gives them, BOOL and complex numbers, and mixed dtypes.
#include <algorithm>

#include "aclnnop/aclnn_bitwise_and_tensor.h"
#include "aclnnop/aclnn_bitwise_not.h"
#include "aclnnop/aclnn_bitwise_or_scalar.h"
#include "aclnnop/aclnn_bitwise_or_tensor.h"
#include "aclnnop/aclnn_bitwise_xor_scalar.h"
#include "aclnnop/aclnn_bitwise_xor_tensor.h"
#include "aclnnop/aclnn_equal.h"
#include "aclnnop/aclnn_is_inf.h"
#include "aclnnop/aclnn_isclose.h"
#include "aclnnop/aclnn_isfinite.h"
#include "aclnnop/aclnn_isneginf.h"
#include "aclnnop/aclnn_isposinf.h"
#include "aclnnop/aclnn_left_shift.h"
#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_logical_not.h"
#include "aclnnop/aclnn_logical_or.h"
#include "aclnnop/aclnn_logical_xor.h"
#include "aclnnop/aclnn_right_shift.h"
#include "aclnnop/aclnn_signbit.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class LogicTest : public AclTest {
 protected:
  template <class Plan, class Start>
  Values of_one(Plan phase_one, Start phase_two, const Array& x, aclDataType result = ACL_BOOL) {
    const Array out(result, x.shape());
    EXPECT_TRUE(runs(phase_one, phase_two, x, out));
    return out.values();
  }
  template <class Plan, class Start>
  Values of_two(Plan phase_one, Start phase_two, const Array& x, const Array& y,
                aclDataType result = ACL_BOOL) {
    const Array out(result, {std::max(x.count(), y.count())});
    EXPECT_TRUE(runs(phase_one, phase_two, x, y, out));
    return out.values();
  }
  bool are_equal(const Array& x, const Array& y, const Shape& shape = {}) {
    const Array out(ACL_BOOL, shape);
    EXPECT_TRUE(runs(PHASES(aclnnEqual), x, y, out));
    return out.get(0) != 0;
  }
  // COMPLEX64 numbers by their parts.
  static Array complex(std::initializer_list<float> parts) {
    Array made(ACL_COMPLEX64, {static_cast<int64_t>(parts.size() / 2)});
    std::copy(parts.begin(), parts.end(), static_cast<float*>(made.data()));
    return made;
  }
};

const float kInf = static_cast<float>(kInfinity), kNot = static_cast<float>(kNaN);

TEST_F(LogicTest, NanIsTrueAndZerosAreNot) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Array x(dtype, {5}, {kNaN, 0, -0.0L, 2, -kInfinity});
    const Array ones(ACL_INT64, {1}, {1}), last(ACL_BOOL, {5}, {1, 1, 1, 0, 0});
    EXPECT_EQ(of_one(PHASES(aclnnLogicalNot), x), (Values{0, 1, 1, 0, 0}));
    EXPECT_EQ(of_two(PHASES(aclnnLogicalAnd), x, ones), (Values{1, 0, 0, 1, 1}));
    EXPECT_EQ(of_two(PHASES(aclnnLogicalOr), x, last), (Values{1, 1, 1, 1, 1}));
    EXPECT_EQ(of_two(PHASES(aclnnLogicalXor), x, last), (Values{0, 1, 1, 1, 1}));
    ASSERT_TRUE(runs(PHASES(aclnnInplaceLogicalNot), x));
    EXPECT_EQ(x.values(), (Values{0, 1, 1, 0, 0}));
  }
  // What FLOAT16 would hold as 0 is true beside it.
  const Array half(ACL_FLOAT16, {1}, {1}), tiny(ACL_DOUBLE, {1}, {1e-300L});
  EXPECT_EQ(of_two(PHASES(aclnnLogicalAnd), half, tiny), Values{1});
}

TEST_F(LogicTest, TruthTables) {
  const Array a(ACL_BOOL, {4}, {0, 0, 1, 1}), b(ACL_BOOL, {4}, {0, 1, 0, 1});
  for (const aclDataType out : {ACL_BOOL, ACL_UINT8, ACL_FLOAT16, ACL_INT64}) {
    EXPECT_EQ(of_one(PHASES(aclnnLogicalNot), b, out), (Values{1, 0, 1, 0}));
    EXPECT_EQ(of_two(PHASES(aclnnLogicalAnd), a, b, out), (Values{0, 0, 0, 1}));
    EXPECT_EQ(of_two(PHASES(aclnnLogicalOr), a, b, out), (Values{0, 1, 1, 1}));
    EXPECT_EQ(of_two(PHASES(aclnnLogicalXor), a, b, out), (Values{0, 1, 1, 0}));
    EXPECT_EQ(of_one(PHASES(aclnnBitwiseNot), b, out == ACL_FLOAT16 ? ACL_BOOL : out),
              (Values{1, 0, 1, 0}));
  }
  EXPECT_EQ(of_two(PHASES(aclnnBitwiseAndTensor), a, b), (Values{0, 0, 0, 1}));
  EXPECT_EQ(of_two(PHASES(aclnnBitwiseOrTensor), a, b), (Values{0, 1, 1, 1}));
  EXPECT_EQ(of_two(PHASES(aclnnBitwiseXorTensor), a, b), (Values{0, 1, 1, 0}));
}

TEST_F(LogicTest, OfComplexNumbersEitherPartCounts) {
  const Array x = complex({0, 0, 0, 1, 1, 0, kNot, 0, kInf, 1, 1, -kInf});
  EXPECT_EQ(of_one(PHASES(aclnnLogicalNot), x), (Values{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(of_two(PHASES(aclnnLogicalXor), x, Array(ACL_INT8, {1}, {1})),
            (Values{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(of_one(PHASES(aclnnIsFinite), x), (Values{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(of_one(PHASES(aclnnIsInf), x), (Values{0, 0, 0, 0, 1, 1}));
  EXPECT_TRUE(fails_with(161002, {"aclnnIsPosInf", "DT_COMPLEX64"},
                         plan(aclnnIsPosInfGetWorkspaceSize, x, Array(ACL_BOOL, {6}))));
}

TEST_F(LogicTest, BitsAreThoseOfThePromotedDtype) {
  const Array bytes(ACL_UINT8, {2}, {200, 1}), minus(ACL_INT8, {1}, {-1});
  EXPECT_EQ(of_one(PHASES(aclnnBitwiseNot), bytes, ACL_UINT8), (Values{55, 254}));
  EXPECT_EQ(of_two(PHASES(aclnnBitwiseAndTensor), bytes, minus, ACL_INT16), (Values{200, 1}));
  EXPECT_EQ(of_two(PHASES(aclnnBitwiseXorTensor), bytes, minus, ACL_INT16), (Values{-201, -2}));
  const Array flags(ACL_BOOL, {2}, {0, 1}), wide(ACL_INT32, {2});
  ASSERT_TRUE(runs(PHASES(aclnnBitwiseOrScalar), flags, Scalar(int32_t{6}), wide));
  EXPECT_EQ(wide.values(), (Values{6, 7}));
  // A number is converted to the tensor's dtype: 257 is 1 in UINT8.
  ASSERT_TRUE(runs(PHASES(aclnnInplaceBitwiseXorScalar), bytes, Scalar(int32_t{257})));
  EXPECT_EQ(bytes.values(), (Values{201, 0}));
  EXPECT_TRUE(fails_with(161002, {"aclnnInplaceBitwiseOrScalar", "DT_FLOAT"},
                         plan(aclnnInplaceBitwiseOrScalarGetWorkspaceSize, bytes, Scalar(1.0f))));
  EXPECT_TRUE(fails_with(161002, {"aclnnInplaceBitwiseOrTensor", "DT_INT32", "DT_BOOL"},
                         plan(aclnnInplaceBitwiseOrTensorGetWorkspaceSize, flags, wide)));
}

TEST_F(LogicTest, ShiftsEndAtTheBitsOfTheDtype) {
  const Array x(ACL_INT8, {6}, {1, -3, 100, -100, 100, -1});
  const Array by(ACL_INT8, {6}, {3, 2, 1, 8, -1, 7});
  EXPECT_EQ(of_two(PHASES(aclnnLeftShift), x, by, ACL_INT8), (Values{8, -12, -56, 0, 0, -128}));
  EXPECT_EQ(of_two(PHASES(aclnnRightShift), x, by, ACL_INT8), (Values{0, -1, 50, -1, 0, -1}));
  const Array one(ACL_INT64, {2}, {1, -1}), far(ACL_INT64, {2}, {63, 64});
  EXPECT_EQ(of_two(PHASES(aclnnLeftShift), one, far, ACL_INT64), (Values{-0x1p63L, 0}));
  EXPECT_EQ(of_two(PHASES(aclnnRightShift), one, far, ACL_INT64), (Values{0, -1}));
  const Array bytes(ACL_UINT8, {2}, {200, 3});
  EXPECT_EQ(of_two(PHASES(aclnnRightShift), bytes, Array(ACL_UINT8, {1}, {3}), ACL_UINT8),
            (Values{25, 0}));
  const Array out(ACL_UINT8, {2});
  ASSERT_TRUE(runs(PHASES(aclnnLeftShifts), bytes, Scalar(int64_t{2}), out));
  EXPECT_EQ(out.values(), (Values{32, 12}));
}

TEST_F(LogicTest, TestsOfSpecialValues) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Array x(dtype, {6}, {kNaN, kInfinity, -kInfinity, -0.0L, 0, -1});
    EXPECT_EQ(of_one(PHASES(aclnnIsFinite), x), (Values{0, 0, 0, 1, 1, 1}));
    EXPECT_EQ(of_one(PHASES(aclnnIsInf), x), (Values{0, 1, 1, 0, 0, 0}));
    EXPECT_EQ(of_one(PHASES(aclnnIsPosInf), x), (Values{0, 1, 0, 0, 0, 0}));
    EXPECT_EQ(of_one(PHASES(aclnnIsNegInf), x), (Values{0, 0, 1, 0, 0, 0}));
    EXPECT_EQ(of_one(PHASES(aclnnSignbit), x), (Values{0, 0, 1, 1, 0, 1}));
  }
  const Array whole(ACL_INT8, {3}, {-1, 0, 1});
  EXPECT_EQ(of_one(PHASES(aclnnIsFinite), whole), (Values{1, 1, 1}));
  EXPECT_EQ(of_one(PHASES(aclnnIsPosInf), whole), (Values{0, 0, 0}));
  EXPECT_EQ(of_one(PHASES(aclnnSignbit), whole), (Values{1, 0, 0}));
}

// A NaN may have a minus, in every floating dtype.
TEST_F(LogicTest, TheSignOfNanIsSeen) {
  const Array x(ACL_FLOAT, {2}), half(ACL_FLOAT16, {2}), brain(ACL_BF16, {2}),
      wide(ACL_DOUBLE, {2});
  store_as(x.data(), 0, uint32_t{0xffc00000});
  store_as(x.data(), 1, uint32_t{0x7fc00000});
  store_as(half.data(), 0, uint16_t{0xfe00});
  store_as(half.data(), 1, uint16_t{0x7e00});
  store_as(brain.data(), 0, uint16_t{0xffc0});
  store_as(brain.data(), 1, uint16_t{0x7fc0});
  store_as(wide.data(), 0, uint64_t{0xfff8000000000000});
  store_as(wide.data(), 1, uint64_t{0x7ff8000000000000});
  for (const Array* each : {&x, &half, &brain, &wide}) {
    EXPECT_EQ(of_one(PHASES(aclnnSignbit), *each), (Values{1, 0})) << each->dtype();
  }
}

TEST_F(LogicTest, ClosenessOfSpecialValuesAndOfIntegers) {
  const auto close = [&](const Array& x, const Array& y, double relative, double absolute,
                         bool equal_nan) {
    const Array out(ACL_BOOL, x.shape());
    EXPECT_TRUE(runs(PHASES(aclnnIsClose), x, y, relative, absolute, equal_nan, out));
    return out.values();
  };
  const Array x(ACL_FLOAT, {8}, {1, 1, kInfinity, kInfinity, kNaN, kNaN, -kInfinity, 0});
  const Array y(ACL_FLOAT, {8}, {1.1L, 1.3L, kInfinity, 1, kNaN, 1, kInfinity, 0.5L});
  EXPECT_EQ(close(x, y, 0.2, 0, true), (Values{1, 0, 1, 0, 1, 0, 0, 0}));
  EXPECT_EQ(close(x, y, 0.2, 0, false), (Values{1, 0, 1, 0, 0, 0, 0, 0}));
  // An infinite tolerance reaches no infinity.
  EXPECT_EQ(close(x, y, static_cast<double>(kInfinity), 0, false),
            (Values{1, 1, 1, 0, 0, 0, 0, 1}));
  const Array i(ACL_INT64, {4}, {10, -10, 127, 0}), j(ACL_INT64, {4}, {11, -13, -128, 0});
  EXPECT_EQ(close(i, j, 0.1, 0.5, false), (Values{1, 0, 0, 1}));
  // The difference is exact, where doubles of the two would be equal.
  const Array large(ACL_INT64, {1}, {0x7FFFFFFFFFFFFFFFL}),
      next(ACL_INT64, {1}, {0x7FFFFFFFFFFFFFFDL});
  EXPECT_EQ(close(large, next, 0, 1, false), Values{0});
  EXPECT_EQ(close(large, next, 0, 2, false), Values{1});
}

TEST_F(LogicTest, EqualTensorsHaveOneShapeAndEqualElements) {
  const Array x(ACL_FLOAT, {2, 2}, {1, 2, 3, 0});
  EXPECT_TRUE(are_equal(x, Array(ACL_FLOAT, {2, 2}, {1, 2, 3, -0.0L})));
  EXPECT_TRUE(are_equal(x, Array(ACL_INT32, {2, 2}, {1, 2, 3, 0}), {1}));
  EXPECT_TRUE(are_equal(x, Array(ACL_FLOAT, {2, 2}, {.strides = {1, 2}}, {1, 2, 3, 0}), {1, 1}));
  EXPECT_FALSE(are_equal(x, Array(ACL_FLOAT, {4}, {1, 2, 3, 0})));
  EXPECT_FALSE(are_equal(x, Array(ACL_FLOAT, {2, 2}, {1, 2, 3, 1})));
  const Array nan(ACL_FLOAT, {1}, {kNaN});
  EXPECT_FALSE(are_equal(nan, nan));
  EXPECT_TRUE(are_equal(Array(ACL_FLOAT, {0, 2}), Array(ACL_FLOAT, {0, 2})));
  EXPECT_FALSE(are_equal(Array(ACL_FLOAT, {0, 2}), Array(ACL_FLOAT, {0, 3})));
  const Array a = complex({1, 2, 3, 4}), b = complex({1, 2, 3, 5});
  EXPECT_TRUE(are_equal(a, a));
  EXPECT_FALSE(are_equal(a, b));
  EXPECT_TRUE(fails_with(161002, {"aclnnEqual", "out"},
                         plan(aclnnEqualGetWorkspaceSize, x, x, Array(ACL_BOOL, {2}))));
}

// On several threads, wherever the difference is.
TEST_F(LogicTest, OneElementMakesLargeTensorsUnequal) {
  ASSERT_EQ(aclgradSetNumThreads(3), 0);
  constexpr int64_t kCount = 200'001;
  Array x(ACL_INT32, {kCount}), y(ACL_INT32, {kCount});
  EXPECT_TRUE(are_equal(x, y));
  for (const int64_t place : {int64_t{0}, kCount / 2, kCount - 1}) {
    y.set(place, 1);
    EXPECT_FALSE(are_equal(x, y));
    y.set(place, 0);
  }
}

}  // namespace
}  // namespace aclgrad::testing
