// SPDX-License-Identifier: Apache-2.0
// Losses for regression and classification. What does not count, as a target that is ignored, a
// class or an element of weight 0, or a step behind its sample's length, changes neither the loss
// nor a gradient, whatever it holds. Losses of 16 bits compute in float32 and round once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

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

struct SmoothL1Options {
  double beta = 1;  ///< At least 0.
  Reduction reduction = Reduction::mean;
};
/// d^2 / (2 beta) for |d| < beta, |d| - beta / 2 otherwise, for d = prediction - target, of one
/// shape and one floating dtype (Girshick 2015): smooth_l1_loss(y, t, {.beta = 0.3}).
Value smooth_l1_loss(Operand prediction, const Value& target, const SmoothL1Options& options = {});

struct HuberOptions {
  double delta = 1;  ///< Above 0, finite.
  Reduction reduction = Reduction::mean;
};
/// d^2 / 2 for |d| < delta, delta (|d| - delta / 2) otherwise (Huber 1964): delta times
/// smooth_l1_loss with that beta.
Value huber_loss(Operand prediction, const Value& target, const HuberOptions& options = {});

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

struct BinaryCrossEntropyOptions {
  Value weight = {};  ///< Of the elements; broadcasts to the target's shape; 1 where it is empty.
  Reduction reduction = Reduction::mean;
};
/// -weight (t log p + (1 - t) log(1 - p)) of probabilities p and targets t, both within [0, 1], of
/// one shape and floating dtype. A logarithm counts at least -100, and in the gradient p (1 - p) at
/// least 1e-12. bce_with_logits() has the digits that sigmoid() rounds off. Without a gradient for
/// targets and weights.
Value binary_cross_entropy(Operand probabilities, const Value& target,
                           const BinaryCrossEntropyOptions& options = {});

/// log(1 + e^(-target score)) of scores and targets that are 1 or -1, of one shape and floating
/// dtype. Without a gradient for targets.
Value soft_margin_loss(Operand scores, const Value& target, Reduction reduction = Reduction::mean);

struct NllOptions {
  Value weight = {};  ///< Of the classes: [C], of the scores' dtype; all 1 where it is empty.
  std::int64_t ignore_index = kIgnoreIndex;
  Reduction reduction = Reduction::mean;
};
/// -weight[t] log_probabilities[..., t] for the class t = target[...]. log_probabilities is [...,
/// C], of any rank, target of the same shape without the last axis, int64, int32 or uint8. mean
/// divides by the sum of the weights of the targets that are not ignored.
Value nll_loss(Operand log_probabilities, const Value& target, const NllOptions& options = {});

struct CrossEntropyOptions {
  Value weight = {};           ///< As in NllOptions.
  double label_smoothing = 0;  ///< In [0, 1]: the share of a target that all classes have equally.
  std::int64_t ignore_index = kIgnoreIndex;  ///< Of classes only.
  Reduction reduction = Reduction::mean;
};
/// The cross entropy of softmax over the last axis of logits [..., C] and targets of one of two
/// kinds. Classes, as for nll_loss of log_softmax, from which it differs by label_smoothing; mean
/// divides by the weights, as there. Or probabilities of the classes, of the shape and dtype of
/// logits: -sum over c of weight[c] target[..., c] log_softmax(logits)[..., c], where a target or
/// a weight of 0 counts 0 whatever the logit; mean divides by the number of targets. Throws
/// ValueError for label_smoothing out of its range, and for an ignore_index beside probabilities.
Value cross_entropy(Operand logits, const Value& target, const CrossEntropyOptions& options = {});

struct KlDivOptions {
  bool log_target = false;  ///< The targets are logarithms, too.
  Reduction reduction = Reduction::mean;
};
/// target (log target - log_probabilities), the Kullback-Leibler divergence of each element, of one
/// shape and one floating dtype; a target of 0 counts 0, beside NaN too. mean divides by the number
/// of elements. The divergence of distributions is their sum over the classes: PyTorch's
/// `batchmean` is kl_div(p, t, {.reduction = Reduction::sum}) / examples.
Value kl_div(Operand log_probabilities, const Value& target, const KlDivOptions& options = {});

struct CtcOptions {
  std::int64_t blank = 0;  ///< The class between labels: in [0, C).
  Reduction reduction = Reduction::mean;
  bool zero_infinity = false;  ///< Infinite losses and their gradients are 0.
};
/// Connectionist temporal classification (Graves et al. 2006): minus the logarithm of the
/// probability of the targets, over all their alignments with the steps. log_probabilities [T, N,
/// C], or [T, C] of one sample, must come from log_softmax() over the classes: as in PyTorch the
/// gradient is the right one only through it. targets are int64 or int32, [N, S] padded behind, or
/// all samples' one behind the other; no label is the blank. input_lengths, in [0, T], and
/// target_lengths have a number for each sample and belong to the graph, as its shapes do: other
/// lengths need another graph. A loss is infinite where a target has no alignment. mean divides
/// each loss by its target length, at least 1, and their sum by N. The losses are [N], of [T, C]
/// they have no dimension. Without a second derivative.
Value ctc_loss(Operand log_probabilities, const Value& targets,
               const std::vector<std::int64_t>& input_lengths,
               const std::vector<std::int64_t>& target_lengths, const CtcOptions& options = {});

/// The sum of max(0, 1 - x[j] + x[i]) / C over the classes j of a row and all others i. x is [N, C]
/// or [C], target of its shape, int64 or int32: the classes of a row, ended by a -1 where there are
/// fewer than C; a class named twice counts twice. mean divides by N. The gradient takes memory for
/// N C^2 numbers.
Value multilabel_margin_loss(Operand x, const Value& target, Reduction reduction = Reduction::mean);

struct CosineEmbeddingOptions {
  double margin = 0;  ///< Finite.
  Reduction reduction = Reduction::mean;
};
/// For the cosine c of the rows of a and b [..., D], of one shape and floating dtype: 1 - c where
/// target [...] is 1, max(c - margin, 0) where it is -1, and 0 elsewhere, whatever the rows are.
/// The squares' sums have 1e-12 added. target is of any dtype but bool and unsigned ones.
Value cosine_embedding_loss(Operand a, const Value& b, const Value& target,
                            const CosineEmbeddingOptions& options = {});

struct TripletMarginOptions {
  double margin = 1;  ///< Above 0, finite.
  double p = 2;       ///< Of the norm; above 0, an infinity gives the largest difference.
  double eps = 1e-6;  ///< Added to every difference; at least 0, finite.
  bool swap = false;  ///< The negative's distance is the smaller of those to anchor and positive.
  Reduction reduction = Reduction::mean;
};
/// max(margin + |anchor - positive| - |anchor - negative|, 0) of rows [..., D], of one shape and
/// one floating dtype (Schroff et al. 2015).
Value triplet_margin_loss(Operand anchor, const Value& positive, const Value& negative,
                          const TripletMarginOptions& options = {});

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
/// Those of binary_cross_entropy with respect to the probabilities, of soft_margin_loss with
/// respect to the scores.
Value binary_cross_entropy_backward(Operand grad, const Value& probabilities, const Value& target,
                                    const BinaryCrossEntropyOptions& options);
Value soft_margin_loss_backward(Operand grad, const Value& scores, const Value& target,
                                Reduction reduction);

/// The gradient with respect to log_probabilities; total_weight is the forward node's second
/// output.
Value nll_loss_backward(Operand grad, const Value& log_probabilities, const Value& target,
                        const Value& weight, const Value& total_weight, Reduction reduction,
                        std::int64_t ignore_index);

struct CtcLossAttributes {
  std::vector<std::int64_t> input_lengths;
  std::vector<std::int64_t> target_lengths;
  std::int64_t blank;
  bool zero_infinity;
  auto arguments() const {
    return named({"input_lengths", "target_lengths", "blank", "zero_infinity"}, input_lengths,
                 target_lengths, blank, zero_infinity);
  }
  std::string text() const;
};
/// The gradient of the losses [N], with respect to the numbers that log_softmax was taken of;
/// losses and log_alpha are the forward node's outputs, attributes its own.
Value ctc_loss_backward(Operand grad, const Value& log_probabilities, const Value& targets,
                        const Value& losses, const Value& log_alpha,
                        const CtcLossAttributes& attributes);

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
extern const Declaration<MseLossAttributes> mse_loss, mse_loss_backward, l1_loss, l1_loss_backward,
    soft_margin_loss, soft_margin_loss_backward;
extern const Declaration<SmoothL1LossAttributes> smooth_l1_loss, smooth_l1_loss_backward;
// Inputs logits, target, and the weights that there are; the backward's the gradient before.
extern const Declaration<BceAttributes> bce_with_logits, bce_with_logits_backward,
    binary_cross_entropy, binary_cross_entropy_backward;
// Inputs log_probabilities, target, weight; outputs the loss and the total weight.
extern const Declaration<NllLossAttributes> nll_loss;
extern const Declaration<NllLossAttributes> nll_loss_backward;
// Inputs log_probabilities, targets; outputs the losses and alpha.
extern const Declaration<CtcLossAttributes> ctc_loss;
// Inputs grad, log_probabilities, targets, losses, alpha.
extern const Declaration<CtcLossAttributes> ctc_loss_backward;
// Outputs the rows' losses, and 1 at the classes of a row.
extern const Declaration<NoAttributes> multilabel_margin_loss;
}  // namespace calls

using MseLossOp = DeclaredOp<calls::mse_loss>;
using MseLossBackwardOp = DeclaredOp<calls::mse_loss_backward>;
using L1LossOp = DeclaredOp<calls::l1_loss>;
using L1LossBackwardOp = DeclaredOp<calls::l1_loss_backward>;
using SmoothL1LossOp = DeclaredOp<calls::smooth_l1_loss>;
using SmoothL1LossBackwardOp = DeclaredOp<calls::smooth_l1_loss_backward>;
using BceWithLogitsOp = DeclaredOp<calls::bce_with_logits>;
using BceWithLogitsBackwardOp = DeclaredOp<calls::bce_with_logits_backward>;
using BinaryCrossEntropyOp = DeclaredOp<calls::binary_cross_entropy>;
using BinaryCrossEntropyBackwardOp = DeclaredOp<calls::binary_cross_entropy_backward>;
using SoftMarginLossOp = DeclaredOp<calls::soft_margin_loss>;
using SoftMarginLossBackwardOp = DeclaredOp<calls::soft_margin_loss_backward>;
using NllLossOp = DeclaredOp<calls::nll_loss>;
using NllLossBackwardOp = DeclaredOp<calls::nll_loss_backward>;
using CtcLossOp = DeclaredOp<calls::ctc_loss>;
using CtcLossBackwardOp = DeclaredOp<calls::ctc_loss_backward>;
using MultilabelMarginLossOp = DeclaredOp<calls::multilabel_margin_loss>;

}  // namespace aclgrad
