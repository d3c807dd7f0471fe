// SPDX-License-Identifier: Apache-2.0
// aclnnSelu, aclnnInplaceSelu, aclnnSeluBackward.
#include "ops/activation/selu_kernel.h"

#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::selu {
namespace {

const DtypeSet kDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT8}, {ACL_BF16}};

enum : size_t { kSelf, kOut };

const OperatorSpec kSelu{
    "aclnnSelu",
    {input("self"), output("out")},
    Rules{not_null({kSelf, kOut}), dtype_in({kSelf, kOut}, kDtypes), same_shape(kOut, kSelf)}};

const OperatorSpec kInplaceSelu{
    "aclnnInplaceSelu", {in_out("selfRef")}, {not_null({kSelf}), dtype_in(kSelf, kDtypes)}};

enum : size_t { kGradOutput, kResult, kGradInput };

const OperatorSpec kSeluBackward{
    "aclnnSeluBackward",
    {input("gradOutput"), input("result"), output("gradInput")},
    Rules{not_null({kGradOutput, kResult, kGradInput}),
          same_dtype({kResult, kGradInput}, kGradOutput), dtype_in(kGradOutput, kDtypes),
          same_shape({kResult, kGradInput}, kGradOutput)}};

// Integers stay exact in a kernel of their own, whose result is an integer of self's type before it
// is converted to another one; an `out` that holds less saturates too.
Plan plan_selu(const Arguments& arguments, size_t out) {
  const aclDataType dtype = arguments.dtype(kSelf);
  if (!is_integer(dtype)) return elementwise(arguments, {out}, {kSelf}, selu_kernel());
  const aclDataType range = arguments.dtype(out) == ACL_INT8 ? ACL_INT8 : dtype;
  return elementwise(arguments, {out}, {kSelf}, selu_integer_kernel(range));
}

Plan plan_selu_backward(const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(kGradOutput);
  if (is_integer(dtype)) {
    return elementwise(arguments, {kGradInput}, {kGradOutput, kResult},
                       selu_backward_integer_kernel(dtype));
  }
  return elementwise(arguments, {kGradInput}, {kGradOutput, kResult}, selu_backward_kernel());
}

}  // namespace

ACLGRAD_OPERATOR(aclnnSelu, kSelu,
                 [](const Arguments& arguments) { return plan_selu(arguments, kOut); })
ACLGRAD_OPERATOR(aclnnInplaceSelu, kInplaceSelu,
                 [](const Arguments& arguments) { return plan_selu(arguments, kSelf); })
ACLGRAD_OPERATOR(aclnnSeluBackward, kSeluBackward, plan_selu_backward)

}  // namespace aclgrad::ops::selu
