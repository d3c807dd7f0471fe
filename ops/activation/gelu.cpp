// SPDX-License-Identifier: Apache-2.0
// aclnnGelu, aclnnGeluV2, aclnnGeluBackward, aclnnGeluBackwardV2. The first version of each is the
// tanh form.
#include "ops/activation/gelu_kernel.h"

#include <fmt/format.h>

#include <string_view>

#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::gelu {
namespace {

// ---- Forward ------------------------------------------------------------------------------------

// Of aclnnGelu; and where aclnnGeluV2 differs.
enum : size_t { kX, kY };
enum : size_t { kApproximate = 1, kYOfV2 };

// BF16 is refused by the product before the list of dtypes is looked at.
Rule no_unknown_bfloat(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.dtype(tensor) != ACL_BF16 || is_a2_or_later(current_soc())) return std::nullopt;
    return fmt::format(
        "tensor {} is of DT_BF16, which {} does not know; expected DT_FLOAT or DT_FLOAT16.",
        arguments.name(tensor), aclrtGetSocName());
  });
}

std::vector<Rule> forward_rules(size_t out) {
  return {not_null({kX, out}), no_unknown_bfloat(kX), dtype_in(kX, kFloats),
          same_dtype(out, kX), no_private_format(kX), no_private_format(out),
          max_rank(kX),        max_rank(out),         same_shape(out, kX)};
}

const OperatorSpec kGelu{"aclnnGelu", {input("self"), output("out")}, forward_rules(kY)};
const OperatorSpec kGeluV2{
    "aclnnGeluV2", {input("x"), attribute("approximate"), output("y")}, forward_rules(kYOfV2)};

// ---- Backward -----------------------------------------------------------------------------------

// Of aclnnGeluBackward; and where aclnnGeluBackwardV2 differs.
enum : size_t { kGradOutput, kSelf, kGradInput };
enum : size_t { kApproximateOfBackward = 2, kGradInputOfV2 };

// The type that the gradient is computed in, when the two have one.
aclDataType common_type(const Arguments& arguments) {
  return promote_types(arguments.dtype(kGradOutput), arguments.dtype(kSelf))
      .value_or(ACL_DT_UNDEFINED);
}

std::optional<std::string> common_bfloat_complaint(const Arguments& arguments) {
  if (common_type(arguments) != ACL_BF16 || is_a2_or_later(current_soc())) return std::nullopt;
  return fmt::format(
      "gradOutput and self promote to DT_BF16, which {} does not know; expected DT_FLOAT or "
      "DT_FLOAT16.",
      aclrtGetSocName());
}

std::optional<std::string> common_type_complaint(const Arguments& arguments) {
  if (kFloats.contains(common_type(arguments))) return std::nullopt;
  return fmt::format("gradOutput ({}) and self ({}) promote to {}, expected a dtype of {}.",
                     dtype_name(arguments.dtype(kGradOutput)), dtype_name(arguments.dtype(kSelf)),
                     dtype_name(common_type(arguments)), kFloats.to_string());
}

// Everything that has values: the gradient is converted to it.
const DtypeSet kAnyDtype{ACL_FLOAT,     ACL_FLOAT16,   ACL_BF16,       ACL_DOUBLE,
                         ACL_INT8,      ACL_INT16,     ACL_INT32,      ACL_INT64,
                         ACL_UINT8,     ACL_UINT16,    ACL_UINT32,     ACL_UINT64,
                         ACL_COMPLEX32, ACL_COMPLEX64, ACL_COMPLEX128, ACL_BOOL};

std::vector<Rule> backward_rules(Rule given, size_t grad_input) {
  return {given,
          promotable(kGradOutput, kSelf),
          require(common_bfloat_complaint),
          require(common_type_complaint),
          max_rank(kGradOutput),
          max_rank(kSelf),
          max_rank(grad_input),
          broadcastable(kGradOutput, kSelf),
          shape_is_broadcast(grad_input, kGradOutput, kSelf),
          dtype_in(grad_input, kAnyDtype)};
}

std::optional<std::string> approximate_complaint(const Arguments& arguments) {
  const std::string_view text = arguments.text(kApproximateOfBackward);
  if (text == "none" || text == "tanh") return std::nullopt;
  return fmt::format("approximate must be \"none\" or \"tanh\", but is \"{}\".", text);
}

std::vector<Rule> backward_v2_rules() {
  std::vector<Rule> rules = backward_rules(
      not_null({kGradOutput, kSelf, kApproximateOfBackward, kGradInputOfV2}), kGradInputOfV2);
  rules.push_back(require(approximate_complaint));
  return rules;
}

const OperatorSpec kGeluBackward{
    "aclnnGeluBackward",
    {input("gradOutput"), input("self"), output("gradInput")},
    backward_rules(not_null({kGradOutput, kSelf, kGradInput}), kGradInput)};
const OperatorSpec kGeluBackwardV2{
    "aclnnGeluBackwardV2",
    {input("gradOutput"), input("self"), attribute("approximate"), output("gradInput")},
    backward_v2_rules()};

// Inputs are taken in the common type, and the result is one of it before gradInput's dtype, which
// may be any, comes in.
Plan plan_backward(const Arguments& arguments, size_t grad_input, GeluForm form) {
  const Dims& shape = arguments.shape(grad_input);
  Operand operands[] = {operand(arguments, kGradOutput, shape), operand(arguments, kSelf, shape),
                        operand(arguments, grad_input, shape)};
  for (Operand& each : operands) each.intermediate_dtype = common_type(arguments);
  Elementwise body(shape, {operands[2]}, {operands[0], operands[1]}, gelu_backward_kernel(form));
  if (arguments.empty(grad_input)) return {};
  return body.plan();
}

}  // namespace

ACLGRAD_OPERATOR(aclnnGelu, kGelu, [](const Arguments& arguments) {
  return elementwise(arguments, {kY}, {kX}, gelu_kernel(GeluForm::kTanh));
})
ACLGRAD_OPERATOR(aclnnGeluV2, kGeluV2, [](const Arguments& arguments) {
  const GeluForm form = arguments.integer(kApproximate) == 1 ? GeluForm::kTanh : GeluForm::kErf;
  return elementwise(arguments, {kYOfV2}, {kX}, gelu_kernel(form));
})
ACLGRAD_OPERATOR(aclnnGeluBackward, kGeluBackward, [](const Arguments& arguments) {
  return plan_backward(arguments, kGradInput, GeluForm::kTanh);
})
ACLGRAD_OPERATOR(aclnnGeluBackwardV2, kGeluBackwardV2, [](const Arguments& arguments) {
  const bool exact = std::string_view(arguments.text(kApproximateOfBackward)) == "none";
  return plan_backward(arguments, kGradInputOfV2, exact ? GeluForm::kErf : GeluForm::kTanh);
})

}  // namespace aclgrad::ops::gelu
