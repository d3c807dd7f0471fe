// SPDX-License-Identifier: Apache-2.0
// Elementwise functions with forms in place: aclnnExp, aclnnLog, aclnnSqrt, aclnnRsqrt,
// aclnnReciprocal, aclnnSin, aclnnCos, aclnnErf.
#include "ops/arithmetic/functions_kernel.h"

#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_sqrt.h"
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

}  // namespace

ACLGRAD_UNARY(Exp)
ACLGRAD_UNARY(Log)
ACLGRAD_UNARY(Sqrt)
ACLGRAD_UNARY(Rsqrt)
ACLGRAD_UNARY(Reciprocal)
ACLGRAD_UNARY(Sin)
ACLGRAD_UNARY(Cos)
ACLGRAD_UNARY(Erf)

}  // namespace aclgrad::ops::functions
