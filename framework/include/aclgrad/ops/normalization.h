// SPDX-License-Identifier: Apache-2.0
// Softmax, its logarithm, layer normalization, root-mean-square normalization, and two that are
// fused with what usually stands before them: a masked softmax, and deep_norm().
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

namespace aclgrad {

/// e^(x - max) / sum(e^(x - max)) along `dim`.
Value softmax(Operand x, std::int64_t dim = -1);

/// result (grad - sum(grad result)) along `dim`, from the forward output.
Value softmax_backward(Operand grad, const Value& result, std::int64_t dim);

/// x - max - log(sum(e^(x - max))) along `dim`.
Value log_softmax(Operand x, std::int64_t dim = -1);

/// grad - e^result sum(grad) along `dim`, from the forward output.
Value log_softmax_backward(Operand grad, const Value& result, std::int64_t dim);

/// (x - mean) rstd weight + bias over the last dimensions of x, those of weight and bias: mean, and
/// rstd = 1 / sqrt(variance + eps), are those of each row. As in PyTorch, with eps 0 a row of equal
/// numbers gives NaN. weight and bias are of x's dtype or
/// float32, both of the same.
Value layer_norm(Operand x, const Value& weight, const Value& bias, double eps = 1e-5);

/// The gradients with respect to x, weight and bias; an empty Value for those that are not wanted
/// (at least one must be). mean and rstd are the forward node's second and third output.
std::array<Value, 3> layer_norm_backward(Operand grad, const Value& x, const Value& mean,
                                         const Value& rstd, const Value& weight,
                                         std::array<bool, 3> wanted);

/// x rstd gamma over the last dimensions of x, those of gamma, with the rstd = 1 / sqrt(mean(x^2) +
/// eps) of each row. gamma is of x's dtype or float32.
Value rms_norm(Operand x, const Value& gamma, double eps = 1e-6);

/// The gradients with respect to x and gamma; that of gamma is float32 where x is a 16-bit tensor.
/// rstd is the forward node's second output.
std::array<Value, 2> rms_norm_backward(Operand grad, const Value& x, const Value& rstd,
                                       const Value& gamma);

/// softmax(scale x) along the last dimension of x, of rank 1 to 4, with -10000 in the place of the
/// scores where the mask is true: with fixed_triu_mask in columns j > i of row i, whatever the mask
/// holds. The mask, of bool, broadcasts to x. Where all of a row is masked, its shares are uniform;
/// what is masked has a gradient of 0 all the same. Throws ShapeError and DTypeError; ValueError
/// for a scale that is not finite.
Value scaled_masked_softmax(Operand x, const Value& mask, double scale = 1,
                            bool fixed_triu_mask = false);

struct ScaledMaskedSoftmaxAttributes {
  double scale;
  bool fixed_triu_mask;
  auto arguments() const { return named({"scale", "fixed_triu_mask"}, scale, fixed_triu_mask); }
};

/// The gradient of x, from the forward's result. All of rank 4.
Value scaled_masked_softmax_backward(Operand grad, const Value& result, const Value& mask,
                                     const ScaledMaskedSoftmaxAttributes& attributes);

/// layer_norm(alpha x + gx) of a branch gx and the residual x beside it (Wang et al. 2022), with
/// weight gamma and bias beta, over the last dimensions of x, those of gamma and beta. All are
/// floating, of one dtype; what is under the root counts eps more. In the vendor's order: beta
/// before gamma. Throws ShapeError, DTypeError; ValueError for eps below 0, and for an alpha or eps
/// that is not finite.
Value deep_norm(Operand x, const Value& gx, const Value& beta, const Value& gamma,
                double alpha = 0.3, double eps = 1e-6);

/// The gradients of x, gx, beta and gamma, the latter two float32 where x is a 16-bit tensor. mean
/// and rstd are the forward node's second and third output.
std::array<Value, 4> deep_norm_backward(Operand grad, const Value& x, const Value& gx,
                                        const Value& gamma, const Value& mean, const Value& rstd,
                                        double alpha);

struct EpsAttributes {
  double eps;
  auto arguments() const { return named({"eps"}, eps); }
};
struct DeepNormAttributes {
  double alpha, eps;
  auto arguments() const { return named({"alpha", "eps"}, alpha, eps); }
};
struct DeepNormBackwardAttributes {
  double alpha;
  auto arguments() const { return named({"alpha"}, alpha); }
};
struct LayerNormBackwardAttributes {
  std::array<bool, 3> wanted;  // of x, weight, bias
  auto arguments() const { return named({"outputMask"}, wanted); }
};

namespace calls {
extern const Declaration<DimAttributes> softmax, softmax_backward, log_softmax,
    log_softmax_backward;
// Inputs x, weight, bias; outputs the result, mean and rstd.
extern const Declaration<EpsAttributes> layer_norm;
// Inputs x, gamma; outputs the result and rstd.
extern const Declaration<EpsAttributes> rms_norm;
// Inputs grad, x, rstd, gamma; outputs the gradients of x and gamma.
extern const Declaration<> rms_norm_backward;
// Inputs grad, x, mean, rstd, weight; outputs the gradients that are wanted.
extern const Declaration<LayerNormBackwardAttributes> layer_norm_backward;
// Inputs x, mask; and of the backward grad, result, mask.
extern const Declaration<ScaledMaskedSoftmaxAttributes> scaled_masked_softmax,
    scaled_masked_softmax_backward;
// Inputs x, gx, beta, gamma; outputs the result, mean and rstd.
extern const Declaration<DeepNormAttributes> deep_norm;
// Inputs grad, x, gx, gamma, mean, rstd; outputs the gradients of x, gx, beta and gamma.
extern const Declaration<DeepNormBackwardAttributes> deep_norm_backward;
}  // namespace calls

using SoftmaxOp = DeclaredOp<calls::softmax>;
using SoftmaxBackwardOp = DeclaredOp<calls::softmax_backward>;
using LogSoftmaxOp = DeclaredOp<calls::log_softmax>;
using LogSoftmaxBackwardOp = DeclaredOp<calls::log_softmax_backward>;
using LayerNormOp = DeclaredOp<calls::layer_norm>;
using LayerNormBackwardOp = DeclaredOp<calls::layer_norm_backward>;
using RmsNormOp = DeclaredOp<calls::rms_norm>;
using RmsNormBackwardOp = DeclaredOp<calls::rms_norm_backward>;
using ScaledMaskedSoftmaxOp = DeclaredOp<calls::scaled_masked_softmax>;
using ScaledMaskedSoftmaxBackwardOp = DeclaredOp<calls::scaled_masked_softmax_backward>;
using DeepNormOp = DeclaredOp<calls::deep_norm>;
using DeepNormBackwardOp = DeclaredOp<calls::deep_norm_backward>;

// ---- Channels -----------------------------------------------------------------------------------
// Normalization of the channels of a batch [N, C, ...], and of groups of channels of each image.

struct BatchNormOptions {
  bool training = true;
  double momentum = 0.1;
  double eps = 1e-5;
};

/// (x - m) / sqrt(v + eps) weight + bias for every channel of x [N, C, ...], rank 2 to 8. In
/// training m and v are the mean and the biased variance of the batch, and the node updates two
/// variables: running_mean becomes (1 - momentum) running_mean + momentum m, and running_var the
/// same of the unbiased variance. Otherwise m and v are these two, and nothing is updated. All four
/// are [C], of any floating type. As in PyTorch, with eps 0 a channel of equal numbers gives its
/// bias and gradients 0 in training, and NaN otherwise where v is 0. Throws ShapeError, DTypeError,
/// and ValueError where one to be updated is no variable, and in training for one value a channel,
/// which has no variance.
Value batch_norm(Operand x, const Value& weight, const Value& bias, const Value& running_mean,
                 const Value& running_var, const BatchNormOptions& options = {});

/// (x - mean) rstd weight + bias for every group of channels of every image of x [N, C, ...], with
/// rstd = 1 / sqrt(variance + eps); weight and bias are [C], of x's dtype. In float16 and bfloat16
/// it is computed in float32, between casts, so that statistics are not rounded to 16 bits. Throws
/// ShapeError for groups that do not divide C, ValueError for eps that is not above 0.
Value group_norm(Operand x, std::int64_t groups, const Value& weight, const Value& bias,
                 double eps = 1e-5);

struct BatchNormAttributes {
  bool training;
  double momentum, eps;
  bool updates_running = false;  // the running statistics, in training
  std::string text() const;
};
struct BatchNormBackwardAttributes {
  bool training;
  double eps;
  std::array<bool, 3> wanted;  // of x, weight, bias
  std::string text() const;
};
struct GroupNormAttributes {
  std::int64_t groups;
  double eps;
  auto arguments() const { return named({"groups", "eps"}, groups, eps); }
};
struct GroupNormBackwardAttributes {
  std::int64_t groups;
  std::array<bool, 3> wanted;
  auto arguments() const { return named({"groups", "outputMask"}, groups, wanted); }
};

/// The gradients with respect to x, weight and bias; an empty Value for those that are not wanted
/// (at least one must be). mean and spread are the forward node's second and third output in
/// training, else its running statistics.
std::array<Value, 3> batch_norm_backward(Operand grad, const Value& x, const Value& mean,
                                         const Value& spread, const Value& weight,
                                         const BatchNormBackwardAttributes& attributes);

/// As batch_norm_backward(); mean and rstd are the forward node's second and third output.
std::array<Value, 3> group_norm_backward(Operand grad, const Value& x, const Value& mean,
                                         const Value& rstd, const Value& weight,
                                         const GroupNormBackwardAttributes& attributes);

namespace calls {
// Inputs x, weight, bias, running mean and variance. Outputs the result; in training the batch's
// mean and its spread (by product: the variance, or 1 / sqrt(variance + eps)),
// and the running statistics, if it updates them.
extern const Declaration<BatchNormAttributes> batch_norm;
// Inputs grad, x, mean, spread, weight; outputs the gradients that are wanted.
extern const Declaration<BatchNormBackwardAttributes> batch_norm_backward;
// Inputs x, weight, bias; outputs the result, mean and rstd.
extern const Declaration<GroupNormAttributes> group_norm;
// Inputs grad, x, mean, rstd, weight; outputs the gradients that are wanted.
extern const Declaration<GroupNormBackwardAttributes> group_norm_backward;
}  // namespace calls

using BatchNormOp = DeclaredOp<calls::batch_norm>;
using BatchNormBackwardOp = DeclaredOp<calls::batch_norm_backward>;
using GroupNormOp = DeclaredOp<calls::group_norm>;
using GroupNormBackwardOp = DeclaredOp<calls::group_norm_backward>;

}  // namespace aclgrad
