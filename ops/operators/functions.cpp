// SPDX-License-Identifier: Apache-2.0
// Elementwise functions with forms in place: aclnnExp, aclnnLog, aclnnSqrt, aclnnRsqrt,
// aclnnReciprocal, aclnnSin, aclnnCos, aclnnTanh, aclnnSigmoid, aclnnErf; and aclnnTanhBackward,
// aclnnSigmoidBackward.
#include "ops/kernels/functions.h"

#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "ops/operators/arithmetic.h"

using namespace aclgrad::ops;

namespace {

constexpr DtypeSet kFloats{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};
constexpr DtypeSet kRealFloats{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}, {ACL_BF16}};
constexpr DtypeSet kComplexFloats{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128}, {ACL_BF16}};
constexpr DtypeSet kComplexFloatsAndBf16{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128, ACL_BF16}};
constexpr DtypeSet kFunctionDtypes{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128, ACL_INT8, ACL_INT16,
     ACL_INT32, ACL_INT64, ACL_UINT8, ACL_BOOL},
    {ACL_BF16}};
constexpr DtypeSet kSigmoidDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64,
                                   ACL_COMPLEX128, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64,
                                   ACL_UINT8, ACL_BOOL, ACL_BF16}};
constexpr DtypeSet kTanhDtypes{
    {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_BOOL},
    {ACL_BF16}};

// What integers and BOOL are converted to before.
enum class Integers { kAsFloat, kInt64AsDouble, kAsOutput };

struct Unary {
  OperatorSpec out_of_place;
  OperatorSpec in_place;
  Function function;
  Integers integers;
};

aclDataType dtype_of(const Arguments& arguments, Integers integers, size_t out) {
  const aclDataType self = arguments.dtype(0);
  if (is_floating(self) || is_complex(self)) return self;
  if (integers == Integers::kAsOutput) return arguments.dtype(out);
  return self == ACL_INT64 && integers == Integers::kInt64AsDouble ? ACL_DOUBLE : ACL_FLOAT;
}

Kernel kernel_of(Function function, aclDataType dtype) {
  if (is_complex(dtype)) return complex_function_kernel(function);
  return function_kernel(function);
}

Plan plan_unary(const Arguments& arguments, size_t out, const Unary& unary) {
  const aclDataType dtype = dtype_of(arguments, unary.integers, out);
  const Dims& shape = arguments.shape(out);
  Operand source = operand(arguments, 0, shape);
  Operand result = operand(arguments, out, shape);
  source.round_first = dtype;
  result.round_first = dtype;
  Elementwise body(shape, {result}, {source}, kernel_of(unary.function, dtype));
  if (arguments.empty(out)) return {};
  return body.plan();
}

// Integers count as FLOAT here, whatever they are computed in.
Rule converts_to_out() {
  return result_converts(
      [](const Arguments& arguments) {
        return std::optional(dtype_of(arguments, Integers::kAsFloat, 1));
      },
      1);
}

// Rules after those on dtypes.
std::vector<Rule> rules_of(std::vector<Rule> on_dtypes, std::vector<Rule> more = {}) {
  std::vector<Rule> rules = {not_null({0, 1})};
  rules.insert(rules.end(), on_dtypes.begin(), on_dtypes.end());
  rules.push_back(same_shape(1, 0));
  rules.push_back(max_rank(0));
  rules.insert(rules.end(), more.begin(), more.end());
  return rules;
}

OperatorSpec in_place(const char* name, const char* tensor, const DtypeSet& dtypes) {
  return {name, {in_out(tensor)}, {not_null({0}), dtype_in(0, dtypes), max_rank(0)}};
}

const Unary kExp{{"aclnnExp",
                  {input("self"), output("out")},
                  rules_of({dtype_in(0, DtypeSet{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64,
                                                  ACL_COMPLEX128, ACL_INT64, ACL_BOOL},
                                                 {ACL_BF16}}),
                            converts_to_out()})},
                 in_place("aclnnInplaceExp", "selfRef", kComplexFloats),
                 "exp",
                 Integers::kAsFloat};
const Unary kLog{
    {"aclnnLog",
     {input("self"), output("out")},
     rules_of({dtype_in(0, kFunctionDtypes), dtype_in(1, kComplexFloats), can_cast_tensor(0, 1)})},
    in_place("aclnnInplaceLog", "selfRef", kComplexFloats),
    "log",
    Integers::kAsFloat};
const Unary kSqrt{{"aclnnSqrt",
                   {input("self"), output("out")},
                   rules_of({dtype_in(0, kFunctionDtypes), converts_to_out()})},
                  in_place("aclnnInplaceSqrt", "self", kComplexFloats),
                  "sqrt",
                  Integers::kInt64AsDouble};
const Unary kRsqrt{{"aclnnRsqrt",
                    {input("self"), output("out")},
                    rules_of({dtype_in(0, kFunctionDtypes), dtype_in(1, kComplexFloatsAndBf16)})},
                   in_place("aclnnInplaceRsqrt", "selfRef", kComplexFloats),
                   "rsqrt",
                   Integers::kAsOutput};
const Unary kReciprocal{
    {"aclnnReciprocal",
     {input("self"), output("out")},
     rules_of({dtype_in(0, kFunctionDtypes), dtype_in(1, kComplexFloatsAndBf16)},
              {same_format(1, 0)})},
    in_place("aclnnInplaceReciprocal", "selfRef", kComplexFloats),
    "reciprocal",
    Integers::kAsFloat};
const Unary kSin{{"aclnnSin",
                  {input("self"), output("out")},
                  rules_of({dtype_in(0, kFunctionDtypes), dtype_in(1, kComplexFloats)})},
                 in_place("aclnnInplaceSin", "selfRef", kComplexFloats),
                 "sin",
                 Integers::kAsFloat};
const Unary kCos{{"aclnnCos",
                  {input("input"), output("out")},
                  rules_of({dtype_in(0, kFunctionDtypes), dtype_in(1, kComplexFloats)})},
                 in_place("aclnnInplaceCos", "inputRef", kComplexFloats),
                 "cos",
                 Integers::kAsFloat};
const Unary kTanh{{"aclnnTanh",
                   {input("self"), output("out")},
                   rules_of({dtype_in(0, kTanhDtypes), dtype_in(1, kTanhDtypes), converts_to_out()},
                            {no_private_format(0), same_format(1, 0)})},
                  in_place("aclnnInplaceTanh", "selfRef", kFloats),
                  "tanh",
                  Integers::kAsFloat};
const Unary kSigmoid{{"aclnnSigmoid",
                      {input("self"), output("out")},
                      rules_of({dtype_in(0, kSigmoidDtypes), dtype_in(1, kComplexFloatsAndBf16)})},
                     in_place("aclnnInplaceSigmoid", "selfRef", kComplexFloatsAndBf16),
                     "sigmoid",
                     Integers::kAsOutput};
const Unary kErf{
    {"aclnnErf",
     {input("self"), output("out")},
     rules_of({dtype_in(0, DtypeSet{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT64, ACL_BOOL},
                                    {ACL_BF16}}),
               converts_to_out()})},
    in_place("aclnnInplaceErf", "selfRef", kRealFloats),
    "erf",
    Integers::kAsFloat};

enum Backward { kGradOutput, kOutput, kGradInput };

// `between` stand between the dtypes and the shapes.
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

Plan plan_backward(const Arguments& arguments, Function function) {
  const aclDataType dtype = *promote_tensors(kGradOutput, kOutput)(arguments);
  return plan_arithmetic(arguments, kGradInput, {kGradOutput, kOutput}, dtype,
                         kernel_of(function, dtype));
}

}  // namespace

// Both phases of aclnn<Name> and aclnnInplace<Name> for the Unary k<Name>.
#define ACLGRAD_UNARY(Name)                                                                      \
  ACLGRAD_OPERATOR(aclnn##Name, 2, k##Name.out_of_place,                                         \
                   [](const Arguments& arguments) { return plan_unary(arguments, 1, k##Name); }) \
  ACLGRAD_OPERATOR(aclnnInplace##Name, 1, k##Name.in_place,                                      \
                   [](const Arguments& arguments) { return plan_unary(arguments, 0, k##Name); })

ACLGRAD_UNARY(Exp)
ACLGRAD_UNARY(Log)
ACLGRAD_UNARY(Sqrt)
ACLGRAD_UNARY(Rsqrt)
ACLGRAD_UNARY(Reciprocal)
ACLGRAD_UNARY(Sin)
ACLGRAD_UNARY(Cos)
ACLGRAD_UNARY(Tanh)
ACLGRAD_UNARY(Sigmoid)
ACLGRAD_UNARY(Erf)
ACLGRAD_OPERATOR(aclnnTanhBackward, 3, kTanhBackward, [](const Arguments& arguments) {
  return plan_backward(arguments, "tanh_backward");
})
ACLGRAD_OPERATOR(aclnnSigmoidBackward, 3, kSigmoidBackward, [](const Arguments& arguments) {
  return plan_backward(arguments, "sigmoid_backward");
})
