// SPDX-License-Identifier: Apache-2.0
// aclnnNeg, aclnnInplaceNeg, aclnnAbs, aclnnSign.
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_sign.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/selection_kernel.h"

namespace aclgrad::ops::signs {
namespace {

enum : size_t { kSelf, kOut };

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128,
                            ACL_INT8, ACL_INT32, ACL_INT64},
                           {ACL_BF16}};

const OperatorSpec kNeg{
    "aclnnNeg",
    {input("self"), output("out")},
    Rules{not_null({kSelf, kOut}), dtype_in(kSelf, kDtypes), can_cast_tensor(kSelf, kOut),
          max_rank({kSelf, kOut}), same_shape(kOut, kSelf)}};
const OperatorSpec kInplaceNeg{"aclnnInplaceNeg",
                               {in_out("selfRef")},
                               {not_null({kSelf}), dtype_in(kSelf, kDtypes), max_rank(kSelf)}};

Plan plan_neg(const Arguments& arguments, size_t out) {
  const aclDataType dtype = arguments.dtype(kSelf);
  return plan_arithmetic(arguments, out, {kSelf}, dtype, product(dtype, KernelScalar{-1, -1, -1}));
}

constexpr DtypeSet kAbsDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32,
                               ACL_INT64, ACL_UINT8, ACL_BOOL},
                              {ACL_BF16, ACL_COMPLEX64}};
constexpr DtypeSet kSignDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT32, ACL_INT64,
                                ACL_COMPLEX64, ACL_COMPLEX128, ACL_BOOL},
                               {ACL_BF16}};

// Magnitudes are real.
Rule dtype_of_magnitude() {
  return [](const Arguments& arguments) {
    return arguments.dtype(kSelf) == ACL_COMPLEX64 ? dtype_in(kOut, {ACL_FLOAT})(arguments)
                                                   : same_dtype(kOut, kSelf)(arguments);
  };
}

const OperatorSpec kAbs{
    "aclnnAbs",
    {input("self"), output("out")},
    {not_null({kSelf, kOut}), dtype_in(kSelf, kAbsDtypes), dtype_of_magnitude(),
     same_shape(kOut, kSelf), max_rank(kSelf), no_private_format(kSelf), same_format(kOut, kSelf)}};
const OperatorSpec kSign{"aclnnSign",
                         {input("self"), output("result")},
                         {not_null({kSelf, kOut}), dtype_in(kSelf, kSignDtypes),
                          same_dtype(kOut, kSelf), same_shape(kOut, kSelf)}};

}  // namespace

ACLGRAD_OPERATOR(aclnnNeg, kNeg,
                 [](const Arguments& arguments) { return plan_neg(arguments, kOut); })
ACLGRAD_OPERATOR(aclnnInplaceNeg, kInplaceNeg,
                 [](const Arguments& arguments) { return plan_neg(arguments, kSelf); })
ACLGRAD_OPERATOR(aclnnAbs, kAbs, [](const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(kSelf);
  return plan_arithmetic(arguments, kOut, {kSelf}, dtype, magnitude(dtype));
})
ACLGRAD_OPERATOR(aclnnSign, kSign, [](const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(kSelf);
  return plan_arithmetic(arguments, kOut, {kSelf}, dtype, sign(dtype));
})

}  // namespace aclgrad::ops::signs
