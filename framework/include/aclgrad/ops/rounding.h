// SPDX-License-Identifier: Apache-2.0
// Rounding, quotients that are rounded with their remainders, and numbers in the place of NaN and
// infinities. Floating tensors and whole numbers, but no bool: DTypeError. Two tensors broadcast
// against each other and promote to their common dtype; a number must be one that the tensor's
// dtype can hold, be it rounded, or ValueError names it and the range. Values and gradients are
// those of PyTorch's functions of the same names.
#pragma once

#include <cstdint>
#include <optional>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

namespace aclgrad {

// ---- Rounding -----------------------------------------------------------------------------------

/// The largest whole number that is not above x, and the smallest that is not below it. The
/// gradients of these and of the next two are 0.
Value floor(Operand x);
Value ceil(Operand x);
/// x without its fraction.
Value trunc(Operand x);
/// The nearest number of so many decimals, of two that are as near the even one: 0.5 gives 0, 1.5
/// and 2.5 give 2. With a minus so many digits before the point are rounded away. Throws DTypeError
/// for integers but int32 and int64.
Value round(Operand x, std::int64_t decimals = 0);
/// The fraction of x, with its sign: x - trunc(x). The gradient goes through.
Value frac(Operand x);

// ---- Quotients and remainders -------------------------------------------------------------------

/// How a quotient is rounded: down, or towards 0.
enum class Rounding : std::uint8_t { floor, trunc };

/// a / b rounded, in the dtype that both promote to, with a gradient of 0. Integers divided by 0
/// give 0. div(a, b) of arithmetic.h is the true quotient.
Value div(Operand a, const Value& b, Rounding rounding);
Value div(Operand a, double number, Rounding rounding);
/// a / b rounded down.
Value floor_divide(Operand a, const Value& b);
Value floor_divide(Operand a, double number);

/// a - b floor(a / b), which has the sign of b. The gradient with respect to b is -floor(a / b).
/// Of floating numbers it is NaN for b = 0 and an infinite a; of integers 0 for b = 0.
Value remainder(Operand a, const Value& b);
Value remainder(Operand a, double number);
Value remainder(double number, Operand b);
/// a - b trunc(a / b), which has the sign of a; for the rest as remainder.
Value fmod(Operand a, const Value& b);
Value fmod(Operand a, double number);

/// The largest integer that divides both, not negative; of int32 and int64 alone.
Value gcd(Operand a, const Value& b);

// ---- Other numbers ------------------------------------------------------------------------------

/// What nan_to_num() puts in the place of NaN and infinities.
struct NanToNumOptions {
  double nan = 0;
  std::optional<double> posinf = std::nullopt;  ///< of x's dtype the largest number
  std::optional<double> neginf = std::nullopt;  ///< of x's dtype the lowest
};
/// x with numbers in the place of NaN and infinities. The gradient is 0 in their places. Throws
/// ValueError for a number that x's dtype cannot hold; bool and integers stay as they are.
Value nan_to_num(Operand x, NanToNumOptions options = {});

struct RoundAttributes {
  std::int64_t decimals;
  auto arguments() const { return named({"decimals"}, decimals); }
};
struct NanToNumAttributes {
  double nan;
  double posinf;
  double neginf;
  auto arguments() const { return named({"nan", "posinf", "neginf"}, nan, posinf, neginf); }
};

namespace calls {
extern const Declaration<> floor, ceil, trunc, round, frac;
extern const Declaration<RoundAttributes> round_decimals;
extern const Declaration<> floor_divide, trunc_divide, remainder, fmod, gcd;
extern const Declaration<NanToNumAttributes> nan_to_num;
}  // namespace calls

using FloorOp = DeclaredOp<calls::floor>;
using CeilOp = DeclaredOp<calls::ceil>;
using TruncOp = DeclaredOp<calls::trunc>;
using RoundOp = DeclaredOp<calls::round>;
using RoundDecimalsOp = DeclaredOp<calls::round_decimals>;
using FracOp = DeclaredOp<calls::frac>;
using FloorDivideOp = DeclaredOp<calls::floor_divide>;
using TruncDivideOp = DeclaredOp<calls::trunc_divide>;
using RemainderOp = DeclaredOp<calls::remainder>;
using FmodOp = DeclaredOp<calls::fmod>;
using GcdOp = DeclaredOp<calls::gcd>;
using NanToNumOp = DeclaredOp<calls::nan_to_num>;

}  // namespace aclgrad
