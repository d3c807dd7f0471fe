// SPDX-License-Identifier: Apache-2.0
// Truth values, bits of integers, and tests of numbers. None of these has a gradient. Two tensors
// broadcast against each other.
#pragma once

#include <cstdint>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

namespace aclgrad {

// ---- Truth values -------------------------------------------------------------------------------

/// A bool tensor, of tensors of any dtypes: what is 0 is false, everything else, NaN too, is true.
Value logical_not(Operand x);
Value logical_and(Operand a, const Value& b);
Value logical_or(Operand a, const Value& b);
Value logical_xor(Operand a, const Value& b);

// ---- Bits ---------------------------------------------------------------------------------------

/// Bit by bit, of integers in two's complement in the dtype that both promote to, and of bool,
/// where they are the logical ones. Throw DTypeError for floating tensors, ValueError for a number
/// that the tensor's dtype cannot hold.
Value bitwise_not(Operand x);
Value bitwise_and(Operand a, const Value& b);
Value bitwise_or(Operand a, const Value& b);
Value bitwise_xor(Operand a, const Value& b);
Value bitwise_and(Operand a, std::int64_t number);
Value bitwise_or(Operand a, std::int64_t number);
Value bitwise_xor(Operand a, std::int64_t number);

inline Value operator~(Operand x) { return bitwise_not(x); }
inline Value operator&(Operand a, const Value& b) { return bitwise_and(a, b); }
inline Value operator|(Operand a, const Value& b) { return bitwise_or(a, b); }
inline Value operator^(Operand a, const Value& b) { return bitwise_xor(a, b); }
inline Value operator&(Operand a, std::int64_t b) { return bitwise_and(a, b); }
inline Value operator|(Operand a, std::int64_t b) { return bitwise_or(a, b); }
inline Value operator^(Operand a, std::int64_t b) { return bitwise_xor(a, b); }

/// The bits of a moved by as many places as b says, of integers in the dtype that both promote to;
/// to the right the sign stays. Moved by less than 0 or by all bits, 0 is left, or to the right -1
/// of negative numbers. Throw DTypeError for bool and floating tensors.
Value bitwise_left_shift(Operand a, const Value& b);
Value bitwise_left_shift(Operand a, std::int64_t number);
Value bitwise_right_shift(Operand a, const Value& b);
Value bitwise_right_shift(Operand a, std::int64_t number);

// ---- Tests --------------------------------------------------------------------------------------

/// A bool tensor: whether elements are NaN, finite, an infinity, that of one sign. Integers are
/// finite.
Value isnan(Operand x);
Value isfinite(Operand x);
Value isinf(Operand x);
Value isposinf(Operand x);
Value isneginf(Operand x);
/// Whether elements have a minus, as -0 has and NaN may.
Value signbit(Operand x);

/// How near isclose() wants numbers.
struct IsCloseOptions {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;  ///< whether NaN is close to NaN
};
/// Whether |a - b| <= atol + rtol |b|; equal infinities are close. Throws ValueError for a
/// tolerance that is negative or NaN.
Value isclose(Operand a, const Value& b, IsCloseOptions options = {});

struct IsCloseAttributes : IsCloseOptions {
  auto arguments() const { return named({"rtol", "atol", "equal_nan"}, rtol, atol, equal_nan); }
};

namespace calls {
extern const Declaration<> logical_not, logical_and, logical_or, logical_xor;
extern const Declaration<> bitwise_not, bitwise_and, bitwise_or, bitwise_xor;
extern const Declaration<> left_shift, right_shift;
extern const Declaration<> isfinite, isinf, isposinf, isneginf, signbit;
extern const Declaration<IsCloseAttributes> isclose;
}  // namespace calls

using LogicalNotOp = DeclaredOp<calls::logical_not>;
using LogicalAndOp = DeclaredOp<calls::logical_and>;
using LogicalOrOp = DeclaredOp<calls::logical_or>;
using LogicalXorOp = DeclaredOp<calls::logical_xor>;
using BitwiseNotOp = DeclaredOp<calls::bitwise_not>;
using BitwiseAndOp = DeclaredOp<calls::bitwise_and>;
using BitwiseOrOp = DeclaredOp<calls::bitwise_or>;
using BitwiseXorOp = DeclaredOp<calls::bitwise_xor>;
using LeftShiftOp = DeclaredOp<calls::left_shift>;
using RightShiftOp = DeclaredOp<calls::right_shift>;
using IsFiniteOp = DeclaredOp<calls::isfinite>;
using IsInfOp = DeclaredOp<calls::isinf>;
using IsPosInfOp = DeclaredOp<calls::isposinf>;
using IsNegInfOp = DeclaredOp<calls::isneginf>;
using SignbitOp = DeclaredOp<calls::signbit>;
using IsCloseOp = DeclaredOp<calls::isclose>;

}  // namespace aclgrad
