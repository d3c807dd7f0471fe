// SPDX-License-Identifier: Apache-2.0
// aclnnAddcmul, aclnnInplaceAddcmul, aclnnAddcdiv, aclnnInplaceAddcdiv.
#include "aclnnop/aclnn_addcmul.h"

#include "aclnnop/aclnn_addcdiv.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/functions_kernel.h"
#include "ops/arithmetic/selection_kernel.h"

namespace aclgrad::ops::addcmul {
namespace {

enum : size_t { kSelf, kTensor1, kTensor2, kValue, kOut };

constexpr DtypeSet kFactors{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT32, ACL_INT64, ACL_UINT8}, {ACL_BF16}};
constexpr DtypeSet kQuotients{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT64}, {ACL_BF16}};

// Any two of the quotients' dtypes promote to one of them.
OperatorSpec spec(const char* name, const DtypeSet& set, bool in_place, bool is_product) {
  std::vector<Parameter> parameters = {in_place ? in_out("selfRef") : input("self"),
                                       input("tensor1"), input("tensor2"), attribute("value")};
  if (!in_place) parameters.push_back(output("out"));
  const size_t out = in_place ? kSelf : kOut;
  std::vector<Rule> rules = {in_place ? not_null({kSelf, kTensor1, kTensor2, kValue})
                                      : not_null({kSelf, kTensor1, kTensor2, kValue, kOut}),
                             dtype_in(kSelf, set), dtype_in(kTensor1, set),
                             dtype_in(kTensor2, set)};
  if (is_product) rules.push_back(promotes_to_one_of({kSelf, kTensor1, kTensor2}, set));
  rules.push_back(result_converts(promote_tensors({kSelf, kTensor1, kTensor2}), out));
  std::vector<size_t> tensors = {kSelf, kTensor1, kTensor2};
  if (!in_place) tensors.push_back(out);
  if (is_product) {
    for (const size_t tensor : tensors) rules.push_back(no_private_format(tensor));
  }
  for (const size_t tensor : tensors) rules.push_back(max_rank(tensor));
  rules.insert(rules.end(), {broadcastable({kSelf, kTensor1, kTensor2}),
                             shape_is_broadcast(out, {kSelf, kTensor1, kTensor2})});
  return {name, parameters, rules};
}

const OperatorSpec kAddcmul = spec("aclnnAddcmul", kFactors, false, true);
const OperatorSpec kInplaceAddcmul = spec("aclnnInplaceAddcmul", kFactors, true, true);
const OperatorSpec kAddcdiv = spec("aclnnAddcdiv", kQuotients, false, false);
const OperatorSpec kInplaceAddcdiv = spec("aclnnInplaceAddcdiv", kQuotients, true, false);

KernelScalar value_of(const Arguments& arguments, aclDataType dtype) {
  const bool narrow = dtype == ACL_FLOAT16 || dtype == ACL_BF16;
  return KernelScalar::of(arguments.scalar(kValue), narrow ? ACL_FLOAT : dtype);
}

Plan plan_product(const Arguments& arguments, size_t out) {
  const aclDataType dtype = *promote_tensors({kSelf, kTensor1, kTensor2})(arguments);
  return plan_arithmetic(arguments, out, {kSelf, kTensor1, kTensor2}, dtype,
                         add_product(dtype, value_of(arguments, dtype)), true);
}

// Integers are divided in FLOAT.
Plan plan_quotient(const Arguments& arguments, size_t out) {
  const aclDataType common = *promote_tensors({kSelf, kTensor1, kTensor2})(arguments);
  const aclDataType dtype = is_floating(common) ? common : ACL_FLOAT;
  return plan_arithmetic(arguments, out, {kSelf, kTensor1, kTensor2}, dtype,
                         function_kernel(Function::kAddQuotient, value_of(arguments, dtype).real),
                         true);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnAddcmul, kAddcmul,
                 [](const Arguments& arguments) { return plan_product(arguments, kOut); })
ACLGRAD_OPERATOR(aclnnInplaceAddcmul, kInplaceAddcmul,
                 [](const Arguments& arguments) { return plan_product(arguments, kSelf); })
ACLGRAD_OPERATOR(aclnnAddcdiv, kAddcdiv,
                 [](const Arguments& arguments) { return plan_quotient(arguments, kOut); })
ACLGRAD_OPERATOR(aclnnInplaceAddcdiv, kInplaceAddcdiv,
                 [](const Arguments& arguments) { return plan_quotient(arguments, kSelf); })

}  // namespace aclgrad::ops::addcmul
