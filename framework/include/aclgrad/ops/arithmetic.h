// SPDX-License-Identifier: Apache-2.0
// Addition, subtraction, multiplication and division, the larger and the smaller of two elements;
// the usual functions, powers, bounds, comparisons and choices. More functions are in functions.h,
// rounding in rounding.h, truth values, bits and tests in logic.h.
// Two tensors broadcast against each other and promote to their common dtype. A number must be one
// that the dtype of the result can hold, be it rounded: ValueError names it and the range, where
// 1e9 would be an infinity of float16, or 0.5 no int32 at all.
#pragma once

#include <optional>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

namespace aclgrad {

/// a + alpha b.
Value add(Operand a, const Value& b, double alpha = 1);

/// a - alpha b.
Value sub(Operand a, const Value& b, double alpha = 1);

/// a b.
Value mul(Operand a, const Value& b);

/// a / b, in float32 where neither is floating.
Value div(Operand a, const Value& b);
Value div(Operand a, double number);

/// The larger or smaller of two elements; NaN when one of them is. The gradient goes to the element
/// that was taken: to the one that is NaN, and to b's where both are equal or NaN.
Value maximum(Operand a, const Value& b);
Value minimum(Operand a, const Value& b);

/// a + number and a number, of a's dtype. Throw ValueError when a is bool. To a uint8 a negative
/// number adds as its remainder by 256: x - 1 is x + 255.
Value add(Operand a, double number);
Value mul(Operand a, double number);

inline Value operator+(Operand a, const Value& b) { return add(a, b); }
inline Value operator-(Operand a, const Value& b) { return sub(a, b); }
inline Value operator*(Operand a, const Value& b) { return mul(a, b); }
inline Value operator/(Operand a, const Value& b) { return div(a, b); }
inline Value operator/(Operand a, double b) { return div(a, b); }

// x += y is x = x + y: the handle then stands for the sum.
inline Value& operator+=(Value& a, Operand b) { return a = add({a, b.where}, b); }
inline Value& operator-=(Value& a, Operand b) { return a = sub({a, b.where}, b); }
inline Value& operator*=(Value& a, Operand b) { return a = mul({a, b.where}, b); }
inline Value operator+(Operand a, double b) { return add(a, b); }
inline Value operator-(Operand a, double b) { return add(a, -b); }
inline Value operator*(Operand a, double b) { return mul(a, b); }
Value operator/(double a, Operand b);  // of a floating b
inline Value operator+(double a, Operand b) { return add(b, a); }
inline Value operator-(double a, Operand b) { return add({mul(b, -1), b.where}, a); }
inline Value operator*(double a, Operand b) { return mul(b, a); }
inline Value operator-(Operand a) { return mul(a, -1); }

struct AddAttributes {
  double alpha;
  auto arguments() const { return named({"alpha"}, alpha); }
  std::string text() const;
};
struct NumberAttributes {
  double number;
  auto arguments() const { return named({"number"}, number); }
  std::string text() const;
};
struct AddNumberAttributes : NumberAttributes {
  auto arguments() const { return named({"number", "alpha"}, number, 1.0); }
};

namespace calls {
extern const Declaration<AddAttributes> add, sub;
extern const Declaration<> mul, div, maximum, minimum;
extern const Declaration<AddNumberAttributes> adds;
extern const Declaration<NumberAttributes> muls, divs;
}  // namespace calls

using AddOp = DeclaredOp<calls::add>;
using SubOp = DeclaredOp<calls::sub>;
using MulOp = DeclaredOp<calls::mul>;
using DivOp = DeclaredOp<calls::div>;
using MaximumOp = DeclaredOp<calls::maximum>;
using MinimumOp = DeclaredOp<calls::minimum>;
using AddNumberOp = DeclaredOp<calls::adds>;
using MulNumberOp = DeclaredOp<calls::muls>;
using DivNumberOp = DeclaredOp<calls::divs>;

// ---- Functions ----------------------------------------------------------------------------------
// Elementwise functions and their gradients. The result has the shape and dtype of x, which must be
// floating; a gradient and the tensor beside it are of one shape and dtype. Throw DTypeError and
// ShapeError otherwise.

/// e^x.
Value exp(Operand x);
/// The natural logarithm.
Value log(Operand x);
/// The square root.
Value sqrt(Operand x);
/// 1 / sqrt(x).
Value rsqrt(Operand x);
/// 1 / x.
Value reciprocal(Operand x);
/// Sine and cosine of x in radians.
Value sin(Operand x);
Value cos(Operand x);
/// The error function 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x.
Value erf(Operand x);
/// |x|; its gradient at 0 is 0.
Value abs(Operand x);
/// 1, -1, or x where it is 0 or NaN; its gradient is 0.
Value sign(Operand x);
/// -x; int8, int32 and int64 too.
Value neg(Operand x);

namespace calls {
extern const Declaration<> exp, log, sqrt, rsqrt, reciprocal, sin, cos, erf, neg, abs, sign;
}  // namespace calls

using ExpOp = DeclaredOp<calls::exp>;
using LogOp = DeclaredOp<calls::log>;
using SqrtOp = DeclaredOp<calls::sqrt>;
using RsqrtOp = DeclaredOp<calls::rsqrt>;
using ReciprocalOp = DeclaredOp<calls::reciprocal>;
using SinOp = DeclaredOp<calls::sin>;
using CosOp = DeclaredOp<calls::cos>;
using ErfOp = DeclaredOp<calls::erf>;
using NegOp = DeclaredOp<calls::neg>;
using AbsOp = DeclaredOp<calls::abs>;
using SignOp = DeclaredOp<calls::sign>;

// ---- Powers, bounds, comparisons, choices -------------------------------------------------------
// Powers, bounds, comparisons and choices. Tensors broadcast against each other and promote to
// their common dtype. A number must be one that the tensor's dtype can hold, be it rounded:
// ValueError names it and the range, where -1e9 would be an infinity of float16, or 0.5 no int32.

/// x^exponent, by the rules of C's pow: x^0 is 1, a negative x has no power of a fraction (NaN).
/// x is floating. The gradient with respect to the exponent is 0 where x is.
Value pow(Operand x, double exponent);
Value pow(Operand x, const Value& exponent);
/// number^exponent, of a floating exponent.
Value pow(double number, Operand exponent);

/// Bounds of clamp; one may be left out.
struct ClampBounds {
  std::optional<double> min = std::nullopt;
  std::optional<double> max = std::nullopt;
};
/// x held within the bounds: clamp(x, {.min = 0, .max = 6}), and max where min > max. The gradient
/// is 0 where x is outside. Where x or a bound is NaN, the result and the gradient are. Throws
/// ValueError without bounds.
Value clamp(Operand x, ClampBounds bounds);
/// x held within tensors, one of which may be an empty Value, and max where min > max. The gradient
/// goes to what was taken, to x where it is equal to a bound, to min where the bounds are equal and
/// x is below. Where one is NaN, the result and all gradients are.
Value clamp(Operand x, const Value& min, const Value& max);

/// A bool tensor: whether a > b and so on; NaN compares with nothing, but is not equal to anything.
/// Comparisons have no gradient.
Value gt(Operand a, const Value& b);
Value ge(Operand a, const Value& b);
Value lt(Operand a, const Value& b);
Value le(Operand a, const Value& b);
Value eq(Operand a, const Value& b);
Value ne(Operand a, const Value& b);
/// Comparisons with a number, which is rounded to a's dtype.
Value gt(Operand a, double number);
Value ge(Operand a, double number);
Value lt(Operand a, double number);
Value le(Operand a, double number);
Value eq(Operand a, double number);
Value ne(Operand a, double number);

/// a where the condition holds, b elsewhere. The condition is bool or uint8. The gradient goes to
/// the tensor that was chosen. Throws DTypeError for another condition.
Value where(Operand condition, const Value& a, const Value& b);

/// The number where the mask holds, x elsewhere, where the gradient goes. For scores that a softmax
/// is to leave out it is -infinity, in every dtype; a row of nothing else is NaN then.
Value masked_fill(Operand x, const Value& mask, double number);

/// x + factor a b and x + factor a / b, of floating tensors.
Value addcmul(Operand x, const Value& a, const Value& b, double factor = 1);
Value addcdiv(Operand x, const Value& a, const Value& b, double factor = 1);

struct PowAttributes {
  double exponent;
  auto arguments() const { return named({"exponent"}, exponent); }
};
struct ClampAttributes : ClampBounds {
  auto arguments() const { return named({"min", "max"}, min, max); }
  std::string text() const;
};
struct ClampTensorAttributes {
  bool has_min, has_max;
  auto arguments() const { return named({"min", "max"}, has_min, has_max); }
};
struct CompareAttributes {
  double number;
  auto arguments() const { return named({"number"}, number); }
};
struct FactorAttributes {
  double factor;
  auto arguments() const { return named({"factor"}, factor); }
};

namespace calls {
extern const Declaration<PowAttributes> pow_number;
extern const Declaration<> pow;
extern const Declaration<NumberAttributes> pow_of_number;
extern const Declaration<ClampAttributes> clamp;
extern const Declaration<ClampTensorAttributes> clamp_tensor;
extern const Declaration<> gt, ge, lt, le, eq, ne;
extern const Declaration<CompareAttributes> gt_number, ge_number, lt_number, le_number, eq_number,
    ne_number;
extern const Declaration<> where;
extern const Declaration<FactorAttributes> addcmul, addcdiv;
}  // namespace calls

using PowNumberOp = DeclaredOp<calls::pow_number>;
using PowOp = DeclaredOp<calls::pow>;
using PowOfNumberOp = DeclaredOp<calls::pow_of_number>;
using ClampOp = DeclaredOp<calls::clamp>;
using ClampTensorOp = DeclaredOp<calls::clamp_tensor>;
using GtOp = DeclaredOp<calls::gt>;
using GeOp = DeclaredOp<calls::ge>;
using LtOp = DeclaredOp<calls::lt>;
using LeOp = DeclaredOp<calls::le>;
using EqOp = DeclaredOp<calls::eq>;
using NeOp = DeclaredOp<calls::ne>;
using GtNumberOp = DeclaredOp<calls::gt_number>;
using GeNumberOp = DeclaredOp<calls::ge_number>;
using LtNumberOp = DeclaredOp<calls::lt_number>;
using LeNumberOp = DeclaredOp<calls::le_number>;
using EqNumberOp = DeclaredOp<calls::eq_number>;
using NeNumberOp = DeclaredOp<calls::ne_number>;
using WhereOp = DeclaredOp<calls::where>;
using AddcmulOp = DeclaredOp<calls::addcmul>;
using AddcdivOp = DeclaredOp<calls::addcdiv>;

}  // namespace aclgrad
