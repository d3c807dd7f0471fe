// SPDX-License-Identifier: Apache-2.0
#include "tests/prove/subject.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"

namespace aclgrad::prove {
namespace {

// ---- The exact functions, in whatever precision
// ------------------------------------------------------

template <class T>
constexpr T kLambda = static_cast<T>(1.0507009873554804934193349852946L);
template <class T>
constexpr T kLambdaAlpha = static_cast<T>(1.7580993408473768599402175208123L);
template <class T>
constexpr T kSqrtHalf = static_cast<T>(0.70710678118654752440084436210485L);
template <class T>
constexpr T kInvSqrt2Pi = static_cast<T>(0.39894228040143267793994605993438L);
template <class T>
constexpr T kSqrt2OverPi = static_cast<T>(0.79788456080286535587989211986876L);
template <class T>
constexpr T kCubic = static_cast<T>(0.044715L);

template <class T>
T selu(T x) {
  return x > 0 ? kLambda<T> * x : kLambdaAlpha<T> * std::expm1(x);
}

// a + b with the last bit set where the sum is inexact ("rounded to odd"), so that what follows
// cannot mistake it for a tie.
long double add_to_odd(long double a, long double b) {
  const long double sum = a + b;
  const long double part = sum - a;
  const long double error = (a - (sum - part)) + (b - part);
  if (!(error < 0 || error > 0)) return sum;
  uint64_t significand = 0;
  std::memcpy(&significand, &sum, sizeof(significand));
  if (significand % 2 == 1) return sum;
  return std::nextafter(sum, error > 0 ? std::numeric_limits<long double>::infinity()
                                       : -std::numeric_limits<long double>::infinity());
}

// Of the output: y + lambda*alpha cancels near the lower limit, where a double has too few digits.
long double selu_slope_precise(long double y) {
  return y >= 0 ? kLambda<long double> : add_to_odd(y, kLambdaAlpha<long double>);
}
double selu_slope(double y) { return static_cast<double>(selu_slope_precise(y)); }

template <class T>
T elu(T x) {
  return x > 0 ? x : std::expm1(x);
}
template <class T>
T elu_slope(T x) {
  return x > 0 ? T{1} : std::exp(x);
}
template <class T>
T elu_slope_of_result(T y) {
  return y > 0 ? T{1} : y + 1;
}

long double elu_slope_of_result_precise(long double y) { return y > 0 ? 1 : add_to_odd(y, 1); }

// Six times the value and the slope: whole numbers of the input's last place, for exact quotients.
long double hardswish_6(long double x) {
  if (x <= -3) return 0;
  return x >= 3 ? 6 * x : x * (x + 3);
}
long double middle_6(long double x) {
  if (x == 0 || !(std::fabs(x) <= kTiny)) return 2 * x + 3;
  return std::nextafter(3.0L, x > 0 ? 4.0L : 2.0L);  // see kTiny
}
long double hardswish_slope_closed_6(long double x) {
  if (x < -3) return 0;
  return x > 3 ? 6 : middle_6(x);
}
long double hardswish_slope_open_6(long double x) {
  if (x <= -3) return 0;
  return x >= 3 ? 6 : middle_6(x);
}

template <class T>
T hardswish(T x) {
  if (x <= -3) return 0;
  return x >= 3 ? x : x * (x + 3) / 6;
}
template <class T>
T hardswish_slope_closed(T x) {
  if (x < -3) return 0;
  return x > 3 ? T{1} : (2 * x + 3) / 6;
}
template <class T>
T hardswish_slope_open(T x) {
  if (x <= -3) return 0;
  return x >= 3 ? T{1} : (2 * x + 3) / 6;
}

template <class T>
T gelu_erf(T x) {
  if (std::isinf(x)) return x > 0 ? x : 0;
  return x * std::erfc(-x * kSqrtHalf<T>) / 2;
}
template <class T>
T gelu_erf_slope(T x) {
  if (std::isinf(x)) return x > 0 ? 1 : 0;
  return std::erfc(-x * kSqrtHalf<T>) / 2 + x * kInvSqrt2Pi<T> * std::exp(-x * x / 2);
}

// x * logistic(2u) and its derivative; written with the smaller of the two exponentials.
template <class T>
T gelu_tanh(T x) {
  if (std::isinf(x)) return x > 0 ? x : 0;
  const T u = kSqrt2OverPi<T> * (x + kCubic<T> * x * x * x);
  return u > 0 ? x / (1 + std::exp(-2 * u)) : x * (std::exp(2 * u) / (1 + std::exp(2 * u)));
}
template <class T>
T gelu_tanh_slope(T x) {
  if (std::isinf(x)) return x > 0 ? 1 : 0;
  const T u = kSqrt2OverPi<T> * (x + kCubic<T> * x * x * x);
  const T small = std::exp(-2 * std::fabs(u));
  const T s = u > 0 ? 1 / (1 + small) : small / (1 + small);
  const T bell = small / ((1 + small) * (1 + small));
  const T slope_of_2u = 2 * kSqrt2OverPi<T> * (1 + 3 * kCubic<T> * x * x);
  // Far out the bell is 0 and the polynomial may be infinite.
  return bell == 0 ? s : s + x * bell * slope_of_2u;
}

// Near 0 these functions are x/2 plus something far below the last digit, and their slopes 1/2 plus
// something. That decides a tie, and gets lost in any fixed precision: here it becomes one last
// place.

template <long double (*function)(long double)>
long double above_half(long double x) {
  if (x == 0 || !(std::fabs(x) <= kTiny)) return function(x);
  return std::nextafter(x / 2, std::numeric_limits<long double>::infinity());
}

long double hardswish_6_above(long double x) {
  return x == 0 || !(std::fabs(x) <= kTiny) ? hardswish_6(x) : 6 * above_half<hardswish_6>(x);
}

template <long double (*slope)(long double)>
long double beside_half(long double x) {
  if (x == 0 || !(std::fabs(x) <= kTiny)) return slope(x);
  return std::nextafter(0.5L, x > 0 ? 1.0L : 0.0L);
}

const aclScalar* one() {
  static float value = 1;
  static const aclScalar* scalar = aclCreateScalar(&value, ACL_FLOAT);
  return scalar;
}

// ---- How the library is asked
// -------------------------------------------------------------------------

Subject named(const char* name, auto phase_two, auto quick, auto precise) {
  Subject subject;
  subject.name = name;
  subject.phase_two = phase_two;
  subject.quick = quick;
  subject.precise = precise;
  return subject;
}

Subject forward(const char* name, auto get_workspace, auto phase_two, auto quick, auto precise) {
  Subject subject = named(name, phase_two, quick, precise);
  subject.phase_one = [get_workspace](aclTensor* x, aclTensor*, aclTensor*, aclTensor* result,
                                      aclTensor*, uint64_t* size, aclOpExecutor** executor) {
    return get_workspace(x, result, size, executor);
  };
  return subject;
}

Subject backward(const char* name, auto get_workspace, auto phase_two, auto quick, auto precise) {
  Subject subject = named(name, phase_two, quick, precise);
  subject.has_gradient = true;
  subject.phase_one = [get_workspace](aclTensor* x, aclTensor* gradient, aclTensor*,
                                      aclTensor* result, aclTensor*, uint64_t* size,
                                      aclOpExecutor** executor) {
    return get_workspace(gradient, x, result, size, executor);
  };
  return subject;
}

Subject rational(Subject subject, long double divisor) {
  subject.is_rational = true;
  subject.divisor = divisor;
  return subject;
}

// gelu is what GeGluV3 keeps for the backward.
Subject gelu_forward(const char* name, int64_t approximate, auto quick, auto precise) {
  Subject subject = named(name, aclnnGeGluV3, quick, precise);
  subject.x_behind_ones = true;
  subject.phase_one = [approximate](aclTensor* x, aclTensor*, aclTensor*, aclTensor* result,
                                    aclTensor* unused, uint64_t* size, aclOpExecutor** executor) {
    return aclnnGeGluV3GetWorkspaceSize(x, 0, approximate, false, unused, result, size, executor);
  };
  return subject;
}

// With ones for the other half, the activated half's gradient is gradient * gelu'(x).
Subject gelu_backward(const char* name, int64_t approximate, auto quick, auto precise) {
  Subject subject = named(name, aclnnGeGluV3Backward, quick, precise);
  subject.has_gradient = true;
  subject.x_behind_ones = true;
  subject.result_behind = true;
  subject.phase_one = [approximate](aclTensor* x, aclTensor* gradient, aclTensor* ones,
                                    aclTensor* result, aclTensor*, uint64_t* size,
                                    aclOpExecutor** executor) {
    return aclnnGeGluV3BackwardGetWorkspaceSize(gradient, x, ones, 0, approximate, false, result,
                                                size, executor);
  };
  return subject;
}

auto elu_call = [](aclTensor* x, aclTensor* out, uint64_t* size, aclOpExecutor** executor) {
  return aclnnEluGetWorkspaceSize(x, one(), one(), one(), out, size, executor);
};

template <bool is_result>
aclnnStatus elu_backward_call(aclTensor* gradient, aclTensor* x, aclTensor* out, uint64_t* size,
                              aclOpExecutor** executor) {
  return aclnnEluBackwardGetWorkspaceSize(gradient, one(), one(), one(), is_result, x, out, size,
                                          executor);
}

}  // namespace

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      forward("aclnnSelu", aclnnSeluGetWorkspaceSize, aclnnSelu, selu<double>, selu<long double>),
      backward("aclnnSeluBackward (of the result)", aclnnSeluBackwardGetWorkspaceSize,
               aclnnSeluBackward, selu_slope, selu_slope_precise),
      forward("aclnnElu", elu_call, aclnnElu, elu<double>, elu<long double>),
      backward("aclnnEluBackward", elu_backward_call<false>, aclnnEluBackward, elu_slope<double>,
               elu_slope<long double>),
      rational(backward("aclnnEluBackward isResult", elu_backward_call<true>, aclnnEluBackward,
                        elu_slope_of_result<double>, elu_slope_of_result_precise),
               1),
      rational(forward("aclnnHardswish", aclnnHardswishGetWorkspaceSize, aclnnHardswish,
                       hardswish<double>, hardswish_6_above),
               6),
      rational(backward("aclnnHardswishBackward", aclnnHardswishBackwardGetWorkspaceSize,
                        aclnnHardswishBackward, hardswish_slope_closed<double>,
                        hardswish_slope_closed_6),
               6),
      rational(
          backward("aclnnHardswishBackwardV2", aclnnHardswishBackwardV2GetWorkspaceSize,
                   aclnnHardswishBackwardV2, hardswish_slope_open<double>, hardswish_slope_open_6),
          6),
      gelu_forward("gelu, erf form", 0, gelu_erf<double>, above_half<gelu_erf<long double>>),
      gelu_forward("gelu, tanh form", 1, gelu_tanh<double>, above_half<gelu_tanh<long double>>),
      gelu_backward("aclnnGeGluV3Backward, erf form", 0, gelu_erf_slope<double>,
                    beside_half<gelu_erf_slope<long double>>),
      gelu_backward("aclnnGeGluV3Backward, tanh form", 1, gelu_tanh_slope<double>,
                    beside_half<gelu_tanh_slope<long double>>),
  };
  return all;
}

}  // namespace aclgrad::prove
