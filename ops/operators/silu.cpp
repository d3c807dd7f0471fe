// SPDX-License-Identifier: Apache-2.0
// aclnnSilu, aclnnSiluBackward.
#include <fmt/format.h>

#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "ops/kernels/functions.h"
#include "ops/meta/rules.h"

using namespace aclgrad::ops;

namespace {

const DtypeSet kForwardDtypes{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};
const DtypeSet kBackwardDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_BF16}};

const OperatorSpec kSilu{
    "aclnnSilu",
    {input("self"), output("out")},
    {not_null({0, 1}), dtype_in(0, kForwardDtypes), dtype_in(1, kForwardDtypes), same_shape(1, 0)}};

enum Backward { kGradOutput, kSelf, kGradInput };

std::optional<std::string> mixed_complaint(const Arguments& arguments) {
  const aclDataType grad = arguments.dtype(kGradOutput);
  const aclDataType result = arguments.dtype(kGradInput);
  const aclDataType expected = grad == arguments.dtype(kSelf) ? grad : ACL_FLOAT;
  if (result == expected) return std::nullopt;
  return fmt::format(
      "tensor gradInput has dtype {}, expected {} for gradOutput of {} and self "
      "of {}.",
      dtype_name(result), dtype_name(expected), dtype_name(grad),
      dtype_name(arguments.dtype(kSelf)));
}

const OperatorSpec kSiluBackward{
    "aclnnSiluBackward",
    {input("gradOutput"), input("self"), output("gradInput")},
    {not_null({kGradOutput, kSelf, kGradInput}), dtype_in(kGradOutput, kBackwardDtypes),
     dtype_in(kSelf, kBackwardDtypes), dtype_in(kGradInput, kBackwardDtypes),
     when(before_950, same_dtype(kSelf, kGradOutput)),
     when(before_950, same_dtype(kGradInput, kGradOutput)), when(on_950, require(mixed_complaint)),
     max_rank(kGradOutput), max_rank(kSelf), max_rank(kGradInput),
     when(before_950, same_shape(kSelf, kGradOutput)),
     when(before_950, same_shape(kGradInput, kGradOutput)),
     when(on_950, broadcastable(kGradOutput, kSelf)),
     when(on_950, shape_is_broadcast(kGradInput, kGradOutput, kSelf))}};

}  // namespace

ACLGRAD_OPERATOR(aclnnSilu, 2, kSilu, [](const Arguments& arguments) {
  return elementwise(arguments, {1}, {0}, function_kernel("silu"));
})
ACLGRAD_OPERATOR(aclnnSiluBackward, 3, kSiluBackward, [](const Arguments& arguments) {
  return elementwise(arguments, {kGradInput}, {kGradOutput, kSelf},
                     function_kernel("silu_backward"));
})
