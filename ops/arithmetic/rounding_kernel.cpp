// SPDX-License-Identifier: Apache-2.0
#include "ops/arithmetic/rounding_kernel.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/arithmetic/rounding_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/formula-inl.h"
#include "ops/engine/math/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// An integer near x with the sign of x: rounding keeps it, but not everywhere that of 0.
template <class V>
HWY_INLINE V signed_as(V x, V integer) {
  return hn::CopySign(integer, x);
}

// The nearest integer, of two the even one: adding a number beyond which there are no fractions
// rounds them away. Not hn::Round, whose portable version rounds the number below 0.5 to 1.
template <class D, class V>
HWY_INLINE V nearest(D d, V x) {
  const V whole = set(d, kIsFloat<D> ? 0x1p23 : 0x1p52);
  const V magnitude = hn::Abs(x);
  const V rounded = hn::Sub(hn::Add(magnitude, whole), whole);
  return signed_as(x, hn::IfThenElse(hn::Lt(magnitude, whole), rounded, magnitude));
}

FloatKernel rounding(Rounding kind) {
  switch (kind) {
    case Rounding::kFloor:
      return unary([](auto, auto x) HWY_ATTR { return signed_as(x, hn::Floor(x)); });
    case Rounding::kCeil:
      return unary([](auto, auto x) HWY_ATTR { return signed_as(x, hn::Ceil(x)); });
    case Rounding::kTrunc:
      return unary([](auto, auto x) HWY_ATTR { return signed_as(x, hn::Trunc(x)); });
    case Rounding::kNearest:
      return unary([](auto d, auto x) HWY_ATTR { return nearest(d, x); });
    case Rounding::kFraction:
      break;
  }
  return unary([](auto, auto x) HWY_ATTR { return hn::Sub(x, hn::Trunc(x)); });
}

FloatKernel rounding_to(double power, bool is_fraction) {
  if (is_fraction) {
    return unary([power](auto d, auto x) HWY_ATTR {
      const auto scaled = hn::Mul(x, set(d, power));
      return hn::Div(nearest(d, scaled), set(d, power));
    });
  }
  return unary([power](auto d, auto x) HWY_ATTR {
    const auto scaled = hn::Div(x, set(d, power));
    return hn::Mul(nearest(d, scaled), set(d, power));
  });
}

// ---- Remainders ---------------------------------------------------------------------------------

// The C library's, which is exact.
template <class D, class V>
HWY_NOINLINE V fmod_of_each(D d, V x, V y) {
  alignas(64) double dividends[hn::MaxLanes(d)], divisors[hn::MaxLanes(d)];
  hn::Store(x, d, dividends);
  hn::Store(y, d, divisors);
  for (size_t i = 0; i < hn::Lanes(d); ++i) dividends[i] = std::fmod(dividends[i], divisors[i]);
  return hn::Load(d, dividends);
}

// Of doubles, or of doubles that are floats. An integer quotient of two floats below 2^28, and its
// product with the divisor, have at most 52 bits. The quotient as a double does not reach the next
// integer: it is at least 2^-24 away from that, or a relative 2^-52.
template <bool kAreFloats, class D, class V>
HWY_INLINE V fmod(D d, V x, V y) {
  if constexpr (kAreFloats) {
    const V quotient = hn::Trunc(hn::Div(x, y));
    const auto is_small = hn::And(hn::Lt(hn::Abs(quotient), hn::Set(d, 0x1p28)),
                                  hn::Lt(hn::Abs(y), hn::Set(d, 0x1p200)));
    if (HWY_LIKELY(hn::AllTrue(d, is_small))) {
      return hn::CopySign(hn::Sub(x, hn::Mul(quotient, y)), x);
    }
  }
  return fmod_of_each(d, x, y);
}

// Where a remainder of a truncated quotient has not the divisor's sign.
template <class D, class V>
HWY_INLINE auto is_unlike(D d, V remainder, V divisor) {
  const V zero = hn::Zero(d);
  return hn::And(hn::Ne(remainder, zero), hn::Xor(hn::Lt(remainder, zero), hn::Lt(divisor, zero)));
}

template <bool kAreFloats>
struct FlooredRest {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V rest = fmod<kAreFloats>(d, x, y);
    return hn::IfThenElse(is_unlike(d, rest, y), hn::Add(rest, y), rest);
  }
};

template <bool kAreFloats>
struct TruncatedRest {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return fmod<kAreFloats>(d, x, y);
  }
};

// By way of the remainder, so that both belong together.
template <bool kAreFloats>
struct FlooredQuotient {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    const V zero = hn::Zero(d);
    const V plain = hn::Div(x, y);
    const V rest = fmod<kAreFloats>(d, x, y);
    const V exact = hn::Div(hn::Sub(x, rest), y);
    const V floored = hn::IfThenElse(is_unlike(d, rest, y), hn::Sub(exact, one(d)), exact);
    const V whole = nearest(d, floored);
    const V result = hn::IfThenElse(hn::Eq(whole, zero), hn::CopySign(zero, plain), whole);
    return hn::IfThenElse(hn::Eq(y, zero), plain, result);
  }
};

// Formula<true> for the floats, Formula<false> for the doubles.
template <template <bool> class Formula>
struct InDouble {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    if constexpr (kIsFloat<D>) {
      const auto formula = [](auto wide, auto u, auto v)
                               HWY_ATTR { return Formula<true>()(wide, u, v); };
      return in_double(d, formula, x, y);
    } else {
      return Formula<false>()(d, x, y);
    }
  }
};

struct TruncatedQuotient {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x, V y) const {
    const V quotient = hn::Div(x, y);
    return signed_as(quotient, hn::Trunc(quotient));
  }
};

// Of two inputs, or of one and a number.
template <class Formula>
FloatKernel with_operands(const Formula& formula, const std::optional<double>& dividend,
                          const std::optional<double>& divisor) {
  if (dividend) {
    return unary([formula, a = *dividend](auto d, auto y)
                     HWY_ATTR { return formula(d, set(d, a), y); });
  }
  if (divisor) {
    return unary([formula, b = *divisor](auto d, auto x)
                     HWY_ATTR { return formula(d, x, set(d, b)); });
  }
  return binary([formula](auto d, auto x, auto y) HWY_ATTR { return formula(d, x, y); });
}

FloatKernel division(Division kind, const std::optional<double>& dividend,
                     const std::optional<double>& divisor) {
  switch (kind) {
    case Division::kFloored:
      return with_operands(InDouble<FlooredQuotient>(), dividend, divisor);
    case Division::kFlooredRest:
      return with_operands(InDouble<FlooredRest>(), dividend, divisor);
    case Division::kTruncatedRest:
      return with_operands(InDouble<TruncatedRest>(), dividend, divisor);
    default:
      return with_operands(TruncatedQuotient(), dividend, divisor);
  }
}

// ---- Bounds and other numbers -------------------------------------------------------------------

// x where it is chosen, otherwise y; a NaN in either.
template <class M, class V>
HWY_INLINE V chosen_or_nan(M chosen, V x, V y) {
  return hn::IfThenElse(hn::IsNaN(x), x, hn::IfThenElse(chosen, x, y));
}

FloatKernel holding() {
  return ternary([](auto, auto x, auto low, auto high) HWY_ATTR {
    const auto raised = chosen_or_nan(hn::Ge(x, low), x, low);
    return chosen_or_nan(hn::Le(raised, high), raised, high);
  });
}

FloatKernel replacing_by(double a, double b, double c) {
  return unary([=](auto d, auto x) HWY_ATTR {
    const auto infinity = set(d, std::numeric_limits<double>::infinity());
    auto result = hn::IfThenElse(hn::IsNaN(x), set(d, a), x);
    result = hn::IfThenElse(hn::Eq(x, infinity), set(d, b), result);
    return hn::IfThenElse(hn::Eq(x, hn::Neg(infinity)), set(d, c), result);
  });
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(rounding);
HWY_EXPORT(rounding_to);
HWY_EXPORT(division);
HWY_EXPORT(holding);
HWY_EXPORT(replacing_by);

namespace {

// Floats in blocks of double: each step is rounded to float, as in a block of floats.
template <size_t kInputs, class Formula>
void compute_in_float(FloatKernel& kernel, aclDataType dtype, Formula formula) {
  if (dtype == ACL_DOUBLE) return;
  kernel.exact = map_blocks<double, kInputs>(
      [formula](auto... x) { return static_cast<double>(formula(static_cast<float>(x)...)); });
}

// The nearest double to 10^exponent; infinite beyond the largest.
double power_of_ten(int64_t exponent) {
  if (exponent > std::numeric_limits<double>::max_exponent10) {
    return std::numeric_limits<double>::infinity();
  }
  const std::string text = "1e" + std::to_string(exponent);
  return std::strtod(text.c_str(), nullptr);  // no locale has another way to write it
}

// x rounded to a multiple of 10^digits, of two the even one; it wraps.
int64_t rounded_to_tens(int64_t x, int64_t digits) {
  constexpr int64_t kMostDigits = std::numeric_limits<uint64_t>::digits10;
  if (digits > kMostDigits) return 0;
  uint64_t unit = 1;
  for (int64_t i = 0; i < digits; ++i) unit *= 10;
  const uint64_t magnitude = x < 0 ? -static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  uint64_t count = magnitude / unit;
  const uint64_t below = magnitude % unit, above = unit - below;
  if (below > above || (below == above && count % 2 != 0)) ++count;
  const uint64_t result = count * unit;
  return static_cast<int64_t>(x < 0 ? -result : result);
}

// By 0 it is 0, and the smallest integer by -1 itself. Lambdas, so that loops call no function.
constexpr auto kTruncatedQuotient = [](int64_t x, int64_t y) -> int64_t {
  if (y == 0) return 0;
  return y == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x / y;
};
constexpr auto kTruncatedRest = [](int64_t x, int64_t y) -> int64_t {
  return y == 0 || y == -1 ? 0 : x % y;
};
constexpr auto kFlooredQuotient = [](int64_t x, int64_t y) -> int64_t {
  const int64_t rest = kTruncatedRest(x, y);
  const bool is_above = rest != 0 && (rest < 0) != (y < 0);
  return kTruncatedQuotient(x, y) - (is_above ? 1 : 0);
};
constexpr auto kFlooredRest = [](int64_t x, int64_t y) -> int64_t {
  const int64_t rest = kTruncatedRest(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
};
constexpr auto kGreatestDivisor = [](int64_t x, int64_t y) {
  const auto magnitude = [](int64_t each) {
    return each < 0 ? -static_cast<uint64_t>(each) : static_cast<uint64_t>(each);
  };
  return static_cast<int64_t>(std::gcd(magnitude(x), magnitude(y)));
};

template <class Formula>
Kernel of_integers(Formula formula, const Operands& operands) {
  if (operands.dividend) {
    return map_blocks<int64_t, 1>(
        [formula, x = operands.dividend->integer](int64_t y) { return formula(x, y); });
  }
  if (operands.divisor) {
    return map_blocks<int64_t, 1>(
        [formula, y = operands.divisor->integer](int64_t x) { return formula(x, y); });
  }
  return map_blocks<int64_t, 2>(formula);
}

Kernel integer_division(Division kind, const Operands& operands) {
  switch (kind) {
    case Division::kTruncated:
      return of_integers(kTruncatedQuotient, operands);
    case Division::kFloored:
      return of_integers(kFlooredQuotient, operands);
    case Division::kFlooredRest:
      return of_integers(kFlooredRest, operands);
    case Division::kTruncatedRest:
      return of_integers(kTruncatedRest, operands);
    default:
      return of_integers(kGreatestDivisor, operands);
  }
}

}  // namespace

Kernel rounding(Rounding kind, aclDataType dtype) {
  if (!computes_in_integers(dtype)) return HWY_DYNAMIC_DISPATCH(rounding)(kind);
  return map_blocks<int64_t, 1>(
      [is_fraction = kind == Rounding::kFraction](int64_t x) { return is_fraction ? 0 : x; });
}

Kernel rounding_to_decimals(int64_t decimals, aclDataType dtype) {
  const bool is_fraction = decimals > 0;
  if (decimals == 0) return rounding(Rounding::kNearest, dtype);
  // Not past the largest exponent, so that it has a negative.
  const int64_t digits = is_fraction ? decimals : -std::max<int64_t>(decimals, -1000);
  if (computes_in_integers(dtype)) {
    if (is_fraction) return rounding(Rounding::kNearest, dtype);
    return map_blocks<int64_t, 1>([digits](int64_t x) { return rounded_to_tens(x, digits); });
  }
  const double power = power_of_ten(digits);
  FloatKernel kernel = HWY_DYNAMIC_DISPATCH(rounding_to)(power, is_fraction);
  compute_in_float<1>(kernel, dtype, [unit = static_cast<float>(power), is_fraction](float x) {
    const float count = std::nearbyint(is_fraction ? x * unit : x / unit);
    return is_fraction ? count / unit : count * unit;
  });
  return kernel;
}

Kernel division(Division kind, aclDataType dtype, const Operands& operands) {
  if (computes_in_integers(dtype)) return integer_division(kind, operands);
  const auto number = [](const std::optional<KernelScalar>& operand) {
    return operand ? std::optional(operand->real) : std::nullopt;
  };
  const auto x = number(operands.dividend), y = number(operands.divisor);
  FloatKernel kernel = HWY_DYNAMIC_DISPATCH(division)(kind, x, y);
  if (kind != Division::kTruncated) return kernel;
  if (y) {
    compute_in_float<1>(kernel, dtype,
                        [b = static_cast<float>(*y)](float a) { return std::trunc(a / b); });
  } else {
    compute_in_float<2>(kernel, dtype, [](float a, float b) { return std::trunc(a / b); });
  }
  return kernel;
}

Kernel holding_between(aclDataType dtype) {
  if (!computes_in_integers(dtype)) return HWY_DYNAMIC_DISPATCH(holding)();
  return map_blocks<int64_t, 3>(
      [](int64_t x, int64_t low, int64_t high) { return std::min(std::max(x, low), high); });
}

FloatKernel replacing(float a, float b, float c) {
  return HWY_DYNAMIC_DISPATCH(replacing_by)(static_cast<double>(a), static_cast<double>(b),
                                            static_cast<double>(c));
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
