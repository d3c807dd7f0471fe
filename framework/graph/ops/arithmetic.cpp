// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/arithmetic.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/ops/activation.h"
#include "aclgrad/record.h"
#include "aclgrad/tensor.h"
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_addcdiv.h"
#include "aclnnop/aclnn_addcmul.h"
#include "aclnnop/aclnn_clamp.h"
#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_eq_scalar.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_ge_scalar.h"
#include "aclnnop/aclnn_ge_tensor.h"
#include "aclnnop/aclnn_gt_scalar.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_le_scalar.h"
#include "aclnnop/aclnn_le_tensor.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_lt_scalar.h"
#include "aclnnop/aclnn_lt_tensor.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_ne_scalar.h"
#include "aclnnop/aclnn_ne_tensor.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_pow_tensor_tensor.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_s_where.h"
#include "aclnnop/aclnn_sign.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_sub.h"
#include "graph/ops/families.h"

namespace aclgrad {
namespace {

template <class OpType>
Value record_binary(const Value& a, const Value& b, typename OpType::Attributes attributes,
                    std::source_location where) {
  Recorder record(OpType::declaration().name, {a, b}, where);
  const DType dtype = Recorder::promote(a.dtype(), b.dtype());
  if constexpr (requires { attributes.alpha; }) {
    if (attributes.alpha != 1) record.require_holds(dtype, attributes.alpha, "alpha");
  }
  return record.add<OpType>(attributes, {record.broadcast(a.shape(), b.shape()), dtype});
}

// Quotients of whole numbers are no whole numbers.
DType quotient_dtype(DType dtype) { return is_floating(dtype) ? dtype : DType::float32; }

template <class OpType>
Value record_with_number(const Value& a, double number, std::source_location where) {
  Recorder record(OpType::declaration().name, {a}, where);
  if (a.dtype() == DType::boolean) record.value_error("no arithmetic of bool with a number");
  // x - 1 is x + -1, in uint8 as well, where it wraps.
  const bool wraps = a.dtype() == DType::uint8 && number < 0;
  record.require_holds(a.dtype(), wraps ? -number : number, "the number");
  return record.add<OpType>({number}, record.like(0));
}

}  // namespace

Value add(const Value& a, const Value& b, double alpha, std::source_location where) {
  return record_binary<AddOp>(a, b, {alpha}, where);
}
Value sub(const Value& a, const Value& b, double alpha, std::source_location where) {
  return record_binary<SubOp>(a, b, {alpha}, where);
}
Value mul(const Value& a, const Value& b, std::source_location where) {
  return record_binary<MulOp>(a, b, {}, where);
}
Value div(const Value& a, const Value& b, std::source_location where) {
  Recorder record("div", {a, b}, where);
  return record.add<DivOp>({}, {record.broadcast(a.shape(), b.shape()),
                                quotient_dtype(Recorder::promote(a.dtype(), b.dtype()))});
}
Value div(const Value& a, double number, std::source_location where) {
  Recorder record("divs", {a}, where);
  record.require_holds(quotient_dtype(a.dtype()), number, "the number");
  return record.add<DivNumberOp>({number}, {a.shape(), quotient_dtype(a.dtype())});
}
Value operator/(double a, Operand b) { return mul(reciprocal(b.value, b.where), a, b.where); }
Value maximum(const Value& a, const Value& b, std::source_location where) {
  return record_binary<MaximumOp>(a, b, {}, where);
}
Value minimum(const Value& a, const Value& b, std::source_location where) {
  return record_binary<MinimumOp>(a, b, {}, where);
}
Value add(const Value& a, double number, std::source_location where) {
  return record_with_number<AddNumberOp>(a, number, where);
}
Value mul(const Value& a, double number, std::source_location where) {
  return record_with_number<MulNumberOp>(a, number, where);
}

std::string AddAttributes::text() const {
  return alpha == 1 ? std::string{} : fmt::format("alpha={}", alpha);
}
std::string NumberAttributes::text() const { return fmt::format("{}", number); }

namespace calls {

ACLGRAD_CALL(add, aclnnAdd, elementwise, AddAttributes)
ACLGRAD_CALL(sub, aclnnSub, elementwise, AddAttributes)
ACLGRAD_CALL(mul, aclnnMul, elementwise)

ACLGRAD_CALL(div, aclnnDiv, elementwise)

ACLGRAD_CALL(maximum, aclnnMaximum, elementwise)

ACLGRAD_CALL(minimum, aclnnMinimum, elementwise)

ACLGRAD_CALL(divs, aclnnDivs, elementwise, NumberAttributes)

constexpr Declaration<NumberAttributes> adds("adds", "aclnnAdds", aclnnAdds, elementwise,
                                             [](const NumberAttributes& values, Call& call,
                                                auto... end) {
                                               return aclnnAddsGetWorkspaceSize(
                                                   call.input(0), call.scalar(values.number),
                                                   call.scalar(1), call.output(0), end...);
                                             });

constexpr Declaration<NumberAttributes> muls("muls", "aclnnMuls", aclnnMuls, elementwise,
                                             [](const NumberAttributes& values, Call& call,
                                                auto... end) {
                                               return aclnnMulsGetWorkspaceSize(
                                                   call.input(0), call.scalar(values.number),
                                                   call.output(0), end...);
                                             });

}  // namespace calls

ACLGRAD_RECORD_UNARY(exp, aclnnExp)
ACLGRAD_RECORD_UNARY(log, aclnnLog)
ACLGRAD_RECORD_UNARY(sqrt, aclnnSqrt)
ACLGRAD_RECORD_UNARY(rsqrt, aclnnRsqrt)
ACLGRAD_RECORD_UNARY(reciprocal, aclnnReciprocal)
ACLGRAD_RECORD_UNARY(sin, aclnnSin)
ACLGRAD_RECORD_UNARY(cos, aclnnCos)
ACLGRAD_RECORD_UNARY(erf, aclnnErf)
ACLGRAD_RECORD_UNARY(abs, aclnnAbs)
ACLGRAD_RECORD_UNARY(sign, aclnnSign)

Value neg(const Value& x, std::source_location where) {
  Recorder record("neg", {x}, where);
  const DType dtype = x.dtype();
  const bool counts = dtype == DType::int8 || dtype == DType::int32 || dtype == DType::int64;
  if (!counts) record.require_floating(0);
  return record.add<NegOp>({}, record.like(0));
}

namespace calls {

ACLGRAD_CALL(neg, aclnnNeg, elementwise)

}  // namespace calls

namespace {

template <class OpType>
Value record_comparison(const Value& a, const Value& b, std::source_location where) {
  Recorder record(OpType::declaration().name, {a, b}, where);
  return record.add<OpType>({}, {record.broadcast(a.shape(), b.shape()), DType::boolean});
}

template <class OpType>
Value record_comparison(const Value& a, double number, std::source_location where) {
  Recorder record(OpType::declaration().name, {a}, where);
  record.require_holds(a.dtype(), number, "the number");
  return record.add<OpType>({number}, {a.shape(), DType::boolean});
}

template <class OpType>
Value record_fused(const Value& x, const Value& a, const Value& b, double factor,
                   std::source_location where) {
  Recorder record(OpType::declaration().name, {x, a, b}, where);
  for (std::size_t input = 0; input < 3; ++input) record.require_floating(input);
  const DType dtype = Recorder::promote(Recorder::promote(x.dtype(), a.dtype()), b.dtype());
  record.require_holds(dtype, factor, "factor");
  return record.add<OpType>(
      {factor}, {record.broadcast(record.broadcast(x.shape(), a.shape()), b.shape()), dtype});
}

}  // namespace

Value pow(const Value& x, double exponent, std::source_location where) {
  Recorder("pow", {x}, where).require_holds(x.dtype(), exponent, "the exponent");
  return detail::record_unary<PowNumberOp>(x, where, {exponent});
}
Value pow(const Value& x, const Value& exponent, std::source_location where) {
  Recorder record("pow", {x, exponent}, where);
  record.require_floating(0);
  return record.add<PowOp>({}, {record.broadcast(x.shape(), exponent.shape()),
                                Recorder::promote(x.dtype(), exponent.dtype())});
}

Value clamp(const Value& x, ClampBounds bounds, std::source_location where) {
  Recorder record("clamp", {x}, where);
  if (!bounds.min && !bounds.max) record.value_error("expected min, max or both");
  if (x.dtype() == DType::boolean) record.dtype_error("bool has no bounds");
  if (bounds.min) record.require_holds(x.dtype(), *bounds.min, "min");
  if (bounds.max) record.require_holds(x.dtype(), *bounds.max, "max");
  return record.add<ClampOp>({bounds}, record.like(0));
}

Value gt(const Value& a, const Value& b, std::source_location where) {
  return record_comparison<GtOp>(a, b, where);
}
Value ge(const Value& a, const Value& b, std::source_location where) {
  return record_comparison<GeOp>(a, b, where);
}
Value lt(const Value& a, const Value& b, std::source_location where) {
  return record_comparison<LtOp>(a, b, where);
}
Value le(const Value& a, const Value& b, std::source_location where) {
  return record_comparison<LeOp>(a, b, where);
}
Value eq(const Value& a, const Value& b, std::source_location where) {
  return record_comparison<EqOp>(a, b, where);
}
Value ne(const Value& a, const Value& b, std::source_location where) {
  return record_comparison<NeOp>(a, b, where);
}
Value gt(const Value& a, double number, std::source_location where) {
  return record_comparison<GtNumberOp>(a, number, where);
}
Value ge(const Value& a, double number, std::source_location where) {
  return record_comparison<GeNumberOp>(a, number, where);
}
Value lt(const Value& a, double number, std::source_location where) {
  return record_comparison<LtNumberOp>(a, number, where);
}
Value le(const Value& a, double number, std::source_location where) {
  return record_comparison<LeNumberOp>(a, number, where);
}
Value eq(const Value& a, double number, std::source_location where) {
  return record_comparison<EqNumberOp>(a, number, where);
}
Value ne(const Value& a, double number, std::source_location where) {
  return record_comparison<NeNumberOp>(a, number, where);
}

Value where(const Value& condition, const Value& a, const Value& b, std::source_location where) {
  Recorder record("where", {condition, a, b}, where);
  if (condition.dtype() != DType::boolean && condition.dtype() != DType::uint8) {
    record.dtype_error(fmt::format("the condition {} must be bool or uint8, but is {}",
                                   condition.description(), condition.dtype()));
  }
  const Shape shape = record.broadcast(record.broadcast(condition.shape(), a.shape()), b.shape());
  return record.add<WhereOp>({}, {shape, Recorder::promote(a.dtype(), b.dtype())});
}

Value masked_fill(const Value& x, const Value& mask, double number, std::source_location here) {
  Recorder("masked_fill", {mask, x}, here).require_holds(x.dtype(), number, "the number");
  const Value filling = x.graph().constant(Tensor::scalar(number, x.dtype()), here);
  return where(mask, filling, x, here);
}

Value addcmul(const Value& x, const Value& a, const Value& b, double factor,
              std::source_location where) {
  return record_fused<AddcmulOp>(x, a, b, factor, where);
}
Value addcdiv(const Value& x, const Value& a, const Value& b, double factor,
              std::source_location where) {
  return record_fused<AddcdivOp>(x, a, b, factor, where);
}

std::string ClampAttributes::text() const {
  if (!min) return fmt::format("max={}", *max);
  return max ? fmt::format("min={}, max={}", *min, *max) : fmt::format("min={}", *min);
}

namespace calls {
namespace {

// A number of the operand's kind, not of the result's.
template <auto kPhaseOne>
aclnnStatus with_number(const CompareAttributes& values, Call& call, std::uint64_t* size,
                        aclOpExecutor** executor) {
  return kPhaseOne(call.input(0), call.scalar(values.number, call.input_spec(0).dtype),
                   call.output(0), size, executor);
}

}  // namespace

constexpr Declaration<PowAttributes> pow_number("pow", "aclnnPowTensorScalar", aclnnPowTensorScalar,
                                                elementwise,
                                                in_order<aclnnPowTensorScalarGetWorkspaceSize>);
ACLGRAD_CALL(pow, aclnnPowTensorTensor, elementwise)
constexpr Declaration<ClampAttributes> clamp("clamp", "aclnnClamp", aclnnClamp, elementwise,
                                             [](const ClampAttributes& values, Call& call,
                                                auto... end) {
                                               const auto bound = [&](std::optional<double> value) {
                                                 return value ? call.scalar(*value) : nullptr;
                                               };
                                               return aclnnClampGetWorkspaceSize(
                                                   call.input(0), bound(values.min),
                                                   bound(values.max), call.output(0), end...);
                                             });
ACLGRAD_CALL(gt, aclnnGtTensor, elementwise)
ACLGRAD_CALL(ge, aclnnGeTensor, elementwise)
ACLGRAD_CALL(lt, aclnnLtTensor, elementwise)
ACLGRAD_CALL(le, aclnnLeTensor, elementwise)
ACLGRAD_CALL(eq, aclnnEqTensor, elementwise)
ACLGRAD_CALL(ne, aclnnNeTensor, elementwise)
constexpr Declaration<CompareAttributes> gt_number("gt", "aclnnGtScalar", aclnnGtScalar,
                                                   elementwise,
                                                   with_number<aclnnGtScalarGetWorkspaceSize>);
constexpr Declaration<CompareAttributes> ge_number("ge", "aclnnGeScalar", aclnnGeScalar,
                                                   elementwise,
                                                   with_number<aclnnGeScalarGetWorkspaceSize>);
constexpr Declaration<CompareAttributes> lt_number("lt", "aclnnLtScalar", aclnnLtScalar,
                                                   elementwise,
                                                   with_number<aclnnLtScalarGetWorkspaceSize>);
constexpr Declaration<CompareAttributes> le_number("le", "aclnnLeScalar", aclnnLeScalar,
                                                   elementwise,
                                                   with_number<aclnnLeScalarGetWorkspaceSize>);
constexpr Declaration<CompareAttributes> eq_number("eq", "aclnnEqScalar", aclnnEqScalar,
                                                   elementwise,
                                                   with_number<aclnnEqScalarGetWorkspaceSize>);
constexpr Declaration<CompareAttributes> ne_number("ne", "aclnnNeScalar", aclnnNeScalar,
                                                   elementwise,
                                                   with_number<aclnnNeScalarGetWorkspaceSize>);
ACLGRAD_CALL(where, aclnnSWhere, elementwise)
ACLGRAD_CALL(addcmul, aclnnAddcmul, elementwise, FactorAttributes)
ACLGRAD_CALL(addcdiv, aclnnAddcdiv, elementwise, FactorAttributes)

}  // namespace calls
}  // namespace aclgrad
