// SPDX-License-Identifier: Apache-2.0
// aclnnBinaryCrossEntropyWithLogits, aclnnBinaryCrossEntropyWithLogitsBackward.
#include <limits>
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"

#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "ops/activation/sigmoid.h"
#include "ops/activation/softplus.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/loss/loss_kernel.h"
#include "ops/loss/loss_reduction.h"

namespace aclgrad::ops {
namespace {

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};

// The backward's parameters; the forward has no gradOutput, and so one less before each.
enum Backward { kGradOutput, kSelf, kTarget, kWeight, kPosWeight, kReduction, kOut };

std::optional<size_t> where_given(const Arguments& arguments, size_t tensor) {
  return arguments.given(tensor) ? std::optional(tensor) : std::nullopt;
}

// ---- Forward ------------------------------------------------------------------------------------

bool reduces(const Arguments& arguments) {
  return loss_reduction(arguments, kReduction - 1) != LossReduction::kNone;
}
bool reduces_not(const Arguments& arguments) { return !reduces(arguments); }

std::vector<Rule> forward_rules() {
  constexpr size_t self = kSelf - 1, target = kTarget - 1, weight = kWeight - 1,
                   pos_weight = kPosWeight - 1, out = kOut - 1;
  return {not_null({self, target, out}),
          live_if_given(weight),
          live_if_given(pos_weight),
          dtype_in(self, kDtypes),
          dtype_in(target, kDtypes),
          if_given(weight, dtype_in(weight, kDtypes)),
          if_given(pos_weight, dtype_in(pos_weight, kDtypes)),
          same_dtype(out, target),
          loss_reduction_known(kReduction - 1),
          max_rank(self),
          if_given(weight, max_rank(weight)),
          if_given(pos_weight, max_rank(pos_weight)),
          same_shape(target, self),
          if_given(weight, broadcasts_to(weight, target)),
          if_given(pos_weight, broadcasts_to(pos_weight, target)),
          when(reduces_not, same_shape(out, target)),
          when(reduces, has_one_element(out))};
}

const OperatorSpec kForward{"aclnnBinaryCrossEntropyWithLogits",
                            {input("self"), input("target"), input("weightOptional"),
                             input("posWeightOptional"), attribute("reduction"), output("out")},
                            forward_rules()};

Plan plan_forward(const Arguments& arguments) {
  const Loss loss{
      {kSelf - 1, kTarget - 1, where_given(arguments, kWeight - 1),
       where_given(arguments, kPosWeight - 1)},
      kOut - 1,
      arguments.dtype(kOut - 1),
      binary_cross_entropy(softplus_kernel(1, std::numeric_limits<double>::infinity()).exact)};
  if (!reduces(arguments)) return plan_elements(arguments, loss);
  const Dims& shape = arguments.shape(kSelf - 1);
  const bool is_mean = loss_reduction(arguments, kReduction - 1) == LossReduction::kMean;
  return plan_total(arguments, loss, shape, is_mean ? count_elements(shape) : 1);
}

// ---- Backward -----------------------------------------------------------------------------------

std::vector<Rule> backward_rules() {
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
    rules.push_back(dtype_in(tensor, kDtypes));
  }
  for (const size_t tensor : {kWeight, kPosWeight}) {
    rules.push_back(if_given(tensor, dtype_in(tensor, kDtypes)));
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

const OperatorSpec kBackward{
    "aclnnBinaryCrossEntropyWithLogitsBackward",
    {input("gradOutput"), input("self"), input("target"), input("weightOptional"),
     input("posWeightOptional"), attribute("reduction"), output("out")},
    backward_rules()};

Plan plan_backward(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  const bool is_mean = loss_reduction(arguments, kReduction) == LossReduction::kMean;
  const int64_t count = is_mean ? count_elements(arguments.shape(kSelf)) : 1;
  return plan_elements(arguments, {{kGradOutput, kSelf, kTarget, where_given(arguments, kWeight),
                                    where_given(arguments, kPosWeight)},
                                   kOut,
                                   arguments.dtype(kOut),
                                   binary_cross_entropy_gradient(sigmoid_kernel().exact,
                                                                 static_cast<double>(count))});
}

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnBinaryCrossEntropyWithLogits, 6, kForward, plan_forward)
ACLGRAD_OPERATOR(aclnnBinaryCrossEntropyWithLogitsBackward, 7, kBackward, plan_backward)
