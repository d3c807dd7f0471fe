// SPDX-License-Identifier: Apache-2.0
// Functions of several tensors: angles, logarithms of sums, steps, shares of a way.
#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_atan2.h"
#include "aclnnop/aclnn_heaviside.h"
#include "aclnnop/aclnn_lerp.h"
#include "aclnnop/aclnn_logaddexp.h"
#include "aclnnop/aclnn_logaddexp2.h"
#include "ops/contract/unary.h"

namespace aclgrad::contract {
namespace {

// Computed in double, then rounded once.
Bound rounded_from_double(double ulp) { return {.of_float = 0.50001, .of_double = ulp}; }

// log(e^x + e^y) for the logarithm to a base and its powers.
template <class T, class Power, class Logarithm>
T log_add(const T& x, const T& y, Power power, Logarithm log_of_one_and) {
  const T& most = x > y ? x : y;
  const T& least = x > y ? y : x;
  if (x == y) return most + log_of_one_and(T(1));
  return most + log_of_one_and(power(least - most));
}

void add_binary(std::vector<Operator>& all) {
  const auto real = [](const char* name, Number low, Number high) {
    return any_dtype(in(name, low, high));
  };
  const Parameter result = any_dtype(out("out"));
  const Operator atan2_of{
      .call = ACLGRAD_CALL(aclnnAtan2, real("self", -6, 6), real("other", -6, 6), result),
      .domain = {.everywhere = kFloatsAndDouble, .mixed = kWholeNumbers},
      .results = {.formula = of_all([](auto x, Attributes) { return atan2(x[0], x[1]); }),
                  .bound = rounded_from_double(1)},
      .words = {"the angle of the point (other, self), broadcasting",
                "点 (other, self) 的角度，支持广播", "atan2(a, b)"}};
  all.insert(all.end(), {atan2_of, in_place_of(atan2_of, ACLGRAD_CALL(aclnnInplaceAtan2))});

  // Positive, so that nothing cancels.
  all.push_back(
      {.call = ACLGRAD_CALL(aclnnLogAddExp, real("self", 0, 20), real("other", 0, 20), result),
       .domain = {.everywhere = kFloatsAndDouble},
       .results = {.formula = of_all([](auto x, Attributes) {
                     return log_add(
                         x[0], x[1], [](const auto& z) { return exp(z); },
                         [](const auto& z) { return log1p(z); });
                   }),
                   .bound = rounded_from_double(2)},
       .words = {"ln(e^self + e^other), broadcasting", "ln(e^self + e^other)，支持广播",
                 "logaddexp(a, b)"}});
  all.push_back(
      {.call = ACLGRAD_CALL(aclnnLogAddExp2, real("self", 0, 20), real("other", 0, 20), result),
       .domain = {.everywhere = kFloatsAndDouble},
       .results = {.formula = of_all([](auto x, Attributes) {
                     return log_add(
                         x[0], x[1], [](const auto& z) { return exp2(z); },
                         [](const auto& z) { return log1p(z) / std::log(Number{2}); });
                   }),
                   .bound = rounded_from_double(2)},
       .words = {"log₂(2^self + 2^other), broadcasting", "log₂(2^self + 2^other)，支持广播",
                 "logaddexp2(a, b)"}});

  all.push_back(
      {.call = ACLGRAD_CALL(aclnnHeaviside, real("self", -3, 3), real("values", -3, 3), result),
       .domain = {.everywhere = kFloatsAndDouble + without(kWholeNumbers, ACL_BOOL)},
       .results = {.formula = of_all([](auto x, Attributes) {
                     using T = std::decay_t<decltype(x[0])>;
                     if (x[0] == 0) return T(x[1]);
                     return x[0] > 0 ? T(1) : x[0] < 0 ? T(0) : T(x[0]);
                   }),
                   .bound = kExact,
                   .nan_goes_through = false},  // in values it does where self is 0
       .words = {"0 for self < 0, 1 for self > 0, values for 0, broadcasting",
                 "self < 0 时为 0，self > 0 时为 1，为 0 时取 values，支持广播",
                 "heaviside(x, v)"}});
}

void add_lerp(std::vector<Operator>& all) {
  const Parameter self = any_dtype(in("self", -6, 6)), end = any_dtype(in("end", -6, 6));
  const Parameter result = any_dtype(out("out"));
  // A weight of 1 gives y as it is, however large x is.
  constexpr auto kLerp = [](const auto& x, const auto& y, const auto& w) {
    return abs(w) < 0.5L ? x + w * (y - x) : y - (y - x) * (1 - w);
  };
  // The way may be longer than the result, and is rounded.
  const auto way = [](const Arguments& a, const Arrays& in) {
    Arrays scale = results_of(a, in);
    for (Number& each : scale[0].values) each = std::max(std::abs(each), Number{12});
    return scale;
  };
  const Operator by_tensor{
      .call = ACLGRAD_CALL(aclnnLerp, self, end, any_dtype(in("weight", -1, 2)), result),
      .domain = {.everywhere = kFloatsAndDouble},
      .results = {.formula = of_all([=](auto x, Attributes) { return kLerp(x[0], x[1], x[2]); }),
                  .bound = rounded_from_double(2),
                  .magnitude = way},
      .words = {"self + weight·(end − self), broadcasting", "self + weight·(end − self)，支持广播",
                "lerp(a, b, weight)"}};
  const Operator by_number{
      .call = ACLGRAD_CALL(aclnnLerps, self, end, option(scalar("weight", 0.5), "value"), result),
      .domain = {.everywhere = kFloatsAndDouble,
                 .samples = samples_of("weight", {0, 0.3, 0.75, 1})},
      .results = {.formula = of_all([=](auto x, Attributes a) { return kLerp(x[0], x[1], a[0]); }),
                  .bound = rounded_from_double(2),
                  .magnitude = way},
      .words = {"self + weight·(end − self) with a number, broadcasting",
                "self + weight·(end − self)，weight 为标量，支持广播", "lerp(a, b, 0.25)"}};
  all.insert(all.end(), {by_tensor, in_place_of(by_tensor, ACLGRAD_CALL(aclnnInplaceLerp)),
                         by_number, in_place_of(by_number, ACLGRAD_CALL(aclnnInplaceLerps))});
}

}  // namespace

void add_binary_functions(std::vector<Operator>& all) {
  add_binary(all);
  add_lerp(all);
}

}  // namespace aclgrad::contract
