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

std::vector<Rule> rules() {
  return {not_null({kSelf, kTarget, kOut}),
          live_if_given(kWeight),
          live_if_given(kPosWeight),
          dtype_in(kSelf, kFloats),
          dtype_in(kTarget, kFloats),
          if_given(kWeight, dtype_in(kWeight, kFloats)),
          if_given(kPosWeight, dtype_in(kPosWeight, kFloats)),
          same_dtype(kOut, kTarget),
          loss_reduction_known(kReduction),
          max_rank(kSelf),
          if_given(kWeight, max_rank(kWeight)),
          if_given(kPosWeight, max_rank(kPosWeight)),
          same_shape(kTarget, kSelf),
          if_given(kWeight, broadcasts_to(kWeight, kTarget)),
          if_given(kPosWeight, broadcasts_to(kPosWeight, kTarget)),
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

std::vector<Rule> rules() {
  const auto has_elements = [](Rule rule) {
    return when([](const Arguments& arguments) { return !arguments.empty(kSelf); }, rule);
  };
  std::vector<Rule> rules = {not_null({kGradOutput, kSelf, kTarget, kOut}), live_if_given(kWeight),
                             live_if_given(kPosWeight)};
  for (const size_t tensor : {kGradOutput, kSelf, kTarget, kOut}) {
    rules.push_back(max_rank(tensor));
  }
  for (const size_t tensor : {kWeight, kPosWeight}) {
    rules.push_back(if_given(tensor, max_rank(tensor)));
  }
  for (const size_t tensor : {kGradOutput, kSelf, kTarget}) {
    rules.push_back(dtype_in(tensor, kFloats));
  }
  for (const size_t tensor : {kWeight, kPosWeight}) {
    rules.push_back(if_given(tensor, dtype_in(tensor, kFloats)));
  }
  rules.push_back(same_dtype(kOut, kTarget));
  std::vector<Rule> shapes = {same_shape(kTarget, kSelf), same_shape(kOut, kTarget),
                              broadcasts_to(kGradOutput, kTarget),
                              if_given(kWeight, broadcasts_to(kWeight, kTarget)),
                              if_given(kPosWeight, broadcasts_to(kPosWeight, kTarget))};
  for (const Rule& rule : shapes) rules.push_back(has_elements(rule));
  rules.push_back(loss_reduction_known(kReduction));
  return rules;
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
