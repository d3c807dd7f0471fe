// SPDX-License-Identifier: Apache-2.0
// Batch normalization in steps, between which ranks exchange what they have of each channel:
// aclnnBatchNormReduce, aclnnSyncBatchNormGatherStats, aclnnBatchNormStats,
// aclnnBatchNormGatherStatsWithCounts, aclnnBatchNormElemt, aclnnBatchNormReduceBackward and
// aclnnBatchNormElemtBackward.
#include <array>
#include <limits>
#include <string>

#include "aclnnop/aclnn_batch_norm_elemt.h"
#include "aclnnop/aclnn_batch_norm_elemt_backward.h"
#include "aclnnop/aclnn_batch_norm_gather_stats_with_counts.h"
#include "aclnnop/aclnn_batch_norm_reduce.h"
#include "aclnnop/aclnn_batch_norm_reduce_backward.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_sync_batch_norm_gather_stats.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/normalization/channel_norm_kernel.h"
#include "ops/normalization/channel_plan.h"
#include "ops/normalization/channel_rules.h"

namespace aclgrad::ops::sync_batch_norm {
namespace {

constexpr size_t kChannelAxis = 1;
constexpr DtypeSet kCounts{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT32, ACL_INT64}, {ACL_BF16}};

// ---- Checks -------------------------------------------------------------------------------------

using Indices = std::vector<size_t>;

// `images` have the shape and dtype of the first, the optional ones of `vectors` may be null: each
// has a number for each channel of the first image.
Rules channel_rules(const Rules& given, const Indices& images, const Indices& vectors) {
  const size_t first = images.front();
  const Indices others(images.begin() + 1, images.end());
  return {given,
          dtype_in(first, kRealFloats),
          same_dtype(others, first),
          dtype_in(vectors, kRealFloats),
          not_channels_last(images),
          batch_rank(first),
          same_shape(others, first),
          has_channels(vectors, first)};
}

// Two tensors [parts, C], with the channels of `input`, and a number for each part.
Rules part_rules(size_t input, size_t first, size_t second, size_t counts) {
  const auto parts = [=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims &shape = arguments.shape(first), &channels = arguments.shape(input);
    if (shape.size() == 2 && shape[1] == channels[kChannelAxis]) return std::nullopt;
    return fmt::format(
        "tensor {} must have shape [parts, {}], but is {}.", arguments.name(first),
        channels.size() > kChannelAxis ? std::to_string(channels[kChannelAxis]) : "C",
        to_string(shape));
  };
  return {
      dtype_in({first, second}, kRealFloats),
      dtype_in(counts, kCounts),
      require(parts),
      same_shape(second, first),
      has_elements(counts, [=](const Arguments& arguments) { return arguments.shape(first)[0]; }),
      max_rank(counts, 2)};
}

// ---- Of a part: sums, or mean and deviation -----------------------------------------------------

namespace reduce {

enum : size_t { kSelf, kSum, kSquareSum };

const OperatorSpec kSpec{
    "aclnnBatchNormReduce",
    {input("self"), output("sum"), output("squareSum")},
    channel_rules({not_null({kSelf, kSum, kSquareSum})}, {kSelf}, {kSum, kSquareSum})};

Plan plan(const Arguments& arguments) {
  const Channels x(arguments, kSelf, kChannelAxis);
  const ChannelNumbers sum(arguments, kSum), square_sum(arguments, kSquareSum);
  return plan_channels(x.count, x.size, 0, [=](const Run& run, int64_t c) {
    const GradientSums sums = sums_of(run, x.rows, x[c], x[c], 0);
    sum.set(run, c, sums.plain);
    square_sum.set(run, c, sums.along);
  });
}

}  // namespace reduce

namespace stats {

enum : size_t { kInput, kEps, kMean, kInvstd };

const OperatorSpec kSpec{
    "aclnnBatchNormStats",
    {input("input"), attribute("eps"), output("mean"), output("invstd")},
    channel_rules({not_null({kInput, kMean, kInvstd})}, {kInput}, {kMean, kInvstd})};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kInput)) {
    return plan_fill(arguments, {{kMean, 0}, {kInvstd, std::numeric_limits<double>::quiet_NaN()}});
  }
  const Channels x(arguments, kInput, kChannelAxis);
  const ChannelNumbers mean(arguments, kMean), invstd(arguments, kInvstd);
  return plan_channels(x.count, x.size, 0,
                       [=, eps = arguments.real(kEps)](const Run& run, int64_t c) {
                         const Moments moments = moments_of(run, x.rows, x[c]);
                         mean.set(run, c, moments.mean);
                         invstd.set(run, c, inverse_deviation(moments.variance, eps));
                       });
}

}  // namespace stats

// ---- Of the whole: the parts merged -------------------------------------------------------------

namespace gather {

enum : size_t {
  kTotalSum,
  kTotalSquareSum,
  kSampleCount,
  kMeanRef,
  kVarRef,
  kMomentum,
  kEps,
  kBatchMean,
  kBatchInvstd
};

Rules rules() {
  const Indices vectors{kMeanRef, kVarRef, kBatchMean, kBatchInvstd};
  return {not_null({kTotalSum, kTotalSquareSum, kSampleCount, kMeanRef, kVarRef, kBatchMean,
                    kBatchInvstd}),
          dtype_in(vectors, kRealFloats),
          part_rules(kTotalSum, kTotalSum, kTotalSquareSum, kSampleCount),
          has_channels(vectors, kTotalSum)};
}

const OperatorSpec kSpec{"aclnnSyncBatchNormGatherStats",
                         {input("totalSum"), input("totalSquareSum"), input("sampleCount"),
                          in_out("meanRef"), in_out("varRef"), attribute("momentum"),
                          attribute("eps"), output("batchMean"), output("batchInvstd")},
                         rules()};

Plan plan(const Arguments& arguments) {
  const int64_t parts = arguments.shape(kTotalSum)[0], channels = arguments.shape(kTotalSum)[1];
  const ChannelNumbers sums(arguments, kTotalSum), squares(arguments, kTotalSquareSum);
  const ChannelNumbers counts(arguments, kSampleCount);
  const RunningStatistics running(arguments, kMeanRef, kVarRef, arguments.real(kMomentum));
  const ChannelNumbers mean(arguments, kBatchMean), invstd(arguments, kBatchInvstd);
  return plan_channels(channels, parts, 0,
                       [=, eps = arguments.real(kEps)](const Run& run, int64_t c) {
                         double sum = 0, square = 0, n = 0;
                         for (int64_t k = 0; k < parts; ++k) {
                           sum += sums.get(run, k * channels + c);
                           square += squares.get(run, k * channels + c);
                           n += counts.get(run, k);
                         }
                         const double m = sum / n, variance = square / n - m * m;
                         const Moments batch{m, variance < 0 ? 0 : variance};
                         mean.set(run, c, batch.mean);
                         invstd.set(run, c, inverse_deviation(batch.variance, eps));
                         running.update(run, c, batch, n);
                       });
}

}  // namespace gather

namespace gather_with_counts {

enum : size_t {
  kInput,
  kMean,
  kInvstd,
  kRunningMean,
  kRunningVar,
  kMomentum,
  kEps,
  kCounts,
  kMeanAll,
  kInvstdAll
};

Rules rules() {
  return {
      channel_rules({not_null({kInput, kMean, kInvstd}), live_if_given({kRunningMean, kRunningVar}),
                     not_null({kCounts, kMeanAll, kInvstdAll})},
                    {kInput}, {kRunningMean, kRunningVar, kMeanAll, kInvstdAll}),
      part_rules(kInput, kMean, kInvstd, kCounts)};
}

const OperatorSpec kSpec{"aclnnBatchNormGatherStatsWithCounts",
                         {input("input"), input("mean"), input("invstd"), in_out("runningMean"),
                          in_out("runningVar"), attribute("momentum"), attribute("eps"),
                          input("counts"), output("meanAll"), output("invstdAll")},
                         rules()};

Plan plan(const Arguments& arguments) {
  const int64_t parts = arguments.shape(kMean)[0], channels = arguments.shape(kMean)[1];
  const ChannelNumbers means(arguments, kMean), invstds(arguments, kInvstd);
  const ChannelNumbers counts(arguments, kCounts);
  const RunningStatistics running(arguments, given(arguments, kRunningMean),
                                  given(arguments, kRunningVar), arguments.real(kMomentum));
  const ChannelNumbers mean_all(arguments, kMeanAll), invstd_all(arguments, kInvstdAll);
  return plan_channels(
      channels, parts, 0, [=, eps = arguments.real(kEps)](const Run& run, int64_t c) {
        // A part without samples, whose statistics are no numbers, does not count.
        const auto for_parts = [&](const auto& visit) {
          for (int64_t k = 0; k < parts; ++k) {
            const double n = counts.get(run, k);
            if (n != 0) visit(n, k * channels + c);
          }
        };
        double n = 0, sum = 0, spread = 0;
        for_parts([&](double count, int64_t i) {
          n += count;
          sum += count * means.get(run, i);
        });
        const double m = sum / n;
        for_parts([&](double count, int64_t i) {
          const double inverse = invstds.get(run, i), away = means.get(run, i) - m;
          const double square = inverse == 0 ? 0 : 1 / (inverse * inverse);  // inverse_deviation()
          spread += count * (square - eps + away * away);
        });
        const Moments batch{m, spread / n};
        mean_all.set(run, c, batch.mean);
        invstd_all.set(run, c, inverse_deviation(batch.variance, eps));
        running.update(run, c, batch, n);
      });
}

}  // namespace gather_with_counts

// ---- Elements -----------------------------------------------------------------------------------

namespace elements {

enum : size_t { kInput, kWeight, kBias, kMean, kInvstd, kEps, kOut };

const OperatorSpec kSpec{
    "aclnnBatchNormElemt",
    {input("input"), input("weight"), input("bias"), input("mean"), input("invstd"),
     attribute("eps"), output("out")},
    channel_rules({not_null({kInput, kMean, kInvstd, kOut}), live_if_given({kWeight, kBias})},
                  {kInput, kOut}, {kWeight, kBias, kMean, kInvstd})};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kInput)) return {};
  const Channels x(arguments, kInput, kChannelAxis), out(arguments, kOut, kChannelAxis);
  const ChannelNumbers weight(arguments, given(arguments, kWeight), 1);
  const ChannelNumbers bias(arguments, given(arguments, kBias), 0);
  const ChannelNumbers mean(arguments, kMean), invstd(arguments, kInvstd);
  return plan_channels(x.count, x.size, 0, [=](const Run& run, int64_t c) {
    normalize_rows(run, x.rows, x[c], out[c], mean.get(run, c),
                   {invstd.get(run, c) * weight.get(run, c), bias.get(run, c)});
  });
}

}  // namespace elements

// ---- Backward -----------------------------------------------------------------------------------

namespace reduce_backward {

enum : size_t {
  kGradOut,
  kInput,
  kMean,
  kInvstd,
  kWeight,
  kInputG,
  kWeightG,
  kBiasG,
  kSumDy,
  kSumDyXmu,
  kGradWeight,
  kGradBias
};

Rules rules() {
  return channel_rules({not_null({kGradOut, kInput, kMean, kInvstd}), live_if_given(kWeight),
                        given_where(kInputG, kSumDy), given_where(kInputG, kSumDyXmu),
                        given_where(kWeightG, kGradWeight), given_where(kBiasG, kGradBias)},
                       {kInput, kGradOut},
                       {kMean, kInvstd, kWeight, kSumDy, kSumDyXmu, kGradWeight, kGradBias});
}

const OperatorSpec kSpec{
    "aclnnBatchNormReduceBackward",
    {input("gradOut"), input("input"), input("mean"), input("invstd"), input("weight"),
     attribute("inputG"), attribute("weightG"), attribute("biasG"), output("sumDy"),
     output("sumDyXmu"), output("gradWeight"), output("gradBias")},
    rules()};

Plan plan(const Arguments& arguments) {
  const auto wanted = [&](size_t output, size_t flag) {
    return ChannelNumbers(arguments, arguments.flag(flag) ? std::optional(output) : std::nullopt);
  };
  const Channels x(arguments, kInput, kChannelAxis), g(arguments, kGradOut, kChannelAxis);
  const ChannelNumbers mean(arguments, kMean), invstd(arguments, kInvstd);
  const ChannelNumbers sum = wanted(kSumDy, kInputG), sum_along = wanted(kSumDyXmu, kInputG);
  const ChannelNumbers weight = wanted(kGradWeight, kWeightG), bias = wanted(kGradBias, kBiasG);
  return plan_channels(x.count, x.size, 0, [=](const Run& run, int64_t c) {
    const GradientSums sums = sums_of(run, x.rows, g[c], x[c], mean.get(run, c));
    sum.set(run, c, sums.plain);
    sum_along.set(run, c, sums.along);
    weight.set(run, c, sums.along * invstd.get(run, c));
    bias.set(run, c, sums.plain);
  });
}

}  // namespace reduce_backward

namespace elements_backward {

enum : size_t {
  kGradOut,
  kInput,
  kMean,
  kInvstd,
  kWeight,
  kSumDy,
  kSumDyXmu,
  kCounter,
  kGradInput
};

Rules rules() {
  return {
      channel_rules(
          {not_null({kGradOut, kInput, kMean, kInvstd, kSumDy, kSumDyXmu, kCounter, kGradInput}),
           live_if_given(kWeight)},
          {kInput, kGradOut, kGradInput}, {kMean, kInvstd, kWeight, kSumDy, kSumDyXmu}),
      dtype_in(kCounter, kCounts), max_rank(kCounter)};
}

const OperatorSpec kSpec{
    "aclnnBatchNormElemtBackward",
    {input("gradOut"), input("input"), input("mean"), input("invstd"), input("weight"),
     input("sumDy"), input("sumDyXmu"), input("counter"), output("gradInput")},
    rules()};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kInput)) return {};
  const Channels x(arguments, kInput, kChannelAxis), g(arguments, kGradOut, kChannelAxis);
  const Channels to(arguments, kGradInput, kChannelAxis);
  const ChannelNumbers mean(arguments, kMean), invstd(arguments, kInvstd);
  const ChannelNumbers weight(arguments, given(arguments, kWeight), 1);
  const ChannelNumbers sum(arguments, kSumDy), sum_along(arguments, kSumDyXmu);
  const ChannelNumbers counts(arguments, kCounter);
  return plan_channels(x.count, x.size, 0, [=](const Run& run, int64_t c) {
    double n = 0;
    for (int64_t k = 0; k < counts.elements->index.count(); ++k) n += counts.get(run, k);
    const double scale = invstd.get(run, c);
    map_gradients(run, x.rows, g[c], x[c], to[c], mean.get(run, c),
                  {.weight = 1,
                   .depends_on_means = true,
                   .plain = sum.get(run, c) / n,
                   .along = sum_along.get(run, c) * scale * scale / n,
                   .scale = weight.get(run, c) * scale});
  });
}

}  // namespace elements_backward
}  // namespace

ACLGRAD_OPERATOR(aclnnBatchNormReduce, reduce::kSpec, reduce::plan)
ACLGRAD_OPERATOR(aclnnSyncBatchNormGatherStats, gather::kSpec, gather::plan)
ACLGRAD_OPERATOR(aclnnBatchNormStats, stats::kSpec, stats::plan)
ACLGRAD_OPERATOR(aclnnBatchNormGatherStatsWithCounts, gather_with_counts::kSpec,
                 gather_with_counts::plan)
ACLGRAD_OPERATOR(aclnnBatchNormElemt, elements::kSpec, elements::plan)
ACLGRAD_OPERATOR(aclnnBatchNormReduceBackward, reduce_backward::kSpec, reduce_backward::plan)
ACLGRAD_OPERATOR(aclnnBatchNormElemtBackward, elements_backward::kSpec, elements_backward::plan)

}  // namespace aclgrad::ops::sync_batch_norm
