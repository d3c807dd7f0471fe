// SPDX-License-Identifier: Apache-2.0
// Softmax, its logarithm, layer normalization and root-mean-square normalization.
#ifndef ACLGRAD_OPS_NORMALIZATION_H_
#define ACLGRAD_OPS_NORMALIZATION_H_

#include <array>
#include <source_location>

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"

namespace aclgrad {

/// e^(x - max) / sum(e^(x - max)) along `dim`.
Value softmax(const Value& x, std::int64_t dim = -1,
              std::source_location where = std::source_location::current());

/// result (grad - sum(grad result)) along `dim`, from the forward output.
Value softmax_backward(const Value& grad, const Value& result, std::int64_t dim,
                       std::source_location where = std::source_location::current());

/// x - max - log(sum(e^(x - max))) along `dim`.
Value log_softmax(const Value& x, std::int64_t dim = -1,
                  std::source_location where = std::source_location::current());

/// grad - e^result sum(grad) along `dim`, from the forward output.
Value log_softmax_backward(const Value& grad, const Value& result, std::int64_t dim,
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

/// x rstd gamma over the last dimensions of x, those of gamma, with the rstd = 1 / sqrt(mean(x^2) +
/// eps) of each row. gamma is of x's dtype or float32.
Value rms_norm(const Value& x, const Value& gamma, double eps = 1e-6,
               std::source_location where = std::source_location::current());

/// The gradients with respect to x and gamma; that of gamma is float32 where x is a 16-bit tensor.
/// rstd is the forward node's second output.
std::array<Value, 2> rms_norm_backward(
    const Value& grad, const Value& x, const Value& rstd, const Value& gamma,
    std::source_location where = std::source_location::current());

struct SoftmaxAttributes {
  std::int64_t dim;
  auto arguments() const { return named({"dim"}, dim); }
};
struct LayerNormAttributes {
  double eps;
  auto arguments() const { return named({"eps"}, eps); }
};
struct RmsNormAttributes {
  double eps;
  auto arguments() const { return named({"eps"}, eps); }
};
struct LayerNormBackwardAttributes {
  std::array<bool, 3> wanted;  // of x, weight, bias
  std::string text() const;
};

namespace calls {
extern const Declaration<SoftmaxAttributes> softmax, softmax_backward, log_softmax,
    log_softmax_backward;
// Inputs x, weight, bias; outputs the result, mean and rstd.
extern const Declaration<LayerNormAttributes> layer_norm;
// Inputs x, gamma; outputs the result and rstd.
extern const Declaration<RmsNormAttributes> rms_norm;
// Inputs grad, x, rstd, gamma; outputs the gradients of x and gamma.
extern const Declaration<> rms_norm_backward;
// Inputs grad, x, mean, rstd, weight; outputs the gradients that are wanted.
extern const Declaration<LayerNormBackwardAttributes> layer_norm_backward;
}  // namespace calls

using SoftmaxOp = DeclaredOp<calls::softmax>;
using SoftmaxBackwardOp = DeclaredOp<calls::softmax_backward>;
using LogSoftmaxOp = DeclaredOp<calls::log_softmax>;
using LogSoftmaxBackwardOp = DeclaredOp<calls::log_softmax_backward>;
using LayerNormOp = DeclaredOp<calls::layer_norm>;
using LayerNormBackwardOp = DeclaredOp<calls::layer_norm_backward>;
using RmsNormOp = DeclaredOp<calls::rms_norm>;
using RmsNormBackwardOp = DeclaredOp<calls::rms_norm_backward>;

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_NORMALIZATION_H_
