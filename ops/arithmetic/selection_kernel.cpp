// SPDX-License-Identifier: Apache-2.0
#include "ops/arithmetic/selection_kernel.h"

#include <cmath>
#include <limits>

#include "ops/arithmetic/float_arithmetic_kernel.h"
#include "ops/arithmetic/functions_kernel.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/math/round_to_odd.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

using Complex = std::complex<double>;

template <class T>
T of_type(const KernelScalar& number) {
  if constexpr (std::is_same_v<T, double>) {
    return number.real;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return number.integer;
  } else {
    return number.complex;
  }
}

// make(tag) for a T{} of the type that the dtype, which is not complex, is computed in.
template <class Make>
Kernel for_real_dtype(aclDataType dtype, Make make) {
  if (computes_in_integers(dtype)) return make(int64_t{});
  return make(double{});
}
template <class Make>
Kernel for_dtype(aclDataType dtype, Make make) {
  if (is_complex(dtype)) return make(Complex{});
  return for_real_dtype(dtype, make);
}

template <class T, class Constant, class Compare>
BlockKernel<T> comparing(Constant constant, Compare compare) {
  if constexpr (std::is_same_v<Constant, std::nullptr_t>) {
    return map_blocks<T, 2>([compare](const T& a, const T& b) { return T(compare(a, b) ? 1 : 0); });
  } else {
    return map_blocks<T, 1>(
        [compare, constant](const T& a) { return T(compare(a, constant) ? 1 : 0); });
  }
}

template <class T, class Constant>
Kernel comparison_of(Comparison comparison, Constant constant) {
  switch (comparison) {
    case Comparison::kEqual:
      return comparing<T>(constant, std::equal_to<>());
    case Comparison::kNotEqual:
      return comparing<T>(constant, std::not_equal_to<>());
    default:
      break;
  }
  if constexpr (!std::is_same_v<T, Complex>) {
    switch (comparison) {
      case Comparison::kGreater:
        return comparing<T>(constant, std::greater<>());
      case Comparison::kGreaterEqual:
        return comparing<T>(constant, std::greater_equal<>());
      case Comparison::kLess:
        return comparing<T>(constant, std::less<>());
      default:
        return comparing<T>(constant, std::less_equal<>());
    }
  }
  return {};
}

// Numbers of UINT64 from 2^63 on are negative as int64_t: with the first bit turned, their order is
// right.
constexpr auto kFirstBit = std::numeric_limits<int64_t>::min();

IntegerKernel turned(const IntegerKernel& kernel, size_t inputs) {
  return [kernel, inputs](const int64_t* const* in, int64_t* const* out, size_t count) {
    alignas(64) int64_t blocks[2][kBlock];
    const int64_t* turned_inputs[2] = {blocks[0], blocks[1]};
    for (size_t k = 0; k < inputs; ++k) {
      for (size_t i = 0; i < count; ++i) blocks[k][i] = in[k][i] ^ kFirstBit;
    }
    kernel(turned_inputs, out, count);
  };
}

// By repeated squaring; integers wrap, and 1/x is 0 for all but 1 and -1.
int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  uint64_t result = 1;
  for (auto square = static_cast<uint64_t>(base); exponent != 0; exponent /= 2) {
    if (exponent % 2 != 0) result *= square;
    square *= square;
  }
  return static_cast<int64_t>(result);
}

Complex complex_power(const Complex& base, const Complex& exponent) {
  if (exponent == 0.0) return 1;
  if (base == 0.0) return exponent.real() > 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
  return std::pow(base, exponent);
}

}  // namespace

Kernel comparison(Comparison comparison, aclDataType dtype) {
  Kernel kernel = for_dtype(
      dtype, [&](auto tag) -> Kernel { return comparison_of<decltype(tag)>(comparison, nullptr); });
  if (dtype == ACL_UINT64) return turned(std::get<IntegerKernel>(kernel), 2);
  return kernel;
}

Kernel comparison(Comparison comparison, aclDataType dtype, const KernelScalar& constant) {
  Kernel kernel = for_dtype(dtype, [&](auto tag) -> Kernel {
    using T = decltype(tag);
    T value = of_type<T>(constant);
    if constexpr (std::is_same_v<T, int64_t>) {
      if (dtype == ACL_UINT64) value ^= kFirstBit;
    }
    return comparison_of<T>(comparison, value);
  });
  if (dtype == ACL_UINT64) return turned(std::get<IntegerKernel>(kernel), 1);
  return kernel;
}

Kernel choice(aclDataType dtype) {
  Kernel kernel = for_dtype(dtype, [](auto tag) -> Kernel {
    using T = decltype(tag);
    return map_blocks<T, 3>(
        [](const T& condition, const T& a, const T& b) { return condition != T(0) ? a : b; });
  });
  if (auto* exact = std::get_if<RealKernel>(&kernel)) {
    return FloatKernel{std::move(*exact), native_choice(), /*condition=*/0};
  }
  return kernel;
}

Kernel masked_constant(aclDataType dtype, const KernelScalar& constant) {
  return for_dtype(dtype, [&](auto tag) -> Kernel {
    using T = decltype(tag);
    return map_blocks<T, 2>([value = of_type<T>(constant)](const T& a, const T& mask) {
      return mask != T(0) ? value : a;
    });
  });
}

Kernel clamp(aclDataType dtype, const std::optional<KernelScalar>& low,
             const std::optional<KernelScalar>& high) {
  if (!computes_in_integers(dtype)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return function_kernel(Function::kClamp, low ? low->real : -kInfinity,
                           high ? high->real : kInfinity);
  }
  using Limits = std::numeric_limits<int64_t>;
  return map_blocks<int64_t, 1>([least = low ? low->integer : Limits::min(),
                                 most = high ? high->integer : Limits::max()](int64_t x) {
    return std::min(std::max(x, least), most);
  });
}

Kernel extremum(aclDataType dtype, bool largest) {
  if (!computes_in_integers(dtype)) {
    return function_kernel(largest ? Function::kMaximum : Function::kMinimum);
  }
  return map_blocks<int64_t, 2>(
      [largest](int64_t a, int64_t b) { return largest ? std::max(a, b) : std::min(a, b); });
}

Kernel power(aclDataType dtype) {
  if (computes_in_integers(dtype)) return map_blocks<int64_t, 2>(integer_power);
  if (is_complex(dtype)) return map_blocks<Complex, 2>(complex_power);
  return function_kernel(Function::kPower);
}

Kernel power(aclDataType dtype, const KernelScalar& exponent) {
  if (computes_in_integers(dtype)) {
    return map_blocks<int64_t, 1>(
        [e = exponent.integer](int64_t x) { return integer_power(x, e); });
  }
  if (is_complex(dtype)) {
    return map_blocks<Complex, 1>(
        [e = exponent.complex](const Complex& x) { return complex_power(x, e); });
  }
  return function_kernel(Function::kPowerOf, exponent.real);
}

Kernel add_product(aclDataType dtype, const KernelScalar& value) {
  if (!computes_in_integers(dtype)) return function_kernel(Function::kAddProduct, value.real);
  return map_blocks<int64_t, 3>(
      [factor = static_cast<uint64_t>(value.integer)](int64_t x, int64_t y, int64_t z) {
        return static_cast<int64_t>(static_cast<uint64_t>(x) +
                                    factor * static_cast<uint64_t>(y) * static_cast<uint64_t>(z));
      });
}

Kernel sign(aclDataType dtype) {
  if (computes_in_integers(dtype)) {
    return map_blocks<int64_t, 1>([](int64_t x) { return int64_t{x > 0} - int64_t{x < 0}; });
  }
  if (!is_complex(dtype)) return function_kernel(Function::kSign);
  return map_blocks<Complex, 1>([](const Complex& x) { return x == 0.0 ? x : x / std::abs(x); });
}

Kernel magnitude(aclDataType dtype) {
  if (computes_in_integers(dtype)) {
    return map_blocks<int64_t, 1>(
        [](int64_t x) { return x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x; });
  }
  if (!is_complex(dtype)) return function_kernel(Function::kAbs);
  return map_blocks<Complex, 1>([](const Complex& x) { return Complex(std::abs(x)); });
}

Kernel real_part(aclDataType dtype) {
  return for_dtype(dtype, [](auto tag) -> Kernel {
    using T = decltype(tag);
    return map_blocks<T, 1>([](const T& x) { return T(std::real(x)); });
  });
}

Kernel step(aclDataType dtype) {
  return for_real_dtype(dtype, [](auto tag) -> Kernel {
    using T = decltype(tag);
    return map_blocks<T, 2>([](T x, T at_zero) {
      if (x == 0) return at_zero;
      return x > 0 ? T{1} : x < 0 ? T{0} : x;
    });
  });
}

Kernel power_of(aclDataType dtype, const KernelScalar& base) {
  if (computes_in_integers(dtype)) {
    return map_blocks<int64_t, 1>([b = base.integer](int64_t x) { return integer_power(b, x); });
  }
  if (is_complex(dtype)) {
    return map_blocks<Complex, 1>(
        [b = base.complex](const Complex& x) { return complex_power(b, x); });
  }
  return function_kernel(Function::kPowerTo, base.real);
}

Kernel linear(aclDataType dtype, const KernelScalar& constant, const KernelScalar& factor) {
  if (dtype == ACL_DOUBLE) {
    return map_blocks<double, 1>(
        [c = constant.real, a = factor.real](double x) { return std::fma(a, x, c); });
  }
  if (!computes_in_integers(dtype)) {
    return map_blocks<double, 1>(
        [c = constant.real, a = factor.real](double x) { return add_to_odd(c, a * x); });
  }
  return map_blocks<int64_t, 1>([c = static_cast<uint64_t>(constant.integer),
                                 a = static_cast<uint64_t>(factor.integer)](int64_t x) {
    return static_cast<int64_t>(c + a * static_cast<uint64_t>(x));
  });
}

Kernel sum_above_zero(aclDataType dtype, const KernelScalar& factor) {
  const auto above_zero = [](auto sum) { return sum < 0 ? decltype(sum){0} : sum; };
  if (computes_in_integers(dtype)) {
    // The sum as it wraps in a dtype of fewer bits is what is cut off.
    const int unused_bits = 64 - 8 * static_cast<int>(element_size(dtype));
    const bool is_signed = dtype != ACL_UINT8;
    return map_blocks<int64_t, 2>(
        [=, a = static_cast<uint64_t>(factor.integer)](int64_t x, int64_t y) {
          const uint64_t sum = static_cast<uint64_t>(x) + a * static_cast<uint64_t>(y);
          const uint64_t high = sum << unused_bits;
          return is_signed ? above_zero(static_cast<int64_t>(high) >> unused_bits)
                           : static_cast<int64_t>(high >> unused_bits);
        });
  }
  if (dtype == ACL_DOUBLE) {
    return map_blocks<double, 2>(
        [=, a = factor.real](double x, double y) { return above_zero(std::fma(a, y, x)); });
  }
  return map_blocks<double, 2>(
      [=, a = factor.real](double x, double y) { return above_zero(add_to_odd(x, a * y)); });
}

}  // namespace aclgrad::ops
