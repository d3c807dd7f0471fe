// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one tensor.
#include <cmath>
#include <limits>

#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_acos.h"
#include "aclnnop/aclnn_acosh.h"
#include "aclnnop/aclnn_asin.h"
#include "aclnnop/aclnn_asinh.h"
#include "aclnnop/aclnn_atan.h"
#include "aclnnop/aclnn_atanh.h"
#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_cosh.h"
#include "aclnnop/aclnn_digamma.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_erfc.h"
#include "aclnnop/aclnn_erfinv.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_exp2.h"
#include "aclnnop/aclnn_expm1.h"
#include "aclnnop/aclnn_lgamma.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_log10.h"
#include "aclnnop/aclnn_log1p.h"
#include "aclnnop/aclnn_log2.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_real.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sign.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_sinc.h"
#include "aclnnop/aclnn_sinh.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_square.h"
#include "aclnnop/aclnn_tan.h"
#include "ops/contract/unary.h"

namespace aclgrad::contract {
namespace {

void add_functions(std::vector<Operator>& all) {
  Functions functions(all);
  const DTypes few = {ACL_BOOL, ACL_INT64};
  functions.add(ACLGRAD_FUNCTION(Exp), "self",
                function(-10, 5, of_one([](const auto& x) { return exp(x); })),
                {{"eˣ", "eˣ"}, "exp(x)", few});
  functions.add(ACLGRAD_FUNCTION(Log), "self",
                function(0.0625L, 9, of_one([](const auto& x) { return log(x); })),
                {{"ln x", "ln x"}, "log(x)", kWholeNumbers});
  functions.add(ACLGRAD_FUNCTION(Sqrt), "self",
                function(0.0625L, 9, of_one([](const auto& x) { return sqrt(x); })),
                {{"√x", "√x"}, "sqrt(x)", kWholeNumbers});
  functions.add(ACLGRAD_FUNCTION(Rsqrt), "self",
                function(0.0625L, 9, of_one([](const auto& x) { return 1 / sqrt(x); })),
                {{"1/√x", "1/√x"}, "rsqrt(x)", kWholeNumbers});
  Operator reciprocal = function(0.0625L, 9, of_one([](const auto& x) { return 1 / x; }));
  reciprocal.domain.equal_formats = true;
  functions.add(ACLGRAD_FUNCTION(Reciprocal), "self", reciprocal,
                {{"1/x", "1/x"}, "reciprocal(x)", kWholeNumbers});
  functions.add(ACLGRAD_FUNCTION(Sin), "self",
                function(-50, 50, of_one([](const auto& x) { return sin(x); })),
                {{"sin x", "sin x"}, "sin(x)", kWholeNumbers});
  functions.add(ACLGRAD_FUNCTION(Cos), "input",
                function(-50, 50, of_one([](const auto& x) { return cos(x); })),
                {{"cos x", "cos x"}, "cos(x)", kWholeNumbers});
  functions.add(ACLGRAD_FUNCTION(Erf), "self",
                function(-4, 4, of_one([](const auto& x) { return erf(x); }), kFloatsAndDouble),
                {{"erf x", "erf x"}, "erf(x)", few});
  Operator neg = function(-6, 6, of_one([](const auto& x) { return -x; }),
                          {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128,
                           ACL_INT8, ACL_INT32, ACL_INT64});
  functions.add(ACLGRAD_FUNCTION(Neg), "self", neg, {{"−x", "−x"}, "neg(x)"});
}

void add_signs(std::vector<Operator>& all) {
  const Operator magnitude{
      .call = ACLGRAD_CALL(aclnnAbs, in("self", -6, 6), out("out")),
      .domain = {.everywhere = kFloatsAndDouble + kWholeNumbers,
                 .mixed = {ACL_COMPLEX64},
                 .equal_formats = true},
      .results = {.formula = of_one([](const auto& x) { return abs(x); }), .bound = kExact},
      .words = {"|x|", "|x|", "abs(x)", "abs"}};
  const Formula sign_formula = of_one([](const auto& x) {
    using T = std::decay_t<decltype(x)>;
    return x > 0 ? T(1) : x < 0 ? T(-1) : x;
  });
  const Operator sign{
      .call = ACLGRAD_CALL(aclnnSign, in("self", -6, 6), out("result")),
      .domain = {.everywhere = kAll + DTypes{ACL_INT32, ACL_INT64, ACL_BOOL}, .max_rank = kAnyRank},
      .results = {.formula = sign_formula, .bound = kExact},
      .words = {"1, −1, or x where it is 0 or NaN", "1、−1；x 为 0 或 NaN 时为 x", "sign(x)",
                "sign"}};
  all.insert(all.end(), {magnitude, sign});
}

// sin(pi x) / (pi x), of what is left of x by the nearest whole number.
template <class T>
T cardinal_sine(const T& x) {
  constexpr Number kPi = 3.14159265358979323846264338327950288L;
  const Number size = static_cast<Number>(abs(Dual(x)).value);
  if (size == 0) return T(1);
  if (!std::isfinite(size)) return T(std::numeric_limits<Number>::quiet_NaN());
  const Number whole = std::round(Dual(x).value);
  const T sine = sin((x - whole) * kPi) / (x * kPi);
  return std::fmod(whole, 2) == 0 ? sine : -sine;
}

// By Newton's method, on the part of the integral that has the digits.
Number inverse_of_erf(Number y) {
  constexpr Number kHalfRootPi = 0.88622692545275801364908374167057259L;
  const Number size = std::abs(y);
  if (size >= 1 || std::isnan(y) || size == 0) {
    if (size == 1) return std::copysign(std::numeric_limits<Number>::infinity(), y);
    return size == 0 ? y : std::numeric_limits<Number>::quiet_NaN();
  }
  Number x = kHalfRootPi * size;
  if (size > 0.5L) {
    for (Number low = 0, high = 7; high - low > 1e-9L;) {
      x = (low + high) / 2;
      (erfc(x) > 1 - size ? low : high) = x;
    }
  }
  for (int step = 0; step < 6; ++step) {
    const Number error = size > 0.5L ? (1 - size) - erfc(x) : erf(x) - size;
    x -= error * kHalfRootPi * exp(x * x);
  }
  return std::copysign(x, y);
}
Dual inverse_of_erf(const Dual& y) {
  const Number x = inverse_of_erf(y.value);
  return {x, y.slope * exp(x * x) * 0.88622692545275801364908374167057259L};
}

// The derivative of log Gamma: psi(x) = psi(x + 1) - 1/x, and the asymptotic series of B_2k.
Number psi(Number x) {
  constexpr Number kPi = 3.14159265358979323846264338327950288L;
  if (x == 0) return std::copysign(std::numeric_limits<Number>::infinity(), -x);
  if (x < 0) {
    if (std::floor(x) == x) return std::numeric_limits<Number>::quiet_NaN();
    return psi(1 - x) - kPi / tan(kPi * (x - std::round(x)));
  }
  if (std::isinf(x)) return x;
  Number sum = 0;
  for (; x < 40; x += 1) sum -= 1 / x;
  const Number s = 1 / (x * x);
  return sum + log(x) - 1 / (2 * x) -
         s * (1.0L / 12 - s * (1.0L / 120 - s * (1.0L / 252 - s * (1.0L / 240 - s / 132))));
}
Number log_of_gamma(Number x) { return std::lgamma(x); }
Dual log_of_gamma(const Dual& x) { return {std::lgamma(x.value), psi(x.value) * x.slope}; }

// Computed in double, then rounded once.
Operator in_double(Number low, Number high, Formula formula, double ulp_of_double) {
  Operator op = function(low, high, std::move(formula), kFloatsAndDouble);
  op.results.bound = {.of_float = 0.50001, .of_double = ulp_of_double};
  if (high < 1) op.call.parameters[0] = filled(op.call.parameters[0], 0.5);  // 1 gives infinity
  return op;
}

void add_functions_in_double(std::vector<Operator>& all) {
  Functions functions(all);
#define ACLGRAD_ROW(Name, low, high, formula, ulp, words, graph)                             \
  functions.add(ACLGRAD_FUNCTION(Name), "self",                                              \
                in_double(low, high, of_one([](const auto& x) { return formula(x); }), ulp), \
                {{words, words}, graph, kWholeNumbers})
  ACLGRAD_ROW(Acos, -1, 1, acos, 1, "arccos x", "acos(x)");
  ACLGRAD_ROW(Acosh, 1, 9, acosh, 1, "arcosh x", "acosh(x)");
  ACLGRAD_ROW(Asin, -1, 1, asin, 1, "arcsin x", "asin(x)");
  ACLGRAD_ROW(Asinh, -9, 9, asinh, 1, "arsinh x", "asinh(x)");
  ACLGRAD_ROW(Atan, -9, 9, atan, 1, "arctan x", "atan(x)");
  ACLGRAD_ROW(Atanh, -0.9375L, 0.9375L, atanh, 1, "artanh x", "atanh(x)");
  ACLGRAD_ROW(Cosh, -6, 6, cosh, 2, "cosh x", "cosh(x)");
  ACLGRAD_ROW(Erfc, -3, 5, erfc, 4, "1 − erf x", "erfc(x)");
  ACLGRAD_ROW(Erfinv, -0.9375L, 0.9375L, inverse_of_erf, 4, "erf⁻¹ x", "erfinv(x)");
  ACLGRAD_ROW(Exp2, -12, 8, exp2, 2, "2ˣ", "exp2(x)");
  ACLGRAD_ROW(Expm1, -6, 5, expm1, 3, "eˣ − 1", "expm1(x)");
  ACLGRAD_ROW(Log10, 0.0625L, 9, log10, 1, "log₁₀ x", "log10(x)");
  ACLGRAD_ROW(Log1p, -0.9375L, 9, log1p, 2, "ln(1 + x)", "log1p(x)");
  ACLGRAD_ROW(Log2, 0.0625L, 9, log2, 1, "log₂ x", "log2(x)");
  ACLGRAD_ROW(Sinc, -5, 5, cardinal_sine, 1, "sin(πx)/(πx)", "sinc(x)");
  ACLGRAD_ROW(Sinh, -6, 6, sinh, 2, "sinh x", "sinh(x)");
  ACLGRAD_ROW(Tan, -50, 50, tan, 1.5, "tan x", "tan(x)");
#undef ACLGRAD_ROW
}

void add_more_functions(std::vector<Operator>& all) {
  const auto add = [&](Signature call, Operator op, Words words) {
    call.parameters = op.call.parameters;
    op.call = std::move(call);
    op.words = std::move(words);
    all.push_back(std::move(op));
  };
  // Near a zero of the function the error counts on the scale of 1.
  Operator lgamma = in_double(2.5L, 30, of_one([](const auto& x) { return log_of_gamma(x); }), 4);
  lgamma.results.bound.of_float = 1;
  lgamma.domain.mixed = kWholeNumbers;
  add(ACLGRAD_CALL(aclnnLgamma), lgamma, {"ln|Γ(x)|", "ln|Γ(x)|", "lgamma(x)"});
  Operator digamma = lgamma;
  digamma.results.formula = {
      [](std::span<const Number> x, Attributes) -> Number { return psi(x[0]); }, nullptr};
  add(ACLGRAD_CALL(aclnnDigamma), digamma, {"Γ′(x)/Γ(x)", "Γ′(x)/Γ(x)", "digamma(x)"});

  all.push_back({.call = ACLGRAD_CALL(aclnnSquare, in("self", -9, 9), out("out")),
                 .domain = {.everywhere = kAll + without(kWholeNumbers, ACL_BOOL)},
                 .results = {.formula = of_one([](const auto& x) { return x * x; }),
                             .bound = {.of_float = 0.5005}},
                 .words = {"x²", "x²", "square(x)"}});
  all.push_back(
      {.call = ACLGRAD_CALL(aclnnReal, in("self"), out("out")),
       .domain = {.everywhere = kFloatsAndDouble, .mixed = {ACL_COMPLEX64, ACL_COMPLEX128}},
       .results = {.formula = of_one([](const auto& x) { return x; }), .bound = kExact},
       .words = {"the real part of x", "x 的实部"}});
}

}  // namespace

void add_elementwise_functions(std::vector<Operator>& all) {
  add_functions(all);
  add_functions_in_double(all);
  add_more_functions(all);
  add_signs(all);
}

}  // namespace aclgrad::contract
