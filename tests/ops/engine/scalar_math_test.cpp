// SPDX-License-Identifier: Apache-2.0
// The elementary functions of scalar_math.h: their bounds, against long double, and their bits.
#include "ops/engine/math/scalar_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>

namespace aclgrad::ops {
namespace {

constexpr int kSamples = 200000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double ulp(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, exponent - 53);
}

// Uniform on (0, 1], in steps of 2^-32 as random numbers come.
double draw(std::mt19937_64& bits) { return static_cast<double>((bits() >> 32) + 1) * 0x1p-32; }

TEST(ScalarMath, LogarithmIsWithinOneUnit) {
  std::mt19937_64 bits(1);
  EXPECT_EQ(natural_log(1), 0);
  for (int i = 0; i < kSamples; ++i) {
    const double x =
        i < 100 ? 1 - i * 0x1p-32 : std::ldexp(draw(bits), i % 2 == 0 ? 0 : i % 2000 - 1000);
    const double result = natural_log(x);
    const auto exact = std::log(static_cast<long double>(x));
    ASSERT_LE(std::abs(static_cast<double>(result - exact)), ulp(result)) << x;
  }
}

TEST(ScalarMath, CosineOfTurnsIsWithinItsBound) {
  std::mt19937_64 bits(2);
  for (const double x : {0.0, 1.0, -3.0}) EXPECT_EQ(cos_of_turns(x), 1);
  for (const double x : {0.5, -1.5}) EXPECT_EQ(cos_of_turns(x), -1);
  for (const double x : {0.25, 0.75, -0.25}) EXPECT_EQ(cos_of_turns(x), 0);
  for (int i = 0; i < kSamples; ++i) {
    const double x = i % 2 == 0 ? draw(bits) : (draw(bits) - 0.5) * 0x1p21;
    const auto turn = static_cast<long double>(x) - std::floor(static_cast<long double>(x));
    const auto exact = std::cos(2 * std::numbers::pi_v<long double> * turn);
    ASSERT_LE(std::abs(static_cast<double>(cos_of_turns(x) - exact)), 0x1p-52) << x;
  }
}

TEST(ScalarMath, PowerIsWithinItsBound) {
  std::mt19937_64 bits(3);
  for (int i = 0; i < kSamples; ++i) {
    const double base = i % 3 == 0 ? 4 * draw(bits) : 1 - std::ldexp(draw(bits), -i % 20);
    double exponent = std::floor(std::ldexp(draw(bits), i % 24));
    if (i % 5 == 0) exponent = -exponent / 7;
    const auto exact = std::pow(static_cast<long double>(base), exponent);
    if (!std::isnormal(static_cast<double>(exact))) continue;
    const double factor = 1 + std::abs(exponent * std::log(base));
    ASSERT_LE(std::abs(static_cast<double>(power(base, exponent) / exact - 1)), 0x1p-51 * factor)
        << base << " " << exponent;
  }
}

TEST(ScalarMath, PowerHasTheSystemsSpecialValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double base : {0.0, -0.0, 1.0, 0.5, -2.0, kInfinity, -kInfinity, nan}) {
    for (const double exponent : {0.0, 1.0, 2.0, 3.0, -1.0, 0.5, 5000.0, kInfinity, nan}) {
      const double expected = std::pow(base, exponent);
      const double result = power(base, exponent);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(result)) << base << " " << exponent;
      } else if (expected == 0 || std::isinf(expected)) {
        EXPECT_EQ(std::bit_cast<uint64_t>(result), std::bit_cast<uint64_t>(expected))
            << base << " " << exponent;
      } else {
        EXPECT_NEAR(result, expected, std::abs(expected) * 0x1p-49) << base << " " << exponent;
      }
    }
  }
}

// Whatever the processor.
TEST(ScalarMath, GivesTheseBits) {
  std::mt19937_64 bits(4);
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](double value) {
    hash = (hash ^ std::bit_cast<uint64_t>(value)) * 0x100000001b3;
  };
  for (int i = 0; i < kSamples; ++i) {
    add(natural_log(draw(bits)));
    add(cos_of_turns(draw(bits)));
    add(power(draw(bits), 1 + i % 10000));
  }
  EXPECT_EQ(hash, 0x5d54104fc25f278d);
}

}  // namespace
}  // namespace aclgrad::ops
