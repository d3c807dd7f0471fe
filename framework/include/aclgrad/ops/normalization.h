// SPDX-License-Identifier: Apache-2.0
// Softmax and layer normalization.
#ifndef ACLGRAD_OPS_NORMALIZATION_H_
#define ACLGRAD_OPS_NORMALIZATION_H_

#include <array>
#include <source_location>

#include "aclgrad/graph.h"

namespace aclgrad {

/// e^(x - max) / sum(e^(x - max)) along `dim`.
Value softmax(const Value& x, std::int64_t dim = -1,
              std::source_location where = std::source_location::current());

/// result (grad - sum(grad result)) along `dim`, from the forward output.
Value softmax_backward(const Value& grad, const Value& result, std::int64_t dim,
                       std::source_location where = std::source_location::current());

/// (x - mean) rstd weight + bias over the last dimensions of x, those of weight and bias: mean, and
/// rstd = 1 / sqrt(variance + eps), are those of each row. weight and bias are of x's dtype or
/// float32, both of the same.
Value layer_norm(const Value& x, const Value& weight, const Value& bias, double eps = 1e-5,
                 std::source_location where = std::source_location::current());

/// The gradients with respect to x, weight and bias; an empty Value for those that are not wanted
/// (at least one must be). mean and rstd are the forward node's second and third output.
std::array<Value, 3> layer_norm_backward(
    const Value& grad, const Value& x, const Value& mean, const Value& rstd, const Value& weight,
    std::array<bool, 3> wanted, std::source_location where = std::source_location::current());

struct SoftmaxOp final : AclnnOp {
  std::int64_t dim;

  explicit SoftmaxOp(std::int64_t dim_) : dim(dim_) {}
  std::string_view name() const override { return "softmax"; }
  std::string_view call_name() const override { return "aclnnSoftmax"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct SoftmaxBackwardOp final : AclnnOp {
  std::int64_t dim;

  explicit SoftmaxBackwardOp(std::int64_t dim_) : dim(dim_) {}
  std::string_view name() const override { return "softmax_backward"; }
  std::string_view call_name() const override { return "aclnnSoftmaxBackward"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

/// Inputs x, weight, bias; outputs the result, mean and rstd.
struct LayerNormOp final : AclnnOp {
  double eps;

  explicit LayerNormOp(double eps_) : eps(eps_) {}
  std::string_view name() const override { return "layer_norm"; }
  std::string_view call_name() const override { return "aclnnLayerNorm"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

/// Inputs grad, x, mean, rstd, weight; outputs the gradients that are wanted.
struct LayerNormBackwardOp final : AclnnOp {
  std::array<bool, 3> wanted;  // of x, weight, bias

  explicit LayerNormBackwardOp(std::array<bool, 3> wanted_) : wanted(wanted_) {}
  std::string_view name() const override { return "layer_norm_backward"; }
  std::string_view call_name() const override { return "aclnnLayerNormBackward"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_NORMALIZATION_H_
