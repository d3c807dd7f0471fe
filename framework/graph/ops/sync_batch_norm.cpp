// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/sync_batch_norm.h"

#include "aclgrad/ops/shape.h"
#include "aclgrad/tensor.h"
#include "aclgrad/tensor/to_float.h"
#include "aclnnop/aclnn_batch_norm_elemt.h"
#include "aclnnop/aclnn_batch_norm_elemt_backward.h"
#include "aclnnop/aclnn_batch_norm_gather_stats_with_counts.h"
#include "aclnnop/aclnn_batch_norm_reduce_backward.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "graph/ops/channel_checks.h"
#include "graph/ops/record_helpers.h"
#include "tensor/at_least_float.h"

namespace aclgrad {
namespace {

constexpr std::size_t kRunningMean = 2;  // output and input of batch_norm_gather_stats

// Columns of what the ranks gathered, a row each.
struct ColumnsOp final : ViewOp {
  std::int64_t first;

  explicit ColumnsOp(std::int64_t first_) : first(first_) {}
  std::string_view name() const override { return "columns"; }
  std::string attributes() const override { return fmt::format("from {}", first); }
};

// The statistics that x leaves: [C].
TensorSpec statistics_of(const Value& x) {
  return {Shape{x.shape()[1]}, detail::at_least_float(x.dtype())};
}

}  // namespace

Value sync_batch_norm(Operand x, const Value& weight, const Value& bias, const Value& running_mean,
                      const Value& running_var, const BatchNormOptions& options,
                      std::shared_ptr<const ChannelExchange> exchange) {
  const RecordScope scope(x);
  {
    const Recorder record("sync_batch_norm", {x, weight, bias, running_mean, running_var}, x.where);
    detail::check_channels(record, 0, 1, 5);
    detail::check_batch_options(record, options.momentum, options.eps);
    record.require_dtype((x.dtype() == DType::float64) == (weight.dtype() == DType::float64),
                         "{} is {} and {} is {}: cast() one of them", x, x.dtype(), weight,
                         weight.dtype());
    record.require_value(options.training, "evaluation exchanges nothing: use batch_norm()");
    record.require_value(exchange != nullptr, "there are no other ranks to exchange with");
  }
  // Floats, as aclnnBatchNorm takes them: on one rank the layer is that.
  const double momentum = to_float(options.momentum), eps = to_float(options.eps);
  const auto [mean, invstd] = batch_norm_stats(x, eps);
  const std::int64_t channels = x.shape()[1];
  const double elements = channels == 0 ? 0 : static_cast<double>(x.shape().numel() / channels);
  const Value count = x.graph().constant(Tensor::full({1}, elements, mean.dtype()));
  const Value all = exchange->gather(cat({mean, invstd, count}));
  const auto columns = [&](std::int64_t first, Shape shape) {
    Recorder record("columns", {all}, x.where);
    std::vector<std::int64_t> strides = {2 * channels + 1, 1};
    strides.resize(shape.rank());
    return record.add_view(std::make_shared<ColumnsOp>(first), std::move(shape), std::move(strides),
                           all.offset() + first);
  };
  const Shape parts{exchange->ranks(), channels};
  const Value counts = columns(2 * channels, Shape{exchange->ranks()});
  const auto [whole_mean, whole_invstd] =
      batch_norm_gather_stats(columns(0, parts), columns(channels, parts), running_mean,
                              running_var, counts, momentum, eps);
  return batch_norm_elemt(x, weight, bias, whole_mean, whole_invstd, counts, std::move(exchange));
}

std::array<Value, 2> batch_norm_stats(Operand x, double eps) {
  Recorder record("batch_norm_stats", {x}, x.where);
  detail::check_channels(record, 0, 1, 1);
  detail::require_epsilon(record, eps);
  const std::vector<Value> made =
      record.add<BatchNormStatsOp>({eps}, {statistics_of(x), statistics_of(x)});
  return {made[0], made[1]};
}

std::array<Value, 2> batch_norm_gather_stats(Operand mean, const Value& invstd,
                                             const Value& running_mean, const Value& running_var,
                                             const Value& counts, double momentum, double eps) {
  Recorder record("batch_norm_gather_stats", {mean, invstd, running_mean, running_var, counts},
                  mean.where);
  const Shape& parts = mean.shape();
  record.require_shape(
      parts.rank() == 2 && counts.shape() == Shape{parts[0]},
      "the statistics of parts must be [parts, C] and their counts [parts], got {} and {}", parts,
      counts.shape());
  detail::check_channels(record, 0, kRunningMean, kRunningMean + 2);
  record.require_same_shape(1, 0);
  record.require_same_dtype(1, 0);
  detail::check_batch_options(record, momentum, eps);
  const TensorSpec whole{Shape{parts[1]}, mean.dtype()};
  const std::vector<Value> made = record.add<BatchNormGatherStatsOp>(
      {momentum, eps}, {whole, whole, record.like(kRunningMean), record.like(kRunningMean + 1)});
  return {made[0], made[1]};
}

Value batch_norm_elemt(Operand x, const Value& weight, const Value& bias, const Value& mean,
                       const Value& invstd, const Value& counts,
                       std::shared_ptr<const ChannelExchange> exchange) {
  Recorder record("batch_norm_elemt", {x, weight, bias, mean, invstd, counts}, x.where);
  detail::check_channels(record, 0, 1, 5);
  return record.add<BatchNormElemtOp>({std::move(exchange)}, record.like(0));
}

BatchNormSums batch_norm_reduce_backward(Operand grad, const Value& x, const Value& mean,
                                         const Value& invstd, const Value& weight,
                                         std::array<bool, 3> wanted) {
  Recorder record("batch_norm_reduce_backward", {grad, x, mean, invstd, weight}, grad.where);
  detail::check_channels(record, 1, 2, 5);
  record.require_like(0, 1);
  std::vector<TensorSpec> outputs;
  if (wanted[0]) outputs.assign(2, statistics_of(x));
  for (const std::size_t k : {1U, 2U}) {
    if (wanted[k]) outputs.push_back(record.like(4));
  }
  const std::vector<Value> made =
      record.add<BatchNormReduceBackwardOp>({wanted}, std::move(outputs));
  BatchNormSums sums;
  std::size_t next = 0;
  if (wanted[0]) {
    sums.dy = made[next++];
    sums.dy_xmu = made[next++];
  }
  if (wanted[1]) sums.weight = made[next++];
  if (wanted[2]) sums.bias = made[next++];
  return sums;
}

Value batch_norm_elemt_backward(Operand grad, const Value& x, const Value& mean,
                                const Value& invstd, const Value& weight, const Value& dy,
                                const Value& dy_xmu, const Value& counts) {
  Recorder record("batch_norm_elemt_backward", {grad, x, mean, invstd, weight, dy, dy_xmu, counts},
                  grad.where);
  detail::check_channels(record, 1, 2, 7);
  record.require_like(0, 1);
  return record.add<BatchNormElemtBackwardOp>({}, record.like(1));
}

std::string BatchNormElemtAttributes::text() const {
  return exchange == nullptr ? std::string() : fmt::format("{} ranks", exchange->ranks());
}

namespace calls {

const Declaration<EpsAttributes> batch_norm_stats = {"batch_norm_stats",
                                                     ACLGRAD_C(aclnnBatchNormStats), separate};

const Declaration<BatchNormGatherAttributes> batch_norm_gather_stats = {
    "batch_norm_gather_stats", ACLGRAD_C(aclnnBatchNormGatherStatsWithCounts),
    [](const BatchNormGatherAttributes& values, std::size_t output, std::size_t input) {
      const bool updates = values.updates_running && output >= kRunningMean && output == input;
      return updates ? OutputMemory::updated : OutputMemory::separate;
    },
    [](const auto& values, AclnnCall& call, auto... end) {
      const auto running = [&](std::size_t input) {
        return values.updates_running ? call.input(input) : nullptr;
      };
      // The first parameter tells the number of channels, as the means do.
      return aclnnBatchNormGatherStatsWithCountsGetWorkspaceSize(
          call.input(0), call.input(0), call.input(1), running(kRunningMean),
          running(kRunningMean + 1), values.momentum, values.eps, call.input(4), call.output(0),
          call.output(1), end...);
    },
    [](const BatchNormGatherAttributes& values) -> std::shared_ptr<const CallOp> {
      BatchNormGatherAttributes kept = values;
      kept.updates_running = false;
      return std::make_shared<BatchNormGatherStatsOp>(kept);
    }};

const Declaration<BatchNormElemtAttributes> batch_norm_elemt = {
    "batch_norm_elemt", ACLGRAD_C(aclnnBatchNormElemt), separate,
    [](const auto&, AclnnCall& call, auto... end) {
      constexpr double kUnusedEps = 0;
      return aclnnBatchNormElemtGetWorkspaceSize(call.input(0), call.input(1), call.input(2),
                                                 call.input(3), call.input(4), kUnusedEps,
                                                 call.output(0), end...);
    }};

const Declaration<BatchNormReduceAttributes> batch_norm_reduce_backward = {
    "batch_norm_reduce_backward", ACLGRAD_C(aclnnBatchNormReduceBackward), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const auto& [x, weight, bias] = values.wanted;
      std::size_t next = 0;
      const auto output = [&](bool is_wanted) { return is_wanted ? call.output(next++) : nullptr; };
      aclTensor* const sums[] = {output(x), output(x), output(weight), output(bias)};
      return aclnnBatchNormReduceBackwardGetWorkspaceSize(
          call.input(0), call.input(1), call.input(2), call.input(3), call.input(4), x, weight,
          bias, sums[0], sums[1], sums[2], sums[3], end...);
    }};

const Declaration<> batch_norm_elemt_backward = {"batch_norm_elemt_backward",
                                                 ACLGRAD_C(aclnnBatchNormElemtBackward), separate};

}  // namespace calls
}  // namespace aclgrad
