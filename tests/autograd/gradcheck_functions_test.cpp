// SPDX-License-Identifier: Apache-2.0
// Pairs of plain functions: the forward is differentiated as it is, in its own dtype.
#include "aclgrad/gradcheck/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"

namespace aclgrad::gradcheck {
namespace {

using ::testing::HasSubstr;

constexpr int kRows = 5;
constexpr int kWidth = 7;

// x / rms(x) gamma, with 1 / rms(x) kept; `mean` is what the backward divides its sum by.
template <class T>
FunctionPair rms_norm(T mean, bool adds = false) {
  const DType dtype = kDTypeOf<T>;
  return {.name = "rms_norm",
          .inputs = {{.name = "x", .shape = {kRows, kWidth}, .dtype = dtype},
                     {.name = "gamma", .shape = {kWidth}, .dtype = dtype, .adds_gradient = adds}},
          .outputs = {{.name = "y", .shape = {kRows, kWidth}, .dtype = dtype},
                      {.name = "scale", .shape = {kRows}, .dtype = dtype, .has_gradient = false}},
          .forward =
              [](auto in, auto out) {
                const auto* x = static_cast<const T*>(in[0]);
                const auto* gamma = static_cast<const T*>(in[1]);
                auto* y = static_cast<T*>(out[0]);
                for (int row = 0; row < kRows; ++row, x += kWidth, y += kWidth) {
                  T sum = 0;
                  for (int i = 0; i < kWidth; ++i) sum += x[i] * x[i];
                  const T scale = 1 / std::sqrt(sum / kWidth + T(1e-5));
                  static_cast<T*>(out[1])[row] = scale;
                  for (int i = 0; i < kWidth; ++i) y[i] = x[i] * scale * gamma[i];
                }
              },
          .backward =
              [=](auto in, auto out, auto d_out, auto d_in) {
                const auto* x = static_cast<const T*>(in[0]);
                const auto* gamma = static_cast<const T*>(in[1]);
                const auto* scale = static_cast<const T*>(out[1]);
                const auto* dy = static_cast<const T*>(d_out[0]);
                auto* dx = static_cast<T*>(d_in[0]);
                auto* dgamma = static_cast<T*>(d_in[1]);
                if (d_out[1] != nullptr) return;  // all would stay as it was
                for (int i = 0; i < kWidth && !adds; ++i) dgamma[i] = 0;
                for (int row = 0; row < kRows; ++row, x += kWidth, dy += kWidth, dx += kWidth) {
                  const T r = scale[row];
                  T sum = 0;
                  for (int i = 0; i < kWidth; ++i) sum += dy[i] * gamma[i] * x[i];
                  for (int i = 0; i < kWidth; ++i) {
                    dx[i] = r * (dy[i] * gamma[i] - x[i] * r * r * sum / mean);
                    dgamma[i] += dy[i] * x[i] * r;
                  }
                }
              }};
}

template <class T>
class Functions : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Functions, Types);

TYPED_TEST(Functions, ThatAreRightAreRight) {
  for (const FunctionPair& pair :
       {rms_norm<TypeParam>(kWidth), rms_norm<TypeParam>(kWidth, true)}) {
    const Report report = check_functions(pair);
    EXPECT_EQ(report.verdict(), Verdict::right) << report.to_string();
    EXPECT_GT(report.right, 30);
    constexpr bool kIsFloat = std::is_same_v<TypeParam, float>;
    EXPECT_EQ(report.to_string().find("float32 alone: errors below about 1 %") != std::string::npos,
              kIsFloat)
        << "what being right does not say is said";
  }
}

TYPED_TEST(Functions, ThatAreWrongAreWrong) {
  const Report mean = check_functions(rms_norm<TypeParam>(1));
  EXPECT_THAT(mean.to_string(), HasSubstr("of the gradient of x are not the derivative"));
  EXPECT_THAT(mean.to_string(), Not(HasSubstr("of the gradient of gamma")));
  FunctionPair ignores = rms_norm<TypeParam>(kWidth);  // what arrives at y
  ignores.backward = [inner = ignores.backward](auto in, auto out, auto, auto d_in) {
    std::vector<TypeParam> ones(kRows * kWidth, 1);
    const std::vector<const void*> arrives = {ones.data(), nullptr};
    inner(in, out, std::span(arrives), d_in);
  };
  EXPECT_EQ(check_functions(ignores).verdict(), Verdict::wrong);
}

TYPED_TEST(Functions, ThatAddMustSaySo) {
  FunctionPair adds = rms_norm<TypeParam>(kWidth, true);
  adds.inputs[1].adds_gradient = false;
  EXPECT_EQ(check_functions(adds).verdict(), Verdict::wrong);
}

TEST(Functions, KeepToTheirArrays) {
  FunctionPair pair = rms_norm<double>(kWidth);
  pair.forward = [inner = pair.forward](auto in, auto out) {
    inner(in, out);
    static_cast<double*>(out[1])[kRows] = 0;
  };
  EXPECT_THAT(check_functions(pair).to_string(),
              HasSubstr("the forward wrote beside `scale`: 1 bytes after its end"));
  pair = rms_norm<double>(kWidth);
  pair.backward = [inner = pair.backward](auto in, auto out, auto d_out, auto d_in) {
    inner(in, out, d_out, d_in);
    static_cast<double*>(d_in[1])[kWidth] = 0;
  };
  EXPECT_EQ(check_functions(pair).verdict(), Verdict::wrong);
}

TEST(Functions, AreComplete) {
  FunctionPair none = rms_norm<float>(kWidth);
  none.backward = nullptr;
  EXPECT_THROW(check_functions(none), ValueError);
  FunctionPair mixed = rms_norm<float>(kWidth);
  mixed.outputs[0].dtype = DType::float64;
  EXPECT_THROW(check_functions(mixed), DTypeError);
  FunctionPair statistics = rms_norm<float>(kWidth);
  statistics.outputs[0].has_gradient = false;
  EXPECT_THROW(check_functions(statistics), ValueError);
  FunctionPair negative = rms_norm<float>(kWidth);
  negative.outputs[1].shape = {-1};
  EXPECT_THROW(check_functions(negative), ValueError);
}

// A sum over rows of a mean over `kWidth` numbers of a loss of x, which may be any number.
struct Loss {
  double (*loss)(double x, double label);
  double (*slope)(double x, double label);
};

FunctionFamily losses(const Loss& of) {
  return {
      .name = "loss",
      .attributes = {{.name = "n", .usual = 3, .low = 1, .high = 5, .whole = true}},
      .make = [of](std::span<const double> attributes) {
        const auto n = static_cast<std::int64_t>(attributes[0]);
        FunctionPair pair{
            .name = {},
            .inputs = {{.name = "x",
                        .shape = {n},
                        .dtype = DType::float64,
                        .unbounded_below = true,
                        .unbounded_above = true},
                       {.name = "label", .shape = {n}, .dtype = DType::int64, .low = 0, .high = 1}},
            .outputs = {{.name = "y", .shape = {n}, .dtype = DType::float64}},
            .forward =
                [=](auto in, auto out) {
                  for (std::int64_t i = 0; i < n; ++i) {
                    const auto label = static_cast<const std::int64_t*>(in[1])[i];
                    static_cast<double*>(out[0])[i] =
                        of.loss(static_cast<const double*>(in[0])[i], static_cast<double>(label));
                  }
                },
            .backward =
                [=](auto in, auto, auto d_out, auto d_in) {
                  for (std::int64_t i = 0; i < n; ++i) {
                    const auto label = static_cast<const std::int64_t*>(in[1])[i];
                    static_cast<double*>(d_in[0])[i] =
                        static_cast<const double*>(d_out[0])[i] *
                        of.slope(static_cast<const double*>(in[0])[i], static_cast<double>(label));
                  }
                }};
        return pair;
      }};
}

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// Far out, log(1 + e^x) - x has a few bits left, or none.
TEST(Families, AreNotBlamedForWhatTheForwardCancels) {
  const Report report =
      check_family(losses({[](double x, double label) { return softplus(x) - label * x; },
                           [](double x, double label) { return logistic(x) - label; }}));
  EXPECT_EQ(report.verdict(), Verdict::right) << report.to_string();
}

// Where it has all of them, a mistake of 1e-13 is one.
TEST(Families, AreBlamedForATailThatTheForwardHas) {
  const auto loss = [](double x, double label) {
    const double t = (2 * label - 1) * x;
    return t > 20 ? -std::exp(-t) : -softplus(-t);
  };
  const auto slope = [](double x, double label) {
    return (2 * label - 1) * logistic((1 - 2 * label) * x);
  };
  const auto of_other_sign = [](double x, double label) {
    const double t = (2 * label - 1) * x;
    return (t > 20 ? 1 - 2 * label : 2 * label - 1) * logistic(-t);
  };
  EXPECT_EQ(check_family(losses({loss, slope})).verdict(), Verdict::right);
  const Report report = check_family(losses({loss, of_other_sign}));
  EXPECT_EQ(report.verdict(), Verdict::wrong) << report.to_string();
}

// Element 0 of the gradient is wrong where n is 5, and nowhere else.
TEST(Families, AreTriedUnderTheirAttributes) {
  FunctionFamily family =
      losses({[](double x, double) { return x * x; }, [](double x, double) { return 2 * x; }});
  EXPECT_EQ(check_family(family).verdict(), Verdict::right);
  family.make = [make = family.make](std::span<const double> attributes) {
    FunctionPair pair = make(attributes);
    if (attributes[0] != 5) return pair;
    pair.backward = [inner = pair.backward](auto in, auto out, auto d_out, auto d_in) {
      inner(in, out, d_out, d_in);
      static_cast<double*>(d_in[0])[0] = 0;
    };
    return pair;
  };
  EXPECT_THAT(check_family(family).to_string(), HasSubstr("loss, n=5"));
  family.attributes[0].usual = 6;
  EXPECT_THROW(check_family(family), ValueError);
}

// The largest of all, and minus that: ties, whose gradients add up, whatever the upstream's sign.
TEST(Functions, WithTiesAreRightInBothDirections) {
  for (const double sign : {1.0, -1.0}) {
    const auto largest = [](auto in) {
      const auto* x = static_cast<const double*>(in[0]);
      return std::max_element(x, x + kWidth) - x;
    };
    const FunctionPair pair{.name = "max",
                            .inputs = {{.name = "x", .shape = {kWidth}, .dtype = DType::float64}},
                            .outputs = {{.name = "y", .dtype = DType::float64}},
                            .forward =
                                [=](auto in, auto out) {
                                  *static_cast<double*>(out[0]) =
                                      sign * static_cast<const double*>(in[0])[largest(in)];
                                },
                            .backward =
                                [=](auto in, auto, auto d_out, auto d_in) {
                                  auto* dx = static_cast<double*>(d_in[0]);
                                  for (int i = 0; i < kWidth; ++i) dx[i] = 0;
                                  dx[largest(in)] = sign * *static_cast<const double*>(d_out[0]);
                                }};
    const Report report = check_functions(pair);
    EXPECT_EQ(report.wrong, 0) << report.to_string();
    EXPECT_NE(report.verdict(), Verdict::wrong) << report.to_string();
  }
}

}  // namespace
}  // namespace aclgrad::gradcheck
