// SPDX-License-Identifier: Apache-2.0
// Functions of elements: ONNX's own, and those that are composed.
#include "tests/onnx/saved_helpers.h"

namespace aclgrad {
namespace {

using namespace saved;

Value whole(const Value& x, DType dtype = DType::int32) { return cast(x * 10.0, dtype); }
// 0 where x is below it.
Value halved(const Value& x) { return relu(x); }

std::vector<SavedCase> elementwise_cases() {
  const std::pair<const char*, Values (*)(const Value&)> kEach[] = {
      {"exponentials",
       [](const Value& x) {
         return Values{exp2(x),   expm1(x),         expm1(x * 1e-5) * 1e5,
                       square(x), square(whole(x)), pow(2.5, x)};
       }},
      {"logarithms",
       [](const Value& x) {
         const Value y = abs(x) + 0.25;
         return Values{log1p(x * 0.4), log1p(x * 1e-5) * 1e5, log1p(y * 1e6), log2(y), log10(y)};
       }},
      {"angles",
       [](const Value& x) {
         return Values{aclgrad::tan(x * 0.5), aclgrad::atan(x), aclgrad::asin(x * 0.4),
                       aclgrad::acos(x * 0.4), sinc(halved(x))};
       }},
      {"points",
       [](const Value& x) {
         return Values{aclgrad::atan2(halved(x), fixed(x, {4})),
                       aclgrad::atan2(x, fixed(x, {6, 1}))};
       }},
      {"hyperbolic",
       [](const Value& x) {
         return Values{aclgrad::sinh(x), aclgrad::cosh(x), aclgrad::asinh(x),
                       aclgrad::acosh(abs(x) + 1.5), aclgrad::atanh(x * 0.4)};
       }},
      {"erfc", [](const Value& x) { return Values{aclgrad::erfc(x)}; }},
      {"logaddexp",
       [](const Value& x) {
         const Value low = log(halved(x));  // -infinity
         return Values{logaddexp(x, fixed(x, {4})), logaddexp2(x * 50.0, fixed(x, {6, 1})),
                       exp(logaddexp(low, low)), xlogy(halved(x), halved(x))};
       }},
      {"lerp",
       [](const Value& x) {
         const Value end = fixed(x, {4});
         return Values{lerp(x, end, sigmoid(x)), lerp(x, end, 0.3), lerp(x, end, 0.8)};
       }},
      {"steps",
       [](const Value& x) {
         return Values{heaviside(halved(x), fixed(x, {4})), copysign(x, fixed(x, {6, 1})),
                       heaviside(whole(halved(x)), whole(x))};
       }},
      {"clamp_by_tensors",
       [](const Value& x) {
         return Values{clamp(x, fixed(x, {4}), fixed(x, {4}) + 0.5), clamp(x, fixed(x, {4}), {}),
                       clamp(x, {}, fixed(x, {4}))};
       }},
  };
  std::vector<SavedCase> all;
  for (const auto& [name, function] : kEach) {
    all.push_back(of_several(name, {2, 6, 4}, function));
  }
  return all;
}

std::vector<SavedCase> rounding_cases() {
  const std::pair<const char*, Values (*)(const Value&)> kEach[] = {
      {"rounding",
       [](const Value& x) {
         return Values{floor(x),    ceil(x),      trunc(x),        aclgrad::round(x),
                       round(x, 1), round(x, -1), round(x * 0.25), frac(x)};
       }},
      {"rounding_of_integers",
       [](const Value& x) {
         const Value n = whole(x);
         return Values{floor(n), ceil(n),     trunc(n),     aclgrad::round(n),
                       frac(n),  round(n, 1), round(n, -1), nan_to_num(n)};
       }},
      {"remainders",
       [](const Value& x) {
         const Value y = fixed(x, {4}) + 0.26, far = x * 3.0;
         return Values{floor_divide(far, y), div(far, y, Rounding::trunc), remainder(far, y),
                       aclgrad::fmod(far, y)};
       }},
      {"remainders_of_integers",
       [](const Value& x) {
         const Value n = whole(x), d = fixed_numbers(x, {3, -4, 5, -7}, {4});
         return Values{floor_divide(n, d), div(n, d, Rounding::trunc), remainder(n, d),
                       aclgrad::fmod(n, d)};
       }},
      {"nan_to_num",
       [](const Value& x) {
         const NanToNumOptions numbers{.nan = 0.5, .posinf = 2, .neginf = -3};
         return Values{nan_to_num(log(x), numbers), nan_to_num(log(halved(x)), numbers),
                       nan_to_num(reciprocal(halved(x)), numbers)};
       }},
  };
  std::vector<SavedCase> all;
  for (const auto& [name, function] : kEach) {
    all.push_back(of_several(name, {2, 6, 4}, function));
  }
  return all;
}

std::vector<SavedCase> logic_cases() {
  const std::pair<const char*, Values (*)(const Value&)> kEach[] = {
      {"truths",
       [](const Value& x) {
         const Value a = gt(x, 0.0), b = halved(x - 0.5);
         return Values{logical_not(b), logical_and(a, b), logical_or(a, b), logical_xor(a, b)};
       }},
      {"bits",
       [](const Value& x) {
         const Value a = gt(x, 0.0), b = lt(x, 0.5), n = whole(abs(x), DType::uint8);
         return Values{a & b,
                       a | b,
                       a ^ b,
                       ~a,
                       ~whole(x),
                       ~n,
                       bitwise_left_shift(n, 3),
                       bitwise_right_shift(n, 2)};
       }},
      {"tests",
       [](const Value& x) {
         const Value low = log(halved(x)), high = reciprocal(halved(x));
         return Values{isfinite(low),      isfinite(log(x)), isinf(low),    isinf(high),
                       isposinf(high),     isposinf(low),    isneginf(low), isneginf(high),
                       isfinite(whole(x)), isinf(whole(x)),  isnan(log(x))};
       }},
      {"signs",
       [](const Value& x) {
         return Values{signbit(x), signbit(-halved(x)), signbit(whole(x))};
       }},
      {"isclose",
       [](const Value& x) {
         const Value high = reciprocal(halved(x)), none = log(x);
         return Values{isclose(x, fixed(x, {4}), {.rtol = 0.5, .atol = 0.4}),
                       isclose(high, high),
                       isclose(x, high),
                       isclose(none, none),
                       isclose(none, none, {.equal_nan = true}),
                       isclose(whole(x), whole(x + 0.05))};
       }},
  };
  std::vector<SavedCase> all;
  for (const auto& [name, function] : kEach) {
    all.push_back(of_several(name, {2, 6, 4}, function));
  }
  return all;
}

}  // namespace

const std::vector<SavedCase>& saved_functions() {
  static const std::vector<SavedCase> all = [] {
    std::vector<SavedCase> made = elementwise_cases();
    for (const auto& some : {rounding_cases(), logic_cases()}) {
      made.insert(made.end(), some.begin(), some.end());
    }
    return made;
  }();
  return all;
}

}  // namespace aclgrad
