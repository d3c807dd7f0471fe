// SPDX-License-Identifier: Apache-2.0
// Losses for regression and classification.
#ifndef ACLGRAD_OPS_LOSSES_H_
#define ACLGRAD_OPS_LOSSES_H_

#include <source_location>

#include "aclgrad/graph.h"

namespace aclgrad {

/// How the losses of the elements become the result; the values are those of the operators'
/// attribute. mean and sum give a tensor of rank 0.
enum class Reduction : std::uint8_t { none = 0, mean = 1, sum = 2 };

/// "none", "mean" or "sum".
const char* to_string(Reduction reduction);

/// Target classes with this number do not count, unless another is chosen.
inline constexpr std::int64_t kIgnoreIndex = -100;

/// (prediction - target)^2, broadcast; both of one floating dtype. mean divides by the number of
/// elements of the broadcast shape.
Value mse_loss(const Value& prediction, const Value& target, Reduction reduction = Reduction::mean,
               std::source_location where = std::source_location::current());

/// x - max - log(sum(e^(x - max))) along `dim`.
Value log_softmax(const Value& x, std::int64_t dim = -1,
                  std::source_location where = std::source_location::current());

/// -weight[t] log_probabilities[n, t] for the class t = target[n]. log_probabilities is [N, C] or
/// [C], target [N] or a scalar, int64, int32 or uint8; weight [C] of the dtype of
/// log_probabilities, all ones when it is an empty Value. mean divides by the sum of the weights.
Value nll_loss(const Value& log_probabilities, const Value& target, const Value& weight = {},
               Reduction reduction = Reduction::mean, std::int64_t ignore_index = kIgnoreIndex,
               std::source_location where = std::source_location::current());

/// nll_loss of log_softmax over the last axis. logits is [..., C], target of the same shape without
/// the last axis. mean is over all targets that are not ignored.
Value cross_entropy(const Value& logits, const Value& target, Reduction reduction = Reduction::mean,
                    std::int64_t ignore_index = kIgnoreIndex,
                    std::source_location where = std::source_location::current());

/// 2 (prediction - target) grad, divided by the element count for mean: the gradient with respect
/// to the prediction, of the broadcast shape.
Value mse_loss_backward(const Value& grad, const Value& prediction, const Value& target,
                        Reduction reduction,
                        std::source_location where = std::source_location::current());

/// grad - e^result sum(grad) along `dim`, from the forward output.
Value log_softmax_backward(const Value& grad, const Value& result, std::int64_t dim,
                           std::source_location where = std::source_location::current());

/// The gradient with respect to log_probabilities; total_weight is the forward node's second
/// output.
Value nll_loss_backward(const Value& grad, const Value& log_probabilities, const Value& target,
                        const Value& weight, const Value& total_weight, Reduction reduction,
                        std::int64_t ignore_index,
                        std::source_location where = std::source_location::current());

struct MseLossOp final : AclnnOp {
  Reduction reduction;

  explicit MseLossOp(Reduction reduction_) : reduction(reduction_) {}
  std::string_view name() const override { return "mse_loss"; }
  std::string_view call_name() const override { return "aclnnMseLoss"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
  bool may_overwrite(std::size_t, std::size_t) const override {
    return reduction == Reduction::none;
  }
};

struct MseLossBackwardOp final : ElementwiseOp {
  Reduction reduction;

  explicit MseLossBackwardOp(Reduction reduction_) : reduction(reduction_) {}
  std::string_view name() const override { return "mse_loss_backward"; }
  std::string_view call_name() const override { return "aclnnMseLossBackward"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct LogSoftmaxOp final : AclnnOp {
  std::int64_t dim;

  explicit LogSoftmaxOp(std::int64_t dim_) : dim(dim_) {}
  std::string_view name() const override { return "log_softmax"; }
  std::string_view call_name() const override { return "aclnnLogSoftmax"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct LogSoftmaxBackwardOp final : AclnnOp {
  std::int64_t dim;

  explicit LogSoftmaxBackwardOp(std::int64_t dim_) : dim(dim_) {}
  std::string_view name() const override { return "log_softmax_backward"; }
  std::string_view call_name() const override { return "aclnnLogSoftmaxBackward"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

/// Inputs log_probabilities, target, weight; outputs the loss and the total weight.
struct NllLossOp final : AclnnOp {
  Reduction reduction;
  std::int64_t ignore_index;

  NllLossOp(Reduction reduction_, std::int64_t ignore_index_)
      : reduction(reduction_), ignore_index(ignore_index_) {}
  std::string_view name() const override { return "nll_loss"; }
  std::string_view call_name() const override { return "aclnnNLLLoss"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct NllLossBackwardOp final : AclnnOp {
  Reduction reduction;
  std::int64_t ignore_index;

  NllLossBackwardOp(Reduction reduction_, std::int64_t ignore_index_)
      : reduction(reduction_), ignore_index(ignore_index_) {}
  std::string_view name() const override { return "nll_loss_backward"; }
  std::string_view call_name() const override { return "aclnnNLLLossBackward"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_LOSSES_H_
