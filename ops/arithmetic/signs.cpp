// SPDX-License-Identifier: Apache-2.0
// aclnnNeg, aclnnInplaceNeg, aclnnAbs, aclnnSign.
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_sign.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/selection_kernel.h"

using namespace aclgrad::ops;

namespace {

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128,
                            ACL_INT8, ACL_INT32, ACL_INT64},
                           {ACL_BF16}};

const OperatorSpec kNeg{"aclnnNeg",
                        {input("self"), output("out")},
                        {not_null({0, 1}), dtype_in(0, kDtypes), can_cast_tensor(0, 1), max_rank(0),
                         max_rank(1), same_shape(1, 0)}};
const OperatorSpec kInplaceNeg{
    "aclnnInplaceNeg", {in_out("selfRef")}, {not_null({0}), dtype_in(0, kDtypes), max_rank(0)}};

Plan plan_neg(const Arguments& arguments, size_t out) {
  const aclDataType dtype = arguments.dtype(0);
  return plan_arithmetic(arguments, out, {0}, dtype, product(dtype, Number{-1, -1, -1}));
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
    return arguments.dtype(0) == ACL_COMPLEX64 ? dtype_in(1, {ACL_FLOAT})(arguments)
                                               : same_dtype(1, 0)(arguments);
  };
}

const OperatorSpec kAbs{"aclnnAbs",
                        {input("self"), output("out")},
                        {not_null({0, 1}), dtype_in(0, kAbsDtypes), dtype_of_magnitude(),
                         same_shape(1, 0), max_rank(0), no_private_format(0), same_format(1, 0)}};
const OperatorSpec kSign{
    "aclnnSign",
    {input("self"), output("result")},
    {not_null({0, 1}), dtype_in(0, kSignDtypes), same_dtype(1, 0), same_shape(1, 0)}};

}  // namespace

ACLGRAD_OPERATOR(aclnnNeg, 2, kNeg,
                 [](const Arguments& arguments) { return plan_neg(arguments, 1); })
ACLGRAD_OPERATOR(aclnnInplaceNeg, 1, kInplaceNeg,
                 [](const Arguments& arguments) { return plan_neg(arguments, 0); })
ACLGRAD_OPERATOR(aclnnAbs, 2, kAbs, [](const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(0);
  return plan_arithmetic(arguments, 1, {0}, dtype, magnitude(dtype));
})
ACLGRAD_OPERATOR(aclnnSign, 2, kSign, [](const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(0);
  return plan_arithmetic(arguments, 1, {0}, dtype, sign(dtype));
})
