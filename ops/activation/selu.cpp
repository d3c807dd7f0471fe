// SPDX-License-Identifier: Apache-2.0
// aclnnSelu, aclnnInplaceSelu, aclnnSeluBackward.
#include "ops/activation/selu_kernel.h"

#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "ops/meta/rules.h"

using namespace aclgrad::ops;

namespace {

const DtypeSet kDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT8}, {ACL_BF16}};

const OperatorSpec kSelu{
    "aclnnSelu",
    {input("self"), output("out")},
    {not_null({0, 1}), dtype_in(0, kDtypes), dtype_in(1, kDtypes), same_shape(1, 0)}};

const OperatorSpec kInplaceSelu{
    "aclnnInplaceSelu", {in_out("selfRef")}, {not_null({0}), dtype_in(0, kDtypes)}};

const OperatorSpec kSeluBackward{"aclnnSeluBackward",
                                 {input("gradOutput"), input("result"), output("gradInput")},
                                 {not_null({0, 1, 2}), same_dtype(1, 0), same_dtype(2, 0),
                                  dtype_in(0, kDtypes), same_shape(1, 0), same_shape(2, 0)}};

// Integers stay exact in a kernel of their own, whose result is an integer of self's type before it
// is converted to another one; an `out` that holds less saturates too.
Plan plan_selu(const Arguments& arguments, size_t out) {
  const aclDataType dtype = arguments.dtype(0);
  if (!is_integer(dtype)) return elementwise(arguments, {out}, {0}, selu_kernel());
  const aclDataType range = arguments.dtype(out) == ACL_INT8 ? ACL_INT8 : dtype;
  return elementwise(arguments, {out}, {0}, selu_integer_kernel(range));
}

Plan plan_selu_backward(const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(0);
  if (is_integer(dtype)) {
    return elementwise(arguments, {2}, {0, 1}, selu_backward_integer_kernel(dtype));
  }
  return elementwise(arguments, {2}, {0, 1}, selu_backward_kernel());
}

}  // namespace

ACLGRAD_OPERATOR(aclnnSelu, 2, kSelu,
                 [](const Arguments& arguments) { return plan_selu(arguments, 1); })
ACLGRAD_OPERATOR(aclnnInplaceSelu, 1, kInplaceSelu,
                 [](const Arguments& arguments) { return plan_selu(arguments, 0); })
ACLGRAD_OPERATOR(aclnnSeluBackward, 3, kSeluBackward, plan_selu_backward)
