// SPDX-License-Identifier: Apache-2.0
// Powers, bounds, comparisons and choices. Tensors broadcast against each other and promote to
// their common dtype. A number must be one that the tensor's dtype can hold, be it rounded:
// ValueError names it and the range, where -1e9 would be an infinity of float16, or 0.5 no int32.
#ifndef ACLGRAD_OPS_SELECTION_H_
#define ACLGRAD_OPS_SELECTION_H_

#include <optional>
#include <source_location>

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"

namespace aclgrad {

/// x^exponent, by the rules of C's pow: x^0 is 1, a negative x has no power of a fraction (NaN).
/// x is floating. The gradient with respect to the exponent is 0 where x is.
Value pow(const Value& x, double exponent,
          std::source_location where = std::source_location::current());
Value pow(const Value& x, const Value& exponent,
          std::source_location where = std::source_location::current());

/// Bounds of clamp; one may be left out.
struct ClampBounds {
  std::optional<double> min = std::nullopt;
  std::optional<double> max = std::nullopt;
};
/// x held within the bounds: clamp(x, {.min = 0, .max = 6}), and min where min > max. The gradient
/// is 0 where x is outside. Where x or a bound is NaN, the result and the gradient are. Throws
/// ValueError without bounds.
Value clamp(const Value& x, ClampBounds bounds,
            std::source_location where = std::source_location::current());

/// A bool tensor: whether a > b and so on; NaN compares with nothing, but is not equal to anything.
/// Comparisons have no gradient.
Value gt(const Value& a, const Value& b,
         std::source_location where = std::source_location::current());
Value ge(const Value& a, const Value& b,
         std::source_location where = std::source_location::current());
Value lt(const Value& a, const Value& b,
         std::source_location where = std::source_location::current());
Value le(const Value& a, const Value& b,
         std::source_location where = std::source_location::current());
Value eq(const Value& a, const Value& b,
         std::source_location where = std::source_location::current());
Value ne(const Value& a, const Value& b,
         std::source_location where = std::source_location::current());
/// The same with a number, which is rounded to a's dtype.
Value gt(const Value& a, double number,
         std::source_location where = std::source_location::current());
Value ge(const Value& a, double number,
         std::source_location where = std::source_location::current());
Value lt(const Value& a, double number,
         std::source_location where = std::source_location::current());
Value le(const Value& a, double number,
         std::source_location where = std::source_location::current());
Value eq(const Value& a, double number,
         std::source_location where = std::source_location::current());
Value ne(const Value& a, double number,
         std::source_location where = std::source_location::current());

/// a where the condition holds, b elsewhere. The condition is bool or uint8. The gradient goes to
/// the tensor that was chosen. Throws DTypeError for another condition.
Value where(const Value& condition, const Value& a, const Value& b,
            std::source_location where = std::source_location::current());

/// The number where the mask holds, x elsewhere, where the gradient goes. For scores that a softmax
/// is to leave out it is -infinity, in every dtype; a row of nothing else is NaN then.
Value masked_fill(const Value& x, const Value& mask, double number,
                  std::source_location where = std::source_location::current());

/// x + factor a b and x + factor a / b, of floating tensors.
Value addcmul(const Value& x, const Value& a, const Value& b, double factor = 1,
              std::source_location where = std::source_location::current());
Value addcdiv(const Value& x, const Value& a, const Value& b, double factor = 1,
              std::source_location where = std::source_location::current());

struct PowAttributes {
  double exponent;
  auto arguments() const { return named({"exponent"}, exponent); }
};
struct ClampAttributes : ClampBounds {
  std::string text() const;
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
extern const Declaration<ClampAttributes> clamp;
extern const Declaration<> gt, ge, lt, le, eq, ne;
extern const Declaration<CompareAttributes> gt_number, ge_number, lt_number, le_number, eq_number,
    ne_number;
extern const Declaration<> where;
extern const Declaration<FactorAttributes> addcmul, addcdiv;
}  // namespace calls

using PowNumberOp = DeclaredOp<calls::pow_number>;
using PowOp = DeclaredOp<calls::pow>;
using ClampOp = DeclaredOp<calls::clamp>;
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

#endif  // ACLGRAD_OPS_SELECTION_H_
