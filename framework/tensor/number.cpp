// SPDX-License-Identifier: Apache-2.0
#include "tensor/number.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "tensor/visit.h"

namespace aclgrad::detail {
namespace {

template <class T>
double largest() {
  if constexpr (std::is_same_v<T, Half>) return 65504;
  if constexpr (std::is_same_v<T, BFloat16>) return 0x1.FEp127;
  return static_cast<double>(std::numeric_limits<T>::max());
}

template <class T>
std::string problem(double number, DType dtype) {
  if constexpr (std::is_same_v<T, bool>) {
    return {};
  } else if constexpr (std::is_integral_v<T>) {
    constexpr T kLeast = std::numeric_limits<T>::min();
    // The upper limit of int64 is not a double; its successor is.
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (!(number >= static_cast<double>(kLeast) && number < end)) {
      return fmt::format(" is out of the range of {}, [{}, {}]", dtype, kLeast,
                         std::numeric_limits<T>::max());
    }
    return std::trunc(number) == number ? std::string()
                                        : fmt::format(" is not whole, as {} is", dtype);
  } else {
    if (!std::isfinite(number) || std::isfinite(convert<double>(convert<T>(number)))) return {};
    return fmt::format(" is out of the range of {}, [{}, {}]", dtype, -largest<T>(), largest<T>());
  }
}

}  // namespace

std::string problem_of(double number, DType dtype) {
  return visit_dtype(
      dtype, [&](auto tag) { return problem<typename decltype(tag)::type>(number, dtype); });
}

double largest_of(DType dtype) {
  return visit_dtype(dtype, [](auto tag) { return largest<typename decltype(tag)::type>(); });
}

void require_holds(DType dtype, double number, const char* what) {
  const std::string problem = problem_of(number, dtype);
  if (!problem.empty()) throw ValueError(fmt::format("{}: {}{}", what, number, problem));
}

}  // namespace aclgrad::detail
