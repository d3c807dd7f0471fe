// SPDX-License-Identifier: Apache-2.0
// Wrong gradient rules of elementwise functions, of what is rounded and of bounds by tensors.
#include <cmath>

#include "aclgrad/ops.h"
#include "tests/mutants/rule_mutant.h"

namespace aclgrad::mutants {
namespace {

// Files are compiled together.
namespace of_elements {

using gradcheck::Build;
using gradcheck::Dims;
using V = const Value&;

const Dims kShape = {2, 3};

// Of one tensor, which `prepare` brings to where the function is defined.
template <class OpType>
Mutant of_one(std::string edit, Value (*function)(V x), Value (*gradient)(V g, V x, V y)) {
  return rule_mutant<OpType>(
      std::move(edit), {kShape}, [function](const auto& x) { return function(x[0]); },
      [gradient](const OpType&, const RuleCall& call) {
        return InputGradients{gradient(call.gradient(), call.input(), call.output())};
      });
}

// Of two tensors, the second positive.
template <class OpType>
Mutant of_two(std::string edit, Value (*function)(V a, V b),
              InputGradients (*gradients)(V g, V a, V b)) {
  return rule_mutant<OpType>(
      std::move(edit), {kShape, kShape},
      [function](const auto& x) { return function(x[0], x[1] * x[1] + 0.5); },
      [gradients](const OpType&, const RuleCall& call) {
        return gradients(call.gradient(), call.input(0), call.input(1));
      });
}

Value positive(V x) { return x * x + 0.5; }
Value inside(V x) { return tanh(x) * 0.9; }

void add_functions(std::vector<Mutant>& all) {
  const auto add = [&](Mutant mutant) { all.push_back(std::move(mutant)); };
  add(of_one<SquareOp>(
      "square: factor forgotten", [](V x) { return square(x); },
      [](V g, V x, V) { return g * x; }));
  add(of_one<Exp2Op>(
      "exp2: logarithm forgotten", [](V x) { return exp2(x); }, [](V g, V, V y) { return g * y; }));
  add(of_one<Expm1Op>(
      "expm1: the result for its slope", [](V x) { return expm1(x); },
      [](V g, V, V y) { return g * y; }));
  add(of_one<Log1pOp>(
      "log1p: of x alone", [](V x) { return log1p(positive(x)); },
      [](V g, V x, V) { return g / x; }));
  add(of_one<Log2Op>(
      "log2: the natural one's", [](V x) { return log2(positive(x)); },
      [](V g, V x, V) { return g / x; }));
  add(of_one<Log10Op>(
      "log10: to the base 2", [](V x) { return log10(positive(x)); },
      [](V g, V x, V) { return g / (x * std::log(2.0)); }));
  add(of_one<TanOp>(
      "tan: of the input", [](V x) { return tan(inside(x)); },
      [](V g, V x, V) { return g * (x * x + 1); }));
  add(of_one<AtanOp>(
      "atan: square forgotten", [](V x) { return atan(x); },
      [](V g, V x, V) { return g / (abs(x) + 1); }));
  add(of_one<AsinOp>(
      "asin: root forgotten", [](V x) { return asin(inside(x)); },
      [](V g, V x, V) { return g / (1 - x * x); }));
  add(of_one<AcosOp>(
      "acos: sign forgotten", [](V x) { return acos(inside(x)); },
      [](V g, V x, V) { return g * rsqrt(1 - x * x); }));
  add(of_one<SinhOp>(
      "sinh: the result for its slope", [](V x) { return sinh(x); },
      [](V g, V, V y) { return g * y; }));
  add(of_one<CoshOp>(
      "cosh: the cosine's sign", [](V x) { return cosh(x); },
      [](V g, V x, V) { return g * (sinh(x) * -1); }));
  add(of_one<AsinhOp>(
      "asinh: root forgotten", [](V x) { return asinh(x); },
      [](V g, V x, V) { return g / (x * x + 1); }));
  add(of_one<AcoshOp>(
      "acosh: plus for minus", [](V x) { return acosh(positive(x) + 1); },
      [](V g, V x, V) { return g * rsqrt(x * x + 1); }));
  add(of_one<AtanhOp>(
      "atanh: plus for minus", [](V x) { return atanh(inside(x)); },
      [](V g, V x, V) { return g / (x * x + 1); }));
  add(of_one<SincOp>(
      "sinc: pi forgotten", [](V x) { return sinc(x); },
      [](V g, V x, V y) { return g * (cos(x) - y) / x; }));
  add(of_one<ErfcOp>(
      "erfc: sign forgotten", [](V x) { return erfc(x); },
      [](V g, V x, V) { return g * exp(x * x * -1) * (2 / std::sqrt(std::acos(-1.0))); }));
  add(of_one<ErfinvOp>(
      "erfinv: exponent negative", [](V x) { return erfinv(inside(x)); },
      [](V g, V, V y) { return g * exp(y * y * -1) * (std::sqrt(std::acos(-1.0)) / 2); }));
  add(of_one<LgammaOp>(
      "lgamma: the logarithm for its slope", [](V x) { return lgamma(positive(x)); },
      [](V g, V x, V) { return g * log(x); }));
  add(of_one<PowOfNumberOp>(
      "pow: logarithm of the number forgotten", [](V x) { return pow(1.5, x); },
      [](V g, V, V y) { return g * y; }));
}

void add_several(std::vector<Mutant>& all) {
  const auto add = [&](Mutant mutant) { all.push_back(std::move(mutant)); };
  add(of_two<Atan2Op>(
      "atan2: operands exchanged", [](V a, V b) { return atan2(a, b); },
      [](V g, V a, V b) {
        const Value share = g / (a * a + b * b);
        return InputGradients{share * a * -1, share * b};
      }));
  add(of_two<LogaddexpOp>(
      "logaddexp: shares exchanged", [](V a, V b) { return logaddexp(a, b); },
      [](V g, V a, V b) {
        return InputGradients{g * sigmoid(b - a), g * sigmoid(a - b)};
      }));
  add(of_two<Logaddexp2Op>(
      "logaddexp2: to the base e", [](V a, V b) { return logaddexp2(a, b); },
      [](V g, V a, V b) {
        return InputGradients{g * sigmoid(a - b), g * sigmoid(b - a)};
      }));
  add(of_two<RemainderOp>(
      "remainder: quotient cut off", [](V a, V b) { return remainder(a * 3, b); },
      [](V g, V a, V b) {
        return InputGradients{g, g * div(a, b, Rounding::trunc) * -1};
      }));
  add(of_two<FmodOp>(
      "fmod: quotient rounded down", [](V a, V b) { return fmod(a * 3, b); },
      [](V g, V a, V b) {
        return InputGradients{g, g * div(a, b, Rounding::floor) * -1};
      }));
  add(of_two<HeavisideOp>(
      "heaviside: the values have it everywhere",
      [](V a, V b) { return heaviside(floor(a / 4), b); },
      [](V g, V, V) {
        return InputGradients{Value(), g};
      }));
  add(rule_mutant<LerpOp>(
      "lerp: ends exchanged", {kShape, kShape, kShape},
      [](const auto& x) { return lerp(x[0], x[1], x[2]); },
      [](const LerpOp&, const RuleCall& call) {
        const Value& g = call.gradient();
        const Value& w = call.input(2);
        return InputGradients{g * w, g * (1 - w), g * (call.input(1) - call.input(0))};
      }));
  add(rule_mutant<LerpNumberOp>(
      "lerp: the number's share to both", {kShape, kShape},
      [](const auto& x) { return lerp(x[0], x[1], 0.25); },
      [](const LerpNumberOp& op, const RuleCall& call) {
        return InputGradients{call.gradient() * op.weight, call.gradient() * op.weight};
      }));
  const Build bounded = [](const auto& x) { return clamp(x[0], x[1] - 1, x[2] + 1); };
  add(rule_mutant<ClampTensorOp>(
      "clamp by tensors: the bounds have none", {kShape, kShape, kShape}, bounded,
      [](const ClampTensorOp&, const RuleCall& call) {
        const Value is_inside = eq(call.input(0), call.output());
        return InputGradients{masked_fill(call.gradient(), ~is_inside, 0), Value(), Value()};
      }));
  add(rule_mutant<ClampTensorOp>(
      "clamp by tensors: crossed bounds forgotten", {kShape, kShape, kShape}, bounded,
      [](const ClampTensorOp&, const RuleCall& call) {
        const Value below = lt(call.input(0), call.input(1));
        const Value above = gt(call.input(0), call.input(2));
        const auto where_held = [&](V taken) { return masked_fill(call.gradient(), ~taken, 0); };
        return InputGradients{where_held(~(below | above)), where_held(below), where_held(above)};
      }));
}

// Times x, whose gradient shows what is constant in steps.
void add_rounding(std::vector<Mutant>& all) {
  const auto add = [&](Mutant mutant) { all.push_back(std::move(mutant)); };
  add(of_one<FloorOp>(
      "floor: straight through", [](V x) { return floor(x) * x; }, [](V g, V, V) { return g; }));
  add(of_one<RoundOp>(
      "round: the fraction for its slope", [](V x) { return round(x) * x; },
      [](V g, V x, V y) { return g * (x - y); }));
  add(of_one<FracOp>(
      "frac: 0 as that of floor", [](V x) { return frac(x) + x * 0.5; },
      [](V g, V, V) { return g * 0; }));
}

}  // namespace of_elements
}  // namespace

std::vector<Mutant> elementwise_rule_mutants() {
  std::vector<Mutant> all;
  of_elements::add_functions(all);
  of_elements::add_several(all);
  of_elements::add_rounding(all);
  return all;
}

}  // namespace aclgrad::mutants
