// SPDX-License-Identifier: Apache-2.0
// The elementary functions of math-inl.h and the gelu forms, on every instruction set, against long
// double over dense ranges that include the far tails; and their bits across instruction sets.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/ops/engine/targets.h"
#include "tests/ops/support/numbers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/ops/engine/math_test.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/activation/gelu-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// Applies a formula to one number at a time, in all lanes.
template <class Formula>
HWY_ATTR void apply(const double* in, double* out, size_t count, const Formula& formula) {
  const hn::ScalableTag<double> d;
  for (size_t i = 0; i < count; ++i) {
    out[i] = hn::GetLane(formula(d, hn::Set(d, in[i])));
  }
}

void test_exponential(const double* in, double* out, size_t count) {
  apply(in, out, count, [](auto d, auto x) HWY_ATTR { return exponential(d, x); });
}
void test_expm1_double(const double* in, double* out, size_t count) {
  apply(in, out, count, [](auto d, auto x) HWY_ATTR { return expm1_double(d, x); });
}
// e^(x * 1.7f), whose product needs more than 53 bits.
void test_exponential_of_product(const double* in, double* out, size_t count) {
  apply(in, out, count, [](auto d, auto x) HWY_ATTR {
    return exponential_of_product(d, x, hn::Set(d, double{1.7f}));
  });
}
void test_logistic(const double* in, double* out, size_t count) {
  apply(in, out, count,
        [](auto d, auto x) HWY_ATTR { return logistic_pair(d, x, hn::Zero(d)).of_plus; });
}
void test_logistic_of_minus(const double* in, double* out, size_t count) {
  apply(in, out, count,
        [](auto d, auto x) HWY_ATTR { return logistic_pair(d, x, hn::Zero(d)).of_minus; });
}
void test_normal_tail(const double* in, double* out, size_t count) {
  apply(in, out, count, [](auto d, auto x) HWY_ATTR {
    const auto tail = normal_tail(d, x);
    return hn::Mul(tail.decay, tail.mills);
  });
}
void test_gelu_erf(const double* in, double* out, size_t count) {
  apply(in, out, count, [](auto d, auto x) HWY_ATTR {
    return hn::Mul(clamped_below<GeluErf>(d, x), exact_gate<GeluErf>(d, x).high);
  });
}
void test_gelu_tanh(const double* in, double* out, size_t count) {
  apply(in, out, count, [](auto d, auto x) HWY_ATTR {
    return hn::Mul(clamped_below<GeluTanh>(d, x), exact_gate<GeluTanh>(d, x).high);
  });
}
void test_gelu_erf_slope(const double* in, double* out, size_t count) {
  apply(in, out, count, [](auto d, auto x) HWY_ATTR { return exact_slope<GeluErf>(d, x).high; });
}
void test_gelu_tanh_slope(const double* in, double* out, size_t count) {
  apply(in, out, count, [](auto d, auto x) HWY_ATTR { return exact_slope<GeluTanh>(d, x).high; });
}

int64_t test_own_target() { return HWY_TARGET; }

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(test_exponential);
HWY_EXPORT(test_expm1_double);
HWY_EXPORT(test_exponential_of_product);
HWY_EXPORT(test_logistic);
HWY_EXPORT(test_logistic_of_minus);
HWY_EXPORT(test_normal_tail);
HWY_EXPORT(test_gelu_erf);
HWY_EXPORT(test_gelu_tanh);
HWY_EXPORT(test_gelu_erf_slope);
HWY_EXPORT(test_gelu_tanh_slope);
HWY_EXPORT(test_own_target);

namespace {

using testing::for_each_target;
using testing::ulp_error;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

using Evaluate = std::function<void(const double*, double*, size_t)>;
using Reference = std::function<long double(long double)>;

struct Function {
  std::string name;
  Evaluate evaluate;
  Reference reference;
  double low;
  double high;
  double ulp;  // bound over [low, high]
  double at_minus_infinity;
  double at_infinity;
};

#define DISPATCHED(function)                        \
  [](const double* in, double* out, size_t count) { \
    HWY_DYNAMIC_DISPATCH(function)(in, out, count); \
  }

long double phi_upper(long double a) { return 0.5L * std::erfc(a / std::sqrt(2.0L)); }

// 2 sqrt(2/pi), 1 / sqrt(2 pi)
constexpr long double kTwoRoot = 1.5957691216057307117597842397375L;
constexpr long double kDensity = 0.39894228040143267793994605993438L;

long double logistic_reference(long double z) {
  return z < 0 ? std::exp(z) / (1 + std::exp(z)) : 1 / (1 + std::exp(-z));
}
long double tanh_argument(long double x) { return kTwoRoot * (x + 0.044715L * x * x * x); }

long double gelu_erf_slope(long double x) {
  return phi_upper(-x) + x * kDensity * std::exp(-x * x / 2);
}
long double gelu_tanh_slope(long double x) {
  const long double z = tanh_argument(x);
  const long double s = logistic_reference(z);
  return s * (1 + x * logistic_reference(-z) * kTwoRoot * (1 + 3 * 0.044715L * x * x));
}

std::vector<Function> functions() {
  const auto identity_limit = kInfinity;
  return {
      {"exp", DISPATCHED(test_exponential), [](long double x) { return std::exp(x); }, -745.5,
       709.7, 1.0, 0, kInfinity},
      {"expm1", DISPATCHED(test_expm1_double), [](long double x) { return std::expm1(x); }, -50,
       709.7, 1.5, -1, kInfinity},
      {"expm1 near 0", DISPATCHED(test_expm1_double), [](long double x) { return std::expm1(x); },
       -1e-3, 1e-3, 1.5, -1, kInfinity},
      {"exp of product", DISPATCHED(test_exponential_of_product),
       [](long double x) { return std::exp(x * 1.7f); }, -430, 400, 1.2, 0, kInfinity},
      {"logistic", DISPATCHED(test_logistic), logistic_reference, -744, 60, 2.0, 0, 1},
      {"logistic of minus", DISPATCHED(test_logistic_of_minus),
       [](long double x) { return logistic_reference(-x); }, -60, 744, 2.0, 1, 0},
      {"normal tail", DISPATCHED(test_normal_tail), phi_upper, 0, 37, 5.5, kNan, kNan},
      {"gelu erf", DISPATCHED(test_gelu_erf), [](long double x) { return x * phi_upper(-x); }, -37,
       10, 5.5, 0, identity_limit},
      {"gelu tanh", DISPATCHED(test_gelu_tanh),
       [](long double x) { return x * logistic_reference(tanh_argument(x)); }, -20, 10, 4, 0,
       identity_limit},
      {"gelu erf slope", DISPATCHED(test_gelu_erf_slope), gelu_erf_slope, 0, 10, 2.5, 0, 1},
      {"gelu erf slope, tail", DISPATCHED(test_gelu_erf_slope), gelu_erf_slope, -37, -1, 8, 0, 1},
      {"gelu tanh slope", DISPATCHED(test_gelu_tanh_slope), gelu_tanh_slope, 0, 10, 3, 0, 1},
      {"gelu tanh slope, tail", DISPATCHED(test_gelu_tanh_slope), gelu_tanh_slope, -20, -1, 8, 0,
       1},
  };
}

// Evenly spaced numbers with odd low digits, so that no argument is special.
std::vector<double> dense(double low, double high, size_t count) {
  std::vector<double> result(count);
  for (size_t i = 0; i < count; ++i) {
    result[i] = low + (high - low) * (static_cast<double>(i) + 0.37) / static_cast<double>(count);
  }
  return result;
}

TEST(Math, TestsRunOnTheChosenInstructionSet) {
  for_each_target(
      [](int64_t target) { EXPECT_EQ(HWY_DYNAMIC_DISPATCH(test_own_target)(), target); });
}

TEST(Math, AccurateOverDenseRangesOnEveryInstructionSet) {
  for_each_target([](int64_t) {
    for (const Function& function : functions()) {
      const std::vector<double> in = dense(function.low, function.high, 40000);
      std::vector<double> out(in.size());
      function.evaluate(in.data(), out.data(), in.size());
      double worst = 0;
      size_t where = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        const double error = ulp_error(out[i], function.reference(in[i]), ACL_DOUBLE);
        if (error > worst) {
          worst = error;
          where = i;
        }
      }
      EXPECT_LE(worst, function.ulp)
          << function.name << "(" << in[where] << ") is " << out[where] << ", expected "
          << static_cast<double>(function.reference(in[where]));
      ::testing::Test::RecordProperty("ulp " + function.name, std::to_string(worst));
    }
  });
}

TEST(Math, LimitsAndNan) {
  for_each_target([](int64_t) {
    for (const Function& function : functions()) {
      if (std::isnan(function.at_infinity)) continue;  // takes finite arguments only
      SCOPED_TRACE(function.name);
      const double in[] = {-kInfinity, kInfinity, kNan, -1e300, 1e300};
      double out[5];
      function.evaluate(in, out, 5);
      EXPECT_EQ(out[0], function.at_minus_infinity);
      EXPECT_EQ(out[1], function.at_infinity);
      EXPECT_TRUE(std::isnan(out[2]));
      EXPECT_EQ(out[3], function.at_minus_infinity);
      const bool follows_x = function.name == "gelu erf" || function.name == "gelu tanh";
      EXPECT_EQ(out[4], follows_x ? 1e300 : function.at_infinity);
    }
  });
}

TEST(Math, SlopesNearTheirZeroHaveSmallAbsoluteError) {
  for_each_target([](int64_t) {
    const std::vector<double> in = dense(-1, -0.5, 20000);
    std::vector<double> erf(in.size());
    std::vector<double> tanh(in.size());
    HWY_DYNAMIC_DISPATCH(test_gelu_erf_slope)(in.data(), erf.data(), in.size());
    HWY_DYNAMIC_DISPATCH(test_gelu_tanh_slope)(in.data(), tanh.data(), in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(erf[i] - gelu_erf_slope(in[i])), 0, 4e-16) << in[i];
      ASSERT_NEAR(static_cast<double>(tanh[i] - gelu_tanh_slope(in[i])), 0, 4e-16) << in[i];
    }
  });
}

TEST(Math, EveryInstructionSetGivesTheSameBits) {
  for (const Function& function : functions()) {
    std::vector<double> in = dense(function.low, function.high, 5000);
    std::vector<double> first;
    for_each_target([&](int64_t) {
      std::vector<double> out(in.size());
      function.evaluate(in.data(), out.data(), in.size());
      if (first.empty()) first = out;
      EXPECT_EQ(std::memcmp(first.data(), out.data(), out.size() * sizeof(double)), 0)
          << function.name;
    });
  }
}

}  // namespace
}  // namespace aclgrad::ops
#endif  // HWY_ONCE
