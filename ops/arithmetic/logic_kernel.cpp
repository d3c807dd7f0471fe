// SPDX-License-Identifier: Apache-2.0
#include "ops/arithmetic/logic_kernel.h"

#include <cmath>
#include <functional>
#include <limits>

#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

using Complex = std::complex<double>;

template <class T>
Kernel logic_of(Logic operation) {
  const auto two = [](auto combine) {
    return map_blocks<T, 2>([combine](const T& a, const T& b) {
      return T(combine(int64_t{a != T(0)}, int64_t{b != T(0)}) != 0 ? 1 : 0);
    });
  };
  switch (operation) {
    case Logic::kAnd:
      return two(std::bit_and<>());
    case Logic::kOr:
      return two(std::bit_or<>());
    case Logic::kXor:
      return two(std::bit_xor<>());
    case Logic::kNot:
      break;
  }
  return map_blocks<T, 1>([](const T& a) { return T(a == T(0) ? 1 : 0); });
}

int64_t bits_of(aclDataType dtype) { return static_cast<int64_t>(8 * aclDataTypeSize(dtype)); }

int64_t shifted_left(int64_t x, int64_t by, int64_t bits) {
  return by < 0 || by >= bits ? 0 : static_cast<int64_t>(static_cast<uint64_t>(x) << by);
}

// result[i] = whether in[0][i] is so, of real or complex numbers.
template <class T, class Holds>
Kernel testing(Holds holds) {
  return map_blocks<T, 1>([holds](const T& x) { return T(holds(x) ? 1 : 0); });
}

// Comparisons alone, which become vectors: NaN is no infinity, and not finite.
constexpr auto kIsFinite = [](double x) {
  return std::abs(x) <= std::numeric_limits<double>::max();
};
constexpr auto kIsInfinite = [](double x) {
  return std::abs(x) > std::numeric_limits<double>::max();
};

bool are_close(double a, double b, const Tolerance& tolerance) {
  if (a == b) return true;
  if (std::isnan(a) && std::isnan(b)) return tolerance.equal_nan;
  const double difference = std::abs(a - b);
  return kIsFinite(difference) &&
         difference <= tolerance.absolute + std::abs(tolerance.relative * b);
}

// The difference of two integers has one bit more than they have.
bool are_close(int64_t a, int64_t b, const Tolerance& tolerance) {
  if (a == b) return true;
  const uint64_t difference = a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
                                    : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
  return static_cast<double>(difference) <=
         tolerance.absolute + std::abs(tolerance.relative * static_cast<double>(b));
}

template <class T>
Kernel closeness_of(const Tolerance& tolerance) {
  return map_blocks<T, 2>([tolerance](T a, T b) { return T(are_close(a, b, tolerance) ? 1 : 0); });
}

}  // namespace

Kernel logic(Logic operation, aclDataType dtype) {
  if (computes_in_integers(dtype)) return logic_of<int64_t>(operation);
  return is_complex(dtype) ? logic_of<Complex>(operation) : logic_of<double>(operation);
}

Kernel bitwise(Logic operation, aclDataType dtype) {
  switch (operation) {
    case Logic::kAnd:
      return map_blocks<int64_t, 2>(std::bit_and<>());
    case Logic::kOr:
      return map_blocks<int64_t, 2>(std::bit_or<>());
    case Logic::kXor:
      return map_blocks<int64_t, 2>(std::bit_xor<>());
    case Logic::kNot:
      break;
  }
  if (dtype == ACL_BOOL) return logic_of<int64_t>(Logic::kNot);
  return map_blocks<int64_t, 1>(std::bit_not<>());
}

Kernel bitwise(Logic operation, int64_t number) {
  switch (operation) {
    case Logic::kAnd:
      return map_blocks<int64_t, 1>([number](int64_t x) { return x & number; });
    case Logic::kOr:
      return map_blocks<int64_t, 1>([number](int64_t x) { return x | number; });
    default:
      return map_blocks<int64_t, 1>([number](int64_t x) { return x ^ number; });
  }
}

Kernel left_shift(aclDataType dtype) {
  return map_blocks<int64_t, 2>(
      [bits = bits_of(dtype)](int64_t x, int64_t by) { return shifted_left(x, by, bits); });
}

Kernel left_shift(aclDataType dtype, int64_t number) {
  return map_blocks<int64_t, 1>(
      [bits = bits_of(dtype), number](int64_t x) { return shifted_left(x, number, bits); });
}

Kernel right_shift(aclDataType dtype) {
  // By all bits but one nothing is left but the sign.
  return map_blocks<int64_t, 2>([bits = bits_of(dtype)](int64_t x, int64_t by) {
    return x >> (by < 0 || by >= bits ? 63 : by);
  });
}

Kernel test(Test kind, aclDataType dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (computes_in_integers(dtype)) {
    if (kind == Test::kSignBit) return testing<int64_t>([](int64_t x) { return x < 0; });
    return testing<int64_t>([finite = kind == Test::kFinite](int64_t) { return finite; });
  }
  if (is_complex(dtype)) {
    if (kind == Test::kFinite) {
      return testing<Complex>(
          [](const Complex& x) { return kIsFinite(x.real()) && kIsFinite(x.imag()); });
    }
    return testing<Complex>(
        [](const Complex& x) { return kIsInfinite(x.real()) || kIsInfinite(x.imag()); });
  }
  switch (kind) {
    case Test::kFinite:
      return testing<double>(kIsFinite);
    case Test::kInfinite:
      return testing<double>(kIsInfinite);
    case Test::kPositiveInfinity:
      return testing<double>([](double x) { return x == kInfinity; });
    case Test::kNegativeInfinity:
      return testing<double>([](double x) { return x == -kInfinity; });
    case Test::kSignBit:
      break;
  }
  return testing<double>([](double x) { return std::signbit(x); });
}

Kernel closeness(const Tolerance& tolerance, aclDataType dtype) {
  return computes_in_integers(dtype) ? closeness_of<int64_t>(tolerance)
                                     : closeness_of<double>(tolerance);
}

}  // namespace aclgrad::ops
