// SPDX-License-Identifier: Apache-2.0
// Functions of an element that are not in arithmetic.cpp. ONNX has few of them; the others are made
// so that no digits are lost near 0, and no large number overflows on its way.
#include "aclgrad/ops/functions.h"

#include <cmath>
#include <numbers>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

constexpr double kPi = std::numbers::pi, kLn2 = std::numbers::ln2;

// tanh(x / 2) (e^x + 1).
Term expm1_of(const Term& x) { return op("Tanh", {x * 0.5}) * (op("Exp", {x}) + 1); }

// Near 0 2 atanh(x / (2 + x)), which has all digits there; log(1 + x) elsewhere.
Term log1p_of(const Term& x) {
  const Term is_small = test("Less", {op("Abs", {x}), number(x, 0.5)});
  return where(is_small, op("Atanh", {x / (x + 2)}) * 2, op("Log", {x + 1}));
}

Term sinc_of(const Term& x) {
  const Term angle = x * kPi;
  return where(test("Equal", {x, number(x, 0)}), number(x, 1), op("Sin", {angle}) / angle);
}

// The angle of a slope, turned by pi where x < 0. -0 counts as 0.
Term atan2_of(const Term& y, const Term& x) {
  const Term zero = number(x, 0);
  const Term turn = where(test("Less", {y, zero}), number(x, -kPi), number(x, kPi));
  const Term slope = op("Atan", {y / x});
  const Term turned = where(test("Less", {x, zero}), slope + turn, slope);
  return where(test("Equal", {x, zero}), op("Sign", {y}) * (kPi / 2), turned);
}

// The larger one and log(1 + e^-|a - b|), for equal ones, infinities too, log 2. `unit` is the
// logarithm of the base.
Term logaddexp_of(const Term& a, const Term& b, double unit) {
  const Term distance = op("Abs", {a - b}) * -unit;
  const Term sum = op("Max", {a, b}) + op("Softplus", {distance}) / unit;
  return where(test("Equal", {a, b}), a + kLn2 / unit, sum);
}

// From the nearer end, so that weights of 0 and 1 give the ends.
Term lerp_of(const Term& start, const Term& end, const Term& weight) {
  const Term way = end - start;
  const Term is_near = test("Less", {op("Abs", {weight}), number(weight, 0.5)});
  return where(is_near, start + weight * way, end - way * (1.0 - weight));
}

Term heaviside_of(const Term& x, const Term& values) {
  const Term zero = number(x, 0);
  Term step = cast(test("Greater", {x, zero}), x.dtype);
  if (is_floating(x.dtype)) step = where(test("IsNaN", {x}), x, step);
  return where(test("Equal", {x, zero}), values, step);
}

template <class OpType>
void of_one(Table& table, Term (*formula)(const Term& x)) {
  table.add<OpType>([formula](auto&, Call& call) { return call.narrowed(formula(call.wide(0))); });
}

// Of tensors that promote to one dtype.
template <class OpType, class Formula>
void of_several(Table& table, Formula formula) {
  table.add<OpType>([formula](auto& a, Call& call) {
    std::vector<Term> all = call.promoted();
    for (Term& each : all) each = widened(each);
    return call.narrowed(formula(all, a));
  });
}

}  // namespace

void add_functions(Table& table) {
  table.same<TanOp>("Tan");
  table.same<AtanOp>("Atan");
  table.same<AsinOp>("Asin");
  table.same<AcosOp>("Acos");
  table.same<SinhOp>("Sinh");
  table.same<CoshOp>("Cosh");
  table.same<AsinhOp>("Asinh");
  table.same<AcoshOp>("Acosh");
  table.same<AtanhOp>("Atanh");

  table.add<SquareOp>([](auto&, Call& call) { return call.input(0) * call.input(0); });
  of_one<Exp2Op>(table, [](auto& x) { return op("Pow", {number(x, 2), x}); });
  of_one<Expm1Op>(table, expm1_of);
  of_one<Log1pOp>(table, log1p_of);
  of_one<Log2Op>(table, [](auto& x) { return op("Log", {x}) / kLn2; });
  of_one<Log10Op>(table, [](auto& x) { return op("Log", {x}) / std::numbers::ln10; });
  of_one<SincOp>(table, sinc_of);
  of_one<ErfcOp>(table, [](auto& x) { return 1.0 - op("Erf", {x}); });

  of_several<Atan2Op>(table, [](auto& all, auto&) { return atan2_of(all[0], all[1]); });
  of_several<LogaddexpOp>(table, [](auto& all, auto&) { return logaddexp_of(all[0], all[1], 1); });
  of_several<Logaddexp2Op>(table,
                           [](auto& all, auto&) { return logaddexp_of(all[0], all[1], kLn2); });
  of_several<LerpOp>(table, [](auto& all, auto&) { return lerp_of(all[0], all[1], all[2]); });
  of_several<LerpNumberOp>(table, [](auto& all, auto& a) {
    const Term way = all[1] - all[0];
    return std::abs(a.weight) < 0.5 ? all[0] + way * a.weight : all[1] - way * (1 - a.weight);
  });
  of_several<HeavisideOp>(table, [](auto& all, auto&) { return heaviside_of(all[0], all[1]); });
  table.refused<ErfinvOp, LgammaOp, DigammaOp>("ONNX has no such function");
}

}  // namespace aclgrad::onnx::saving
