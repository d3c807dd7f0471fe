// SPDX-License-Identifier: Apache-2.0
// Where two nodes are made, each is a statement: compilers choose the order of arguments.
#include "aclgrad/ops/functions.h"

#include "aclgrad/ops/activation.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/logic.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLn10 = 2.30258509299404568402;
constexpr double kHalfRootPi = 0.88622692545275801365;

using V = const Value&;

// 1 - x^2, without what x^2 loses near 1.
Value one_less_square(const Value& x) {
  const Value below = add(mul(x, -1), 1);
  return mul(below, add(x, 1));
}

Value one_and_square(const Value& x) { return add(mul(x, x), 1); }

// The derivative of sin(pi x) / (pi x): (cos(pi x) - sinc(x)) / x, and near 0, where that cancels,
// its power series: the sum over k from 1 of (-1)^k 2k pi^(2k) / (2k + 1)! x^(2k - 1).
Value sinc_slope(const Value& x) {
  constexpr int kTerms = 6;
  double coefficients[kTerms];
  double term = 1;  // (-1)^k pi^(2k) / (2k + 1)!
  for (int k = 1; k <= kTerms; ++k) {
    term *= -kPi * kPi / ((2 * k) * (2 * k + 1));
    coefficients[k - 1] = 2 * k * term;
  }
  const Value is_near = lt(abs(x), 0.0625);
  const Value far = masked_fill(x, is_near, 1);
  const Value cosine = cos(mul(far, kPi));
  const Value outside = div(sub(cosine, sinc(far)), far);
  const Value near = masked_fill(x, logical_not(is_near), 0);
  const Value squared = mul(near, near);
  Value series = add(mul(squared, coefficients[kTerms - 1]), coefficients[kTerms - 2]);
  for (int k = kTerms - 3; k >= 0; --k) series = add(mul(series, squared), coefficients[k]);
  const Value inside = mul(series, near);
  return where(is_near, inside, outside);
}

void add_powers_and_logarithms(RuleTable& table) {
  add_unary<SquareOp>(table, [](V g, V x, V) { return mul(g, mul(x, 2)); });
  add_composed_unary<Exp2Op>(table, [](V g, V, V y) { return mul(g, mul(y, kLn2)); });
  // Not of the result: e^x - 1 + 1 has no digits where e^x is small.
  add_composed_unary<Expm1Op>(table, [](V g, V x, V) { return mul(g, exp(x)); });
  add_composed_unary<Log1pOp>(table, [](V g, V x, V) { return div(g, add(x, 1)); });
  add_composed_unary<Log2Op>(table, [](V g, V x, V) { return div(g, mul(x, kLn2)); });
  add_composed_unary<Log10Op>(table, [](V g, V x, V) { return div(g, mul(x, kLn10)); });
}

void add_angles(RuleTable& table) {
  add_composed_unary<TanOp>(table, [](V g, V, V y) { return mul(g, one_and_square(y)); });
  add_composed_unary<AtanOp>(table, [](V g, V x, V) { return div(g, one_and_square(x)); });
  add_composed_unary<AsinOp>(table, [](V g, V x, V) { return mul(g, rsqrt(one_less_square(x))); });
  add_composed_unary<AcosOp>(table, [](V g, V x, V) {
    const Value slope = rsqrt(one_less_square(x));
    return mul(g, mul(slope, -1));
  });
  add_composed_unary<SinhOp>(table, [](V g, V x, V) { return mul(g, cosh(x)); });
  add_composed_unary<CoshOp>(table, [](V g, V x, V) { return mul(g, sinh(x)); });
  add_composed_unary<AsinhOp>(table, [](V g, V x, V) { return mul(g, rsqrt(one_and_square(x))); });
  // Two roots: their product is NaN below 1, as the result is, and overflows nowhere.
  add_composed_unary<AcoshOp>(table, [](V g, V x, V) {
    const Value below = rsqrt(add(x, -1));
    return mul(mul(g, below), rsqrt(add(x, 1)));
  });
  add_composed_unary<AtanhOp>(table, [](V g, V x, V) { return div(g, one_less_square(x)); });
  add_composed_unary<SincOp>(table, [](V g, V x, V) { return mul(g, sinc_slope(x)); });
  table.add_composed<Atan2Op>([](auto&, Call call) {
    const Value& y = call.input(0);
    const Value& x = call.input(1);
    const Value y_squared = mul(y, y);
    const Value share = div(call.gradient(), add(y_squared, mul(x, x)));
    InputGradients gradients(2);
    if (call.needs(0)) gradients[0] = mul(share, x);
    if (call.needs(1)) gradients[1] = mul(share, mul(y, -1));
    return gradients;
  });
}

void add_special_functions(RuleTable& table) {
  add_composed_unary<ErfcOp>(table, [](V g, V x, V) {
    const Value bell = exp(mul(mul(x, x), -1));
    return mul(g, mul(bell, -kTwoOverRootPi));
  });
  add_composed_unary<ErfinvOp>(table, [](V g, V, V y) {
    const Value inverse_bell = exp(mul(y, y));
    return mul(g, mul(inverse_bell, kHalfRootPi));
  });
  add_composed_unary<LgammaOp>(table, [](V g, V x, V) { return mul(g, digamma(x)); });
  table.add<DigammaOp>([](auto&, Call call) -> InputGradients {
    call.no_gradient_for("its input: no operator computes the trigamma function");
  });
}

// g a' and g b' for a logarithm of powers of a base: the shares of both in the sum.
InputGradients shares(Call call, double logarithm_of_base) {
  const Value& g = call.gradient();
  const auto share = [&](const Value& of, const Value& other) {
    const Value distance = sub(of, other);
    return mul(g, sigmoid(logarithm_of_base == 1 ? distance : mul(distance, logarithm_of_base)));
  };
  InputGradients gradients(2);
  if (call.needs(0)) gradients[0] = share(call.input(0), call.input(1));
  if (call.needs(1)) gradients[1] = share(call.input(1), call.input(0));
  return gradients;
}

void add_functions_of_several(RuleTable& table) {
  table.add_composed<LogaddexpOp>([](auto&, Call call) { return shares(call, 1); });
  table.add_composed<Logaddexp2Op>([](auto&, Call call) { return shares(call, kLn2); });
  table.add_composed<LerpOp>([](auto&, Call call) {
    const Value& g = call.gradient();
    const Value& weight = call.input(2);
    InputGradients gradients(3);
    if (call.needs(0)) gradients[0] = mul(g, add(mul(weight, -1), 1));
    if (call.needs(1)) gradients[1] = mul(g, weight);
    if (call.needs(2)) gradients[2] = mul(g, sub(call.input(1), call.input(0)));
    return gradients;
  });
  table.add_composed<LerpNumberOp>([](auto& op, Call call) {
    const Value& g = call.gradient();
    return InputGradients{call.needs(0) ? mul(g, 1 - op.weight) : Value(),
                          call.needs(1) ? mul(g, op.weight) : Value()};
  });
  table.add<HeavisideOp>([](auto&, Call call) {
    const Value& x = call.input(0);
    return InputGradients{call.needs(0) ? zeros_for(x) : Value(),
                          call.needs(1) ? held(eq(x, 0), call.gradient()) : Value()};
  });
}

}  // namespace

void add_function_rules(RuleTable& table) {
  add_powers_and_logarithms(table);
  add_angles(table);
  add_special_functions(table);
  add_functions_of_several(table);
}

}  // namespace aclgrad::detail
