// SPDX-License-Identifier: Apache-2.0
// aclnnElu, aclnnInplaceElu, aclnnEluBackward.
#include "ops/activation/elu_kernel.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "ops/meta/rules.h"

using namespace aclgrad::ops;

namespace {

const DtypeSet kForwardDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_BF16}};
const DtypeSet kBackwardDtypes{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};

const OperatorSpec kElu{
    "aclnnElu",
    {input("self"), attribute("alpha"), attribute("scale"), attribute("inputScale"), output("out")},
    {not_null({0, 1, 2, 3, 4}), dtype_in(0, kForwardDtypes), scalar_castable_to_float(2),
     scalar_castable_to_float(1), scalar_castable_to_float(3), can_cast_tensor(0, 4),
     same_shape(4, 0), max_rank(0)}};

const OperatorSpec kInplaceElu{
    "aclnnInplaceElu",
    {in_out("selfRef"), attribute("alpha"), attribute("scale"), attribute("inputScale")},
    {not_null({0, 1, 2, 3}), dtype_in(0, kForwardDtypes), scalar_castable_to_float(2),
     scalar_castable_to_float(1), scalar_castable_to_float(3), max_rank(0)}};

enum Backward { kGradOutput, kAlpha, kScale, kInputScale, kIsResult, kSelfOrResult, kGradInput };

// With the forward's output at hand, a negative alpha would put the lower branch above 0, where it
// cannot be told from the upper one. -0 and NaN pass.
std::optional<std::string> alpha_complaint(const Arguments& arguments) {
  const float alpha = arguments.scalar(kAlpha).to_float();
  if (!arguments.flag(kIsResult) || !(alpha < 0)) return std::nullopt;
  return fmt::format("alpha must not be negative when isResult is true, but is {}.", alpha);
}

const OperatorSpec kEluBackward{
    "aclnnEluBackward",
    {input("gradOutput"), attribute("alpha"), attribute("scale"), attribute("inputScale"),
     attribute("isResult"), input("selfOrResult"), output("gradInput")},
    {not_null({kGradOutput, kAlpha, kScale, kInputScale, kSelfOrResult, kGradInput}),
     same_dtype(kSelfOrResult, kGradOutput), dtype_in(kGradOutput, kBackwardDtypes),
     scalar_castable_to_float(kAlpha), scalar_castable_to_float(kScale),
     scalar_castable_to_float(kInputScale), can_cast_tensor(kGradOutput, kGradInput),
     same_shape(kSelfOrResult, kGradOutput), same_shape(kGradInput, kGradOutput),
     max_rank(kGradOutput), require(alpha_complaint)}};

// alpha, scale and inputScale stand side by side in all three signatures.
EluParameters parameters_of(const Arguments& arguments) {
  return {arguments.scalar(1).to_float(), arguments.scalar(2).to_float(),
          arguments.scalar(3).to_float()};
}

Plan plan_backward(const Arguments& arguments) {
  const Dims& shape = arguments.shape(kGradOutput);
  Operand grad_input = operand(arguments, kGradInput, shape);
  grad_input.round_first = arguments.dtype(kGradOutput);
  Elementwise body(
      shape, {grad_input},
      {operand(arguments, kGradOutput, shape), operand(arguments, kSelfOrResult, shape)},
      elu_backward_kernel(parameters_of(arguments), arguments.flag(kIsResult)));
  if (arguments.empty(kGradOutput)) return {};
  return body.plan();
}

}  // namespace

ACLGRAD_OPERATOR(aclnnElu, 5, kElu, [](const Arguments& arguments) {
  return elementwise(arguments, {4}, {0}, elu_kernel(parameters_of(arguments)));
})
ACLGRAD_OPERATOR(aclnnInplaceElu, 4, kInplaceElu, [](const Arguments& arguments) {
  return elementwise(arguments, {0}, {0}, elu_kernel(parameters_of(arguments)));
})
ACLGRAD_OPERATOR(aclnnEluBackward, 7, kEluBackward, plan_backward)
