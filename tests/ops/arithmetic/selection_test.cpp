// SPDX-License-Identifier: Apache-2.0
// What no contract has of powers, bounds, comparisons and choices: results of
// another dtype, special values, and which dtype a comparison is made in.
#include <algorithm>
#include <cmath>
#include <limits>

#include "aclgrad_ext.h"
#include "aclnnop/aclnn_addcmul.h"
#include "aclnnop/aclnn_clamp.h"
#include "aclnnop/aclnn_eq_scalar.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_ge_scalar.h"
#include "aclnnop/aclnn_gt_scalar.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_lt_scalar.h"
#include "aclnnop/aclnn_masked_fill_scalar.h"
#include "aclnnop/aclnn_ne_tensor.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_pow_tensor_tensor.h"
#include "aclnnop/aclnn_s_where.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class SelectionTest : public AclTest {
 protected:
  template <class Plan, class Start>
  Values with_tensor(Plan phase_one, Start phase_two, const Array& x, const Array& y,
                     aclDataType result) {
    const Array out(result, {std::max(x.count(), y.count())});
    EXPECT_TRUE(runs(phase_one, phase_two, x, y, out));
    return out.values();
  }
  template <class Plan, class Start, class T>
  Values with_number(Plan phase_one, Start phase_two, const Array& x, T number,
                     aclDataType result) {
    const Array out(result, {x.count()});
    EXPECT_TRUE(runs(phase_one, phase_two, x, Scalar(number), out));
    return out.values();
  }
};

TEST_F(SelectionTest, ResultsOfComparisonsAreOfAnyDtype) {
  const Array x(ACL_FLOAT, {3}, {1, 2, 3});
  const Array y(ACL_INT32, {1}, {2});
  for (const aclDataType dtype : {ACL_BOOL, ACL_UINT8, ACL_INT64, ACL_FLOAT16, ACL_DOUBLE}) {
    EXPECT_EQ(with_tensor(aclnnGtTensorGetWorkspaceSize, aclnnGtTensor, x, y, dtype),
              (Values{0, 0, 1}));
    EXPECT_EQ(with_tensor(aclnnEqTensorGetWorkspaceSize, aclnnEqTensor, x, y, dtype),
              (Values{0, 1, 0}));
  }
}

// What is chosen is no arithmetic: a signalling NaN stays one, in rows with a condition each and
// where one condition is repeated.
TEST_F(SelectionTest, ChosenNumbersKeepTheirBits) {
  constexpr uint32_t kSignalling = 0x7fa00001, kOther = 0xffc12345;
  for (const bool repeated : {false, true}) {
    Array condition(ACL_BOOL, {repeated ? 1 : 3, 67});
    const Array x(ACL_FLOAT, {3, 67}), y(ACL_FLOAT, {1}), out(ACL_FLOAT, {3, 67});
    const auto bits = [](const Array& array) { return static_cast<uint32_t*>(array.data()); };
    const auto is_chosen = [](int64_t i) { return i % 3 == 0; };
    for (int64_t i = 0; i < condition.count(); ++i) condition.set(i, is_chosen(i));
    std::fill_n(bits(x), x.count(), kSignalling);
    *bits(y) = kOther;
    ASSERT_TRUE(runs(PHASES(aclnnSWhere), condition, x, y, out));
    for (int64_t i = 0; i < out.count(); ++i) {
      EXPECT_EQ(bits(out)[i], is_chosen(repeated ? i % 67 : i) ? kSignalling : kOther) << i;
    }
  }
}

TEST_F(SelectionTest, UnsignedNumbersAreComparedAsSuch) {
  const Array x(ACL_UINT64, {2}, {1, 0x1p63L});
  const Array y(ACL_UINT64, {2}, {0x1p63L, 2});
  EXPECT_EQ(with_tensor(aclnnGtTensorGetWorkspaceSize, aclnnGtTensor, x, y, ACL_BOOL),
            (Values{0, 1}));
}

TEST_F(SelectionTest, NanComparesWithNothing) {
  const Array x(ACL_FLOAT, {3}, {kNaN, 1, kNaN});
  const Array y(ACL_FLOAT, {3}, {1, kNaN, kNaN});
  EXPECT_EQ(with_tensor(aclnnEqTensorGetWorkspaceSize, aclnnEqTensor, x, y, ACL_BOOL),
            (Values{0, 0, 0}));
  EXPECT_EQ(with_tensor(aclnnNeTensorGetWorkspaceSize, aclnnNeTensor, x, y, ACL_BOOL),
            (Values{1, 1, 1}));
  EXPECT_EQ(with_tensor(aclnnGtTensorGetWorkspaceSize, aclnnGtTensor, x, y, ACL_BOOL),
            (Values{0, 0, 0}));
}

TEST_F(SelectionTest, ANumberInDoubleIsComparedInTheTensorsDtype) {
  const Array tenth(ACL_FLOAT, {1}, {0.1f});  // above 0.1 in DOUBLE
  EXPECT_EQ(with_number(aclnnEqScalarGetWorkspaceSize, aclnnEqScalar, tenth, 0.1, ACL_BOOL),
            Values{1});
  EXPECT_EQ(with_number(aclnnGtScalarGetWorkspaceSize, aclnnGtScalar, tenth, 0.1, ACL_BOOL),
            Values{0});
  // Rounded to FLOAT16, 2049 would be 2048: Gt compares in DOUBLE then, Lt does not.
  const Array large(ACL_FLOAT16, {1}, {2048});
  EXPECT_EQ(with_number(aclnnGeScalarGetWorkspaceSize, aclnnGeScalar, large, 2049.0, ACL_BOOL),
            Values{0});
  EXPECT_EQ(with_number(aclnnLtScalarGetWorkspaceSize, aclnnLtScalar, large, 2049.0, ACL_BOOL),
            Values{0});
  // A fraction makes integers floating.
  const Array two(ACL_INT32, {2}, {2, 3});
  EXPECT_EQ(with_number(aclnnGtScalarGetWorkspaceSize, aclnnGtScalar, two, 2.5f, ACL_BOOL),
            (Values{0, 1}));
}

TEST_F(SelectionTest, PowersOfSpecialValues) {
  const Array x(ACL_FLOAT, {6}, {0, -2, -2, kInfinity, kNaN, -0.0L});
  const Array y(ACL_FLOAT, {6}, {-1, 0.5L, 3, -1, 0, -3});
  const Values power =
      with_tensor(aclnnPowTensorTensorGetWorkspaceSize, aclnnPowTensorTensor, x, y, ACL_FLOAT);
  expect_same(power, {kInfinity, kNaN, -8, 0, 1, -kInfinity});
}

TEST_F(SelectionTest, PowersOfIntegersWrapAndHaveNoFractions) {
  const Array x(ACL_INT32, {5}, {0, 1, -1, 2, 3});
  const Array y(ACL_INT32, {5}, {-2, -3, -3, -1, 21});
  const auto wrapped = static_cast<int32_t>(uint32_t{1870418611});  // 3^21 mod 2^32
  EXPECT_EQ(
      with_tensor(aclnnPowTensorTensorGetWorkspaceSize, aclnnPowTensorTensor, x, y, ACL_INT32),
      (Values{0, 1, -1, 0, wrapped}));
  // A floating exponent makes them floating.
  const Array four(ACL_INT32, {1}, {4});
  EXPECT_EQ(with_number(aclnnPowTensorScalarGetWorkspaceSize, aclnnPowTensorScalar, four, -0.5f,
                        ACL_FLOAT),
            Values{0.5L});
}

TEST_F(SelectionTest, BoundsAreRoundedToTheResultsDtype) {
  const Array x(ACL_FLOAT16, {4}, {1, 2, 4, kNaN});
  const Array out(ACL_FLOAT16, {4});
  const auto clamp = [&](const aclScalar* low, const aclScalar* high) {
    EXPECT_TRUE(runs(PHASES(aclnnClamp), x, low, high, out));
    return out.values();
  };
  const Scalar low(1.9f), high(3.1f);
  expect_same(clamp(low.get(), high.get()), {1.900390625L, 2, 3.099609375L, kNaN});
  expect_same(clamp(low.get(), nullptr), {1.900390625L, 2, 4, kNaN});
  expect_same(clamp(nullptr, high.get()), {1, 2, 3.099609375L, kNaN});
  // Of integers the fraction is dropped; a bound that they do not reach bounds nothing.
  const Array whole(ACL_UINT8, {3}, {1, 2, 200});
  const Array result(ACL_UINT8, {3});
  EXPECT_TRUE(runs(PHASES(aclnnClamp), whole, Scalar(-1.0f), Scalar(2.7f), result));
  EXPECT_EQ(result.values(), (Values{1, 2, 2}));
}

TEST_F(SelectionTest, ABoundOfNanMakesEveryResultNan) {
  const Scalar nan(std::numeric_limits<float>::quiet_NaN()), one(1.0f);
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Array x(dtype, {5}, {-2, 0, 2, kInfinity, kNaN}), out(dtype, {5});
    using Bounds = std::pair<const aclScalar*, const aclScalar*>;
    for (const auto& [low, high] :
         {Bounds{nan.get(), one.get()}, Bounds{one.get(), nan.get()}, Bounds{nan.get(), nan.get()},
          Bounds{nan.get(), nullptr}, Bounds{nullptr, nan.get()}}) {
      ASSERT_TRUE(runs(PHASES(aclnnClamp), x, low, high, out));
      expect_same(out, Values(5, kNaN));
    }
  }
}

TEST_F(SelectionTest, ChoicesBroadcastAndKeepEveryBit) {
  const Array condition(ACL_UINT8, {2, 1}, {0, 7});
  const Array a(ACL_INT64, {2}, {0x7FFFFFFFFFFFFFFFL, -1});
  const Array b(ACL_INT64, {1}, {0x7FFFFFFFFFFFFFFEL});
  const Array out(ACL_INT64, {2, 2});
  EXPECT_TRUE(runs(PHASES(aclnnSWhere), condition, a, b, out));
  EXPECT_EQ(out.values(),
            (Values{0x7FFFFFFFFFFFFFFEL, 0x7FFFFFFFFFFFFFFEL, 0x7FFFFFFFFFFFFFFFL, -1}));
}

TEST_F(SelectionTest, AMaskBroadcastsToTheTensorButNotTheOtherWay) {
  const Array x(ACL_FLOAT, {2, 2}, {1, 2, 3, 4});
  const Array mask(ACL_BOOL, {2}, {0, 1});
  const Array larger(ACL_BOOL, {2, 2, 2});
  EXPECT_TRUE(
      runs(PHASES(aclnnInplaceMaskedFillScalar), x, mask, Scalar(static_cast<float>(-kInfinity))));
  EXPECT_EQ(x.values(), (Values{1, -kInfinity, 3, -kInfinity}));
  EXPECT_TRUE(
      fails_with(161002, {"selfRef", "[2, 2, 2]"},
                 plan(aclnnInplaceMaskedFillScalarGetWorkspaceSize, x, larger, Scalar(0.0f))));
}

TEST_F(SelectionTest, AFactorIsRoundedToTheDtypeOfIntegers) {
  const Array x(ACL_INT32, {2}, {1, 2});
  const Array out(ACL_INT32, {2});
  EXPECT_TRUE(runs(PHASES(aclnnAddcmul), x, x, x, Scalar(2.9f), out));
  EXPECT_EQ(out.values(), (Values{3, 10}));
}

}  // namespace
}  // namespace aclgrad::testing
