// SPDX-License-Identifier: Apache-2.0
// Outputs of another dtype than the input, where an operator allows them.
#include <cmath>
#include <complex>

#include "aclgrad_contract/formulas.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_selu.h"
#include "tests/ops/support/acl_fixture.h"

namespace aclgrad::testing {
namespace {

using contract::formulas::gelu_slope;

long double elu(long double x) { return contract::formulas::elu(x, 1.5L, 1.25L, 0.75L); }
long double elu_slope(long double x) {
  return contract::formulas::elu(contract::Dual{x, 1}, 1.5L, 1.25L, 0.75L).slope;
}

class Conversions : public AclTest {
 protected:
  const Scalar alpha_{1.5F};
  const Scalar scale_{1.25F};
  const Scalar input_scale_{0.75F};
};

TEST_F(Conversions, SeluOfAnyTypeIntoAnyOther) {
  const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_INT8};
  for (const aclDataType from : dtypes) {
    for (const aclDataType to : dtypes) {
      const Array x(from, {6}, {-100, -1, 0, 3, 100, 127});
      const Array out(to, {6});
      ASSERT_TRUE(runs(PHASES(aclnnSelu), x, out));
      for (int64_t i = 0; i < 6; ++i) {
        const bool from_integer = from == ACL_INT32 || from == ACL_INT8;
        const bool to_integer = to == ACL_INT32 || to == ACL_INT8;
        long double expected = contract::formulas::selu(x.get(i));
        if (from_integer) expected = std::trunc(expected);
        if (from == ACL_INT8) expected = std::min(expected, 127.0L);
        if (to_integer) expected = std::trunc(expected);
        if (to == ACL_INT8) expected = std::min(expected, 127.0L);
        if (!to_integer) expected = round_to(expected, to);
        EXPECT_EQ(out.get(i), expected) << x.get(i) << " from " << from << " to " << to;
      }
    }
  }
}

TEST_F(Conversions, EluIntoEveryFloatingAndComplexType) {
  const Array x(ACL_FLOAT16, {4}, {-2, -0.3L, 0, 1.7L});
  const auto run = [&](const Array& out) {
    EXPECT_TRUE(runs(PHASES(aclnnElu), x, alpha_, scale_, input_scale_, out));
  };
  for (const aclDataType to : {ACL_FLOAT, ACL_DOUBLE, ACL_BF16, ACL_FLOAT16}) {
    const Array out(to, {4});
    run(out);
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_LE(ulp_error(out.get(i), elu(x.get(i)), to), to == ACL_DOUBLE ? 2 : 0.5001);
    }
  }
  const Array narrow(ACL_COMPLEX64, {4});
  const Array wide(ACL_COMPLEX128, {4});
  run(narrow);
  run(wide);
  for (int64_t i = 0; i < 4; ++i) {
    const auto place = static_cast<size_t>(i);
    const auto small = load_as<std::complex<float>>(narrow.data(), place);
    const auto large = load_as<std::complex<double>>(wide.data(), place);
    EXPECT_LE(ulp_error(small.real(), elu(x.get(i)), ACL_FLOAT), 0.5001);
    EXPECT_LE(ulp_error(large.real(), elu(x.get(i)), ACL_DOUBLE), 2);
    EXPECT_EQ(small.imag(), 0);
    EXPECT_EQ(large.imag(), 0);
  }
}

TEST_F(Conversions, EluTakesDoubleWithoutTheExtension) {
  const Array x(ACL_DOUBLE, {3}, {-1e-9L, -0.5L, 2});
  const Array out(ACL_DOUBLE, {3});
  ASSERT_TRUE(runs(PHASES(aclnnElu), x, alpha_, scale_, input_scale_, out));
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_LE(ulp_error(out.get(i), elu(x.get(i)), ACL_DOUBLE), 2);
  }
}

// The gradient is a FLOAT16 first; what gradInput's dtype could hold beyond that is lost.
TEST_F(Conversions, EluBackwardRoundsToTheGradientsTypeFirst) {
  const Array gradient(ACL_FLOAT16, {3}, {1, 1, 1});
  const Array x(ACL_FLOAT16, {3}, {-0.1L, -1, -3});
  for (const aclDataType to : {ACL_FLOAT, ACL_DOUBLE, ACL_BF16, ACL_FLOAT16}) {
    const Array out(to, {3});
    ASSERT_TRUE(
        runs(PHASES(aclnnEluBackward), gradient, alpha_, scale_, input_scale_, false, x, out));
    for (int64_t i = 0; i < 3; ++i) {
      const long double first = round_to(elu_slope(x.get(i)), ACL_FLOAT16);
      EXPECT_EQ(out.get(i), round_to(first, to)) << to;
    }
  }
  const Array complex_out(ACL_COMPLEX64, {3});
  ASSERT_TRUE(runs(PHASES(aclnnEluBackward), gradient, alpha_, scale_, input_scale_, false, x,
                   complex_out));
  EXPECT_EQ(load_as<std::complex<float>>(complex_out.data(), 1),
            std::complex<float>(static_cast<float>(round_to(elu_slope(-1), ACL_FLOAT16)), 0));
}

TEST_F(Conversions, HardswishBetweenItsTypes) {
  for (const aclDataType from : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const aclDataType to : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      const Array x(from, {5}, {-4, -2.7L, -0.3L, 1.1L, 7.3L});
      const Array out(to, {5});
      ASSERT_TRUE(runs(PHASES(aclnnHardswish), x, out));
      for (int64_t i = 0; i < 5; ++i) {
        const long double exact = contract::formulas::hardswish(x.get(i));
        EXPECT_LE(ulp_error(out.get(i), exact, to), 0.5001) << from << " to " << to;
      }
    }
  }
}

// P of FLOAT16 and BF16 is FLOAT; a broadcast gradient; gradInput of any type, converted from P.
TEST_F(Conversions, GeluBackwardPromotesBroadcastsAndConverts) {
  const Array gradient(ACL_BF16, {2, 1}, {2, -3});
  const Array x(ACL_FLOAT16, {3}, {-1, 0.5L, 2});
  const Array out(ACL_FLOAT, {2, 3});
  ASSERT_TRUE(runs(PHASES(aclnnGeluBackward), gradient, x, out));
  for (int64_t i = 0; i < 6; ++i) {
    const long double exact = gradient.get(i / 3) * gelu_slope(x.get(i % 3), true);
    EXPECT_LE(ulp_error(out.get(i), exact, ACL_FLOAT), 0.5001) << i;
  }
  const Array integers(ACL_INT32, {2, 3});
  ASSERT_TRUE(runs(PHASES(aclnnGeluBackward), gradient, x, integers));
  EXPECT_EQ(integers.get(2), std::trunc(2 * gelu_slope(2, true)));
  EXPECT_EQ(integers.get(5), std::trunc(-3 * gelu_slope(2, true)));

  // An integer that FLOAT16 cannot hold becomes one that it can, before the formula sees it.
  const Array whole(ACL_INT32, {1}, {2049});
  const Array half(ACL_FLOAT16, {1}, {3});
  const Array result(ACL_FLOAT, {1});
  ASSERT_TRUE(runs(PHASES(aclnnGeluBackward), whole, half, result));
  EXPECT_EQ(result.get(0), round_to(2048 * gelu_slope(3, true), ACL_FLOAT16));
}

}  // namespace
}  // namespace aclgrad::testing
