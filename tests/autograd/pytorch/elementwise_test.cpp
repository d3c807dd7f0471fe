// SPDX-License-Identifier: Apache-2.0
// Elementwise functions, rounding and logic beside PyTorch.
#include <gtest/gtest.h>

#include "tests/autograd/pytorch/numbers.h"

namespace aclgrad::pytorch {
namespace {

using Function = std::function<Value(const Values&)>;
using X = const Values&;

void expect_each(const std::vector<std::pair<const char*, Function>>& functions) {
  for (const auto& [name, function] : functions) {
    expect_as_in_pytorch(name, [&f = function](X x) -> Values { return {f(x)}; });
  }
}

TEST(ElementwiseBesidePyTorch, FunctionsOfOneTensor) {
  using Unary = Value (*)(Operand);
  const std::vector<std::pair<const char*, Unary>> functions = {
      {"square", square}, {"exp2", exp2},     {"expm1", expm1},   {"log1p", log1p},
      {"log2", log2},     {"log10", log10},   {"tan", tan},       {"atan", atan},
      {"asin", asin},     {"acos", acos},     {"sinh", sinh},     {"cosh", cosh},
      {"asinh", asinh},   {"acosh", acosh},   {"atanh", atanh},   {"sinc", sinc},
      {"erfc", erfc},     {"frac", frac},     {"floor", floor},   {"ceil", ceil},
      {"trunc", trunc},   {"lgamma", lgamma}, {"erfinv", erfinv}, {"digamma", digamma}};
  for (const auto& [name, function] : functions) {
    expect_as_in_pytorch(name, [f = function](X x) -> Values { return {f(x[0])}; });
  }
  expect_each({{"round", [](X x) { return round(x[0]); }},
               {"round halves", [](X x) { return round(x[0]); }},
               {"round 1", [](X x) { return round(x[0] * 8, 1); }},
               {"round -1", [](X x) { return round(x[0] * 8, -1); }},
               {"sinc near 0", [](X x) { return sinc(x[0] / 64); }},
               {"pow of a number", [](X x) { return pow(1.5, x[0]); }}});
}

TEST(ElementwiseBesidePyTorch, FunctionsOfSeveralTensors) {
  const auto zeros_beside = [](const Values& x) {
    return x[0].graph().constant(Tensor::from({3}, {0, -1, 2}, DType::float64));
  };
  expect_each({
      {"atan2", [](X x) { return atan2(x[0], x[1]); }},
      {"logaddexp", [](X x) { return logaddexp(x[0], x[1]); }},
      {"logaddexp2", [](X x) { return logaddexp2(x[0], x[1]); }},
      {"copysign", [](X x) { return copysign(x[0], x[1]); }},
      {"xlogy", [](X x) { return xlogy(x[0], x[1]); }},
      {"xlogy of 0", [&](X x) { return xlogy(x[0], zeros_beside(x)); }},
      {"lerp", [](X x) { return lerp(x[0], x[1], x[2]); }},
      {"lerp number", [](X x) { return lerp(x[0], x[1], 0.75); }},
      {"fmod", [](X x) { return fmod(x[0], x[1]); }},
      {"fmod number", [](X x) { return fmod(x[0], -1.75); }},
      {"remainder", [](X x) { return remainder(x[0], x[1]); }},
      {"remainder number", [](X x) { return remainder(x[0], -1.75); }},
      {"remainder of a number", [](X x) { return remainder(5.5, x[0]); }},
      {"div floor", [](X x) { return div(x[0], x[1], Rounding::floor); }},
      {"div floor number", [](X x) { return floor_divide(x[0], -1.75); }},
      {"div trunc", [](X x) { return div(x[0], x[1], Rounding::trunc); }},
      {"div trunc number", [](X x) { return div(x[0], -1.75, Rounding::trunc); }},
      {"clamp tensors", [](X x) { return clamp(x[0], x[1], x[2]); }},
      {"clamp below", [](X x) { return clamp(x[0], x[1], {}); }},
      {"clamp above", [](X x) { return clamp(x[0], {}, x[1]); }},
      {"heaviside", [](X x) { return heaviside(x[0], x[1]); }},
      {"gcd", [](X x) { return gcd(x[0], x[1]); }},
  });
}

TEST(ElementwiseBesidePyTorch, TruthAndBits) {
  expect_as_in_pytorch("logic", [](X x) -> Values {
    return {logical_and(x[0], x[1]), logical_or(x[0], x[1]), logical_xor(x[0], x[1])};
  });
  expect_each({{"logical_not", [](X x) { return logical_not(x[0]); }},
               {"signbit", [](X x) { return signbit(x[0]); }},
               {"isclose", [](X x) { return isclose(x[0], x[1], {.rtol = 0.25, .atol = 0.5}); }}});
  expect_as_in_pytorch("bitwise", [](X x) -> Values {
    return {x[0] & x[1], x[0] | x[1], x[0] ^ x[1], ~x[0], x[0] & 12, x[0] | 12, x[0] ^ 12};
  });
  expect_as_in_pytorch("shifts", [](X x) -> Values {
    return {bitwise_left_shift(x[0], x[1]), bitwise_right_shift(x[0], x[1])};
  });
  expect_as_in_pytorch("whole quotients", [](X x) -> Values {
    return {floor_divide(x[0], x[1]), div(x[0], x[1], Rounding::trunc), remainder(x[0], x[1]),
            fmod(x[0], x[1]), square(x[0])};
  });
}

}  // namespace
}  // namespace aclgrad::pytorch
