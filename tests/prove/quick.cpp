// SPDX-License-Identifier: Apache-2.0
#include "tests/prove/quick.h"

#include <bit>
#include <cmath>
#include <cstdint>

// glibc has these functions for vectors too, within 4 units of the last place; here the compiler
// knows them, so that loops that call them become loops of vectors.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#if __GLIBC_PREREQ(2, 35)
extern "C" {
[[gnu::simd("notinbranch")]] double exp(double) noexcept;
[[gnu::simd("notinbranch")]] double expm1(double) noexcept;
[[gnu::simd("notinbranch")]] double erfc(double) noexcept;
}
#ifndef __SANITIZE_THREAD__  // whose runtime is not ready when the loader chooses
#define ACLGRAD_EVERY_MACHINE [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#endif
#endif
#endif
#ifndef ACLGRAD_EVERY_MACHINE
#define ACLGRAD_EVERY_MACHINE
#endif

namespace aclgrad::prove::quick {
namespace {

constexpr double kLambda = 1.0507009873554804934;
constexpr double kLambdaAlpha = 1.7580993408473768599;
constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kDensity = 0.39894228040143267794;
constexpr double kLinear = 1.5957691216057307118;            // 2 sqrt(2/pi)
constexpr double kCubic = 1.5957691216057307118 * 0.044715;  // times x^3 in the argument

[[gnu::always_inline]] inline double below_zero(double x) { return x < 0 ? x : 0; }

[[gnu::always_inline]] inline uint32_t scrambled(uint32_t pattern) {
  uint32_t hash = pattern * 0x9E3779B1u;
  hash ^= hash >> 15;
  hash *= 0x85EBCA77u;
  hash ^= hash >> 13;
  hash *= 0xC2B2AE3Du;
  return hash ^ (hash >> 16);
}

// 16 bits of a hash as a number from 0 to count - 1.
[[gnu::always_inline]] inline uint32_t one_of(uint32_t hash, uint32_t count) {
  return ((hash >> 16) * count) >> 16;
}

}  // namespace

ACLGRAD_EVERY_MACHINE
void selu(const double* x, double* value, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double exp_branch = kLambdaAlpha * expm1(below_zero(x[i]));
    value[i] = x[i] > 0 ? kLambda * x[i] : exp_branch;
  }
}

ACLGRAD_EVERY_MACHINE
void selu_slope(const double* x, double* value, size_t count) {
  for (size_t i = 0; i < count; ++i) value[i] = x[i] < 0 ? x[i] + kLambdaAlpha : kLambda;
}

ACLGRAD_EVERY_MACHINE
void elu(const double* x, double* value, size_t count, EluScalars s) {
  for (size_t i = 0; i < count; ++i) {
    const double exp_branch = s.alpha * s.scale * expm1(s.input_scale * below_zero(x[i]));
    value[i] = x[i] > 0 ? s.scale * x[i] : exp_branch;
  }
}

ACLGRAD_EVERY_MACHINE
void elu_slope(const double* x, double* value, size_t count, EluScalars s) {
  for (size_t i = 0; i < count; ++i) {
    const double exp_branch =
        s.alpha * s.scale * s.input_scale * exp(s.input_scale * below_zero(x[i]));
    value[i] = x[i] > 0 ? s.scale : exp_branch;
  }
}

ACLGRAD_EVERY_MACHINE
void elu_slope_of_result(const double* y, double* value, size_t count, EluScalars s) {
  for (size_t i = 0; i < count; ++i) {
    value[i] = y[i] > 0 ? s.scale : s.input_scale * (y[i] + s.alpha * s.scale);
  }
}

ACLGRAD_EVERY_MACHINE
void hardswish(const double* x, double* value, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double above = x[i] >= 3 ? x[i] : x[i] * (x[i] + 3) / 6;
    value[i] = x[i] <= -3 ? 0 : above;
  }
}

ACLGRAD_EVERY_MACHINE
void hardswish_slope_closed(const double* x, double* value, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double above = x[i] > 3 ? 1 : (2 * x[i] + 3) / 6;
    value[i] = x[i] < -3 ? 0 : above;
  }
}

ACLGRAD_EVERY_MACHINE
void hardswish_slope_open(const double* x, double* value, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double above = x[i] >= 3 ? 1 : (2 * x[i] + 3) / 6;
    value[i] = x[i] <= -3 ? 0 : above;
  }
}

ACLGRAD_EVERY_MACHINE
void gelu_erf(const double* x, double* value, size_t count) {
  for (size_t i = 0; i < count; ++i) value[i] = x[i] * erfc(-x[i] * kSqrtHalf) / 2;
}

ACLGRAD_EVERY_MACHINE
void gelu_erf_slope(const double* x, double* value, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    value[i] = erfc(-x[i] * kSqrtHalf) / 2 + x[i] * kDensity * exp(-x[i] * x[i] / 2);
  }
}

ACLGRAD_EVERY_MACHINE
void gelu_tanh(const double* x, double* value, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double z = x[i] * (kLinear + kCubic * (x[i] * x[i]));
    value[i] = x[i] / (1 + exp(-z));
  }
}

ACLGRAD_EVERY_MACHINE
void gelu_tanh_slope(const double* x, double* value, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double square = x[i] * x[i];
    const double z = x[i] * (kLinear + kCubic * square);
    const double small = exp(z > 0 ? -z : z);  // s(-|z|) = small / (1 + small)
    const double whole = 1 / (1 + small);
    const double of_plus = z > 0 ? whole : small * whole;
    const double of_minus = z > 0 ? small * whole : whole;
    value[i] = of_plus * (1 + x[i] * of_minus * (kLinear + 3 * kCubic * square));
  }
}

void identity(const double* x, double* value, size_t count) {
  for (size_t i = 0; i < count; ++i) value[i] = x[i];
}

ACLGRAD_EVERY_MACHINE
size_t errors(const double* result, const double* slope, const double* factor, size_t count,
              const Format& format, double settled, double* error) {
  constexpr uint64_t kExponent = uint64_t{0x7FF} << 52;
  const double lowest = std::bit_cast<double>(static_cast<uint64_t>(format.lowest + 1023) << 52);
  const double inverse_places =
      std::bit_cast<double>(static_cast<uint64_t>(1023 + format.precision - 1) << 52);
  size_t open = 0;
  for (size_t i = 0; i < count; ++i) {
    const double exact = slope[i] * factor[i];
    // Just below a power of two the unit may be the smaller one: the error counts larger then.
    const double held = std::fabs(exact) * (1 - kQuickMargin);
    const double at_least = held > lowest ? held : lowest;
    const double power = std::bit_cast<double>(std::bit_cast<uint64_t>(at_least) & kExponent);
    const double units = std::fabs(result[i] - exact) / power * inverse_places;
    error[i] = units;
    open += !(units < settled);
  }
  return open;
}

ACLGRAD_EVERY_MACHINE
void vary_factors(uint16_t low_half, size_t which, float* factor, size_t count) {
  const uint32_t seed = 0x51ED270Bu * static_cast<uint32_t>(which);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t hash = scrambled((static_cast<uint32_t>(i) << 16 | low_half) + seed);
    const uint32_t choice = scrambled(hash);
    const uint32_t wide = choice % 2 == 0 ? one_of(choice, 255) : 107 + one_of(choice, 41);
    const uint32_t exponent = which == 0 ? wide : 123 + one_of(choice, 8);
    factor[i] = std::bit_cast<float>((hash & 0x807FFFFFu) | exponent << 23);
  }
}

}  // namespace aclgrad::prove::quick
