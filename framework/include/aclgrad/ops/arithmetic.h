// SPDX-License-Identifier: Apache-2.0
// Addition, subtraction and multiplication, elementwise. Two tensors broadcast against each other
// and promote to their common dtype.
#ifndef ACLGRAD_OPS_ARITHMETIC_H_
#define ACLGRAD_OPS_ARITHMETIC_H_

#include <source_location>

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

/// a + number and a number, of a's dtype. Throw DTypeError when a is not floating and the number is
/// not whole, ValueError when a is bool.
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
inline Value operator+(Operand a, double b) { return add(a.value, b, a.where); }
inline Value operator-(Operand a, double b) { return add(a.value, -b, a.where); }
inline Value operator*(Operand a, double b) { return mul(a.value, b, a.where); }
inline Value operator+(double a, Operand b) { return add(b.value, a, b.where); }
inline Value operator-(double a, Operand b) { return add(mul(b.value, -1, b.where), a, b.where); }
inline Value operator*(double a, Operand b) { return mul(b.value, a, b.where); }
inline Value operator-(Operand a) { return mul(a.value, -1, a.where); }

struct AddOp final : ElementwiseOp {
  double alpha;

  explicit AddOp(double alpha_) : alpha(alpha_) {}
  std::string_view name() const override { return "add"; }
  std::string_view call_name() const override { return "aclnnAdd"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct SubOp final : ElementwiseOp {
  double alpha;

  explicit SubOp(double alpha_) : alpha(alpha_) {}
  std::string_view name() const override { return "sub"; }
  std::string_view call_name() const override { return "aclnnSub"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct MulOp final : ElementwiseOp {
  std::string_view name() const override { return "mul"; }
  std::string_view call_name() const override { return "aclnnMul"; }
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct AddNumberOp final : ElementwiseOp {
  double number;

  explicit AddNumberOp(double number_) : number(number_) {}
  std::string_view name() const override { return "adds"; }
  std::string_view call_name() const override { return "aclnnAdds"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct MulNumberOp final : ElementwiseOp {
  double number;

  explicit MulNumberOp(double number_) : number(number_) {}
  std::string_view name() const override { return "muls"; }
  std::string_view call_name() const override { return "aclnnMuls"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_ARITHMETIC_H_
