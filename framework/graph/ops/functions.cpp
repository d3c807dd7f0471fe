// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/functions.h"

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/logic.h"
#include "aclgrad/tensor.h"
#include "aclnnop/aclnn_acos.h"
#include "aclnnop/aclnn_acosh.h"
#include "aclnnop/aclnn_asin.h"
#include "aclnnop/aclnn_asinh.h"
#include "aclnnop/aclnn_atan.h"
#include "aclnnop/aclnn_atan2.h"
#include "aclnnop/aclnn_atanh.h"
#include "aclnnop/aclnn_cosh.h"
#include "aclnnop/aclnn_digamma.h"
#include "aclnnop/aclnn_erfc.h"
#include "aclnnop/aclnn_erfinv.h"
#include "aclnnop/aclnn_exp2.h"
#include "aclnnop/aclnn_expm1.h"
#include "aclnnop/aclnn_heaviside.h"
#include "aclnnop/aclnn_lerp.h"
#include "aclnnop/aclnn_lgamma.h"
#include "aclnnop/aclnn_log10.h"
#include "aclnnop/aclnn_log1p.h"
#include "aclnnop/aclnn_log2.h"
#include "aclnnop/aclnn_logaddexp.h"
#include "aclnnop/aclnn_logaddexp2.h"
#include "aclnnop/aclnn_sinc.h"
#include "aclnnop/aclnn_sinh.h"
#include "aclnnop/aclnn_square.h"
#include "aclnnop/aclnn_tan.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {

Value exp2(Operand x) { return unary<Exp2Op>(x); }
Value expm1(Operand x) { return unary<Expm1Op>(x); }
Value log1p(Operand x) { return unary<Log1pOp>(x); }
Value log2(Operand x) { return unary<Log2Op>(x); }
Value log10(Operand x) { return unary<Log10Op>(x); }
Value tan(Operand x) { return unary<TanOp>(x); }
Value atan(Operand x) { return unary<AtanOp>(x); }
Value asin(Operand x) { return unary<AsinOp>(x); }
Value acos(Operand x) { return unary<AcosOp>(x); }
Value sinh(Operand x) { return unary<SinhOp>(x); }
Value cosh(Operand x) { return unary<CoshOp>(x); }
Value asinh(Operand x) { return unary<AsinhOp>(x); }
Value acosh(Operand x) { return unary<AcoshOp>(x); }
Value atanh(Operand x) { return unary<AtanhOp>(x); }
Value sinc(Operand x) { return unary<SincOp>(x); }
Value erfc(Operand x) { return unary<ErfcOp>(x); }
Value erfinv(Operand x) { return unary<ErfinvOp>(x); }
Value lgamma(Operand x) { return unary<LgammaOp>(x); }
Value digamma(Operand x) { return unary<DigammaOp>(x); }

Value square(Operand x) { return broadcasting<SquareOp>(x, {}, detail::all_numbers); }
Value heaviside(Operand x, const Value& values) {
  return broadcasting<HeavisideOp>(x, {values}, detail::all_numbers);
}
Value atan2(Operand y, const Value& x) {
  return broadcasting<Atan2Op>(y, {x}, detail::all_floating);
}
Value logaddexp(Operand a, const Value& b) {
  return broadcasting<LogaddexpOp>(a, {b}, detail::all_floating);
}
Value logaddexp2(Operand a, const Value& b) {
  return broadcasting<Logaddexp2Op>(a, {b}, detail::all_floating);
}
Value lerp(Operand start, const Value& end, const Value& weight) {
  return broadcasting<LerpOp>(start, {end, weight}, detail::all_floating);
}
Value lerp(Operand start, const Value& end, double weight) {
  const auto result = [weight](const Recorder& record, std::span<const Value> inputs,
                               DType promoted) {
    detail::all_floating(record, inputs, promoted);
    record.require_holds_as_float(promoted, weight, "the weight");
    return promoted;
  };
  return broadcasting<LerpNumberOp>(start, {end}, result, {weight});
}

// Where x is 0 and log(y) no number, y counts as 1: products with 0 stay 0, forward and backward.
Value xlogy(Operand x, const Value& y) {
  const RecordScope scope(x);
  Recorder record("xlogy", {x, y}, x.where);
  record.require_floating(0);
  record.require_floating(1);
  const Value no_number = bitwise_or(le(y, 0), isinf(y));
  const Value hidden = bitwise_and(eq(x, 0), no_number);
  const Value one = x.graph().constant(Tensor::scalar(1, y.dtype()), x.where);
  return mul(x, log(where(hidden, one, y)));
}

Value copysign(Operand a, const Value& b) {
  const RecordScope scope(a);
  Recorder record("copysign", {a, b}, a.where);
  record.require_floating(0);
  record.require_floating(1);
  const Value magnitude = abs(a);
  return where(signbit(b), neg(magnitude), magnitude);
}

namespace calls {

const Declaration<> square = {"square", ACLGRAD_C(aclnnSquare), elementwise};
const Declaration<> exp2 = {"exp2", ACLGRAD_C(aclnnExp2), elementwise};
const Declaration<> expm1 = {"expm1", ACLGRAD_C(aclnnExpm1), elementwise};
const Declaration<> log1p = {"log1p", ACLGRAD_C(aclnnLog1p), elementwise};
const Declaration<> log2 = {"log2", ACLGRAD_C(aclnnLog2), elementwise};
const Declaration<> log10 = {"log10", ACLGRAD_C(aclnnLog10), elementwise};
const Declaration<> tan = {"tan", ACLGRAD_C(aclnnTan), elementwise};
const Declaration<> atan = {"atan", ACLGRAD_C(aclnnAtan), elementwise};
const Declaration<> asin = {"asin", ACLGRAD_C(aclnnAsin), elementwise};
const Declaration<> acos = {"acos", ACLGRAD_C(aclnnAcos), elementwise};
const Declaration<> sinh = {"sinh", ACLGRAD_C(aclnnSinh), elementwise};
const Declaration<> cosh = {"cosh", ACLGRAD_C(aclnnCosh), elementwise};
const Declaration<> asinh = {"asinh", ACLGRAD_C(aclnnAsinh), elementwise};
const Declaration<> acosh = {"acosh", ACLGRAD_C(aclnnAcosh), elementwise};
const Declaration<> atanh = {"atanh", ACLGRAD_C(aclnnAtanh), elementwise};
const Declaration<> sinc = {"sinc", ACLGRAD_C(aclnnSinc), elementwise};
const Declaration<> atan2 = {"atan2", ACLGRAD_C(aclnnAtan2), elementwise};
const Declaration<> erfc = {"erfc", ACLGRAD_C(aclnnErfc), elementwise};
const Declaration<> erfinv = {"erfinv", ACLGRAD_C(aclnnErfinv), elementwise};
const Declaration<> lgamma = {"lgamma", ACLGRAD_C(aclnnLgamma), elementwise};
const Declaration<> digamma = {"digamma", ACLGRAD_C(aclnnDigamma), elementwise};
const Declaration<> logaddexp = {"logaddexp", ACLGRAD_C(aclnnLogAddExp), elementwise};
const Declaration<> logaddexp2 = {"logaddexp2", ACLGRAD_C(aclnnLogAddExp2), elementwise};
const Declaration<> lerp = {"lerp", ACLGRAD_C(aclnnLerp), elementwise};
const Declaration<> heaviside = {"heaviside", ACLGRAD_C(aclnnHeaviside), elementwise};
const Declaration<LerpAttributes> lerp_number = {"lerp", ACLGRAD_C(aclnnLerps), elementwise};

}  // namespace calls
}  // namespace aclgrad
