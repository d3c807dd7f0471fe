// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of several tensors: aclnnAtan2, aclnnLogAddExp, aclnnLogAddExp2,
// aclnnHeaviside, aclnnLerp, aclnnLerps, and their forms in place.
#include "aclnnop/aclnn_atan2.h"
#include "aclnnop/aclnn_heaviside.h"
#include "aclnnop/aclnn_lerp.h"
#include "aclnnop/aclnn_logaddexp.h"
#include "aclnnop/aclnn_logaddexp2.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/functions_kernel.h"
#include "ops/arithmetic/selection_kernel.h"

namespace aclgrad::ops::binary_functions {
namespace {

enum : size_t { kSelf, kOther, kOut };
enum : size_t { kEnd = 1, kWeight, kLerpOut };

// What tensors promote to; what is no floating dtype counts as FLOAT, or as DOUBLE where out is.
Promotion promote_to_float(size_t out) {
  return [out](const Arguments& arguments) -> std::optional<aclDataType> {
    const auto dtype = promote_tensors(kSelf, kOther)(arguments);
    if (!dtype || is_floating(*dtype)) return dtype;
    return arguments.dtype(out) == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
  };
}

// Of two tensors; in place, out is kSelf. Any two of these dtypes promote, and what floating ones
// promote to converts to floating results.
Rules binary_rules(size_t out, const DtypeSet& inputs, const DtypeSet& results) {
  Rules rules{out == kSelf ? not_null({kSelf, kOther}) : not_null({kSelf, kOther, out}),
              dtype_in(kSelf, out == kSelf ? results : inputs), dtype_in(kOther, inputs)};
  if (out != kSelf) rules.push_back(dtype_in(out, results));
  rules = Rules{rules, max_rank({kSelf, kOther})};
  if (out != kSelf) rules.push_back(max_rank(out));
  return {rules, broadcastable(kSelf, kOther), shape_is_broadcast(out, kSelf, kOther)};
}

OperatorSpec of_floats(const char* name) {
  return {name,
          {input("self"), input("other"), output("out")},
          binary_rules(kOut, kRealFloats, kRealFloats)};
}

const OperatorSpec kAtan2{"aclnnAtan2",
                          {input("self"), input("other"), output("out")},
                          binary_rules(kOut, kRealNumbersAndBool, kRealFloats)};
const OperatorSpec kInplaceAtan2{"aclnnInplaceAtan2",
                                 {in_out("selfRef"), input("other")},
                                 binary_rules(kSelf, kRealNumbersAndBool, kRealFloats)};
const OperatorSpec kLogAddExp = of_floats("aclnnLogAddExp");
const OperatorSpec kLogAddExp2 = of_floats("aclnnLogAddExp2");
const OperatorSpec kHeaviside{"aclnnHeaviside",
                              {input("self"), input("values"), output("out")},
                              Rules{binary_rules(kOut, kRealNumbers, kRealNumbers),
                                    result_converts(promote_tensors(kSelf, kOther), kOut)}};

Plan plan_binary(const Arguments& arguments, size_t out, Function function) {
  const aclDataType dtype = *promote_to_float(out)(arguments);
  return plan_arithmetic(arguments, out, {kSelf, kOther}, dtype, function_kernel(function), true);
}

// The tensors of aclnnLerp; aclnnLerps has a number as weight.
std::vector<size_t> tensors_of_lerp(bool by_tensor) {
  return by_tensor ? std::vector<size_t>{kSelf, kEnd, kWeight} : std::vector<size_t>{kSelf, kEnd};
}

Rules lerp_rules(size_t out, bool by_tensor) {
  const std::vector<size_t> inputs = tensors_of_lerp(by_tensor);
  Rules rules{
      out == kSelf ? not_null({kSelf, kEnd, kWeight}) : not_null({kSelf, kEnd, kWeight, kLerpOut}),
      dtype_in(inputs, kRealFloats)};
  if (!by_tensor) rules.push_back(scalar_castable_to_float(kWeight));
  if (out != kSelf) rules.push_back(dtype_in(out, kRealFloats));
  rules = Rules{rules, max_rank(inputs)};
  if (out != kSelf) rules.push_back(max_rank(out));
  return {rules, broadcastable(inputs), shape_is_broadcast(out, inputs)};
}

const OperatorSpec kLerp{"aclnnLerp",
                         {input("self"), input("end"), input("weight"), output("out")},
                         lerp_rules(kLerpOut, true)};
const OperatorSpec kInplaceLerp{"aclnnInplaceLerp",
                                {in_out("selfRef"), input("end"), input("weight")},
                                lerp_rules(kSelf, true)};
const OperatorSpec kLerps{"aclnnLerps",
                          {input("self"), input("end"), attribute("weight"), output("out")},
                          lerp_rules(kLerpOut, false)};
const OperatorSpec kInplaceLerps{"aclnnInplaceLerps",
                                 {in_out("selfRef"), input("end"), attribute("weight")},
                                 lerp_rules(kSelf, false)};

Plan plan_lerp(const Arguments& arguments, size_t out) {
  const std::vector<size_t> inputs = tensors_of_lerp(true);
  return plan_arithmetic(arguments, out, inputs, *promote_tensors(inputs)(arguments),
                         function_kernel(Function::kLerp), true);
}

Plan plan_lerps(const Arguments& arguments, size_t out) {
  const std::vector<size_t> inputs = tensors_of_lerp(false);
  const aclDataType dtype = *promote_tensors(inputs)(arguments);
  const auto weight =
      KernelScalar::of(arguments.scalar(kWeight), dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT);
  return plan_arithmetic(arguments, out, inputs, dtype,
                         function_kernel(Function::kLerpBy, weight.real), true);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnAtan2, kAtan2, [](const Arguments& arguments) {
  return plan_binary(arguments, kOut, Function::kAtan2);
})
ACLGRAD_OPERATOR(aclnnInplaceAtan2, kInplaceAtan2, [](const Arguments& arguments) {
  return plan_binary(arguments, kSelf, Function::kAtan2);
})
ACLGRAD_OPERATOR(aclnnLogAddExp, kLogAddExp, [](const Arguments& arguments) {
  return plan_binary(arguments, kOut, Function::kLogAddExp);
})
ACLGRAD_OPERATOR(aclnnLogAddExp2, kLogAddExp2, [](const Arguments& arguments) {
  return plan_binary(arguments, kOut, Function::kLogAddExp2);
})
ACLGRAD_OPERATOR(aclnnHeaviside, kHeaviside, [](const Arguments& arguments) {
  const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
  return plan_arithmetic(arguments, kOut, {kSelf, kOther}, dtype, step(dtype));
})
ACLGRAD_OPERATOR(aclnnLerp, kLerp,
                 [](const Arguments& arguments) { return plan_lerp(arguments, kLerpOut); })
ACLGRAD_OPERATOR(aclnnInplaceLerp, kInplaceLerp,
                 [](const Arguments& arguments) { return plan_lerp(arguments, kSelf); })
ACLGRAD_OPERATOR(aclnnLerps, kLerps,
                 [](const Arguments& arguments) { return plan_lerps(arguments, kLerpOut); })
ACLGRAD_OPERATOR(aclnnInplaceLerps, kInplaceLerps,
                 [](const Arguments& arguments) { return plan_lerps(arguments, kSelf); })

}  // namespace aclgrad::ops::binary_functions
