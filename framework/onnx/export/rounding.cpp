// SPDX-License-Identifier: Apache-2.0
// Rounding, quotients that are rounded, and what they leave. Of integers ONNX leaves open what a
// division by 0 gives.
#include "aclgrad/ops/rounding.h"

#include <cmath>
#include <limits>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

Term trunc_of(const Term& x) {
  return where(test("Less", {x, number(x, 0)}), op("Ceil", {x}), op("Floor", {x}));
}

// To so many decimals; integers only lose digits.
Term rounded_to(const Term& x, std::int64_t decimals) {
  if (!is_floating(x.dtype)) {
    return decimals >= 0 ? x : cast(rounded_to(cast(x, DType::float64), decimals), x.dtype);
  }
  const double scale = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  return decimals >= 0 ? op("Round", {x * scale}) / scale : op("Round", {x / scale}) * scale;
}

// ONNX's Mod: of floating numbers C's fmod alone.
Term mod(const Term& a, const Term& b, bool is_fmod) {
  return op("Mod", {a, b}, {{"fmod", std::int64_t{is_fmod}}});
}

// Where the rest and the divisor have different signs, and there is a rest.
Term is_below(const Term& rest, const Term& b) {
  return test("Less", {op("Sign", {rest}) * op("Sign", {b}), number(b, 0)});
}

Term remainder_of(const Term& a, const Term& b) {
  if (!is_floating(a.dtype)) return mod(a, b, false);
  const Term rest = mod(a, b, true);
  return where(is_below(rest, b), rest + b, rest);
}

// (a - rest) / b is whole but for its rounding, which a / b rounded down is not always.
Term floor_divided(const Term& a, const Term& b) {
  if (!is_floating(a.dtype)) return (a - mod(a, b, false)) / b;
  const Term rest = mod(a, b, true);
  const Term whole = op("Round", {(a - rest) / b});
  const Term quotient = where(is_below(rest, b), whole - 1, whole);
  return where(test("Equal", {b, number(b, 0)}), a / b, quotient);
}

Term with_numbers(const Term& x, const NanToNumAttributes& a) {
  const Term infinity = number(x, std::numeric_limits<double>::infinity());
  const Term finite =
      where(test("Equal", {x, infinity}), number(x, a.posinf),
            where(test("Equal", {op("Neg", {x}), infinity}), number(x, a.neginf), x));
  return where(test("IsNaN", {x}), number(x, a.nan), finite);
}

// Integers are rounded already.
template <class OpType>
void of_one(Table& table, Term (*formula)(const Term& x)) {
  table.add<OpType>([formula](auto&, Call& call) {
    if (!is_floating(call.dtype(0))) return call.input(0);
    return call.narrowed(formula(call.usual(0)));
  });
}

template <class OpType>
void of_two(Table& table, Term (*formula)(const Term& a, const Term& b)) {
  table.add<OpType>([formula](auto&, Call& call) {
    const std::vector<Term> both = call.promoted();
    return call.narrowed(formula(widened(both[0]), widened(both[1])));
  });
}

}  // namespace

void add_rounding(Table& table) {
  of_one<FloorOp>(table, [](auto& x) { return op("Floor", {x}); });
  of_one<CeilOp>(table, [](auto& x) { return op("Ceil", {x}); });
  of_one<RoundOp>(table, [](auto& x) { return op("Round", {x}); });
  of_one<TruncOp>(table, trunc_of);
  table.add<FracOp>([](auto&, Call& call) {
    const Term x = call.wide(0);
    return call.narrowed(is_floating(x.dtype) ? x - trunc_of(x) : x * number(x, 0));
  });
  table.add<RoundDecimalsOp>(
      [](auto& a, Call& call) { return call.narrowed(rounded_to(call.wide(0), a.decimals)); });
  of_two<FloorDivideOp>(table, floor_divided);
  of_two<TruncDivideOp>(
      table, [](auto& a, auto& b) { return is_floating(a.dtype) ? trunc_of(a / b) : a / b; });
  of_two<RemainderOp>(table, remainder_of);
  of_two<FmodOp>(table, [](auto& a, auto& b) { return mod(a, b, true); });
  table.refused<GcdOp>("ONNX has no divisors");
  table.add<NanToNumOp>(
      [](auto& a, Call& call) { return call.narrowed(with_numbers(call.usual(0), a)); });
}

}  // namespace aclgrad::onnx::saving
