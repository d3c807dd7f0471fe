// SPDX-License-Identifier: Apache-2.0
// Batch normalization of a batch whose parts lie on several ranks, in the steps between which they
// exchange what they have of each channel. A network has the layer SyncBatchNorm
// (aclgrad/distributed/sync_batch_norm.h); this is what it records.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aclgrad/ops/normalization.h"

namespace aclgrad {

/// How ranks exchange vectors. Both record nodes; all ranks call them equally often, in one order.
class ChannelExchange {
 public:
  virtual ~ChannelExchange() = default;

  virtual std::int64_t ranks() const = 0;
  /// The vectors of all ranks, one behind the other.
  virtual Value gather(const Value& vector) const = 0;
  /// The sums over all ranks of each of these vectors, which are of one dtype.
  virtual std::vector<Value> sum(const std::vector<Value>& vectors) const = 0;
};

/// batch_norm() in training, where x is this rank's part of the batch: mean, variance and gradient
/// of x are those of the whole batch, and so are the running statistics, on every rank. The
/// gradients of weight and bias are of this rank's part, as those of other layers: DataParallel
/// adds them up. Parts may differ in size, and be empty or of one element a channel. Has no second
/// derivative. Throws as batch_norm() does.
Value sync_batch_norm(Operand x, const Value& weight, const Value& bias, const Value& running_mean,
                      const Value& running_var, const BatchNormOptions& options,
                      std::shared_ptr<const ChannelExchange> exchange);

// ---- The steps ----------------------------------------------------------------------------------
// Statistics and sums are [C], of x's dtype or float32 beside 16 bits; the count of a part is the
// number of elements in one of its channels.

/// Each channel's mean, and invstd = 1 / sqrt(variance + eps).
std::array<Value, 2> batch_norm_stats(Operand x, double eps);

/// The mean and invstd of the whole batch, of those [parts, C] of its parts and their counts
/// [parts]. Updates the two running statistics, which are variables.
std::array<Value, 2> batch_norm_gather_stats(Operand mean, const Value& invstd,
                                             const Value& running_mean, const Value& running_var,
                                             const Value& counts, double momentum, double eps);

/// (x - mean) invstd weight + bias. The gradient of x goes by mean and invstd as functions of all
/// parts of the batch, which counts and `exchange` stand for; without one x is all of it.
Value batch_norm_elemt(Operand x, const Value& weight, const Value& bias, const Value& mean,
                       const Value& invstd, const Value& counts,
                       std::shared_ptr<const ChannelExchange> exchange);

/// Of a part: sum(grad) and sum(grad (x - mean)) for the gradient of x, those of weight and bias;
/// empty Values for what is not wanted (at least one must be).
struct BatchNormSums {
  Value dy, dy_xmu, weight, bias;
};
BatchNormSums batch_norm_reduce_backward(Operand grad, const Value& x, const Value& mean,
                                         const Value& invstd, const Value& weight,
                                         std::array<bool, 3> wanted);

/// The gradient of x, with both sums over all parts.
Value batch_norm_elemt_backward(Operand grad, const Value& x, const Value& mean,
                                const Value& invstd, const Value& weight, const Value& dy,
                                const Value& dy_xmu, const Value& counts);

struct BatchNormGatherAttributes {
  double momentum, eps;
  bool updates_running = true;
  auto arguments() const { return named({"momentum", "eps"}, momentum, eps); }
};
struct BatchNormElemtAttributes {
  std::shared_ptr<const ChannelExchange> exchange;
  std::string text() const;
};
struct BatchNormReduceAttributes {
  std::array<bool, 3> wanted;  // of x, weight, bias
  auto arguments() const { return named({"outputMask"}, wanted); }
};

namespace calls {
// Input x; outputs mean and invstd.
extern const Declaration<EpsAttributes> batch_norm_stats;
// Inputs mean, invstd, running mean and variance, counts; outputs mean and invstd, and the running
// statistics, if it updates them.
extern const Declaration<BatchNormGatherAttributes> batch_norm_gather_stats;
// Inputs x, weight, bias, mean, invstd, counts; output the result.
extern const Declaration<BatchNormElemtAttributes> batch_norm_elemt;
// Inputs grad, x, mean, invstd, weight; outputs what is wanted of the four sums.
extern const Declaration<BatchNormReduceAttributes> batch_norm_reduce_backward;
// Inputs grad, x, mean, invstd, weight, both sums, counts; output the gradient of x.
extern const Declaration<> batch_norm_elemt_backward;
}  // namespace calls

using BatchNormStatsOp = DeclaredOp<calls::batch_norm_stats>;
using BatchNormGatherStatsOp = DeclaredOp<calls::batch_norm_gather_stats>;
using BatchNormElemtOp = DeclaredOp<calls::batch_norm_elemt>;
using BatchNormReduceBackwardOp = DeclaredOp<calls::batch_norm_reduce_backward>;
using BatchNormElemtBackwardOp = DeclaredOp<calls::batch_norm_elemt_backward>;

}  // namespace aclgrad
