// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/logic.h"

#include <limits>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

// What is not 0 is true, NaN too.
Term truth(const Term& x) { return cast(x, DType::boolean); }

template <class OpType>
void of_truths(Table& table, const char* name) {
  table.add<OpType>([name](auto&, Call& call) {
    return test(name, {truth(call.input(0)), truth(call.input(1))});
  });
}

// Of bool these are the logical ones.
template <class OpType>
void of_bits(Table& table, const char* of_bool) {
  table.add<OpType>([of_bool](auto&, Call& call) {
    const std::vector<Term> both = call.promoted();
    if (both[0].dtype != DType::boolean) {
      refuse("ONNX has bits of integers from opset 18 on, and files are written in opset 17");
    }
    return test(of_bool, both);
  });
}

template <class OpType>
void shift(Table& table, const char* direction) {
  table.add<OpType>([direction](auto&, Call& call) {
    const std::vector<Term> both = call.promoted();
    if (both[0].dtype != DType::uint8) refuse("ONNX shifts bits of unsigned integers only");
    return op("BitShift", both, {{"direction", std::string(direction)}});
  });
}

// Integers are finite. ONNX's IsInf does not know 16 bits.
Term is_infinite(const Term& x, bool below, bool above) {
  if (!is_floating(x.dtype)) return op("Not", {test("Equal", {x, x})});
  return test("IsInf", {widened(x)},
              {{"detect_negative", std::int64_t{below}}, {"detect_positive", std::int64_t{above}}});
}

template <class OpType>
void of_infinities(Table& table, bool below, bool above) {
  table.add<OpType>([=](auto&, Call& call) { return is_infinite(call.input(0), below, above); });
}

// Whether a minus is there: 1 / -0 is below 0. The sign of a NaN is not to be seen.
Term has_sign(const Term& x) {
  const Term is_below = test("Less", {x, number(x, 0)});
  if (!is_floating(x.dtype)) return is_below;
  return test("Or", {is_below, test("Less", {op("Reciprocal", {x}), number(x, 0)})});
}

// Infinities are close to themselves alone.
Term are_close(const Term& a, const Term& b, const IsCloseAttributes& options) {
  const Term distance = op("Abs", {a - b});
  const Term bound = op("Abs", {b}) * options.rtol + options.atol;
  const Term is_finite =
      test("Less", {distance, number(a, std::numeric_limits<double>::infinity())});
  Term close = test("And", {is_finite, test("LessOrEqual", {distance, bound})});
  close = test("Or", {close, test("Equal", {a, b})});
  if (!options.equal_nan) return close;
  return test("Or", {close, test("And", {test("IsNaN", {a}), test("IsNaN", {b})})});
}

}  // namespace

void add_logic(Table& table) {
  table.add<LogicalNotOp>([](auto&, Call& call) { return op("Not", {truth(call.input(0))}); });
  of_truths<LogicalAndOp>(table, "And");
  of_truths<LogicalOrOp>(table, "Or");
  of_truths<LogicalXorOp>(table, "Xor");

  table.add<BitwiseNotOp>([](auto&, Call& call) {
    const Term x = call.input(0);
    if (x.dtype == DType::boolean) return op("Not", {x});
    // In two's complement -1 - x, of unsigned bytes 255 - x; runtimes subtract no small integers.
    const Term wide = x.dtype == DType::int64 ? x : cast(x, DType::int32);
    return cast((x.dtype == DType::uint8 ? 255.0 : -1.0) - wide, x.dtype);
  });
  of_bits<BitwiseAndOp>(table, "And");
  of_bits<BitwiseOrOp>(table, "Or");
  of_bits<BitwiseXorOp>(table, "Xor");
  shift<LeftShiftOp>(table, "LEFT");
  shift<RightShiftOp>(table, "RIGHT");

  of_infinities<IsInfOp>(table, true, true);
  of_infinities<IsPosInfOp>(table, false, true);
  of_infinities<IsNegInfOp>(table, true, false);
  table.add<IsFiniteOp>([](auto&, Call& call) {
    const Term x = call.input(0);
    const Term is_infinity = is_infinite(x, true, true);
    if (!is_floating(x.dtype)) return op("Not", {is_infinity});
    return op("Not", {test("Or", {is_infinity, test("IsNaN", {x})})});
  });
  table.add<SignbitOp>([](auto&, Call& call) { return has_sign(call.input(0)); });
  table.add<IsCloseOp>([](auto& a, Call& call) {
    const std::vector<Term> both = call.promoted();
    const bool is_wide = both[0].dtype == DType::float32 || both[0].dtype == DType::float64;
    // Differences of integers in double, as they may not fit.
    const DType dtype = is_floating(both[0].dtype) ? DType::float32 : DType::float64;
    return are_close(is_wide ? both[0] : cast(both[0], dtype),
                     is_wide ? both[1] : cast(both[1], dtype), a);
  });
}

}  // namespace aclgrad::onnx::saving
