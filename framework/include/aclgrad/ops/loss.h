// SPDX-License-Identifier: Apache-2.0
// Losses for regression and classification.
#ifndef ACLGRAD_OPS_LOSS_H_
#define ACLGRAD_OPS_LOSS_H_

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"

namespace aclgrad {

/// How the losses of the elements become the result; the values are those of the operators'
/// attribute. mean and sum give a tensor of rank 0.
enum class Reduction : std::uint8_t { none = 0, mean = 1, sum = 2 };

/// "none", "mean" or "sum".
const char* to_string(Reduction reduction);

/// Target classes with this number do not count, unless another is chosen.
inline constexpr std::int64_t kIgnoreIndex = -100;

/// (prediction - target)^2; both of one shape and one floating dtype. A loss does not broadcast:
/// ShapeError names both shapes where they differ, as [n, 1] and [n] do; expand() repeats. mean
/// divides by the number of elements, and is NaN where there are none.
Value mse_loss(Operand prediction, const Value& target, Reduction reduction = Reduction::mean);

/// |prediction - target|, of one shape and one floating dtype. The gradient is 0 where they are
/// equal.
Value l1_loss(Operand prediction, const Value& target, Reduction reduction = Reduction::mean);

/// d^2 / (2 beta) for |d| < beta, |d| - beta / 2 otherwise, for d = prediction - target, of one
/// shape and one floating dtype (Girshick 2015). Throws ValueError for beta < 0.
Value smooth_l1_loss(Operand prediction, const Value& target, Reduction reduction = Reduction::mean,
                     double beta = 1);

/// Weights of the elements and of positive targets, which broadcast to the target's shape; 1 where
/// the Value is empty.
struct BceOptions {
  Value weight = {};
  Value pos_weight = {};
  Reduction reduction = Reduction::mean;
};
/// Binary cross entropy of sigmoid(logits) and target, of one shape and floating dtype; the targets
/// are probabilities. An infinite logit gives the limit: 0 where the target is on its side, else an
/// infinity, with finite gradients. Without a gradient for targets and weights.
Value bce_with_logits(Operand logits, const Value& target, const BceOptions& options = {});

/// -weight[t] log_probabilities[n, t] for the class t = target[n]. log_probabilities is [N, C] or
/// [C], target [N] or a scalar, int64, int32 or uint8; weight [C] of the dtype of
/// log_probabilities, all ones when it is an empty Value. mean divides by the sum of the weights.
Value nll_loss(Operand log_probabilities, const Value& target, const Value& weight = {},
               Reduction reduction = Reduction::mean, std::int64_t ignore_index = kIgnoreIndex);

/// nll_loss of log_softmax over the last axis. logits is [..., C], target of the same shape without
/// the last axis. mean is over all targets that are not ignored.
Value cross_entropy(Operand logits, const Value& target, Reduction reduction = Reduction::mean,
                    std::int64_t ignore_index = kIgnoreIndex);

/// 2 (prediction - target) grad, divided by the element count for mean: the gradient with respect
/// to the prediction. grad broadcasts to its shape.
Value mse_loss_backward(Operand grad, const Value& prediction, const Value& target,
                        Reduction reduction);

/// The gradients of l1_loss, smooth_l1_loss with respect to the prediction, and of bce_with_logits
/// with respect to the logits.
Value l1_loss_backward(Operand grad, const Value& prediction, const Value& target,
                       Reduction reduction);
Value smooth_l1_loss_backward(Operand grad, const Value& prediction, const Value& target,
                              Reduction reduction, double beta);
Value bce_with_logits_backward(Operand grad, const Value& logits, const Value& target,
                               const BceOptions& options);

/// The gradient with respect to log_probabilities; total_weight is the forward node's second
/// output.
Value nll_loss_backward(Operand grad, const Value& log_probabilities, const Value& target,
                        const Value& weight, const Value& total_weight, Reduction reduction,
                        std::int64_t ignore_index);

struct MseLossAttributes {
  Reduction reduction;
  auto arguments() const { return named({"reduction"}, reduction); }
};
struct SmoothL1LossAttributes {
  Reduction reduction;
  double beta;
  auto arguments() const { return named({"reduction", "beta"}, reduction, beta); }
};
struct BceAttributes {
  bool has_weight;
  bool has_pos_weight;
  Reduction reduction;
  std::string text() const;
};
struct NllLossAttributes {
  Reduction reduction;
  std::int64_t ignore_index;
  auto arguments() const { return named({"reduction", "ignore_index"}, reduction, ignore_index); }
};

namespace calls {
extern const Declaration<MseLossAttributes> mse_loss, mse_loss_backward, l1_loss, l1_loss_backward;
extern const Declaration<SmoothL1LossAttributes> smooth_l1_loss, smooth_l1_loss_backward;
// Inputs logits, target, and the weights that there are; the backward's the gradient before.
extern const Declaration<BceAttributes> bce_with_logits, bce_with_logits_backward;
// Inputs log_probabilities, target, weight; outputs the loss and the total weight.
extern const Declaration<NllLossAttributes> nll_loss;
extern const Declaration<NllLossAttributes> nll_loss_backward;
}  // namespace calls

using MseLossOp = DeclaredOp<calls::mse_loss>;
using MseLossBackwardOp = DeclaredOp<calls::mse_loss_backward>;
using L1LossOp = DeclaredOp<calls::l1_loss>;
using L1LossBackwardOp = DeclaredOp<calls::l1_loss_backward>;
using SmoothL1LossOp = DeclaredOp<calls::smooth_l1_loss>;
using SmoothL1LossBackwardOp = DeclaredOp<calls::smooth_l1_loss_backward>;
using BceWithLogitsOp = DeclaredOp<calls::bce_with_logits>;
using BceWithLogitsBackwardOp = DeclaredOp<calls::bce_with_logits_backward>;
using NllLossOp = DeclaredOp<calls::nll_loss>;
using NllLossBackwardOp = DeclaredOp<calls::nll_loss_backward>;

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_LOSS_H_
