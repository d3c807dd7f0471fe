// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/tensor/float16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace aclgrad {
namespace {

/// Checks rounding against the definition, using only the values of the format itself: every
/// midpoint of neighbours goes to the even one, and just beside it to the nearer one.
template <class T>
void check_rounding_between_neighbours(std::uint16_t largest_finite) {
  for (std::uint16_t low = 0; low < largest_finite; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const double a = static_cast<double>(T::from_bits(low));
    const double b = static_cast<double>(T::from_bits(high));
    const double middle = (a + b) / 2;  // exact: far fewer bits than a double has
    const std::uint16_t even = (low & 1) == 0 ? low : high;
    ASSERT_LT(a, b);
    ASSERT_EQ(T(middle).bits, even) << low;
    ASSERT_EQ(T(std::nextafter(middle, 0.0)).bits, low);
    ASSERT_EQ(T(std::nextafter(middle, b)).bits, high);
    ASSERT_EQ(T(-middle).bits, even | 0x8000);
  }
}

template <class T>
void check_all_patterns_round_trip(std::uint16_t infinity, std::uint16_t quiet) {
  for (std::uint32_t pattern = 0; pattern < 65536; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float wide = static_cast<float>(T::from_bits(bits));
    if ((bits & 0x7FFF) > infinity) {
      ASSERT_TRUE(std::isnan(wide)) << pattern;
      ASSERT_EQ(T(wide).bits, bits | quiet) << pattern;
    } else {
      ASSERT_FALSE(std::isnan(wide)) << pattern;
      ASSERT_EQ(T(wide).bits, bits) << pattern;
      ASSERT_EQ(T(static_cast<double>(wide)).bits, bits) << pattern;
    }
  }
}

TEST(HalfTest, EveryPatternRoundTrips) { check_all_patterns_round_trip<Half>(0x7C00, 0x0200); }

TEST(BFloat16Test, EveryPatternRoundTrips) {
  check_all_patterns_round_trip<BFloat16>(0x7F80, 0x0040);
}

TEST(HalfTest, RoundsToNearestEven) { check_rounding_between_neighbours<Half>(0x7BFF); }

TEST(BFloat16Test, RoundsToNearestEven) { check_rounding_between_neighbours<BFloat16>(0x7F7F); }

TEST(HalfTest, KnownValuesAndEnds) {
  EXPECT_EQ(Half(1.0f).bits, 0x3C00);
  EXPECT_EQ(Half(-2.0f).bits, 0xC000);
  EXPECT_EQ(Half(65504.0).bits, 0x7BFF);
  EXPECT_EQ(Half(65519.99).bits, 0x7BFF);
  EXPECT_EQ(Half(65520.0).bits, 0x7C00);
  EXPECT_EQ(Half(1e300).bits, 0x7C00);
  EXPECT_EQ(Half(std::ldexp(1.0, -24)).bits, 0x0001);
  EXPECT_EQ(Half(std::ldexp(1.0, -25)).bits, 0x0000);
  EXPECT_EQ(Half(std::ldexp(1.0001, -25)).bits, 0x0001);
  EXPECT_EQ(Half(std::numeric_limits<double>::denorm_min()).bits, 0);
  EXPECT_EQ(Half(-0.0).bits, 0x8000);
  EXPECT_EQ(static_cast<float>(Half::from_bits(0x3555)), 0.333251953125f);
  EXPECT_EQ(static_cast<float>(Half::from_bits(0x0001)), std::ldexp(1.0f, -24));
}

TEST(BFloat16Test, KnownValuesAndEnds) {
  EXPECT_EQ(BFloat16(1.0f).bits, 0x3F80);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7F80);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::denorm_min()).bits, 0);
  EXPECT_EQ(BFloat16(std::ldexp(1.0, -133)).bits, 0x0001);
  EXPECT_EQ(BFloat16(-std::numeric_limits<double>::infinity()).bits, 0xFF80);
}

TEST(HalfTest, DoubleIsRoundedOnce) {
  // Halfway between two halves plus a bit that a float would round away first.
  const double value = 1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  EXPECT_EQ(Half(value).bits, 0x3C01);
  EXPECT_EQ(Half(static_cast<float>(value)).bits, 0x3C00);
}

}  // namespace
}  // namespace aclgrad
