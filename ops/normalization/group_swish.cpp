// SPDX-License-Identifier: Apache-2.0
// aclnnGroupNormSwish, aclnnGroupNormSwishGrad: groups of channels and their swish.
#include <limits>

#include "aclnnop/aclnn_group_norm_swish.h"
#include "aclnnop/aclnn_group_norm_swish_grad.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/normalization/channel_norm_kernel.h"
#include "ops/normalization/channel_rules.h"

namespace aclgrad::ops::group_swish {
namespace {

// ---- Checks of both directions ------------------------------------------------------------------

GroupNormShape shape_of(const Arguments& arguments, size_t x, size_t groups) {
  const Dims& shape = arguments.shape(x);
  int64_t places = 1;
  for (size_t d = 2; d < shape.size(); ++d) places *= shape[d];
  return {shape[0], shape[1], places, arguments.integer(groups)};
}

// x and those like it, then gamma, beta and what is of their dtype: [C] or, of each image, [N, G].
struct GroupParameters {
  std::vector<size_t> images, channels, numbers;
  size_t groups, format;
};

Rules group_rules(const Rules& given, const GroupParameters& p) {
  const size_t x = p.images.front(), gamma = p.channels.front();
  const std::vector<size_t> others(p.images.begin() + 1, p.images.end());
  std::vector<size_t> like_gamma(p.channels.begin() + 1, p.channels.end());
  like_gamma.insert(like_gamma.end(), p.numbers.begin(), p.numbers.end());
  const auto groups_fit =
      [=, groups = p.groups](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t count = arguments.integer(groups), channels = arguments.shape(x)[1];
    if (count > 0 && channels % count == 0) return std::nullopt;
    return fmt::format("{} {} must be above 0 and divide the {} channels of {}.",
                       arguments.name(groups), count, channels, arguments.name(x));
  };
  const auto is_number_per_group = [=, groups = p.groups](size_t tensor) -> Rule {
    return [=](const Arguments& arguments) {
      return has_shape(tensor, {arguments.shape(x)[0], arguments.integer(groups)})(arguments);
    };
  };
  return {given,
          dtype_in({x, gamma}, kFloats),
          same_dtype(others, x),
          same_dtype(like_gamma, gamma),
          not_channels_last(p.images),
          batch_rank(x),
          same_shape(others, x),
          has_channels(p.channels, x),
          require(groups_fit),
          of_each(p.numbers, is_number_per_group),
          is_format(p.format, {"NCHW"})};
}

namespace forward {

enum : size_t {
  kX,
  kGamma,
  kBeta,
  kNumGroups,
  kDataFormat,
  kEps,
  kActivateSwish,
  kSwishScale,
  kY,
  kMean,
  kRstd
};

const OperatorSpec kSpec{
    "aclnnGroupNormSwish",
    {input("x"), input("gamma"), input("beta"), attribute("numGroups"), attribute("dataFormat"),
     attribute("eps"), attribute("activateSwish"), attribute("swishScale"), output("yOut"),
     output("meanOut"), output("rstdOut")},
    group_rules({not_null({kX, kGamma, kBeta, kDataFormat, kY, kMean, kRstd})},
                {{kX, kY}, {kGamma, kBeta}, {kMean, kRstd}, kNumGroups, kDataFormat})};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kX)) {
    return plan_fill(arguments, {{kMean, 0}, {kRstd, std::numeric_limits<double>::quiet_NaN()}});
  }
  const bool swish = arguments.flag(kActivateSwish);
  return plan_group_norm(arguments, {kX, kGamma, kBeta, kMean, kRstd},
                         shape_of(arguments, kX, kNumGroups), arguments.real(kEps), kY,
                         swish ? std::optional(arguments.real(kSwishScale)) : std::nullopt);
}

}  // namespace forward

namespace backward {

enum : size_t {
  kDy,
  kMean,
  kRstd,
  kX,
  kGamma,
  kBeta,
  kNumGroups,
  kDataFormat,
  kSwishScale,
  kDgammaIsRequired,
  kDbetaIsRequired,
  kDx,
  kDgamma,
  kDbeta
};

const OperatorSpec kSpec{
    "aclnnGroupNormSwishGrad",
    {input("dy"), input("mean"), input("rstd"), input("x"), input("gamma"), input("beta"),
     attribute("numGroups"), attribute("dataFormat"), attribute("swishScale"),
     attribute("dgammaIsRequire"), attribute("dbetaIsRequire"), output("dxOut"),
     output("dgammaOut"), output("dbetaOut")},
    group_rules({not_null({kDy, kMean, kRstd, kX, kGamma, kBeta, kDataFormat, kDx}),
                 given_where(kDgammaIsRequired, kDgamma), given_where(kDbetaIsRequired, kDbeta)},
                {{kX, kDy, kDx},
                 {kGamma, kBeta, kDgamma, kDbeta},
                 {kMean, kRstd},
                 kNumGroups,
                 kDataFormat})};

Plan plan(const Arguments& arguments) {
  const auto wanted = [&](size_t output, size_t flag) {
    return arguments.flag(flag) ? std::optional(output) : std::nullopt;
  };
  const auto dgamma = wanted(kDgamma, kDgammaIsRequired), dbeta = wanted(kDbeta, kDbetaIsRequired);
  if (arguments.empty(kX)) {
    std::vector<std::pair<size_t, double>> zeros;
    for (const auto& output : {dgamma, dbeta}) {
      if (output) zeros.emplace_back(*output, 0);
    }
    return plan_fill(arguments, std::move(zeros));
  }
  return plan_group_norm_backward(arguments, {kX, kGamma, kBeta, kMean, kRstd},
                                  shape_of(arguments, kX, kNumGroups), kDy, {kDx, dgamma, dbeta},
                                  arguments.real(kSwishScale));
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnGroupNormSwish, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnGroupNormSwishGrad, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::group_swish
