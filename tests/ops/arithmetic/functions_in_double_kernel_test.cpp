// SPDX-License-Identifier: Apache-2.0
// The functions whose one formula is in double, on every instruction set, against MPFR: the largest
// error over samples of all bit patterns, over a plain range and at special values, and the same
// bits from each instruction set. A row is a function with its bound.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "ops/arithmetic/functions_kernel.h"
#include "tests/ops/engine/mpfr_numbers.h"
#include "tests/ops/engine/targets.h"

namespace aclgrad::ops {
namespace {

using testing::BigFloat;
using testing::error_in_ulp;

using Reference = void (*)(mpfr_t result, const mpfr_t x, const mpfr_t y);

template <int (*kFunction)(mpfr_t, const mpfr_t, mpfr_rnd_t)>
void of(mpfr_t result, const mpfr_t x, const mpfr_t) {
  kFunction(result, x, MPFR_RNDN);
}
void lgamma_of(mpfr_t result, const mpfr_t x, const mpfr_t) {
  int sign = 0;
  mpfr_lgamma(result, &sign, x, MPFR_RNDN);
}
void atan2_of(mpfr_t result, const mpfr_t x, const mpfr_t y) {
  mpfr_atan2(result, y, x, MPFR_RNDN);
}
void pow_of(mpfr_t result, const mpfr_t x, const mpfr_t) {
  BigFloat base;
  mpfr_set_d(base.value, 0.3, MPFR_RNDN);
  mpfr_pow(result, base.value, x, MPFR_RNDN);
}
// sin(pi x) / (pi x), of the part of x that is left by the nearest whole number.
void sinc_of(mpfr_t result, const mpfr_t x, const mpfr_t) {
  if (mpfr_inf_p(x) || mpfr_nan_p(x)) return mpfr_set_nan(result);
  if (mpfr_zero_p(x)) return void(mpfr_set_ui(result, 1, MPFR_RNDN));
  BigFloat pi;
  BigFloat whole;
  mpfr_const_pi(pi.value, MPFR_RNDN);
  mpfr_round(whole.value, x);
  mpfr_sub(result, x, whole.value, MPFR_RNDN);
  if (mpfr_zero_p(result)) return mpfr_set_zero(result, 1);
  mpfr_mul(result, result, pi.value, MPFR_RNDN);
  mpfr_sin(result, result, MPFR_RNDN);
  mpfr_div(result, result, pi.value, MPFR_RNDN);
  mpfr_div(result, result, x, MPFR_RNDN);
  mpfr_div_2ui(whole.value, whole.value, 1, MPFR_RNDN);
  if (!mpfr_integer_p(whole.value)) mpfr_neg(result, result, MPFR_RNDN);
}
// By Newton's method on MPFR's erfc, from the double that std::erfc finds by bisection.
void erfinv_of(mpfr_t result, const mpfr_t x, const mpfr_t) {
  const double value = mpfr_get_d(x, MPFR_RNDN);
  if (std::isnan(value) || std::abs(value) > 1) return mpfr_set_nan(result);
  if (std::abs(value) == 1) return mpfr_set_inf(result, value > 0 ? 1 : -1);
  if (value == 0) return mpfr_set_zero(result, std::signbit(value) ? -1 : 1);
  double low = 0;
  double high = 6;
  if (std::abs(value) < 1e-3) {
    low = high = std::abs(value) * 0.886226925452758;
  }
  for (int step = 0; step < 60 && low < high; ++step) {
    const double middle = (low + high) / 2;
    (std::erfc(middle) > 1 - std::abs(value) ? low : high) = middle;
  }
  mpfr_set_d(result, std::copysign(low, value), MPFR_RNDN);
  BigFloat error;
  BigFloat slope;
  for (int step = 0; step < 4; ++step) {
    mpfr_erf(error.value, result, MPFR_RNDN);
    mpfr_sub(error.value, error.value, x, MPFR_RNDN);
    mpfr_sqr(slope.value, result, MPFR_RNDN);
    mpfr_exp(slope.value, slope.value, MPFR_RNDN);
    mpfr_mul(error.value, error.value, slope.value, MPFR_RNDN);
    mpfr_const_pi(slope.value, MPFR_RNDN);
    mpfr_sqrt(slope.value, slope.value, MPFR_RNDN);
    mpfr_div_2ui(slope.value, slope.value, 1, MPFR_RNDN);
    mpfr_mul(error.value, error.value, slope.value, MPFR_RNDN);
    mpfr_sub(result, result, error.value, MPFR_RNDN);
  }
}

struct Row {
  Function function;
  const char* name;
  Reference reference;
  double ulp;
  double range = 4;  // of samples beside those of all patterns
  double scale = 0;  // the error counts in units of the last place of at least this
};

const Row kRows[] = {
    {Function::kAcos, "acos", of<mpfr_acos>, 1, 1},
    {Function::kAcosh, "acosh", of<mpfr_acosh>, 1},
    {Function::kAsin, "asin", of<mpfr_asin>, 1, 1},
    {Function::kAsinh, "asinh", of<mpfr_asinh>, 1},
    {Function::kAtan, "atan", of<mpfr_atan>, 1},
    {Function::kAtanh, "atanh", of<mpfr_atanh>, 1, 1},
    {Function::kCosh, "cosh", of<mpfr_cosh>, 2, 720},
    {Function::kErfc, "erfc", of<mpfr_erfc>, 4, 28},
    {Function::kErfinv, "erfinv", erfinv_of, 4, 1},
    {Function::kExp2, "exp2", of<mpfr_exp2>, 2, 1100},
    {Function::kExpm1, "expm1", of<mpfr_expm1>, 3, 720},
    {Function::kLog10, "log10", of<mpfr_log10>, 1},
    {Function::kLog1p, "log1p", of<mpfr_log1p>, 2},
    {Function::kLog2, "log2", of<mpfr_log2>, 1},
    {Function::kSinc, "sinc", sinc_of, 1, 20},
    {Function::kSinh, "sinh", of<mpfr_sinh>, 2, 720},
    {Function::kTan, "tan", of<mpfr_tan>, 1.5, 100},
    {Function::kLgamma, "lgamma", lgamma_of, 4, 30, 1},
    {Function::kDigamma, "digamma", of<mpfr_digamma>, 4, 30, 1},
    {Function::kAtan2, "atan2", atan2_of, 1},
    {Function::kPowerTo, "power_to", pow_of, 2, 600},
};

struct Samples {
  std::vector<double> x;
  std::vector<double> y;
};

std::vector<double> special_values() {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values = {0,
                                Limits::denorm_min(),
                                Limits::min(),
                                Limits::epsilon(),
                                Limits::epsilon() / 2,
                                0x1p-27,
                                1e-3,
                                0.25,
                                0.46875,
                                0.5,
                                0.75,
                                std::nextafter(1.0, 0.0),
                                1,
                                std::nextafter(1.0, 2.0),
                                1.5,
                                2,
                                2.5,
                                3,
                                5.875,
                                10,
                                1000,
                                26.5,
                                27.2,
                                27.3,
                                28,
                                709.78,
                                710.4,
                                710.47,
                                710.48,
                                1023.9,
                                1024,
                                1074,
                                1074.9,
                                1075.1,
                                1e10,
                                0x1p30,
                                0x1p40,
                                0x1p53 - 1,
                                1e22,
                                1e154,
                                1.3407807929942596e154,
                                2.5e305,
                                2.6e305,
                                0x1.6ac5b262ca1ffp+849,
                                Limits::max(),
                                Limits::infinity()};
  for (size_t count = values.size(), i = 0; i < count; ++i) values.push_back(-values[i]);
  values.push_back(Limits::quiet_NaN());
  return values;
}

constexpr size_t kRandom = 8192;

Samples samples_for(const Row& row) {
  std::mt19937_64 random(1);
  Samples samples;
  const std::vector<double> special = special_values();
  const auto any = [&] { return std::bit_cast<double>(random()); };
  if (row.function == Function::kAtan2) {
    for (const double x : special) {
      for (const double y : special) {
        samples.x.push_back(x);
        samples.y.push_back(y);
      }
    }
  } else {
    samples.x = special;
  }
  for (size_t i = 0; i < kRandom; ++i) samples.x.push_back(any());
  std::uniform_real_distribution<double> plain(-row.range, row.range);
  for (size_t i = 0; i < kRandom; ++i) samples.x.push_back(plain(random));
  std::uniform_real_distribution<double> ones(-1.5, 1.5);
  for (size_t i = 0; i < kRandom; ++i) samples.x.push_back(ones(random));
  std::uniform_real_distribution<double> exponents(-40, 4);
  for (size_t i = 0; i < kRandom; ++i) {  // small ones, and as much from 1
    const double offset = std::exp2(exponents(random));
    samples.x.push_back(i % 2 == 0 ? offset : 1 + (i % 4 == 1 ? offset : -offset));
  }
  if (row.function == Function::kLgamma || row.function == Function::kDigamma) {
    // Below, they are as large as the distance to the next pole says, which MPFR takes long for.
    for (double& x : samples.x) {
      if (x < -30 && std::isfinite(x)) x = std::fmod(x, 30);
    }
  }
  while (samples.x.size() % kBlock != 0) samples.x.push_back(1);
  while (samples.y.size() < samples.x.size()) {
    const double x = samples.x[samples.y.size()];
    samples.y.push_back(random() % 2 == 0 ? plain(random) * x : any());
  }
  return samples;
}

std::vector<double> results(Function function, const Samples& samples) {
  const RealKernel kernel = function_kernel(function, 0.3).exact;
  std::vector<double> out(samples.x.size());
  for (size_t i = 0; i < out.size(); i += kBlock) {
    alignas(64) double x[kBlock];
    alignas(64) double y[kBlock];
    alignas(64) double block[kBlock];
    std::copy_n(&samples.x[i], kBlock, x);
    std::copy_n(&samples.y[i], kBlock, y);
    const bool is_binary = function == Function::kAtan2;
    const double* const in[] = {is_binary ? y : x, x};
    double* const to[] = {block};
    kernel(in, to, kBlock);
    std::copy_n(block, kBlock, &out[i]);
  }
  return out;
}

class FunctionsInDouble : public ::testing::TestWithParam<Row> {
 protected:
  void TearDown() override { testing::choose_targets(0); }
};

TEST_P(FunctionsInDouble, AreWithinTheirBoundAndTheSameOnEveryInstructionSet) {
  const Row& row = GetParam();
  const Samples samples = samples_for(row);
  const std::vector<double> actual = results(row.function, samples);
  double largest = 0;
  size_t worst = 0;
  BigFloat x;
  BigFloat y;
  BigFloat exact;
  for (size_t i = 0; i < actual.size(); ++i) {
    mpfr_set_d(x.value, samples.x[i], MPFR_RNDN);
    mpfr_set_d(y.value, samples.y[i], MPFR_RNDN);
    row.reference(exact.value, x.value, y.value);
    double error = error_in_ulp(actual[i], exact.value);
    const double size = std::abs(mpfr_get_d(exact.value, MPFR_RNDN));
    if (std::isfinite(error) && size < row.scale) {
      error *= std::exp2(std::ilogb(std::max(size, std::numeric_limits<double>::min())));
    } else if (size < row.scale && std::abs(actual[i]) < 1e-14) {
      error = 0;  // of another sign
    }
    if (error > largest) {
      largest = error;
      worst = i;
    }
  }
  RecordProperty("ulp", std::to_string(largest));
  EXPECT_LE(largest, row.ulp) << row.name << "(" << samples.x[worst] << ", " << samples.y[worst]
                              << ") = " << actual[worst];
  testing::for_each_target([&](int64_t) {
    const std::vector<double> again = results(row.function, samples);
    for (size_t i = 0; i < actual.size(); ++i) {
      if (std::isnan(actual[i]) && std::isnan(again[i])) continue;
      ASSERT_EQ(std::memcmp(&actual[i], &again[i], sizeof(double)), 0)
          << row.name << "(" << samples.x[i] << ", " << samples.y[i] << ") = " << again[i]
          << ", not " << actual[i];
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Rows, FunctionsInDouble, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

// Logarithms and powers of what they are exact for.
TEST(FunctionsInDouble, PowersOfTheBaseAreExact) {
  const auto value = [](Function function, double x) {
    alignas(64) double block[kBlock] = {x};
    BlockFunction{function}(block, 1);
    return block[0];
  };
  for (int n = -1074; n < 1024; ++n) {
    EXPECT_EQ(value(Function::kLog2, std::ldexp(1.0, n)), n);
    EXPECT_EQ(value(Function::kExp2, n), std::ldexp(1.0, n));
  }
  double power = 1;
  for (int n = 0; n <= 22; ++n, power *= 10) EXPECT_EQ(value(Function::kLog10, power), n);
}

}  // namespace
}  // namespace aclgrad::ops
