// SPDX-License-Identifier: Apache-2.0
// Elementwise functions and their gradients. The result has the shape and dtype of x, which must be
// floating; a gradient and the tensor beside it are of one shape and dtype. Throw DTypeError and
// ShapeError otherwise.
#ifndef ACLGRAD_OPS_FUNCTIONS_H_
#define ACLGRAD_OPS_FUNCTIONS_H_

#include <source_location>

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"

namespace aclgrad {

/// e^x.
Value exp(const Value& x, std::source_location where = std::source_location::current());
/// The natural logarithm.
Value log(const Value& x, std::source_location where = std::source_location::current());
/// The square root.
Value sqrt(const Value& x, std::source_location where = std::source_location::current());
/// 1 / sqrt(x).
Value rsqrt(const Value& x, std::source_location where = std::source_location::current());
/// 1 / x.
Value reciprocal(const Value& x, std::source_location where = std::source_location::current());
/// Sine and cosine of x in radians.
Value sin(const Value& x, std::source_location where = std::source_location::current());
Value cos(const Value& x, std::source_location where = std::source_location::current());
/// The error function 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x.
Value erf(const Value& x, std::source_location where = std::source_location::current());
/// |x|; its gradient at 0 is 0.
Value abs(const Value& x, std::source_location where = std::source_location::current());
/// 1, -1, or x where it is 0 or NaN; its gradient is 0.
Value sign(const Value& x, std::source_location where = std::source_location::current());
/// -x; int8, int32 and int64 too.
Value neg(const Value& x, std::source_location where = std::source_location::current());

/// The hyperbolic tangent.
Value tanh(const Value& x, std::source_location where = std::source_location::current());
/// 1 / (1 + e^-x).
Value sigmoid(const Value& x, std::source_location where = std::source_location::current());
/// max(x, 0).
Value relu(const Value& x, std::source_location where = std::source_location::current());
/// x sigmoid(x), also called swish (Elfwing et al. 2017); NaN at -inf, as the product.
Value silu(const Value& x, std::source_location where = std::source_location::current());
/// x for x > 0, else negative_slope x.
Value leaky_relu(const Value& x, double negative_slope = 0.01,
                 std::source_location where = std::source_location::current());
/// log(1 + e^(beta x)) / beta, and x where beta x > threshold. Throws ValueError for beta = 0.
Value softplus(const Value& x, double beta = 1, double threshold = 20,
               std::source_location where = std::source_location::current());

/// grad (1 - result^2), from the forward output.
Value tanh_backward(const Value& grad, const Value& result,
                    std::source_location where = std::source_location::current());
/// grad result (1 - result), from the forward output.
Value sigmoid_backward(const Value& grad, const Value& result,
                       std::source_location where = std::source_location::current());
/// grad where x > threshold, else 0, and NaN where x is: the gradient of relu for threshold 0, as
/// which the operator takes every threshold up to 2^-23.
Value threshold_backward(const Value& grad, const Value& x, double threshold = 0,
                         std::source_location where = std::source_location::current());
/// grad s (1 + x (1 - s)) with s = sigmoid(x).
Value silu_backward(const Value& grad, const Value& x,
                    std::source_location where = std::source_location::current());
/// grad for x > 0, else negative_slope grad; NaN where x is.
Value leaky_relu_backward(const Value& grad, const Value& x, double negative_slope = 0.01,
                          std::source_location where = std::source_location::current());
/// grad sigmoid(beta x), and grad where beta x > threshold. Throws ValueError for beta = 0.
Value softplus_backward(const Value& grad, const Value& x, double beta = 1, double threshold = 20,
                        std::source_location where = std::source_location::current());

/// The operators take these numbers as floats.
struct LeakyReluAttributes {
  double negative_slope;
  auto arguments() const { return named({"negative_slope"}, negative_slope); }
};
struct ThresholdAttributes {
  double threshold;
  auto arguments() const { return named({"threshold"}, threshold); }
};
struct SoftplusAttributes {
  double beta;
  double threshold;
  auto arguments() const { return named({"beta", "threshold"}, beta, threshold); }
};

namespace calls {
extern const Declaration<> exp, log, sqrt, rsqrt, reciprocal, sin, cos, erf, neg, abs, sign;
extern const Declaration<> tanh, sigmoid, relu, silu, tanh_backward, sigmoid_backward,
    silu_backward;
extern const Declaration<ThresholdAttributes> threshold_backward;
extern const Declaration<LeakyReluAttributes> leaky_relu, leaky_relu_backward;
extern const Declaration<SoftplusAttributes> softplus, softplus_backward;
}  // namespace calls

using ExpOp = DeclaredOp<calls::exp>;
using LogOp = DeclaredOp<calls::log>;
using SqrtOp = DeclaredOp<calls::sqrt>;
using RsqrtOp = DeclaredOp<calls::rsqrt>;
using ReciprocalOp = DeclaredOp<calls::reciprocal>;
using SinOp = DeclaredOp<calls::sin>;
using CosOp = DeclaredOp<calls::cos>;
using ErfOp = DeclaredOp<calls::erf>;
using NegOp = DeclaredOp<calls::neg>;
using AbsOp = DeclaredOp<calls::abs>;
using SignOp = DeclaredOp<calls::sign>;
using TanhOp = DeclaredOp<calls::tanh>;
using SigmoidOp = DeclaredOp<calls::sigmoid>;
using ReluOp = DeclaredOp<calls::relu>;
using SiluOp = DeclaredOp<calls::silu>;
using LeakyReluOp = DeclaredOp<calls::leaky_relu>;
using SoftplusOp = DeclaredOp<calls::softplus>;
using TanhBackwardOp = DeclaredOp<calls::tanh_backward>;
using SigmoidBackwardOp = DeclaredOp<calls::sigmoid_backward>;
using SiluBackwardOp = DeclaredOp<calls::silu_backward>;
using ThresholdBackwardOp = DeclaredOp<calls::threshold_backward>;
using LeakyReluBackwardOp = DeclaredOp<calls::leaky_relu_backward>;
using SoftplusBackwardOp = DeclaredOp<calls::softplus_backward>;

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_FUNCTIONS_H_
