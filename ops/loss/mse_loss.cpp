// SPDX-License-Identifier: Apache-2.0
// aclnnMseLoss, aclnnMseLossOut, aclnnMseLossBackward.
#include "aclnnop/aclnn_mse_loss.h"

#include <fmt/format.h>

#include <limits>

#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_mse_loss_out.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/loss/loss_reduction.h"
#include "ops/loss/mse_kernel.h"

namespace aclgrad::ops::mse_loss {
namespace {

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kSelf, kTarget, kReduction, kOut };

// What a mean or a sum is taken over.
enum class Over { kAll, kFirstDimension };

Rule out_shape(Over over) {
  return require([over](const Arguments& arguments) -> std::optional<std::string> {
    Dims expected = broadcast_shape(arguments, {kSelf, kTarget});
    if (loss_reduction(arguments, kReduction) != LossReduction::kNone) {
      const bool keeps_others = over == Over::kFirstDimension && !expected.empty();
      expected = keeps_others ? Dims(expected.begin() + 1, expected.size() - 1) : Dims{};
    }
    if (arguments.shape(kOut) == expected) return std::nullopt;
    return fmt::format("tensor {} must have size {}, but is {}.", arguments.name(kOut),
                       to_string(expected), to_string(arguments.shape(kOut)));
  });
}

OperatorSpec spec(const char* name, Over over) {
  return {name,
          {input("self"), input("target"), attribute("reduction"), output("out")},
          Rules{not_null({kSelf, kTarget, kOut}), promotes_to_one_of({kSelf, kTarget}, kFloats),
                dtype_in({kSelf, kTarget, kOut}, kFloats), loss_reduction_known(kReduction),
                max_rank({kSelf, kTarget, kOut}), broadcastable(kSelf, kTarget), out_shape(over)}};
}

const OperatorSpec kSpec = spec("aclnnMseLoss", Over::kAll);
const OperatorSpec kOutSpec = spec("aclnnMseLossOut", Over::kFirstDimension);

Plan plan(const Arguments& arguments) {
  const aclDataType dtype = *promote_types(arguments.dtype(kSelf), arguments.dtype(kTarget));
  if (loss_reduction(arguments, kReduction) == LossReduction::kNone) {
    return plan_arithmetic(arguments, kOut, {kSelf, kTarget}, dtype, squared_difference());
  }
  const Dims common = broadcast_shape(arguments, {kSelf, kTarget});
  const bool is_mean = loss_reduction(arguments, kReduction) == LossReduction::kMean;
  const int64_t count = count_elements(common);
  if (count == 0) {
    KernelScalar nothing;
    nothing.real = is_mean ? std::numeric_limits<double>::quiet_NaN() : 0;
    return plan_arithmetic(arguments, kOut, {}, dtype, constant(dtype, nothing));
  }
  if (!arguments.shape(kOut).empty()) {
    return plan_column_squared_error(arguments, kSelf, kTarget, kOut, is_mean ? common[0] : 1,
                                     dtype);
  }
  return plan_squared_error(arguments, kSelf, kTarget, kOut, is_mean ? count : 1, dtype);
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kGradOutput, kSelf, kTarget, kReduction, kOut };

const OperatorSpec kSpec{
    "aclnnMseLossBackward",
    {input("gradOutput"), input("self"), input("target"), attribute("reduction"), output("out")},
    Rules{not_null({kGradOutput, kSelf, kTarget, kOut}), same_dtype({kGradOutput, kTarget}, kSelf),
          dtype_in({kSelf, kOut}, kFloats), loss_reduction_known(kReduction),
          max_rank({kGradOutput, kSelf, kTarget, kOut}),
          broadcastable({kGradOutput, kSelf, kTarget}),
          shape_is_broadcast(kOut, {kGradOutput, kSelf, kTarget})}};

Plan plan(const Arguments& arguments) {
  const Dims common = broadcast_shape(arguments, {kSelf, kTarget});
  const bool is_mean = loss_reduction(arguments, kReduction) == LossReduction::kMean;
  const double count = is_mean ? static_cast<double>(count_elements(common)) : 1;
  return plan_arithmetic(arguments, kOut, {kGradOutput, kSelf, kTarget}, arguments.dtype(kSelf),
                         scaled_difference(count));
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnMseLoss, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnMseLossOut, forward::kOutSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnMseLossBackward, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::mse_loss
