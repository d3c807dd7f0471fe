// SPDX-License-Identifier: Apache-2.0
// aclnnSigmoid and aclnnTanh with their forms in place, aclnnSigmoidBackward, aclnnTanhBackward.
#include "aclnnop/aclnn_sigmoid.h"

#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "ops/activation/activation_kernel.h"
#include "ops/arithmetic/unary_rules.h"

using namespace aclgrad::ops;

namespace {

constexpr DtypeSet kFloats{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};
constexpr DtypeSet kRealFloats{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}, {ACL_BF16}};
constexpr DtypeSet kComplexFloatsAndBf16{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128, ACL_BF16}};
constexpr DtypeSet kSigmoidDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64,
                                   ACL_COMPLEX128, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64,
                                   ACL_UINT8, ACL_BOOL, ACL_BF16}};
constexpr DtypeSet kTanhDtypes{
    {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_BOOL},
    {ACL_BF16}};

Kernel tanh_kernel(aclDataType) { return activation_kernel(Activation::kTanh); }

Kernel sigmoid_kernel(aclDataType dtype) {
  if (is_complex(dtype)) return complex_sigmoid_kernel();
  return activation_kernel(Activation::kSigmoid);
}

Kernel sigmoid_backward_kernel(aclDataType dtype) {
  if (is_complex(dtype)) return complex_sigmoid_backward_kernel();
  return activation_kernel(Activation::kSigmoidBackward);
}

const Unary kTanh{
    {"aclnnTanh",
     {input("self"), output("out")},
     unary_rules({dtype_in(0, kTanhDtypes), dtype_in(1, kTanhDtypes), unary_result_converts()},
                 {no_private_format(0), same_format(1, 0)})},
    unary_in_place("aclnnInplaceTanh", "selfRef", kFloats),
    tanh_kernel,
    Integers::kAsFloat};
const Unary kSigmoid{
    {"aclnnSigmoid",
     {input("self"), output("out")},
     unary_rules({dtype_in(0, kSigmoidDtypes), dtype_in(1, kComplexFloatsAndBf16)})},
    unary_in_place("aclnnInplaceSigmoid", "selfRef", kComplexFloatsAndBf16),
    sigmoid_kernel,
    Integers::kAsOutput};
enum Backward { kGradOutput, kOutput, kGradInput };

OperatorSpec backward_spec(const char* name, const DtypeSet& dtypes, std::vector<Rule> on_dtypes,
                           std::vector<Rule> after_ranks) {
  std::vector<Rule> rules = {not_null({kGradOutput, kOutput, kGradInput}),
                             dtype_in(kGradOutput, dtypes), dtype_in(kOutput, dtypes),
                             dtype_in(kGradInput, dtypes)};
  rules.insert(rules.end(), on_dtypes.begin(), on_dtypes.end());
  for (const size_t tensor : {kGradOutput, kOutput, kGradInput}) rules.push_back(max_rank(tensor));
  rules.insert(rules.end(), after_ranks.begin(), after_ranks.end());
  rules.push_back(broadcastable(kGradOutput, kOutput));
  rules.push_back(shape_is_broadcast(kGradInput, kGradOutput, kOutput));
  return {name, {input("gradOutput"), input("output"), output("gradInput")}, rules};
}

const OperatorSpec kTanhBackward =
    backward_spec("aclnnTanhBackward", kRealFloats,
                  {same_dtype(kOutput, kGradOutput), same_dtype(kGradInput, kGradOutput)}, {});
const OperatorSpec kSigmoidBackward =
    backward_spec("aclnnSigmoidBackward", kComplexFloatsAndBf16, {},
                  {result_converts(promote_tensors(kGradOutput, kOutput), kGradInput)});

Plan plan_backward(const Arguments& arguments, Kernel (*kernel)(aclDataType)) {
  const aclDataType dtype = *promote_tensors(kGradOutput, kOutput)(arguments);
  return plan_arithmetic(arguments, kGradInput, {kGradOutput, kOutput}, dtype, kernel(dtype));
}

}  // namespace

ACLGRAD_UNARY(Tanh)
ACLGRAD_UNARY(Sigmoid)
ACLGRAD_OPERATOR(aclnnTanhBackward, 3, kTanhBackward, [](const Arguments& arguments) {
  return plan_backward(
      arguments, [](aclDataType) { return Kernel(activation_kernel(Activation::kTanhBackward)); });
})
ACLGRAD_OPERATOR(aclnnSigmoidBackward, 3, kSigmoidBackward, [](const Arguments& arguments) {
  return plan_backward(arguments, sigmoid_backward_kernel);
})
