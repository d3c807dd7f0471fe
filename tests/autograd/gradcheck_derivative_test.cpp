// SPDX-License-Identifier: Apache-2.0
// Extrapolated derivatives: exact enough, honest about their error, aware of corners.
#include "aclgrad/gradcheck/derivative.h"

#include <gmock/gmock.h>

#include <cmath>

#include "aclgrad/gradcheck/dual.h"
#include "aclgrad/gradcheck/numbers.h"

namespace aclgrad::gradcheck {
namespace {

using testing::HasSubstr;

struct Smooth {
  const char* name;
  Curve f;
  Curve slope;
};

const std::vector<Smooth>& smooth_functions() {
  static const std::vector<Smooth> all = {
      {"exp", [](auto x) { return std::exp(x); }, [](auto x) { return std::exp(x); }},
      {"sin", [](auto x) { return std::sin(x); }, [](auto x) { return std::cos(x); }},
      {"cube", [](auto x) { return x * x * x; }, [](auto x) { return 3 * x * x; }},
      {"logistic", [](auto x) { return 1 / (1 + std::exp(-x)); },
       [](auto x) { return 1 / (1 + std::exp(-x)) / (1 + std::exp(x)); }}};
  return all;
}

TEST(Derivative, IsRightWithinItsError) {
  for (const Smooth& s : smooth_functions()) {
    for (const long double x : {-20.0L, -3.1L, -1e-7L, 0.0L, 1e-20L, 0.7L, 11.0L}) {
      const Slopes found = slopes_at(s.f, x, kLongDoubleNoise);
      ASSERT_EQ(found.kind, PointKind::smooth) << s.name << " at " << static_cast<double>(x);
      const long double exact = s.slope(x);
      EXPECT_LE(std::abs(found.best.value - exact), found.best.error)
          << s.name << " at " << static_cast<double>(x);
      EXPECT_LE(found.best.error, 1e-9L * std::max(std::abs(exact), 1e-6L))
          << s.name << " at " << static_cast<double>(x);
    }
  }
}

TEST(Derivative, OfACuspIsUnknown) {
  const Smooth cusps[] = {
      {"cube root", [](auto x) { return std::cbrt(x); }, {}},
      {"root of the magnitude", [](auto x) { return std::sqrt(std::abs(x)); }, {}},
      {"root of one side", [](auto x) { return std::sqrt(std::max(x, 0.0L)); }, {}},
      {"x log x", [](auto x) { return x == 0 ? 0 : x * std::log(std::abs(x)); }, {}},
      {"in double",
       [](auto x) { return static_cast<long double>(std::cbrt(static_cast<double>(x))); },
       {}}};
  for (const Smooth& cusp : cusps) {
    const Slopes found = slopes_at(cusp.f, 0, kDoubleNoise);
    EXPECT_EQ(found.kind, PointKind::unknown) << cusp.name;
    EXPECT_THAT(found.reason, HasSubstr("infinite")) << cusp.name;
  }
  // Steep, and smooth; or with no more than a curvature that is infinite.
  const auto steep = [](auto x) { return std::tanh(1e4L * x); };
  EXPECT_EQ(slopes_at(steep, 0, kDoubleNoise).kind, PointKind::smooth);
  const auto power = [](auto x) { return std::pow(std::abs(x), 1.5L); };
  EXPECT_EQ(slopes_at(power, 0, kDoubleNoise).kind, PointKind::smooth);
}

TEST(Derivative, OfAFunctionInDoubleToo) {
  const Curve f = [](auto x) { return static_cast<long double>(std::exp(static_cast<double>(x))); };
  const Slopes found = slopes_at(f, 1);
  EXPECT_LE(std::abs(found.best.value - std::exp(1.0L)), found.best.error);
  EXPECT_LE(found.best.error, 1e-10L);
}

TEST(Derivative, CornersHaveTwoSlopes) {
  const Curve relu = [](auto x) { return std::max(x, 0.0L); };
  const Slopes at = slopes_at(relu, 0);
  EXPECT_EQ(at.kind, PointKind::corner);
  EXPECT_EQ(at.left.value, 0);
  EXPECT_NEAR(static_cast<double>(at.right.value), 1, 1e-12);
  // However near: the slope is that of the side.
  for (const long double beside : {1e-3L, 1e-7L, 1e-30L}) {
    const Slopes right = slopes_at(relu, beside, kLongDoubleNoise);
    EXPECT_EQ(right.kind, PointKind::smooth) << static_cast<double>(beside);
    EXPECT_NEAR(static_cast<double>(right.best.value), 1, 1e-9);
    const Slopes left = slopes_at(relu, -beside, kLongDoubleNoise);
    EXPECT_EQ(left.kind, PointKind::smooth) << static_cast<double>(beside);
    EXPECT_EQ(left.best.value, 0);
  }
}

// The quotients across a corner all agree, on the mean of its slopes; in float those of each side
// are noisy.
TEST(Derivative, CornersInFloatAreNotTakenForTheirMean) {
  int smooth = 0;
  for (int i = 1; i <= 200; ++i) {
    const float slope = 0.02F * static_cast<float>(i);
    const float beside = 0.37F * static_cast<float>(i % 11);
    const Slopes found = slopes_at(
        [&](long double shift) {
          const auto x = static_cast<float>(shift);
          const float y = x > 0 ? x : 0.75F * std::expm1(x);
          return std::vector{static_cast<long double>(slope * y) +
                             static_cast<long double>(beside)};
        },
        0, 0x1p-24L, slope + beside)[0];
    smooth += found.kind == PointKind::smooth && found.best.error < 0.1L * slope ? 1 : 0;
  }
  EXPECT_EQ(smooth, 0);
}

TEST(Derivative, AJumpOfTheSecondDerivativeIsSmooth) {
  const Curve f = [](auto x) { return x > 0 ? x : std::expm1(x); };
  const Slopes found = slopes_at(f, 0, kLongDoubleNoise);
  ASSERT_EQ(found.kind, PointKind::smooth);
  EXPECT_NEAR(static_cast<double>(found.best.value), 1, 1e-11);
}

// How far a slope is outside of what was found, in its error estimates.
long double beyond(const Slopes& found, long double slope) {
  const long double off = std::max({0.0L, found.low() - slope, slope - found.high()});
  return off == 0 ? 0 : off / found.error();
}

TEST(Derivative, AJumpOfTheSecondDerivativeNearbyIsPartOfTheError) {
  const auto logistic = [](auto x) { return 1 / (1 + std::exp(-1.7L * x)); };
  const Curve curve = [&](auto x) { return 1e-3L * (x > 0 ? x : std::expm1(x)) + logistic(x); };
  for (const long double x : {-1e-2L, -1e-4L, -1e-6L, -1e-8L, 1e-8L, 1e-6L, 1e-4L}) {
    const long double slope = 1e-3L * (x > 0 ? 1 : std::exp(x)) + 1.7L * logistic(x) * logistic(-x);
    for (const long double noise : {kDoubleNoise, kLongDoubleNoise}) {
      EXPECT_LE(beyond(slopes_at(curve, x, noise), slope), 1) << static_cast<double>(x);
    }
  }
}

// Quotients from both sides of a corner can meet in one number that is no slope, and seem exact.
TEST(Derivative, ACornerNearbyIsNotExtrapolatedOver) {
  for (int i = 0; i < 4000; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    // Few digits, so that quotients meet; a bound at a distance of any size, on either side.
    const long double factor = std::round(random_unit(1, index) * 80 - 40) / 10;
    const long double x = std::round(random_unit(2, index) * 32 - 16) / 8;
    const long double distance = std::round(1 + random_unit(3, index) * 9) *
                                 std::pow(10.0L, -1 - std::floor(random_unit(4, index) * 9));
    const long double bound = factor * x + (i % 2 == 0 ? distance : -distance);
    const Curve clamped = [&](auto t) { return std::min(factor * t, bound); };
    const long double slope = factor * x < bound ? factor : 0;
    EXPECT_LE(beyond(slopes_at(clamped, x), slope), 1)
        << static_cast<double>(factor) << " x below " << static_cast<double>(bound) << " at "
        << static_cast<double>(x);
  }
}

TEST(Derivative, SaysWhenItCannotTell) {
  const Slopes pole = slopes_at([](auto x) { return 1 / x; }, 0);
  EXPECT_EQ(pole.kind, PointKind::unknown);
  EXPECT_THAT(pole.reason, HasSubstr("no finite value"));
  const Slopes jump = slopes_at([](auto x) { return x < 0 ? 0.0L : 1.0L; }, 0);
  EXPECT_EQ(jump.kind, PointKind::unknown);
  EXPECT_THAT(jump.reason, HasSubstr("jumps"));
  // Noise of 1e-3 leaves an error estimate that says so.
  const Curve noisy = [](auto x) { return x + 1e-3L * std::sin(1e9L * x); };
  EXPECT_GT(slopes_at(noisy, 0.3L, 1e-3L).best.error, 1e-4L);
}

TEST(Corners, AreFound) {
  const Curve hardswish = [](auto x) { return x <= -3 ? 0.0L : x >= 3 ? x : x * (x + 3) / 6; };
  EXPECT_EQ(find_corners(hardswish, -6, 6, kLongDoubleNoise), (std::vector<long double>{-3, 3}));
  const Curve shifted = [](auto x) { return std::abs(x - 0.1234567L) + x * x; };
  const auto corners = find_corners(shifted, -2, 2, kLongDoubleNoise);
  ASSERT_EQ(corners.size(), 1u);
  EXPECT_NEAR(static_cast<double>(corners[0]), 0.1234567, 1e-8);
  for (const Smooth& s : smooth_functions()) {
    EXPECT_TRUE(find_corners(s.f, -6, 6, kLongDoubleNoise).empty()) << s.name;
  }
  EXPECT_TRUE(find_corners(hardswish, 1, 1).empty());
}

TEST(DualNumbers, FollowTheRules) {
  const auto formula = [](auto x) {
    using std::exp, std::log, std::sqrt, std::tanh, std::erf, std::log1p, std::sin, std::cos;
    return exp(x) / (x * x + 1) - log(x + 3) * sqrt(x + 2) + tanh(x) * erf(x) - log1p(x * x) +
           sin(x) * cos(x);
  };
  for (const long double x : {-1.5L, 0.25L, 2.0L}) {
    const Dual dual = formula(Dual{x, 1});
    const Slopes numeric =
        slopes_at([&](long double t) { return formula(t); }, x, kLongDoubleNoise);
    EXPECT_EQ(dual.value, formula(x));
    EXPECT_LE(std::abs(dual.slope - numeric.best.value), numeric.best.error + 1e-15L);
  }
}

}  // namespace
}  // namespace aclgrad::gradcheck
