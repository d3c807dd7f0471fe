// SPDX-License-Identifier: Apache-2.0
// aclnnBinaryCrossEntropyWithLogits, aclnnBinaryCrossEntropyWithLogitsBackward.
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"

#include <limits>

#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "ops/activation/sigmoid_kernel.h"
#include "ops/activation/softplus_kernel.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/loss/loss_kernel.h"
#include "ops/loss/loss_reduction.h"

namespace aclgrad::ops::binary_cross_entropy_operator {
namespace {

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kSelf, kTarget, kWeight, kPosWeight, kReduction, kOut };

Rules rules() {
  return {not_null({kSelf, kTarget, kOut}),
          live_if_given({kWeight, kPosWeight}),
          dtype_in({kSelf, kTarget, kWeight, kPosWeight}, kFloats),
          same_dtype(kOut, kTarget),
          loss_reduction_known(kReduction),
          max_rank({kSelf, kWeight, kPosWeight}),
          same_shape(kTarget, kSelf),
          broadcasts_to({kWeight, kPosWeight}, kTarget),
          unless_reduced(kReduction, same_shape(kOut, kTarget)),
          if_reduced(kReduction, has_one_element(kOut))};
}

const OperatorSpec kSpec{"aclnnBinaryCrossEntropyWithLogits",
                         {input("self"), input("target"), input("weightOptional"),
                          input("posWeightOptional"), attribute("reduction"), output("out")},
                         rules()};

Plan plan(const Arguments& arguments) {
  const Loss loss{
      {kSelf, kTarget, where_given(arguments, kWeight), where_given(arguments, kPosWeight)},
      kOut,
      arguments.dtype(kOut),
      binary_cross_entropy(softplus_kernel(1, std::numeric_limits<double>::infinity()).exact)};
  return plan_loss(arguments, kReduction, arguments.shape(kSelf), loss);
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kGradOutput, kSelf, kTarget, kWeight, kPosWeight, kReduction, kOut };

Rules rules() {
  return {not_null({kGradOutput, kSelf, kTarget, kOut}),
          live_if_given({kWeight, kPosWeight}),
          max_rank({kGradOutput, kSelf, kTarget, kOut, kWeight, kPosWeight}),
          dtype_in({kGradOutput, kSelf, kTarget, kWeight, kPosWeight}, kFloats),
          same_dtype(kOut, kTarget),
          when([](const Arguments& arguments) { return !arguments.empty(kSelf); },
               Rules{same_shape(kTarget, kSelf), same_shape(kOut, kTarget),
                     broadcasts_to({kGradOutput, kWeight, kPosWeight}, kTarget)}),
          loss_reduction_known(kReduction)};
}

const OperatorSpec kSpec{
    "aclnnBinaryCrossEntropyWithLogitsBackward",
    {input("gradOutput"), input("self"), input("target"), input("weightOptional"),
     input("posWeightOptional"), attribute("reduction"), output("out")},
    rules()};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  const int64_t count = loss_divisor(arguments, kReduction, count_elements(arguments.shape(kSelf)));
  return plan_elements(arguments, {{kGradOutput, kSelf, kTarget, where_given(arguments, kWeight),
                                    where_given(arguments, kPosWeight)},
                                   kOut,
                                   arguments.dtype(kOut),
                                   binary_cross_entropy_gradient(sigmoid_kernel().exact,
                                                                 static_cast<double>(count))});
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnBinaryCrossEntropyWithLogits, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnBinaryCrossEntropyWithLogitsBackward, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::binary_cross_entropy_operator
