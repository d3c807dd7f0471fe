// SPDX-License-Identifier: Apache-2.0
// Families of functions that are right where a check could blame them, and what is said of those
// that are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "aclgrad/error.h"
#include "aclgrad/gradcheck/functions.h"

namespace aclgrad::gradcheck {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Attributes = std::span<const double>;

struct Sizes {
  std::int64_t in = 5;
  std::int64_t out = 5;
};

// A pair over float64 arrays x and y.
template <class Forward, class Backward>
FunctionPair pair_of(Sizes sizes, Forward forward, Backward backward) {
  return {.name = "f",
          .inputs = {{.name = "x", .shape = {sizes.in}, .dtype = DType::float64}},
          .outputs = {{.name = "y", .shape = {sizes.out}, .dtype = DType::float64}},
          .forward =
              [=](auto in, auto out) {
                forward(static_cast<const double*>(in[0]), static_cast<double*>(out[0]));
              },
          .backward =
              [=](auto in, auto, auto d_out, auto d_in) {
                backward(static_cast<const double*>(in[0]), static_cast<const double*>(d_out[0]),
                         static_cast<double*>(d_in[0]));
              }};
}

// A function of one element, for each.
template <class Value, class Slope>
FunctionFamily of_elements(Value value, Slope slope) {
  FunctionFamily family{.name = "f", .make = {}};
  family.make = [=](Attributes) {
    return pair_of(
        {},
        [=](const double* x, double* y) {
          for (int i = 0; i < 5; ++i) y[i] = value(x[i]);
        },
        [=](const double* x, const double* dy, double* dx) {
          for (int i = 0; i < 5; ++i) dx[i] = dy[i] * slope(x[i]);
        });
  };
  return family;
}

TEST(Families, WithCuspsAreRightWhateverTheirSlopeIsThere) {
  for (const double at_0 : {0.0, 1e8, HUGE_VAL}) {
    const FunctionFamily cube_root = of_elements(
        [](double x) { return std::cbrt(x); },
        [=](double x) { return x == 0 ? at_0 : 1 / (3 * std::cbrt(x) * std::cbrt(x)); });
    EXPECT_EQ(check_family(cube_root).verdict(), Verdict::right) << at_0;
    const FunctionFamily both_sides =
        of_elements([](double x) { return std::sqrt(std::abs(x)); },
                    [=](double x) {
                      return x == 0 ? at_0 : std::copysign(1 / (2 * std::sqrt(std::abs(x))), x);
                    });
    EXPECT_EQ(check_family(both_sides).verdict(), Verdict::right) << at_0;
  }
  const FunctionFamily wrong =
      of_elements([](double x) { return std::cbrt(x); }, [](double x) { return std::cbrt(x); });
  EXPECT_EQ(check_family(wrong).verdict(), Verdict::wrong);
}

constexpr int kSide = 3;

// A form of the lower triangle, whose gradient is of that alone, or shared with the upper one.
FunctionFamily of_triangle(bool is_shared, double factor) {
  const auto weight = [](int i, int k) { return i + 2 * k + 1; };
  FunctionFamily family{.name = "triangle", .make = {}};
  family.make = [=](Attributes) {
    FunctionPair pair = pair_of(
        {kSide * kSide, 1},
        [=](const double* x, double* y) {
          *y = 0;
          for (int i = 0; i < kSide; ++i) {
            for (int k = 0; k <= i; ++k) *y += weight(i, k) * x[i * kSide + k] * x[i * kSide + k];
          }
        },
        [=](const double* x, const double* dy, double* dx) {
          for (int i = 0; i < kSide; ++i) {
            for (int k = 0; k < kSide; ++k) {
              const int low = std::min(i, k);
              const int high = std::max(i, k);
              const double slope = 2 * factor * weight(high, low) * x[i * kSide + k] * *dy;
              const double part = i == k ? 1 : is_shared ? 0.5 : k < i ? 1 : 0;
              dx[i * kSide + k] = slope * part;
            }
          }
        });
    pair.inputs[0].shape = {kSide, kSide};
    pair.inputs[0].symmetric = true;
    return pair;
  };
  return family;
}

TEST(Families, OfSymmetricInputsAreGivenSymmetricOnes) {
  for (const bool is_shared : {false, true}) {
    const Report right = check_family(of_triangle(is_shared, 1));
    EXPECT_EQ(right.verdict(), Verdict::right) << right.to_string();
    EXPECT_EQ(check_family(of_triangle(is_shared, 1.01)).verdict(), Verdict::wrong);
  }
  FunctionFamily family = of_triangle(true, 1);
  family.make = [make = family.make](Attributes attributes) {
    FunctionPair pair = make(attributes);
    pair.backward = [inner = pair.backward](auto in, auto out, auto d_out, auto d_in) {
      const auto* x = static_cast<const double*>(in[0]);
      for (int i = 0; i < kSide; ++i) {
        for (int k = 0; k < i; ++k) ASSERT_EQ(x[i * kSide + k], x[k * kSide + i]);
      }
      inner(in, out, d_out, d_in);
    };
    return pair;
  };
  check_family(family);
}

// Cross entropy with smoothed targets; labels come first and have no gradient. Of one class it is
// 0, and so is its gradient, but for rounding.
FunctionFamily cross_entropy(double usual_classes) {
  constexpr int kRows = 3;
  FunctionFamily family{
      .name = "cross_entropy",
      .attributes =
          {{.name = "classes", .usual = usual_classes, .low = 1, .high = 4, .whole = true},
           {.name = "smoothing", .usual = 0.3, .low = 0, .high = 0.9}},
      .make = {}};
  family.make = [](Attributes attributes) {
    const auto classes = static_cast<std::int64_t>(attributes[0]);
    const double smoothing = attributes[1];
    const auto target = [=](std::int64_t label, std::int64_t i) {
      return smoothing / static_cast<double>(classes) + (i == label ? 1 - smoothing : 0);
    };
    const auto sum_of = [=](const double* x) {
      double sum = 0;
      for (std::int64_t i = 0; i < classes; ++i) sum += std::exp(x[i]);
      return sum;
    };
    FunctionPair pair{.name = "cross_entropy",
                      .inputs = {{.name = "label",
                                  .shape = {kRows},
                                  .dtype = DType::int64,
                                  .low = 0,
                                  .high = static_cast<Number>(classes - 1)},
                                 {.name = "x", .shape = {kRows, classes}, .dtype = DType::float64}},
                      .outputs = {{.name = "y", .shape = {kRows}, .dtype = DType::float64}},
                      .forward = {},
                      .backward = {}};
    pair.forward = [=](auto in, auto out) {
      const auto* x = static_cast<const double*>(in[1]);
      for (int row = 0; row < kRows; ++row, x += classes) {
        double& y = static_cast<double*>(out[0])[row];
        const std::int64_t label = static_cast<const std::int64_t*>(in[0])[row];
        y = 0;
        for (std::int64_t i = 0; i < classes; ++i) {
          y += target(label, i) * (std::log(sum_of(x)) - x[i]);
        }
      }
    };
    pair.backward = [=](auto in, auto, auto d_out, auto d_in) {
      const auto* x = static_cast<const double*>(in[1]);
      auto* dx = static_cast<double*>(d_in[1]);
      for (int row = 0; row < kRows; ++row, x += classes, dx += classes) {
        const double dy = static_cast<const double*>(d_out[0])[row];
        const std::int64_t label = static_cast<const std::int64_t*>(in[0])[row];
        for (std::int64_t i = 0; i < classes; ++i) {
          dx[i] = dy * (std::exp(x[i]) / sum_of(x) - target(label, i));
        }
      }
    };
    return pair;
  };
  return family;
}

TEST(Families, OfOneClassHaveAGradientOf0) {
  const Report several = check_family(cross_entropy(4));
  EXPECT_EQ(several.verdict(), Verdict::right) << several.to_string();
  const Report one = check_family(cross_entropy(1));
  EXPECT_EQ(one.verdict(), Verdict::vacuous) << one.to_string();
  EXPECT_EQ(one.wrong + one.inexact + one.inconclusive, 0) << one.to_string();
}

// Sums of `window` squares that follow one another; the gradient is wrong from `wrong_from` on.
FunctionFamily windows(int wrong_from) {
  FunctionFamily family{
      .name = "windows",
      .attributes = {{.name = "length", .usual = 8, .low = 1, .high = 40, .whole = true},
                     {.name = "window", .usual = 3, .low = 1, .high = 40, .whole = true}},
      .allows = [](Attributes attributes) { return attributes[1] <= attributes[0]; },
      .make = {}};
  family.make = [=](Attributes attributes) {
    const auto length = static_cast<int>(attributes[0]);
    const auto window = static_cast<int>(attributes[1]);
    const int count = length - window + 1;
    EXPECT_GE(count, 1) << length << ", " << window;
    return pair_of(
        {length, count},
        [=](const double* x, double* y) {
          for (int i = 0; i < count; ++i) {
            y[i] = 0;
            for (int k = i; k < i + window; ++k) y[i] += x[k] * x[k];
          }
        },
        [=](const double* x, const double* dy, double* dx) {
          for (int k = 0; k < length; ++k) dx[k] = 0;
          for (int i = 0; i < count; ++i) {
            for (int k = i; k < i + window; ++k) dx[k] += 2 * x[k] * dy[i];
          }
          if (length >= wrong_from) dx[0] = 0;
        });
  };
  return family;
}

TEST(Families, AreTriedWhereTheirAttributesFitTogether) {
  const Report report = check_family(windows(100));
  EXPECT_EQ(report.verdict(), Verdict::right) << report.to_string();
  FunctionFamily family = windows(100);
  family.attributes[1].usual = 9;
  EXPECT_THROW(check_family(family), ValueError);
}

TEST(Families, AreBlamedWithTheAttributeThatMakesTheDifference) {
  const std::string text = check_family(windows(18)).to_string();
  EXPECT_THAT(text, HasSubstr("with length=17 it is right, with length=18 wrong"));
  EXPECT_THAT(text, Not(HasSubstr("window=17")));
}

TEST(Families, ThatAreWrongNowAndThenAreCalledIntermittent) {
  const auto calls = std::make_shared<int>(0);
  FunctionFamily family{.name = "f", .make = {}};
  family.make = [=](Attributes) {
    return pair_of(
        {},
        [](const double* x, double* y) {
          for (int i = 0; i < 5; ++i) y[i] = x[i] * x[i];
        },
        [=](const double* x, const double* dy, double* dx) {
          for (int i = 0; i < 5; ++i) dx[i] = 2 * x[i] * dy[i];
          if (++*calls < 8) dx[0] = 0;
        });
  };
  EXPECT_THAT(check_family(family).to_string(), HasSubstr("intermittent"));
}

TEST(Families, MayWriteToWhatArrivesWhereThatIsSaid) {
  for (const bool is_said : {false, true}) {
    FunctionFamily family{.name = "f", .make = {}};
    family.make = [=](Attributes) {
      FunctionPair pair = pair_of(
          {},
          [](const double* x, double* y) {
            for (int i = 0; i < 5; ++i) y[i] = x[i] * x[i];
          },
          [](const double* x, const double* dy, double* dx) {
            for (int i = 0; i < 5; ++i) const_cast<double*>(dy)[i] *= 2 * x[i];
            for (int i = 0; i < 5; ++i) dx[i] = dy[i];
          });
      pair.outputs[0].consumed = is_said;
      return pair;
    };
    const Report report = check_family(family);
    EXPECT_EQ(report.verdict(), is_said ? Verdict::right : Verdict::wrong) << report.to_string();
    const Report of_pair = check_functions(family.make({}));
    EXPECT_EQ(of_pair.verdict(), is_said ? Verdict::right : Verdict::wrong) << of_pair.to_string();
    if (is_said) continue;
    EXPECT_THAT(of_pair.to_string(), HasSubstr("wrote to the gradient that arrives at y"));
  }
}

}  // namespace
}  // namespace aclgrad::gradcheck
