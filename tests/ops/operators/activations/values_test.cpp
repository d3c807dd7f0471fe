// SPDX-License-Identifier: Apache-2.0
// Every row of the case table against its exact formula: all 65536 inputs of both 16-bit types,
// correctly rounded; FLOAT over a dense sample of all bit patterns; DOUBLE where it is let in.
#include <bit>
#include <cmath>

#include "tests/ops/operators/activations/cases.h"

namespace aclgrad::testing {
namespace {

// One test per row and check.
class Values : public AclTest, public ::testing::WithParamInterface<Case> {
 protected:
  static long double expected(long double x) { return std::isnan(x) ? x : GetParam().reference(x); }
};

class Values16Bit : public Values {
 protected:
  void check_every_pattern(aclDataType dtype) {
    constexpr int64_t kPatterns = 65536;
    const Array x(dtype, {kPatterns});
    const Array out(dtype, {kPatterns});
    for (size_t i = 0; i < kPatterns; ++i) store_as(x.data(), i, static_cast<uint16_t>(i));
    ASSERT_EQ(GetParam().run(stream(), x, out), 0) << recent_message();
    int wrong = 0;
    for (int64_t i = 0; i < kPatterns && wrong < 5; ++i) {
      const long double exact = expected(x.get(i));
      const long double rounded = round_to(exact, dtype);
      const long double actual = out.get(i);
      if (actual == rounded || (std::isnan(actual) && std::isnan(rounded))) continue;
      ++wrong;
      ADD_FAILURE() << GetParam().name << "(" << x.get(i) << ") is " << actual << ", expected "
                    << rounded << " for " << exact << ", " << ulp_error(actual, exact, dtype)
                    << " ulp";
    }
  }
};

TEST_P(Values16Bit, EveryFloat16InputIsCorrectlyRounded) { check_every_pattern(ACL_FLOAT16); }
TEST_P(Values16Bit, EveryBfloat16InputIsCorrectlyRounded) { check_every_pattern(ACL_BF16); }

class ValuesFloat : public Values {};

// A step through all 2^32 patterns that shares no factor with them: every exponent, both signs,
// NaN.
TEST_P(ValuesFloat, DenseSampleWithinOneUlp) {
  constexpr int64_t kCount = 1 << 18;
  constexpr uint32_t kStep = 16411;
  const Array x(ACL_FLOAT, {kCount});
  const Array out(ACL_FLOAT, {kCount});
  for (size_t i = 0; i < kCount; ++i) store_as(x.data(), i, static_cast<uint32_t>(i) * kStep);
  ASSERT_EQ(GetParam().run(stream(), x, out), 0) << recent_message();
  double worst = 0;
  int64_t where = 0;
  for (int64_t i = 0; i < kCount; ++i) {
    const double error = ulp_error(out.get(i), expected(x.get(i)), ACL_FLOAT);
    if (error > worst) {
      worst = error;
      where = i;
    }
  }
  EXPECT_LE(worst, 1.0) << GetParam().name << "(" << x.get(where) << ") is " << out.get(where)
                        << ", expected " << expected(x.get(where));
}

// Where curves bend, cross zero or change branch, and where their tails leave the range of float.
TEST_P(ValuesFloat, NeighboursOfSpecialPointsWithinOneUlp) {
  const float points[] = {0.0f,      -0.7518f, -0.7524f, -1.4142f, -1.5f,  3.0f,   -3.0f,
                          -1.75809f, -1.875f,  -5.0f,    -10.0f,   -13.2f, -14.1f, -104.0f};
  constexpr int64_t kEach = 4001;
  const Array x(ACL_FLOAT, {kEach * static_cast<int64_t>(std::size(points))});
  const Array out(ACL_FLOAT, x.shape());
  int64_t next = 0;
  for (const float point : points) {
    for (int64_t i = 0; i < kEach; ++i) {
      const auto bits = std::bit_cast<uint32_t>(point);
      const auto neighbour = static_cast<uint32_t>(bits + static_cast<uint32_t>(i - kEach / 2));
      store_as(x.data(), static_cast<size_t>(next++), neighbour);
    }
  }
  ASSERT_EQ(GetParam().run(stream(), x, out), 0) << recent_message();
  for (int64_t i = 0; i < x.count(); ++i) {
    const double error = ulp_error(out.get(i), expected(x.get(i)), ACL_FLOAT);
    ASSERT_LE(error, 1.0) << GetParam().name << "(" << x.get(i) << ") is " << out.get(i)
                          << ", expected " << expected(x.get(i));
  }
}

class ValuesDouble : public Values {};

// Near a zero of the curve the error is that of numbers of size 1; elsewhere it is relative.
TEST_P(ValuesDouble, ComputedAndStoredInDouble) {
  aclgradSetAcceptDouble(1);
  constexpr int64_t kCount = 20000;
  Array x(ACL_DOUBLE, {kCount});
  const Array out(ACL_DOUBLE, {kCount});
  for (int64_t i = 0; i < kCount; ++i) {
    x.set(i, -20 + 30 * (static_cast<long double>(i) + 0.37L) / kCount);
  }
  ASSERT_EQ(GetParam().run(stream(), x, out), 0) << recent_message();
  for (int64_t i = 0; i < kCount; ++i) {
    const long double exact = expected(x.get(i));
    const bool near_zero = std::abs(exact) < 0.1L && std::abs(x.get(i)) < 2;
    const long double bound = near_zero ? 5e-16L : 1.5e-15L * std::abs(exact);
    ASSERT_LE(std::abs(out.get(i) - exact), bound) << GetParam().name << "(" << x.get(i) << ")";
  }
}

std::string test_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name;
  for (const char c : info.param.name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Activations, Values16Bit, ::testing::ValuesIn(activation_cases()),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Activations, ValuesFloat, ::testing::ValuesIn(activation_cases()),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Activations, ValuesDouble, ::testing::ValuesIn(activation_cases()),
                         test_name);

}  // namespace
}  // namespace aclgrad::testing
