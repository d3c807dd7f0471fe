// SPDX-License-Identifier: Apache-2.0
// aclnnBatchNorm, aclnnBatchNormBackward.
#include "aclnnop/aclnn_batch_norm.h"

#include <fmt/format.h>

#include <limits>

#include "aclnnop/aclnn_batch_norm_backward.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/output_mask.h"
#include "ops/meta/rules.h"
#include "ops/meta/soc.h"
#include "ops/normalization/channel_norm_kernel.h"
#include "ops/normalization/channel_rules.h"

namespace aclgrad::ops::batch_norm {
namespace {

// ---- Checks of both directions ------------------------------------------------------------------

// Of one format, which is not private; channels last, and rank 5 without the format NCDHW, where
// the newest product has them.
Rule batch_format(size_t tensor, size_t input) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const aclFormat format = arguments.tensor(tensor).format;
    const bool is_newest = current_soc() == Soc::kAscend950;
    const bool is_last = is_channels_last(format);
    const bool is_volume = arguments.shape(tensor).size() == 5;
    const bool fits = is_last ? is_newest : !is_volume || format == ACL_FORMAT_NCDHW;
    if (fits && format == arguments.tensor(input).format && !is_private_format(format)) {
      return std::nullopt;
    }
    return fmt::format(
        "tensor {} must have the format of {} ({}), no private one, and NCDHW ({}) "
        "with rank 5, but its format is {}.",
        arguments.name(tensor), arguments.name(input),
        static_cast<int>(arguments.tensor(input).format), static_cast<int>(ACL_FORMAT_NCDHW),
        static_cast<int>(format));
  });
}

BatchNormAttributes attributes(bool training, double momentum, double eps) {
  // Kept as float: GCC 12 leaves the rounding out where two numbers are converted there and back.
  return {training, static_cast<float>(momentum), static_cast<float>(eps),
          current_soc() != Soc::kAscend950};
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t {
  kInput,
  kWeight,
  kBias,
  kRunningMean,
  kRunningVar,
  kTraining,
  kMomentum,
  kEps,
  kOutput,
  kSaveMean,
  kSaveInvstd
};

bool has_elements(const Arguments& arguments) { return !arguments.empty(kInput); }

// Without elements there is nothing more to check than what is given.
Rules rules() {
  return {
      not_null({kInput, kOutput}), given_where(kTraining, kSaveMean),
      given_where(kTraining, kSaveInvstd),
      live_if_given({kWeight, kBias, kRunningMean, kRunningVar}),
      when(has_elements,
           Rules{dtype_in({kInput, kWeight, kBias, kRunningMean, kRunningVar, kOutput, kSaveMean,
                           kSaveInvstd},
                          kFloats),
                 batch_format(kInput, kInput), batch_format(kOutput, kInput), batch_rank(kInput),
                 same_shape(kOutput, kInput),
                 has_channels({kWeight, kBias, kRunningMean, kRunningVar, kSaveMean, kSaveInvstd},
                              kInput)})};
}

const OperatorSpec kSpec{
    "aclnnBatchNorm",
    {input("input"), input("weight"), input("bias"), in_out("runningMean"), in_out("runningVar"),
     attribute("training"), attribute("momentum"), attribute("eps"), output("output"),
     output("saveMean"), output("saveInvstd")},
    rules()};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kInput)) {
    std::vector<std::pair<size_t, double>> fills;
    if (arguments.given(kSaveMean)) fills.emplace_back(kSaveMean, 0);
    if (arguments.given(kSaveInvstd)) {
      fills.emplace_back(kSaveInvstd, std::numeric_limits<double>::quiet_NaN());
    }
    return plan_fill(arguments, std::move(fills));
  }
  return plan_batch_norm(
      arguments,
      {kInput, channel_axis(arguments, kInput), given(arguments, kWeight), given(arguments, kBias),
       given(arguments, kRunningMean), given(arguments, kRunningVar), given(arguments, kSaveMean),
       given(arguments, kSaveInvstd)},
      attributes(arguments.flag(kTraining), arguments.real(kMomentum), arguments.real(kEps)),
      kOutput);
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t {
  kGradOut,
  kInput,
  kWeight,
  kRunningMean,
  kRunningVar,
  kSaveMean,
  kSaveInvstd,
  kTraining,
  kEps,
  kOutputMask,
  kGradInput,
  kGradWeight,
  kGradBias
};

// About gradInput and the two outputs behind it.
constexpr OutputMask kMask{kOutputMask, kGradInput};

bool has_elements(const Arguments& arguments) { return !arguments.empty(kInput); }

Rule has_format_of_input(size_t tensor) { return batch_format(tensor, kInput); }

// Without elements there is nothing more to check than what is given.
Rules rules() {
  const std::vector<size_t> vectors{kWeight, kRunningMean, kRunningVar, kSaveMean, kSaveInvstd};
  const std::vector<size_t> outputs{kGradInput, kGradWeight, kGradBias};
  return {
      not_null({kGradOut, kInput, kOutputMask}), given_where(kTraining, kSaveMean),
      given_where(kTraining, kSaveInvstd),
      live_if_given({kWeight, kRunningMean, kRunningVar, kGradInput, kGradWeight, kGradBias}),
      when(has_elements,
           Rules{kMask.has_three_values(),
                 kMask.if_wanted(outputs, [](size_t output) { return not_null({output}); }),
                 dtype_in({kGradOut, kInput}, kFloats), same_dtype(kGradOut, kInput),
                 dtype_in(vectors, kFloats),
                 kMask.if_wanted(outputs, [](size_t output) { return dtype_in(output, kFloats); }),
                 of_each({kInput, kGradOut}, has_format_of_input),
                 kMask.if_wanted(kGradInput, has_format_of_input(kGradInput)), batch_rank(kInput),
                 same_shape(kGradOut, kInput), has_channels(vectors, kInput),
                 kMask.if_wanted(kGradInput, same_shape(kGradInput, kInput)),
                 kMask.if_wanted({kGradWeight, kGradBias},
                                 [](size_t output) { return has_channels(output, kInput); })})};
}

const OperatorSpec kSpec{
    "aclnnBatchNormBackward",
    {input("gradOut"), input("input"), input("weight"), input("runningMean"), input("runningVar"),
     input("saveMean"), input("saveInvstd"), attribute("training"), attribute("eps"),
     attribute("outputMask"), output("gradInput"), output("gradWeight"), output("gradBias")},
    rules()};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kInput)) return {};
  return plan_batch_norm_backward(
      arguments,
      {kInput, channel_axis(arguments, kInput), given(arguments, kWeight), std::nullopt,
       given(arguments, kRunningMean), given(arguments, kRunningVar), given(arguments, kSaveMean),
       given(arguments, kSaveInvstd)},
      attributes(arguments.flag(kTraining), 0, arguments.real(kEps)), kGradOut,
      {kMask.wanted(arguments, kGradInput), kMask.wanted(arguments, kGradWeight),
       kMask.wanted(arguments, kGradBias)});
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnBatchNorm, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnBatchNormBackward, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::batch_norm
