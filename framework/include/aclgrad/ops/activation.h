// SPDX-License-Identifier: Apache-2.0
// The activations and their gradients: SELU, ELU, Hardswish, GELU, GEGLU; then tanh, sigmoid, ReLU,
// SiLU, leaky ReLU, softplus, and others that are one formula. Each takes a floating x of any shape
// of rank up to 8 and gives its shape and dtype; a gradient operator takes a gradient and a tensor
// of one shape and dtype. Throw DTypeError and ShapeError otherwise.
#pragma once

#include <array>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

namespace aclgrad {

/// SELU (Klambauer et al. 2017): lambda x for x > 0, else lambda alpha (e^x - 1), with
/// lambda = 1.0507009873554805 and alpha = 1.6732632423543772.
Value selu(Operand x);

/// The gradient from the forward *output*: grad * lambda where result >= 0, else
/// grad * (result + lambda alpha).
Value selu_backward(Operand grad, const Value& result);

/// Which forward tensor a gradient is computed from: aclnnEluBackward's isResult. `result` spares
/// keeping the input, and is the derivative for alpha >= 0, scale > 0 and input_scale > 0 only.
enum class BackwardFrom : std::uint8_t { input, result };

/// ELU (Clevert et al. 2015) with the operator's three parameters: scale x for x > 0, else
/// alpha scale (e^(input_scale x) - 1). Throws ValueError for BackwardFrom::result unless
/// alpha >= 0, scale > 0 and input_scale > 0.
Value elu(Operand x, double alpha = 1, double scale = 1, double input_scale = 1,
          BackwardFrom backward_from = BackwardFrom::input);

/// The gradient of elu from its input or its result, as backward_from says. For s <= 0:
/// grad input_scale alpha scale e^(input_scale s) from the input and grad input_scale
/// (s + alpha scale) from the result; grad scale for s > 0. Throws ValueError as elu() does.
Value elu_backward(Operand grad, const Value& input_or_result, double alpha = 1, double scale = 1,
                   double input_scale = 1, BackwardFrom backward_from = BackwardFrom::input);

/// Hardswish (Howard et al. 2019): x min(max(x + 3, 0), 6) / 6.
Value hardswish(Operand x);

/// Which slope a function of pieces has where two of them meet.
enum class CornerSlope : std::uint8_t { outside, inside };

/// grad times the slope at the forward input: 0 below -3, x/3 + 1/2 between, 1 above 3. At -3 and 3
/// it is that of the piece outside (0 and 1), as the usual frameworks and the gradient of
/// hardswish() have it, or inside (-0.5 and 1.5).
Value hardswish_backward(Operand grad, const Value& x, CornerSlope corners = CornerSlope::outside);

/// The form of GELU (Hendrycks, Gimpel 2016): x Phi(x), or its tanh approximation
/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). The values are those of the operators'
/// attribute.
enum class Approximate : std::uint8_t { none = 0, tanh = 1 };

/// "none" or "tanh".
const char* to_string(Approximate approximate);

/// GELU in that form, and grad times its slope at x.
Value gelu(Operand x, Approximate approximate = Approximate::none);
Value gelu_backward(Operand grad, const Value& x, Approximate approximate = Approximate::none);

/// GEGLU (Shazeer 2020): x, of rank 1 to 8 and with an even extent along `dim`, is split there in
/// two halves A (first) and B; the result, a half as large, is A gelu(B), or gelu(A) B with
/// activate_left. The node's second output, the activated half's gelu, is kept for the backward.
Value geglu(Operand x, std::int64_t dim = -1, Approximate approximate = Approximate::none,
            bool activate_left = false);

/// The gradient with respect to x. grad and gelu have the result's shape; gelu is the forward
/// node's second output.
Value geglu_backward(Operand grad, const Value& x, const Value& gelu, std::int64_t dim,
                     Approximate approximate, bool activate_left);

struct EluAttributes {
  double alpha;
  double scale;
  double input_scale;
  BackwardFrom backward_from;
  auto arguments() const {
    return named({"alpha", "scale", "input_scale"}, alpha, scale, input_scale);
  }
};
struct EluBackwardAttributes : EluAttributes {
  auto arguments() const {
    return named({"alpha", "scale", "input_scale", "is_result"}, alpha, scale, input_scale,
                 backward_from == BackwardFrom::result);
  }
};
struct GeluTanhAttributes {
  auto arguments() const { return named(); }
  std::string text() const { return "approximate=tanh"; }
};
struct GeluAttributes {
  Approximate approximate;
  auto arguments() const { return named({"approximate"}, approximate); }
};
struct GegluAttributes {
  std::int64_t dim;
  Approximate approximate;
  bool activate_left;
  auto arguments() const {
    return named({"dim", "approximate", "activate_left"}, dim, approximate, activate_left);
  }
};

namespace calls {
extern const Declaration<> selu, selu_backward;
extern const Declaration<EluAttributes> elu;
extern const Declaration<EluBackwardAttributes> elu_backward;
extern const Declaration<> hardswish, hardswish_backward, hardswish_backward_v2;
extern const Declaration<GeluTanhAttributes> gelu_tanh, gelu_tanh_backward;
extern const Declaration<GeluAttributes> gelu, gelu_backward;
extern const Declaration<GegluAttributes> geglu, geglu_backward;
}  // namespace calls

using SeluOp = DeclaredOp<calls::selu>;
using SeluBackwardOp = DeclaredOp<calls::selu_backward>;
using EluOp = DeclaredOp<calls::elu>;
using EluBackwardOp = DeclaredOp<calls::elu_backward>;
using HardswishOp = DeclaredOp<calls::hardswish>;
using HardswishBackwardOp = DeclaredOp<calls::hardswish_backward>;
using HardswishBackwardV2Op = DeclaredOp<calls::hardswish_backward_v2>;
using GeluTanhOp = DeclaredOp<calls::gelu_tanh>;  // the tanh form
using GeluTanhBackwardOp = DeclaredOp<calls::gelu_tanh_backward>;
using GeluOp = DeclaredOp<calls::gelu>;
using GeluBackwardOp = DeclaredOp<calls::gelu_backward>;
using GegluOp = DeclaredOp<calls::geglu>;
using GegluBackwardOp = DeclaredOp<calls::geglu_backward>;

/// The hyperbolic tangent.
Value tanh(Operand x);
/// 1 / (1 + e^-x).
Value sigmoid(Operand x);
/// max(x, 0).
Value relu(Operand x);
/// x sigmoid(x), also called swish (Elfwing et al. 2017); NaN at -inf, as the product.
Value silu(Operand x);
/// x for x > 0, else negative_slope x.
Value leaky_relu(Operand x, double negative_slope = 0.01);
/// log(1 + e^(beta x)) / beta, and x where beta x > threshold. Throws ValueError for beta = 0.
Value softplus(Operand x, double beta = 1, double threshold = 20);

/// x tanh(softplus(x)) (Misra 2019); NaN at -inf, as the product.
Value mish(Operand x);
/// x for x > 0, else weight x (He et al. 2015): weight is one number for all, or one for each
/// element of axis 1 of x, [1] or [C]; both of one floating dtype. The slope at 0 is the weight.
Value prelu(Operand x, const Value& weight);

/// x held between two bounds. The slope at them is 0. Throws ValueError for min > max.
Value hardtanh(Operand x, double min = -1, double max = 1);
/// x, and 0 where |x| <= lambda. Throws ValueError for NaN.
Value hardshrink(Operand x, double lambda = 0.5);
/// x moved by lambda towards 0, which it does not pass. Throws ValueError for lambda < 0.
Value softshrink(Operand x, double lambda = 0.5);
/// min(max(x + 3, 0), 6) / 6.
Value hardsigmoid(Operand x);
/// x where x > threshold, else value. Throws ValueError for a threshold of NaN.
Value threshold(Operand x, double threshold, double value);
/// x for x > 0, else alpha (e^(x / alpha) - 1) (Barron 2017). ValueError for alpha = 0, inf, NaN.
Value celu(Operand x, double alpha = 1);
/// x sigmoid(1.702 x), an approximation of GELU.
Value fast_gelu(Operand x);
/// log(sigmoid(x)).
Value log_sigmoid(Operand x);
/// log(x / (1 - x)) of x, or, for eps >= 0, of x held between eps and 1 - eps; NaN outside [0, 1].
/// PyTorch's eps=None is a negative one. Throws ValueError above 0.5, where the bounds would cross.
Value logit(Operand x, double eps = -1);
/// x, of an even extent along `dim`, is split there in two halves A and B: A sigmoid(B) (Dauphin et
/// al. 2016), and silu(A) B (Shazeer 2020).
Value glu(Operand x, std::int64_t dim = -1);
Value swiglu(Operand x, std::int64_t dim = -1);

/// grad times the slope of each at x.
Value mish_backward(Operand grad, const Value& x);
Value hardtanh_backward(Operand grad, const Value& x, double min = -1, double max = 1);
Value hardshrink_backward(Operand grad, const Value& x, double lambda = 0.5);
Value softshrink_backward(Operand grad, const Value& x, double lambda = 0.5);
Value hardsigmoid_backward(Operand grad, const Value& x);
Value fast_gelu_backward(Operand grad, const Value& x);
Value log_sigmoid_backward(Operand grad, const Value& x);
Value logit_backward(Operand grad, const Value& x, double eps = -1);
/// grad has the shape of one half.
Value glu_backward(Operand grad, const Value& x, std::int64_t dim = -1);
Value swiglu_backward(Operand grad, const Value& x, std::int64_t dim = -1);
/// The gradients with respect to x and to weight.
std::array<Value, 2> prelu_backward(Operand grad, const Value& x, const Value& weight);

/// grad (1 - result^2), from the forward output.
Value tanh_backward(Operand grad, const Value& result);
/// grad result (1 - result), from the forward output.
Value sigmoid_backward(Operand grad, const Value& result);
/// grad where x > threshold, else 0, and NaN where x is: the gradient of relu for threshold 0, as
/// which the operator takes every threshold up to 2^-23.
Value threshold_backward(Operand grad, const Value& x, double threshold = 0);
/// grad s (1 + x (1 - s)) with s = sigmoid(x).
Value silu_backward(Operand grad, const Value& x);
/// grad for x > 0, else negative_slope grad; NaN where x is.
Value leaky_relu_backward(Operand grad, const Value& x, double negative_slope = 0.01);
/// grad sigmoid(beta x), and grad where beta x > threshold. Throws ValueError for beta = 0.
Value softplus_backward(Operand grad, const Value& x, double beta = 1, double threshold = 20);

/// The operators take these numbers as floats.
struct LeakyReluAttributes {
  double negative_slope;
  auto arguments() const { return named({"negative_slope"}, negative_slope); }
};
struct LeakyReluBackwardAttributes : LeakyReluAttributes {
  auto arguments() const {
    return named({"negative_slope", ""}, negative_slope, /*selfIsResult=*/false);
  }
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

struct HardtanhAttributes {
  double min;
  double max;
  auto arguments() const { return named({"min", "max"}, min, max); }
};
struct ShrinkAttributes {
  double lambda;
  auto arguments() const { return named({"lambda"}, lambda); }
};
struct ThresholdValueAttributes {
  double threshold;
  double value;
  auto arguments() const { return named({"threshold", "value"}, threshold, value); }
};
struct CeluAttributes {
  double alpha;
  auto arguments() const { return named({"alpha"}, alpha); }
};
struct LogitAttributes {
  double eps;
  auto arguments() const { return named({"eps"}, eps); }
};

namespace calls {
extern const Declaration<> mish, mish_backward, prelu, prelu_backward, hardsigmoid,
    hardsigmoid_backward, fast_gelu, fast_gelu_backward, log_sigmoid, log_sigmoid_backward;
extern const Declaration<HardtanhAttributes> hardtanh, hardtanh_backward;
extern const Declaration<ShrinkAttributes> hardshrink, hardshrink_backward, softshrink,
    softshrink_backward;
extern const Declaration<ThresholdValueAttributes> threshold;
extern const Declaration<CeluAttributes> celu;
extern const Declaration<LogitAttributes> logit, logit_backward;
extern const Declaration<DimAttributes> glu, glu_backward, swiglu, swiglu_backward;
extern const Declaration<> tanh, sigmoid, relu, silu, tanh_backward, sigmoid_backward,
    silu_backward;
extern const Declaration<ThresholdAttributes> threshold_backward;
extern const Declaration<LeakyReluAttributes> leaky_relu;
extern const Declaration<LeakyReluBackwardAttributes> leaky_relu_backward;
extern const Declaration<SoftplusAttributes> softplus, softplus_backward;
}  // namespace calls

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
using MishOp = DeclaredOp<calls::mish>;
using MishBackwardOp = DeclaredOp<calls::mish_backward>;
using PreluOp = DeclaredOp<calls::prelu>;
using PreluBackwardOp = DeclaredOp<calls::prelu_backward>;
using HardsigmoidOp = DeclaredOp<calls::hardsigmoid>;
using HardsigmoidBackwardOp = DeclaredOp<calls::hardsigmoid_backward>;
using FastGeluOp = DeclaredOp<calls::fast_gelu>;
using FastGeluBackwardOp = DeclaredOp<calls::fast_gelu_backward>;
using LogSigmoidOp = DeclaredOp<calls::log_sigmoid>;
using LogSigmoidBackwardOp = DeclaredOp<calls::log_sigmoid_backward>;
using HardtanhOp = DeclaredOp<calls::hardtanh>;
using HardtanhBackwardOp = DeclaredOp<calls::hardtanh_backward>;
using HardshrinkOp = DeclaredOp<calls::hardshrink>;
using HardshrinkBackwardOp = DeclaredOp<calls::hardshrink_backward>;
using SoftshrinkOp = DeclaredOp<calls::softshrink>;
using SoftshrinkBackwardOp = DeclaredOp<calls::softshrink_backward>;
using ThresholdOp = DeclaredOp<calls::threshold>;
using CeluOp = DeclaredOp<calls::celu>;
using LogitOp = DeclaredOp<calls::logit>;
using LogitBackwardOp = DeclaredOp<calls::logit_backward>;
using GluOp = DeclaredOp<calls::glu>;
using GluBackwardOp = DeclaredOp<calls::glu_backward>;
using SwigluOp = DeclaredOp<calls::swiglu>;
using SwigluBackwardOp = DeclaredOp<calls::swiglu_backward>;

}  // namespace aclgrad
