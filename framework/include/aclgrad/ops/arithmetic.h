// SPDX-License-Identifier: Apache-2.0
// Addition, subtraction, multiplication and division, the larger and the smaller of two elements.
// Two tensors broadcast against each other and promote to their common dtype. A number must be one
// that the dtype of the result can hold, be it rounded: ValueError names it and the range, where
// 1e9 would be an infinity of float16, or 0.5 no int32 at all.
#ifndef ACLGRAD_OPS_ARITHMETIC_H_
#define ACLGRAD_OPS_ARITHMETIC_H_

#include <source_location>

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"

namespace aclgrad {

/// a + alpha b.
Value add(const Value& a, const Value& b, double alpha = 1,
          std::source_location where = std::source_location::current());

/// a - alpha b.
Value sub(const Value& a, const Value& b, double alpha = 1,
          std::source_location where = std::source_location::current());

/// a b.
Value mul(const Value& a, const Value& b,
          std::source_location where = std::source_location::current());

/// a / b, in float32 where neither is floating.
Value div(const Value& a, const Value& b,
          std::source_location where = std::source_location::current());
Value div(const Value& a, double number,
          std::source_location where = std::source_location::current());

/// The larger or smaller of two elements; NaN when one of them is. The gradient goes to the element
/// that was taken: to the one that is NaN, and to b's where both are equal or NaN.
Value maximum(const Value& a, const Value& b,
              std::source_location where = std::source_location::current());
Value minimum(const Value& a, const Value& b,
              std::source_location where = std::source_location::current());

/// a + number and a number, of a's dtype. Throw ValueError when a is bool. To a uint8 a negative
/// number adds as its remainder by 256: x - 1 is x + 255.
Value add(const Value& a, double number,
          std::source_location where = std::source_location::current());
Value mul(const Value& a, double number,
          std::source_location where = std::source_location::current());

/// An operand of an operator together with the line that wrote it: operators cannot have a default
/// argument, so the conversion of the left operand carries the location.
struct Operand {
  Value value;
  std::source_location where;
  Operand(const Value& operand,  // NOLINT: the implicit conversion is the point
          std::source_location here = std::source_location::current())
      : value(operand), where(here) {}
};

inline Value operator+(Operand a, const Value& b) { return add(a.value, b, 1, a.where); }
inline Value operator-(Operand a, const Value& b) { return sub(a.value, b, 1, a.where); }
inline Value operator*(Operand a, const Value& b) { return mul(a.value, b, a.where); }
inline Value operator/(Operand a, const Value& b) { return div(a.value, b, a.where); }
inline Value operator/(Operand a, double b) { return div(a.value, b, a.where); }

// x += y is x = x + y: the handle then stands for the sum.
inline Value& operator+=(Value& a, Operand b) { return a = add(a, b.value, 1, b.where); }
inline Value& operator-=(Value& a, Operand b) { return a = sub(a, b.value, 1, b.where); }
inline Value& operator*=(Value& a, Operand b) { return a = mul(a, b.value, b.where); }
inline Value operator+(Operand a, double b) { return add(a.value, b, a.where); }
inline Value operator-(Operand a, double b) { return add(a.value, -b, a.where); }
inline Value operator*(Operand a, double b) { return mul(a.value, b, a.where); }
Value operator/(double a, Operand b);  // of a floating b
inline Value operator+(double a, Operand b) { return add(b.value, a, b.where); }
inline Value operator-(double a, Operand b) { return add(mul(b.value, -1, b.where), a, b.where); }
inline Value operator*(double a, Operand b) { return mul(b.value, a, b.where); }
inline Value operator-(Operand a) { return mul(a.value, -1, a.where); }

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

namespace calls {
extern const Declaration<AddAttributes> add, sub;
extern const Declaration<> mul, div, maximum, minimum;
extern const Declaration<NumberAttributes> adds, muls, divs;
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

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_ARITHMETIC_H_
