// SPDX-License-Identifier: Apache-2.0
// aclnnGroupNorm, aclnnGroupNormBackward.
#include "aclnnop/aclnn_group_norm.h"

#include <fmt/format.h>

#include <limits>

#include "aclnnop/aclnn_group_norm_backward.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/output_mask.h"
#include "ops/meta/rules.h"
#include "ops/normalization/channel_norm_kernel.h"
#include "ops/normalization/channel_rules.h"

namespace aclgrad::ops::group_norm {
namespace {

// ---- Checks of both directions ------------------------------------------------------------------

// Four integers from a parameter on, in this order.
enum : size_t { kImages, kChannels, kPlaces, kGroups };

GroupNormShape group_shape(const Arguments& arguments, size_t first) {
  return {arguments.integer(first + kImages), arguments.integer(first + kChannels),
          arguments.integer(first + kPlaces), arguments.integer(first + kGroups)};
}

Rule group_sizes(size_t first) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const GroupNormShape shape = group_shape(arguments, first);
    const bool fits = shape.images >= 0 && shape.channels >= 0 && shape.places >= 0 &&
                      shape.groups > 0 && shape.channels % shape.groups == 0;
    if (fits) return std::nullopt;
    return fmt::format(
        "{} {} must be above 0 and divide {} {}; {} {} and {} {} must be at least 0.",
        arguments.name(first + kGroups), shape.groups, arguments.name(first + kChannels),
        shape.channels, arguments.name(first + kImages), shape.images,
        arguments.name(first + kPlaces), shape.places);
  });
}

// As many elements as images times channels times places.
Rule has_all_elements(size_t tensor, size_t first) {
  return has_elements(tensor, [=](const Arguments& arguments) {
    const GroupNormShape shape = group_shape(arguments, first);
    return saturating_product({shape.images, shape.channels, shape.places});
  });
}

Rule has_channel_elements(size_t tensor, size_t first) {
  return has_elements(
      tensor, [=](const Arguments& arguments) { return group_shape(arguments, first).channels; });
}

// An element for each image and group.
Rule has_group_elements(size_t tensor, size_t first) {
  return has_elements(tensor, [=](const Arguments& arguments) {
    const GroupNormShape shape = group_shape(arguments, first);
    return saturating_product({shape.images, shape.groups});
  });
}

Rule has_group_shape(size_t tensor, size_t first) {
  return [=](const Arguments& arguments) {
    const GroupNormShape shape = group_shape(arguments, first);
    return has_shape(tensor, {shape.images, shape.groups})(arguments);
  };
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kSelf, kGamma, kBeta, kN, kC, kHxW, kGroup, kEps, kOut, kMeanOut, kRstdOut };

Rule eps_is_positive() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.real(kEps) > 0) return std::nullopt;
    return fmt::format("{} must be above 0, but is {}.", arguments.name(kEps),
                       arguments.real(kEps));
  });
}

Rules rules() {
  return {not_null({kSelf, kOut, kMeanOut, kRstdOut}),
          live_if_given({kGamma, kBeta}),
          dtype_in(kSelf, kFloats),
          same_dtype({kGamma, kBeta, kOut, kMeanOut, kRstdOut}, kSelf),
          group_sizes(kN),
          eps_is_positive(),
          has_all_elements(kSelf, kN),
          has_channel_elements(kGamma, kN),
          has_channel_elements(kBeta, kN),
          same_shape(kOut, kSelf),
          has_group_shape(kMeanOut, kN),
          has_group_shape(kRstdOut, kN),
          not_channels_last({kSelf, kOut})};
}

const OperatorSpec kSpec{
    "aclnnGroupNorm",
    {input("self"), input("gamma"), input("beta"), attribute("N"), attribute("C"), attribute("HxW"),
     attribute("group"), attribute("eps"), output("out"), output("meanOut"), output("rstdOut")},
    rules()};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) {
    return plan_fill(arguments,
                     {{kMeanOut, 0}, {kRstdOut, std::numeric_limits<double>::quiet_NaN()}});
  }
  return plan_group_norm(
      arguments, {kSelf, given(arguments, kGamma), given(arguments, kBeta), kMeanOut, kRstdOut},
      group_shape(arguments, kN), arguments.real(kEps), kOut);
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t {
  kGradOut,
  kInput,
  kMean,
  kRstd,
  kGamma,
  kN,
  kC,
  kHxW,
  kGroup,
  kOutputMask,
  kGradInput,
  kGradGamma,
  kGradBeta
};

// About gradInput and the two outputs behind it.
constexpr OutputMask kMask{kOutputMask, kGradInput};

// Null is 161002 here.
Rule given_as_value(size_t parameter) {
  return with_status(kInvalidParameter, not_null({parameter}));
}

Rules rules() {
  const std::vector<size_t> outputs{kGradInput, kGradGamma, kGradBeta};
  return {not_null({kGradOut, kInput, kMean, kRstd}),
          live_if_given(kGamma),
          live_if_given(outputs),
          given_as_value(kOutputMask),
          kMask.has_three_values(),
          kMask.if_wanted(outputs, given_as_value),
          dtype_in(kInput, kFloats),
          same_dtype({kGradOut, kMean, kRstd, kGamma}, kInput),
          kMask.if_wanted(outputs, [](size_t output) { return same_dtype(output, kInput); }),
          group_sizes(kN),
          has_all_elements(kGradOut, kN),
          has_all_elements(kInput, kN),
          has_group_elements(kMean, kN),
          has_group_elements(kRstd, kN),
          has_channel_elements(kGamma, kN),
          kMask.if_wanted(kGradInput, has_all_elements(kGradInput, kN)),
          kMask.if_wanted({kGradGamma, kGradBeta},
                          [](size_t output) { return has_channel_elements(output, kN); }),
          not_channels_last({kGradOut, kInput}),
          kMask.if_wanted(kGradInput, not_channels_last(kGradInput))};
}

const OperatorSpec kSpec{
    "aclnnGroupNormBackward",
    {input("gradOut"), input("input"), input("mean"), input("rstd"), input("gamma"), attribute("N"),
     attribute("C"), attribute("HxW"), attribute("group"), attribute("outputMask"),
     output("gradInput"), output("gradGammaOut"), output("gradBetaOut")},
    rules()};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kInput)) {
    std::vector<std::pair<size_t, double>> zeros;
    for (const size_t output : {kGradGamma, kGradBeta}) {
      if (kMask.wants(arguments, output)) zeros.emplace_back(output, 0);
    }
    return plan_fill(arguments, std::move(zeros));
  }
  return plan_group_norm_backward(
      arguments, {kInput, given(arguments, kGamma), std::nullopt, kMean, kRstd},
      group_shape(arguments, kN), kGradOut,
      {kMask.wanted(arguments, kGradInput), kMask.wanted(arguments, kGradGamma),
       kMask.wanted(arguments, kGradBeta)});
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnGroupNorm, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnGroupNormBackward, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::group_norm
