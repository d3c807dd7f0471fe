// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one tensor, most with forms in place: aclnnExp, aclnnLog, aclnnSqrt,
// aclnnRsqrt, aclnnReciprocal, aclnnSin, aclnnCos, aclnnErf, those of ACLGRAD_FUNCTIONS_IN_DOUBLE,
// aclnnLgamma, aclnnDigamma, aclnnSquare and aclnnReal.
#include "ops/arithmetic/functions_kernel.h"

#include "aclnnop/aclnn_acos.h"
#include "aclnnop/aclnn_acosh.h"
#include "aclnnop/aclnn_asin.h"
#include "aclnnop/aclnn_asinh.h"
#include "aclnnop/aclnn_atan.h"
#include "aclnnop/aclnn_atanh.h"
#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_cosh.h"
#include "aclnnop/aclnn_digamma.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_erfc.h"
#include "aclnnop/aclnn_erfinv.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_exp2.h"
#include "aclnnop/aclnn_expm1.h"
#include "aclnnop/aclnn_lgamma.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_log10.h"
#include "aclnnop/aclnn_log1p.h"
#include "aclnnop/aclnn_log2.h"
#include "aclnnop/aclnn_real.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_sinc.h"
#include "aclnnop/aclnn_sinh.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_square.h"
#include "aclnnop/aclnn_tan.h"
#include "ops/arithmetic/selection_kernel.h"
#include "ops/arithmetic/unary_rules.h"
#include "ops/engine/dtype/dtype_sets.h"

namespace aclgrad::ops::functions {
namespace {

using namespace unary_function;

constexpr DtypeSet kComplexFloats{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128}, {ACL_BF16}};

template <Function function>
Kernel kernel_of(aclDataType dtype) {
  if (is_complex(dtype)) return complex_function_kernel(function);
  return function_kernel(function);
}

const Unary kExp{
    {"aclnnExp",
     {input("self"), output("out")},
     unary_rules({dtype_in(kSelf, DtypeSet{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64,
                                            ACL_COMPLEX128, ACL_INT64, ACL_BOOL},
                                           {ACL_BF16}}),
                  unary_result_converts()})},
    unary_in_place("aclnnInplaceExp", "selfRef", kComplexFloats),
    kernel_of<Function::kExp>,
    Integers::kAsFloat};
const Unary kLog{{"aclnnLog",
                  {input("self"), output("out")},
                  unary_rules({dtype_in(kSelf, kNumbersAndBool), dtype_in(kOut, kComplexFloats),
                               can_cast_tensor(kSelf, kOut)})},
                 unary_in_place("aclnnInplaceLog", "selfRef", kComplexFloats),
                 kernel_of<Function::kLog>,
                 Integers::kAsFloat};
const Unary kSqrt{{"aclnnSqrt",
                   {input("self"), output("out")},
                   unary_rules({dtype_in(kSelf, kNumbersAndBool), unary_result_converts()})},
                  unary_in_place("aclnnInplaceSqrt", "self", kComplexFloats),
                  kernel_of<Function::kSqrt>,
                  Integers::kInt64AsDouble};
const Unary kRsqrt{
    {"aclnnRsqrt",
     {input("self"), output("out")},
     unary_rules({dtype_in(kSelf, kNumbersAndBool), dtype_in(kOut, kComplexFloatsAndBf16)})},
    unary_in_place("aclnnInplaceRsqrt", "selfRef", kComplexFloats),
    kernel_of<Function::kRsqrt>,
    Integers::kAsOutput};
const Unary kReciprocal{
    {"aclnnReciprocal",
     {input("self"), output("out")},
     unary_rules({dtype_in(kSelf, kNumbersAndBool), dtype_in(kOut, kComplexFloatsAndBf16)},
                 {same_format(kOut, kSelf)})},
    unary_in_place("aclnnInplaceReciprocal", "selfRef", kComplexFloats),
    kernel_of<Function::kReciprocal>,
    Integers::kAsFloat};
const Unary kSin{{"aclnnSin",
                  {input("self"), output("out")},
                  unary_rules({dtype_in(kSelf, kNumbersAndBool), dtype_in(kOut, kComplexFloats)})},
                 unary_in_place("aclnnInplaceSin", "selfRef", kComplexFloats),
                 kernel_of<Function::kSin>,
                 Integers::kAsFloat};
const Unary kCos{{"aclnnCos",
                  {input("input"), output("out")},
                  unary_rules({dtype_in(kSelf, kNumbersAndBool), dtype_in(kOut, kComplexFloats)})},
                 unary_in_place("aclnnInplaceCos", "inputRef", kComplexFloats),
                 kernel_of<Function::kCos>,
                 Integers::kAsFloat};
const Unary kErf{
    {"aclnnErf",
     {input("self"), output("out")},
     unary_rules(
         {dtype_in(kSelf,
                   DtypeSet{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT64, ACL_BOOL}, {ACL_BF16}}),
          unary_result_converts()})},
    unary_in_place("aclnnInplaceErf", "selfRef", kRealFloats),
    kernel_of<Function::kErf>,
    Integers::kAsFloat};

// Of real numbers, into floating ones.
OperatorSpec real_function(const char* name) {
  return {name,
          {input("self"), output("out")},
          unary_rules({dtype_in(kSelf, kRealNumbersAndBool), dtype_in(kOut, kRealFloats)})};
}

#define ACLGRAD_DEFINE(Name, formula)                                               \
  const Unary k##Name{real_function("aclnn" #Name),                                 \
                      unary_in_place("aclnnInplace" #Name, "selfRef", kRealFloats), \
                      kernel_of<Function::k##Name>, Integers::kAsFloatOrDouble};
ACLGRAD_FUNCTIONS_IN_DOUBLE(ACLGRAD_DEFINE)
#undef ACLGRAD_DEFINE

const OperatorSpec kLgamma = real_function("aclnnLgamma");
const OperatorSpec kDigamma = real_function("aclnnDigamma");

const OperatorSpec kSquare{"aclnnSquare",
                           {input("self"), output("out")},
                           unary_rules({dtype_in(kSelf, kNumbers), same_dtype(kOut, kSelf)})};
const OperatorSpec kReal{
    "aclnnReal",
    {input("self"), output("out")},
    unary_rules({dtype_in(kSelf, kComplexFloats), has_dtype(kOut, [](const Arguments& arguments) {
                   const aclDataType self = arguments.dtype(kSelf);
                   if (!is_complex(self)) return self;
                   return self == ACL_COMPLEX64 ? ACL_FLOAT : ACL_DOUBLE;
                 })})};

}  // namespace

ACLGRAD_UNARY(Exp)
ACLGRAD_UNARY(Log)
ACLGRAD_UNARY(Sqrt)
ACLGRAD_UNARY(Rsqrt)
ACLGRAD_UNARY(Reciprocal)
ACLGRAD_UNARY(Sin)
ACLGRAD_UNARY(Cos)
ACLGRAD_UNARY(Erf)

#define ACLGRAD_DEFINE(Name, formula) ACLGRAD_UNARY(Name)
ACLGRAD_FUNCTIONS_IN_DOUBLE(ACLGRAD_DEFINE)
#undef ACLGRAD_DEFINE

ACLGRAD_OPERATOR(aclnnLgamma, kLgamma, [](const Arguments& arguments) {
  return plan_unary(arguments, kOut, Integers::kAsFloatOrDouble, kernel_of<Function::kLgamma>);
})
ACLGRAD_OPERATOR(aclnnDigamma, kDigamma, [](const Arguments& arguments) {
  return plan_unary(arguments, kOut, Integers::kAsFloatOrDouble, kernel_of<Function::kDigamma>);
})
ACLGRAD_OPERATOR(aclnnSquare, kSquare, [](const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(kSelf);
  return plan_arithmetic(arguments, kOut, {kSelf, kSelf}, dtype, product(dtype));
})
ACLGRAD_OPERATOR(aclnnReal, kReal, [](const Arguments& arguments) {
  return plan_arithmetic(arguments, kOut, {kSelf}, arguments.dtype(kOut),
                         real_part(arguments.dtype(kSelf)));
})

}  // namespace aclgrad::ops::functions
