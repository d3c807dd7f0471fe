// SPDX-License-Identifier: Apache-2.0
// The functions of ops/engine/math in float and in double, on every instruction set, against MPFR:
// the largest error over samples of all bit patterns and over a plain range, special values, and
// the same bits from each instruction set. A row is a function with its bounds.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/ops/engine/mpfr_numbers.h"
#include "tests/ops/engine/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/ops/engine/math_functions_test.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/math/erf-inl.h"
#include "ops/engine/math/exp-inl.h"
#include "ops/engine/math/log-inl.h"
#include "ops/engine/math/sigmoid-inl.h"
#include "ops/engine/math/trig-inl.h"

#ifndef ACLGRAD_TESTS_MATH_FUNCTIONS
#define ACLGRAD_TESTS_MATH_FUNCTIONS
namespace aclgrad::ops {
enum class Function {
  kExp,
  kExpm1,
  kTanh,
  kSigmoid,
  kSilu,
  kSiluBackward,
  kRsqrt,
  kLog,
  kLog1p,
  kErf,
  kSin,
  kCos,
  kPow
};
}
#endif

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// out[i] = formula(x[i], y[i]) for whole vectors.
template <class T, class Formula>
HWY_ATTR void map(const std::vector<T>& x, const std::vector<T>& y, std::vector<T>& out,
                  const Formula& formula) {
  const hn::ScalableTag<T> d;
  for (size_t i = 0; i + hn::Lanes(d) <= x.size(); i += hn::Lanes(d)) {
    hn::StoreU(formula(d, hn::LoadU(d, &x[i]), hn::LoadU(d, &y[i])), d, &out[i]);
  }
}

template <class T>
void apply(Function function, const std::vector<T>& x, const std::vector<T>& y,
           std::vector<T>& out) {
  switch (function) {
    case Function::kExp:
      return map(x, y, out, [](auto d, auto a, auto) HWY_ATTR { return exp(d, a); });
    case Function::kExpm1:
      return map(x, y, out, [](auto d, auto a, auto) HWY_ATTR { return expm1(d, a); });
    case Function::kTanh:
      return map(x, y, out, [](auto d, auto a, auto) HWY_ATTR { return tanh(d, a); });
    case Function::kSigmoid:
      return map(x, y, out, [](auto d, auto a, auto) HWY_ATTR { return sigmoid(d, a); });
    case Function::kSilu:
      return map(x, y, out, [](auto d, auto a, auto) HWY_ATTR { return silu(d, a); });
    case Function::kSiluBackward:
      return map(x, y, out, [](auto d, auto a, auto b) HWY_ATTR { return silu_backward(d, b, a); });
    case Function::kRsqrt:
      return map(x, y, out, [](auto d, auto a, auto) HWY_ATTR { return rsqrt(d, a); });
    case Function::kLog:
      return map(x, y, out, [](auto d, auto a, auto) HWY_ATTR { return log(d, a); });
    case Function::kLog1p:
      return map(x, y, out, [](auto d, auto a, auto) HWY_ATTR { return log1p(d, a); });
    case Function::kErf:
      return map(x, y, out, [](auto d, auto a, auto) HWY_ATTR { return erf(d, a); });
    case Function::kSin:
      return map(x, y, out, [](auto d, auto a, auto) HWY_ATTR { return sin(d, a); });
    case Function::kCos:
      return map(x, y, out, [](auto d, auto a, auto) HWY_ATTR { return cos(d, a); });
    case Function::kPow:
      return map(x, y, out, [](auto d, auto a, auto b) HWY_ATTR { return pow(d, a, b); });
  }
}

void apply_float(Function function, const std::vector<float>& x, const std::vector<float>& y,
                 std::vector<float>& out) {
  apply(function, x, y, out);
}
void apply_double(Function function, const std::vector<double>& x, const std::vector<double>& y,
                  std::vector<double>& out) {
  apply(function, x, y, out);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

using testing::BigFloat;
using testing::error_in_ulp;

HWY_EXPORT(apply_float);
HWY_EXPORT(apply_double);

namespace {

void call(Function function, const std::vector<float>& x, const std::vector<float>& y,
          std::vector<float>& out) {
  HWY_DYNAMIC_DISPATCH(apply_float)(function, x, y, out);
}
void call(Function function, const std::vector<double>& x, const std::vector<double>& y,
          std::vector<double>& out) {
  HWY_DYNAMIC_DISPATCH(apply_double)(function, x, y, out);
}

using Reference = void (*)(mpfr_t result, const mpfr_t x, const mpfr_t y);

template <int (*kFunction)(mpfr_t, const mpfr_t, mpfr_rnd_t)>
void of(mpfr_t result, const mpfr_t x, const mpfr_t) {
  kFunction(result, x, MPFR_RNDN);
}
// 1 / (1 + e^-x)
void sigmoid_of(mpfr_t result, const mpfr_t x, const mpfr_t) {
  mpfr_neg(result, x, MPFR_RNDN);
  mpfr_exp(result, result, MPFR_RNDN);
  mpfr_add_ui(result, result, 1, MPFR_RNDN);
  mpfr_ui_div(result, 1, result, MPFR_RNDN);
}
void silu_of(mpfr_t result, const mpfr_t x, const mpfr_t y) {
  sigmoid_of(result, x, y);
  mpfr_mul(result, result, x, MPFR_RNDN);
}
// y s (1 + x (1 - s)), where 1 - s is the sigmoid of -x.
void silu_backward_of(mpfr_t result, const mpfr_t x, const mpfr_t y) {
  if (mpfr_inf_p(x)) {
    mpfr_sgn(x) > 0 ? void(mpfr_set_ui(result, 1, MPFR_RNDN)) : mpfr_set_zero(result, -1);
    mpfr_mul(result, result, y, MPFR_RNDN);
    return;
  }
  BigFloat rest;
  mpfr_neg(rest.value, x, MPFR_RNDN);
  sigmoid_of(result, rest.value, y);
  mpfr_fma(rest.value, result, x, rest.value, MPFR_RNDN);  // x (1 - s) - x
  mpfr_add(rest.value, rest.value, x, MPFR_RNDN);
  mpfr_add_ui(rest.value, rest.value, 1, MPFR_RNDN);
  sigmoid_of(result, x, y);
  mpfr_mul(result, result, rest.value, MPFR_RNDN);
  mpfr_mul(result, result, y, MPFR_RNDN);
}
void rsqrt_of(mpfr_t result, const mpfr_t x, const mpfr_t) {
  mpfr_sqrt(result, x, MPFR_RNDN);
  mpfr_ui_div(result, 1, result, MPFR_RNDN);
}
void pow_of(mpfr_t result, const mpfr_t x, const mpfr_t y) { mpfr_pow(result, x, y, MPFR_RNDN); }

struct Row {
  Function function;
  const char* name;
  Reference reference;
  double float_ulp;
  double double_ulp;  // 0: none, as near the root of silu_backward
  double range = 0;   // of samples beside those of all patterns; 0: up to the exponential's limits
};

const Row kRows[] = {
    {Function::kExp, "exp", of<mpfr_exp>, 1.5, 2},
    {Function::kExpm1, "expm1", of<mpfr_expm1>, 1.5, 3},
    {Function::kTanh, "tanh", of<mpfr_tanh>, 2, 3, 10},
    {Function::kSigmoid, "sigmoid", sigmoid_of, 2, 3},
    {Function::kSilu, "silu", silu_of, 2, 4, 80},
    {Function::kSiluBackward, "silu_backward", silu_backward_of, 3, 0, 80},
    {Function::kRsqrt, "rsqrt", rsqrt_of, 1.5, 1.5, 4},
    {Function::kLog, "log", of<mpfr_log>, 1, 2, 4},
    {Function::kLog1p, "log1p", of<mpfr_log1p>, 1, 2, 4},
    {Function::kErf, "erf", of<mpfr_erf>, 1, 3, 6},
    {Function::kSin, "sin", of<mpfr_sin>, 1, 1, 100},
    {Function::kCos, "cos", of<mpfr_cos>, 1, 1, 100},
    {Function::kPow, "pow", pow_of, 1, 2},
};

template <class T>
struct Samples {
  std::vector<T> x;
  std::vector<T> y;  // of functions of two arguments
};

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0, Limits::denorm_min(), Limits::min(), Limits::epsilon(),
                           Limits::epsilon() / 2, static_cast<T>(1e-3), static_cast<T>(0.5),
                           std::nextafter(T{1}, T{0}), 1, std::nextafter(T{1}, T{2}), 2, 3,
                           static_cast<T>(2.5), static_cast<T>(87.33655), static_cast<T>(88.72284),
                           static_cast<T>(103.98), static_cast<T>(709.782712893384),
                           static_cast<T>(709.79), static_cast<T>(745.13), static_cast<T>(745.14),
                           static_cast<T>(1e10), static_cast<T>(0x1p24), static_cast<T>(0x1p53) - 1,
                           // The double nearest to a multiple of pi/2, and a float near to one.
                           static_cast<T>(0x1.6ac5b262ca1ffp+849L), static_cast<T>(0x1.f9cbe2p+7),
                           Limits::max(), Limits::infinity()};
  for (size_t count = values.size(), i = 0; i < count; ++i) values.push_back(-values[i]);
  values.push_back(Limits::quiet_NaN());
  return values;
}

constexpr size_t kRandom = 16384;

template <class T>
Samples<T> samples_for(const Row& row) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::mt19937_64 random(1);
  Samples<T> samples;
  const std::vector<T> special = special_values<T>();
  const T limit = sizeof(T) == 4 ? 104 : 746;
  if (row.function == Function::kPow) {
    for (T x : special) {
      for (T y : special) {
        samples.x.push_back(x);
        samples.y.push_back(y);
      }
    }
    std::uniform_real_distribution<T> exponents(-limit, limit);
    for (size_t i = 0; i < 2 * kRandom; ++i) {
      // Of any size, and near to 1.
      T x = std::bit_cast<T>(static_cast<Bits>(random() >> (65 - 8 * sizeof(T))));
      if (i % 2 == 0) x = std::ldexp(1 + static_cast<T>(random() % 1000) / 500, -1);
      samples.x.push_back(x);
      samples.y.push_back(exponents(random) / std::log(x));
    }
  } else {
    samples.x = special;
    for (size_t i = 0; i < kRandom; ++i) {
      samples.x.push_back(std::bit_cast<T>(static_cast<Bits>(random())));
    }
    const T range = row.range == 0 ? limit : static_cast<T>(row.range);
    std::uniform_real_distribution<T> plain(-range, range);
    for (size_t i = 0; i < kRandom; ++i) samples.x.push_back(plain(random));
    std::uniform_real_distribution<T> ones(T{-1.5}, T{1.5});
    for (size_t i = 0; i < kRandom; ++i) samples.x.push_back(ones(random));
    samples.y.assign(samples.x.size(), 1);
  }
  if (row.function == Function::kSiluBackward) {  // also of gradients of any size
    for (size_t i = 0; i < samples.y.size(); i += 2) {
      const T gradient = std::bit_cast<T>(static_cast<Bits>(random()));
      if (std::isfinite(gradient)) samples.y[i] = gradient;
    }
  }
  while (samples.x.size() % 64 != 0) {
    samples.x.push_back(1);
    samples.y.push_back(1);
  }
  return samples;
}

template <class T>
void check(const Row& row, double bound) {
  const Samples<T> samples = samples_for<T>(row);
  std::vector<T> results(samples.x.size());
  call(row.function, samples.x, samples.y, results);
  double largest = 0;
  size_t worst = 0;
  BigFloat x;
  BigFloat y;
  BigFloat exact;
  for (size_t i = 0; i < results.size(); ++i) {
    mpfr_set_d(x.value, static_cast<double>(samples.x[i]), MPFR_RNDN);
    mpfr_set_d(y.value, static_cast<double>(samples.y[i]), MPFR_RNDN);
    row.reference(exact.value, x.value, y.value);
    const double error = error_in_ulp(results[i], exact.value);
    if (error > largest) {
      largest = error;
      worst = i;
    }
  }
  ::testing::Test::RecordProperty(sizeof(T) == 4 ? "float_ulp" : "double_ulp",
                                  std::to_string(largest));
  EXPECT_LE(largest, bound) << row.name << "(" << samples.x[worst] << ", " << samples.y[worst]
                            << ") = " << results[worst];

  testing::for_each_target([&](int64_t) {
    std::vector<T> again(results.size());
    call(row.function, samples.x, samples.y, again);
    for (size_t i = 0; i < results.size(); ++i) {
      if (std::isnan(results[i]) && std::isnan(again[i])) continue;
      ASSERT_EQ(std::memcmp(&results[i], &again[i], sizeof(T)), 0)
          << row.name << "(" << samples.x[i] << ", " << samples.y[i] << ") = " << again[i]
          << ", not " << results[i];
    }
  });
}

class MathFunctions : public ::testing::TestWithParam<Row> {
 protected:
  void TearDown() override { testing::choose_targets(0); }
};

TEST_P(MathFunctions, FloatIsWithinItsBound) { check<float>(GetParam(), GetParam().float_ulp); }
TEST_P(MathFunctions, DoubleIsWithinItsBound) {
  if (GetParam().double_ulp > 0) check<double>(GetParam(), GetParam().double_ulp);
}

INSTANTIATE_TEST_SUITE_P(Rows, MathFunctions, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace aclgrad::ops
#endif  // HWY_ONCE
