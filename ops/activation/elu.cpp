// SPDX-License-Identifier: Apache-2.0
// aclnnElu, aclnnInplaceElu, aclnnEluBackward.
#include "ops/activation/elu_kernel.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::elu {
namespace {

const DtypeSet kForwardDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_BF16}};

enum : size_t { kSelf, kAlpha, kScale, kInputScale, kOut };

const OperatorSpec kElu{
    "aclnnElu",
    {input("self"), attribute("alpha"), attribute("scale"), attribute("inputScale"), output("out")},
    {not_null({kSelf, kAlpha, kScale, kInputScale, kOut}), dtype_in(kSelf, kForwardDtypes),
     scalar_castable_to_float(kScale), scalar_castable_to_float(kAlpha),
     scalar_castable_to_float(kInputScale), can_cast_tensor(kSelf, kOut), same_shape(kOut, kSelf),
     max_rank(kSelf)}};

const OperatorSpec kInplaceElu{
    "aclnnInplaceElu",
    {in_out("selfRef"), attribute("alpha"), attribute("scale"), attribute("inputScale")},
    {not_null({kSelf, kAlpha, kScale, kInputScale}), dtype_in(kSelf, kForwardDtypes),
     scalar_castable_to_float(kScale), scalar_castable_to_float(kAlpha),
     scalar_castable_to_float(kInputScale), max_rank(kSelf)}};

// The backward has alpha, scale and inputScale where the forward has them.
enum : size_t { kGradOutput, kIsResult = 4, kSelfOrResult, kGradInput };

// With the forward's output at hand, a negative alpha would put the lower branch above 0, where it
// cannot be distinguished from the upper one. -0 and NaN pass.
std::optional<std::string> alpha_complaint(const Arguments& arguments) {
  const float alpha = arguments.scalar(kAlpha).to_float();
  if (!arguments.flag(kIsResult) || !(alpha < 0)) return std::nullopt;
  return fmt::format("alpha must not be negative when isResult is true, but is {}.", alpha);
}

const OperatorSpec kEluBackward{
    "aclnnEluBackward",
    {input("gradOutput"), attribute("alpha"), attribute("scale"), attribute("inputScale"),
     attribute("isResult"), input("selfOrResult"), output("gradInput")},
    Rules{not_null({kGradOutput, kAlpha, kScale, kInputScale, kSelfOrResult, kGradInput}),
          same_dtype(kSelfOrResult, kGradOutput), dtype_in(kGradOutput, kFloats),
          scalar_castable_to_float(kAlpha), scalar_castable_to_float(kScale),
          scalar_castable_to_float(kInputScale), can_cast_tensor(kGradOutput, kGradInput),
          same_shape({kSelfOrResult, kGradInput}, kGradOutput), max_rank(kGradOutput),
          require(alpha_complaint)}};

// alpha, scale and inputScale stand side by side in all three signatures.
EluFunction function_of(const Arguments& arguments) {
  return EluFunction::of(arguments.scalar(kAlpha).to_float(), arguments.scalar(kScale).to_float(),
                         arguments.scalar(kInputScale).to_float());
}

Plan plan_backward(const Arguments& arguments) {
  const Dims& shape = arguments.shape(kGradOutput);
  Operand grad_input = operand(arguments, kGradInput, shape);
  grad_input.intermediate_dtype = arguments.dtype(kGradOutput);
  Elementwise body(
      shape, {grad_input},
      {operand(arguments, kGradOutput, shape), operand(arguments, kSelfOrResult, shape)},
      elu_backward_kernel(function_of(arguments), arguments.flag(kIsResult)));
  if (arguments.empty(kGradOutput)) return {};
  return body.plan();
}

}  // namespace

ACLGRAD_OPERATOR(aclnnElu, kElu, [](const Arguments& arguments) {
  return elementwise(arguments, {kOut}, {kSelf}, elu_kernel(function_of(arguments)));
})
ACLGRAD_OPERATOR(aclnnInplaceElu, kInplaceElu, [](const Arguments& arguments) {
  return elementwise(arguments, {kSelf}, {kSelf}, elu_kernel(function_of(arguments)));
})
ACLGRAD_OPERATOR(aclnnEluBackward, kEluBackward, plan_backward)

}  // namespace aclgrad::ops::elu
