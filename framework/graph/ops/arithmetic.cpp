// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/arithmetic.h"

#include "aclgrad/ops/activation.h"
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
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

template <class OpType>
Value record_binary(Operand a, const Value& b, typename OpType::Attributes attributes) {
  Recorder record(OpType::declaration().name, {a, b}, a.where);
  const DType dtype = promote(a.dtype(), b.dtype());
  if constexpr (requires { attributes.alpha; }) {
    if (attributes.alpha != 1) record.require_holds(dtype, attributes.alpha, "alpha");
  }
  return record.add<OpType>(attributes, {record.broadcast(a.shape(), b.shape()), dtype});
}

// Quotients of whole numbers are no whole numbers.
DType quotient_dtype(DType dtype) { return is_floating(dtype) ? dtype : DType::float32; }

template <class OpType>
Value record_with_number(Operand a, double number) {
  Recorder record(OpType::declaration().name, {a}, a.where);
  record.require_value(a.dtype() != DType::boolean, "no arithmetic of bool with a number");
  // x - 1 is x + -1, in uint8 as well, where it wraps.
  const bool wraps = a.dtype() == DType::uint8 && number < 0;
  record.require_holds(a.dtype(), wraps ? -number : number, "the number");
  return record.add<OpType>({number}, record.like(0));
}

}  // namespace

Value add(Operand a, const Value& b, double alpha) { return record_binary<AddOp>(a, b, {alpha}); }
Value sub(Operand a, const Value& b, double alpha) { return record_binary<SubOp>(a, b, {alpha}); }
Value mul(Operand a, const Value& b) { return record_binary<MulOp>(a, b, {}); }
Value div(Operand a, const Value& b) {
  Recorder record("div", {a, b}, a.where);
  return record.add<DivOp>(
      {}, {record.broadcast(a.shape(), b.shape()), quotient_dtype(promote(a.dtype(), b.dtype()))});
}
Value div(Operand a, double number) {
  Recorder record("divs", {a}, a.where);
  record.require_holds(quotient_dtype(a.dtype()), number, "the number");
  return record.add<DivNumberOp>({number}, {a.shape(), quotient_dtype(a.dtype())});
}
Value operator/(double a, Operand b) { return mul({reciprocal(b), b.where}, a); }
Value maximum(Operand a, const Value& b) { return record_binary<MaximumOp>(a, b, {}); }
Value minimum(Operand a, const Value& b) { return record_binary<MinimumOp>(a, b, {}); }
Value add(Operand a, double number) { return record_with_number<AddNumberOp>(a, number); }
Value mul(Operand a, double number) { return record_with_number<MulNumberOp>(a, number); }

std::string AddAttributes::text() const {
  return alpha == 1 ? std::string{} : fmt::format("alpha={}", alpha);
}
std::string NumberAttributes::text() const { return fmt::format("{}", number); }

namespace calls {

const Declaration<AddAttributes> add = {"add", ACLGRAD_C(aclnnAdd), elementwise};
const Declaration<AddAttributes> sub = {"sub", ACLGRAD_C(aclnnSub), elementwise};
const Declaration<> mul = {"mul", ACLGRAD_C(aclnnMul), elementwise};
const Declaration<> div = {"div", ACLGRAD_C(aclnnDiv), elementwise};
const Declaration<> maximum = {"maximum", ACLGRAD_C(aclnnMaximum), elementwise};
const Declaration<> minimum = {"minimum", ACLGRAD_C(aclnnMinimum), elementwise};
const Declaration<AddNumberAttributes> adds = {"adds", ACLGRAD_C(aclnnAdds), elementwise};
const Declaration<NumberAttributes> muls = {"muls", ACLGRAD_C(aclnnMuls), elementwise};
const Declaration<NumberAttributes> divs = {"divs", ACLGRAD_C(aclnnDivs), elementwise};

}  // namespace calls

Value exp(Operand x) { return unary<ExpOp>(x); }
Value log(Operand x) { return unary<LogOp>(x); }
Value sqrt(Operand x) { return unary<SqrtOp>(x); }
Value rsqrt(Operand x) { return unary<RsqrtOp>(x); }
Value reciprocal(Operand x) { return unary<ReciprocalOp>(x); }
Value sin(Operand x) { return unary<SinOp>(x); }
Value cos(Operand x) { return unary<CosOp>(x); }
Value erf(Operand x) { return unary<ErfOp>(x); }
Value abs(Operand x) { return unary<AbsOp>(x); }
Value sign(Operand x) { return unary<SignOp>(x); }

Value neg(Operand x) {
  Recorder record("neg", {x}, x.where);
  const DType dtype = x.dtype();
  const bool counts = dtype == DType::int8 || dtype == DType::int32 || dtype == DType::int64;
  if (!counts) record.require_floating(0);
  return record.add<NegOp>({}, record.like(0));
}

namespace {

template <class OpType>
Value record_comparison(Operand a, const Value& b) {
  Recorder record(OpType::declaration().name, {a, b}, a.where);
  return record.add<OpType>({}, {record.broadcast(a.shape(), b.shape()), DType::boolean});
}

template <class OpType>
Value record_comparison(Operand a, double number) {
  Recorder record(OpType::declaration().name, {a}, a.where);
  record.require_holds(a.dtype(), number, "the number");
  return record.add<OpType>({number}, {a.shape(), DType::boolean});
}

template <class OpType>
Value record_fused(Operand x, const Value& a, const Value& b, double factor) {
  Recorder record(OpType::declaration().name, {x, a, b}, x.where);
  for (std::size_t input = 0; input < 3; ++input) record.require_floating(input);
  const DType dtype = promote(promote(x.dtype(), a.dtype()), b.dtype());
  record.require_holds(dtype, factor, "factor");
  return record.add<OpType>(
      {factor}, {record.broadcast(record.broadcast(x.shape(), a.shape()), b.shape()), dtype});
}

}  // namespace

Value pow(Operand x, double exponent) {
  Recorder("pow", {x}, x.where).require_holds(x.dtype(), exponent, "the exponent");
  return unary<PowNumberOp>(x, {exponent});
}
Value pow(Operand x, const Value& exponent) {
  Recorder record("pow", {x, exponent}, x.where);
  record.require_floating(0);
  return record.add<PowOp>(
      {}, {record.broadcast(x.shape(), exponent.shape()), promote(x.dtype(), exponent.dtype())});
}

Value pow(double number, Operand exponent) {
  Recorder("pow", {exponent}, exponent.where).require_holds(exponent.dtype(), number, "the number");
  return unary<PowOfNumberOp>(exponent, {number});
}

Value clamp(Operand x, ClampBounds bounds) {
  Recorder record("clamp", {x}, x.where);
  record.require_value(bounds.min || bounds.max, "expected min, max or both");
  record.require_dtype(x.dtype() != DType::boolean, "bool has no bounds");
  if (bounds.min) record.require_holds(x.dtype(), *bounds.min, "min");
  if (bounds.max) record.require_holds(x.dtype(), *bounds.max, "max");
  return record.add<ClampOp>({bounds}, record.like(0));
}

Value clamp(Operand x, const Value& min, const Value& max) {
  const ClampTensorAttributes given{min.id() >= 0, max.id() >= 0};
  Recorder("clamp", {x}, x.where)
      .require_value(given.has_min || given.has_max, "expected min, max or both");
  std::vector<Value> bounds;
  if (given.has_min) bounds.push_back(min);
  if (given.has_max) bounds.push_back(max);
  return broadcasting<ClampTensorOp>(x, std::move(bounds), detail::all_numbers, given);
}

Value gt(Operand a, const Value& b) { return record_comparison<GtOp>(a, b); }
Value ge(Operand a, const Value& b) { return record_comparison<GeOp>(a, b); }
Value lt(Operand a, const Value& b) { return record_comparison<LtOp>(a, b); }
Value le(Operand a, const Value& b) { return record_comparison<LeOp>(a, b); }
Value eq(Operand a, const Value& b) { return record_comparison<EqOp>(a, b); }
Value ne(Operand a, const Value& b) { return record_comparison<NeOp>(a, b); }
Value gt(Operand a, double number) { return record_comparison<GtNumberOp>(a, number); }
Value ge(Operand a, double number) { return record_comparison<GeNumberOp>(a, number); }
Value lt(Operand a, double number) { return record_comparison<LtNumberOp>(a, number); }
Value le(Operand a, double number) { return record_comparison<LeNumberOp>(a, number); }
Value eq(Operand a, double number) { return record_comparison<EqNumberOp>(a, number); }
Value ne(Operand a, double number) { return record_comparison<NeNumberOp>(a, number); }

Value where(Operand condition, const Value& a, const Value& b) {
  Recorder record("where", {condition, a, b}, condition.where);
  record.require_dtype(condition.dtype() == DType::boolean || condition.dtype() == DType::uint8,
                       "the condition {} must be bool or uint8, but is {}", condition,
                       condition.dtype());
  const Shape shape = record.broadcast(record.broadcast(condition.shape(), a.shape()), b.shape());
  return record.add<WhereOp>({}, {shape, promote(a.dtype(), b.dtype())});
}

Value masked_fill(Operand x, const Value& mask, double number) {
  const RecordScope scope(x);
  Recorder("masked_fill", {mask, x}, x.where).require_holds(x.dtype(), number, "the number");
  const Value filling = x.graph().constant(Tensor::scalar(number, x.dtype()), x.where);
  return where(mask, filling, x);
}

Value addcmul(Operand x, const Value& a, const Value& b, double factor) {
  return record_fused<AddcmulOp>(x, a, b, factor);
}
Value addcdiv(Operand x, const Value& a, const Value& b, double factor) {
  return record_fused<AddcdivOp>(x, a, b, factor);
}

std::string ClampAttributes::text() const {
  if (!min) return fmt::format("max={}", *max);
  return max ? fmt::format("min={}, max={}", *min, *max) : fmt::format("min={}", *min);
}

namespace calls {

const Declaration<> exp = {"exp", ACLGRAD_C(aclnnExp), elementwise};
const Declaration<> log = {"log", ACLGRAD_C(aclnnLog), elementwise};
const Declaration<> sqrt = {"sqrt", ACLGRAD_C(aclnnSqrt), elementwise};
const Declaration<> rsqrt = {"rsqrt", ACLGRAD_C(aclnnRsqrt), elementwise};
const Declaration<> reciprocal = {"reciprocal", ACLGRAD_C(aclnnReciprocal), elementwise};
const Declaration<> sin = {"sin", ACLGRAD_C(aclnnSin), elementwise};
const Declaration<> cos = {"cos", ACLGRAD_C(aclnnCos), elementwise};
const Declaration<> erf = {"erf", ACLGRAD_C(aclnnErf), elementwise};
const Declaration<> neg = {"neg", ACLGRAD_C(aclnnNeg), elementwise};
const Declaration<> abs = {"abs", ACLGRAD_C(aclnnAbs), elementwise};
const Declaration<> sign = {"sign", ACLGRAD_C(aclnnSign), elementwise};
const Declaration<PowAttributes> pow_number = {"pow", ACLGRAD_C(aclnnPowTensorScalar), elementwise};
const Declaration<> pow = {"pow", ACLGRAD_C(aclnnPowTensorTensor), elementwise};
const Declaration<NumberAttributes> pow_of_number = {"pow", ACLGRAD_C(aclnnPowScalarTensor),
                                                     elementwise};
const Declaration<ClampAttributes> clamp = {"clamp", ACLGRAD_C(aclnnClamp), elementwise};
// A bound that is not there is null.
const Declaration<ClampTensorAttributes> clamp_tensor = {
    "clamp", ACLGRAD_C(aclnnClampTensor), elementwise,
    [](const auto& given, AclnnCall& call, auto... end) {
      return aclnnClampTensorGetWorkspaceSize(
          call.input(0), given.has_min ? call.input(1) : nullptr,
          given.has_max ? call.input(given.has_min ? 2 : 1) : nullptr, call.output(0), end...);
    }};
const Declaration<> gt = {"gt", ACLGRAD_C(aclnnGtTensor), elementwise};
const Declaration<> ge = {"ge", ACLGRAD_C(aclnnGeTensor), elementwise};
const Declaration<> lt = {"lt", ACLGRAD_C(aclnnLtTensor), elementwise};
const Declaration<> le = {"le", ACLGRAD_C(aclnnLeTensor), elementwise};
const Declaration<> eq = {"eq", ACLGRAD_C(aclnnEqTensor), elementwise};
const Declaration<> ne = {"ne", ACLGRAD_C(aclnnNeTensor), elementwise};
const Declaration<CompareAttributes> gt_number = {"gt", ACLGRAD_C(aclnnGtScalar), elementwise};
const Declaration<CompareAttributes> ge_number = {"ge", ACLGRAD_C(aclnnGeScalar), elementwise};
const Declaration<CompareAttributes> lt_number = {"lt", ACLGRAD_C(aclnnLtScalar), elementwise};
const Declaration<CompareAttributes> le_number = {"le", ACLGRAD_C(aclnnLeScalar), elementwise};
const Declaration<CompareAttributes> eq_number = {"eq", ACLGRAD_C(aclnnEqScalar), elementwise};
const Declaration<CompareAttributes> ne_number = {"ne", ACLGRAD_C(aclnnNeScalar), elementwise};
const Declaration<> where = {"where", ACLGRAD_C(aclnnSWhere), elementwise};
const Declaration<FactorAttributes> addcmul = {"addcmul", ACLGRAD_C(aclnnAddcmul), elementwise};
const Declaration<FactorAttributes> addcdiv = {"addcdiv", ACLGRAD_C(aclnnAddcdiv), elementwise};

}  // namespace calls
}  // namespace aclgrad
