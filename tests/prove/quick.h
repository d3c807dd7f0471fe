// SPDX-License-Identifier: Apache-2.0
// The exact functions once more, in double over whole blocks, as fast as the compiler can make
// them: they settle all but a few of the inputs. Written apart from formulas.h, against which a run
// checks them on a sample of its inputs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aclgrad::prove {

// Values of a function for values of x (of FLOAT, FLOAT16 or BFLOAT16). Good to kQuickMargin,
// relative, wherever x and the value are finite and outside the function's range of cancellation.
using Quick = void (*)(const double* x, double* value, size_t count);
inline constexpr double kQuickMargin = 0x1p-36;

namespace quick {

void selu(const double* x, double* value, size_t count);
void selu_slope(const double* x, double* value, size_t count);
struct EluScalars {
  double alpha, scale, input_scale;
};
void elu(const double* x, double* value, size_t count, EluScalars scalars);
void elu_slope(const double* x, double* value, size_t count, EluScalars scalars);
void elu_slope_of_result(const double* y, double* value, size_t count, EluScalars scalars);
void hardswish(const double* x, double* value, size_t count);
void hardswish_slope_closed(const double* x, double* value, size_t count);
void hardswish_slope_open(const double* x, double* value, size_t count);
void gelu_erf(const double* x, double* value, size_t count);
void gelu_erf_slope(const double* x, double* value, size_t count);
void gelu_tanh(const double* x, double* value, size_t count);
void gelu_tanh_slope(const double* x, double* value, size_t count);
void identity(const double* x, double* value, size_t count);

// The format of results by its numbers: 2^lowest is the smallest normal number.
struct Format {
  int precision;
  int lowest;
  double limit;  // a magnitude from here on rounds to infinity
};

// error[i] = |result[i] - slope[i] factor[i]| in units of the last place of the exact value, good
// to the format's share of kQuickMargin; NaN where either is. Returns how many are not below
// `settled`.
size_t errors(const double* result, const double* slope, const double* factor, size_t count,
              const Format& format, double settled, double* error);

// A factor for each of the patterns of FLOAT with a lower half of `low_half`. Of the first factors
// of an operator (which = 0) half are any finite number, subnormal and huge ones included, so that
// products overflow and underflow; half lie between 2^-20 and 2^20. Further factors lie between
// 1/16 and 16.
void vary_factors(uint16_t low_half, size_t which, float* factor, size_t count);

}  // namespace quick
}  // namespace aclgrad::prove
