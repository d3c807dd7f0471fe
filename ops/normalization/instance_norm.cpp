// SPDX-License-Identifier: Apache-2.0
// aclnnInstanceNorm.
#include "aclnnop/aclnn_instance_norm.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/normalization/channel_norm_kernel.h"
#include "ops/normalization/channel_plan.h"
#include "ops/normalization/channel_rules.h"

namespace aclgrad::ops::instance_norm {
namespace {

enum : size_t { kX, kGamma, kBeta, kDataFormat, kEps, kY, kMean, kVariance };

// Dimension of the channels, which the word says.
size_t channels_of(const Arguments& arguments) {
  const std::string_view format = arguments.text(kDataFormat);
  return format.back() == 'C' ? arguments.shape(kX).size() - 1 : 1;
}

// A number for each channel.
Rule is_parameter(size_t tensor) {
  return [=](const Arguments& arguments) {
    return has_shape(tensor, {arguments.shape(kX)[channels_of(arguments)]})(arguments);
  };
}

// A number for each image and channel.
Rule is_statistic(size_t tensor) {
  return [=](const Arguments& arguments) {
    Dims shape = arguments.shape(kX);
    for (size_t d = 1; d < shape.size(); ++d) {
      if (d != channels_of(arguments)) shape[d] = 1;
    }
    return has_shape(tensor, shape)(arguments);
  };
}

const OperatorSpec kSpec{
    "aclnnInstanceNorm",
    {input("x"), input("gamma"), input("beta"), attribute("dataFormat"), attribute("eps"),
     output("y"), output("mean"), output("variance")},
    Rules{not_null({kX, kGamma, kBeta, kDataFormat, kY, kMean, kVariance}),
          dtype_in({kX, kGamma, kBeta, kMean, kVariance}, kFloats), same_dtype(kY, kX),
          batch_rank(kX), is_format(kDataFormat, {"NCHW", "NCDHW", "NHWC", "NDHWC"}),
          same_shape(kY, kX), is_parameter(kGamma), is_parameter(kBeta), is_statistic(kMean),
          is_statistic(kVariance)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kX)) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    return plan_fill(arguments, {{kMean, 0}, {kVariance, none}});
  }
  const size_t axis = channels_of(arguments);
  DimSet places = dimensions(1, kMaxRank - 1);
  places[axis] = false;
  const Slices x(arguments, kX, places), y(arguments, kY, places);
  const ChannelNumbers gamma(arguments, kGamma), beta(arguments, kBeta);
  const ChannelNumbers means(arguments, kMean), variances(arguments, kVariance);
  const int64_t size = x.index.count(), channels = arguments.shape(kX)[axis];
  return plan_channels(
      x.starts.count(), size, 0, [=, eps = arguments.real(kEps)](const Run& run, int64_t i) {
        const Rows all{0, 1, size};
        const View from{x, x.starts.offset(i)};
        const Moments moments = moments_of(run, all, from);
        means.set(run, i, moments.mean);
        variances.set(run, i, moments.variance);
        const double scale = gamma.get(run, i % channels) / std::sqrt(moments.variance + eps);
        normalize_rows(run, all, from, {y, y.starts.offset(i)}, moments.mean,
                       {scale, beta.get(run, i % channels)});
      });
}

}  // namespace

ACLGRAD_OPERATOR(aclnnInstanceNorm, kSpec, plan)

}  // namespace aclgrad::ops::instance_norm
