// SPDX-License-Identifier: Apache-2.0
// libpeer_torch: elementwise operators, as ATen's kernels on the CPU compute them.
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_pow_tensor_tensor.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_sign.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_sub.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "bench/peers/peers.h"
#include "bench/peers/torch_peer.h"

using namespace aclgrad::bench;

namespace {

const char* form(int64_t approximate) { return approximate == 0 ? "none" : "tanh"; }

// A function of one tensor, by its form that writes a given one.
template <at::Tensor& (*function)(at::Tensor&, const at::Tensor&)>
void unary(const Tensor& self, Tensor out) {
  function(out, self);
}

// GEGLU as models have it: a chunk, GELU, a product. `left`: the first half is activated.
void geglu(const Tensor& self, int64_t dim, int64_t approximate, bool left, Tensor out,
           Tensor gelu) {
  const std::vector<Tensor> halves = self.chunk(2, dim);
  at::gelu_out(gelu, halves[left ? 0 : 1], form(approximate));
  at::mul_out(out, halves[left ? 1 : 0], gelu);
}

// What autograd does for it.
void geglu_backward(const Tensor& grad, const Tensor& self, const Tensor& gelu, int64_t dim,
                    int64_t approximate, bool left, Tensor grad_input) {
  const std::vector<Tensor> halves = self.chunk(2, dim);
  const Tensor linear = at::mul(grad, gelu);
  const Tensor activated = at::gelu_backward(at::mul(grad, halves[left ? 1 : 0]),
                                             halves[left ? 0 : 1], form(approximate));
  at::cat_out(grad_input,
              left ? at::TensorList{activated, linear} : at::TensorList{linear, activated}, dim);
}

}  // namespace

// ---- Activations --------------------------------------------------------------------------------

ACLGRAD_PEER_OPERATOR(aclnnElu, [](const Tensor& self, const Scalar& alpha, const Scalar& scale,
                                   const Scalar& input_scale, Tensor out) {
  at::elu_out(out, self, alpha, scale, input_scale);
})
ACLGRAD_PEER_OPERATOR(aclnnEluBackward, [](const Tensor& grad, const Scalar& alpha,
                                           const Scalar& scale, const Scalar& input_scale,
                                           bool is_result, const Tensor& self, Tensor out) {
  at::elu_backward_out(out, grad, alpha, scale, input_scale, is_result, self);
})
ACLGRAD_PEER_OPERATOR(aclnnSelu, [](const Tensor& self, Tensor out) {
  at::elu_out(out, self, kSeluAlpha, kSeluLambda, 1);
})
ACLGRAD_PEER_OPERATOR(aclnnSeluBackward, [](const Tensor& grad, const Tensor& result, Tensor out) {
  at::elu_backward_out(out, grad, kSeluAlpha, kSeluLambda, 1, true, result);
})
ACLGRAD_PEER_OPERATOR(aclnnHardswish, unary<at::hardswish_out>)
ACLGRAD_PEER_OPERATOR(aclnnHardswishBackwardV2,
                      [](const Tensor& grad, const Tensor& self, Tensor out) {
                        at::hardswish_backward_out(out, grad, self);
                      })
ACLGRAD_PEER_OPERATOR(aclnnGelu,
                      [](const Tensor& self, Tensor out) { at::gelu_out(out, self, "tanh"); })
ACLGRAD_PEER_OPERATOR(aclnnGeluBackward, [](const Tensor& grad, const Tensor& self, Tensor out) {
  at::gelu_backward_out(out, grad, self, "tanh");
})
ACLGRAD_PEER_OPERATOR(aclnnGeluV2, [](const Tensor& x, int64_t approximate, Tensor y) {
  at::gelu_out(y, x, form(approximate));
})
ACLGRAD_PEER_OPERATOR(aclnnGeluBackwardV2,
                      [](const Tensor& grad, const Tensor& self, const std::string& approximate,
                         Tensor out) { at::gelu_backward_out(out, grad, self, approximate); })
ACLGRAD_PEER_OPERATOR(aclnnGeGlu,
                      [](const Tensor& self, int64_t dim, int64_t approximate, const Tensor& out,
                         const Tensor& gelu) { geglu(self, dim, approximate, false, out, gelu); })
ACLGRAD_PEER_OPERATOR(aclnnGeGluV3, geglu)
ACLGRAD_PEER_OPERATOR(aclnnGeGluBackward,
                      [](const Tensor& grad, const Tensor& self, const Tensor& gelu, int64_t dim,
                         int64_t approximate, const Tensor& out) {
                        geglu_backward(grad, self, gelu, dim, approximate, false, out);
                      })
ACLGRAD_PEER_OPERATOR(aclnnGeGluV3Backward, geglu_backward)
ACLGRAD_PEER_OPERATOR(aclnnSilu, unary<at::silu_out>)
ACLGRAD_PEER_OPERATOR(aclnnSiluBackward, [](const Tensor& grad, const Tensor& self, Tensor out) {
  at::silu_backward_out(out, grad, self);
})
ACLGRAD_PEER_OPERATOR(aclnnSigmoid, unary<at::sigmoid_out>)
ACLGRAD_PEER_OPERATOR(aclnnSigmoidBackward,
                      [](const Tensor& grad, const Tensor& output, Tensor out) {
                        at::sigmoid_backward_out(out, grad, output);
                      })
ACLGRAD_PEER_OPERATOR(aclnnTanh, unary<at::tanh_out>)
ACLGRAD_PEER_OPERATOR(aclnnTanhBackward, [](const Tensor& grad, const Tensor& output, Tensor out) {
  at::tanh_backward_out(out, grad, output);
})
ACLGRAD_PEER_OPERATOR(aclnnSoftplus,
                      [](const Tensor& self, const Scalar& beta, const Scalar& threshold,
                         Tensor out) { at::softplus_out(out, self, beta, threshold); })
ACLGRAD_PEER_OPERATOR(aclnnSoftplusBackward,
                      [](const Tensor& grad, const Tensor& self, const Scalar& beta,
                         const Scalar& threshold, Tensor out) {
                        at::softplus_backward_out(out, grad, self, beta, threshold);
                      })
ACLGRAD_PEER_OPERATOR(aclnnLeakyRelu, [](const Tensor& self, const Scalar& slope, Tensor out) {
  at::leaky_relu_out(out, self, slope);
})
ACLGRAD_PEER_OPERATOR(aclnnLeakyReluBackward, [](const Tensor& grad, const Tensor& self,
                                                 const Scalar& slope, bool is_result, Tensor out) {
  at::leaky_relu_backward_out(out, grad, self, slope, is_result);
})
ACLGRAD_PEER_OPERATOR(aclnnRelu, unary<at::relu_out>)
ACLGRAD_PEER_OPERATOR(aclnnThresholdBackward,
                      [](const Tensor& grad, const Tensor& self, const Scalar& threshold,
                         Tensor out) { at::threshold_backward_out(out, grad, self, threshold); })

// ---- Functions ----------------------------------------------------------------------------------

ACLGRAD_PEER_OPERATOR(aclnnAbs, unary<at::abs_out>)
ACLGRAD_PEER_OPERATOR(aclnnExp, unary<at::exp_out>)
ACLGRAD_PEER_OPERATOR(aclnnLog, unary<at::log_out>)
ACLGRAD_PEER_OPERATOR(aclnnSqrt, unary<at::sqrt_out>)
ACLGRAD_PEER_OPERATOR(aclnnRsqrt, unary<at::rsqrt_out>)
ACLGRAD_PEER_OPERATOR(aclnnReciprocal, unary<at::reciprocal_out>)
ACLGRAD_PEER_OPERATOR(aclnnSin, unary<at::sin_out>)
ACLGRAD_PEER_OPERATOR(aclnnCos, unary<at::cos_out>)
ACLGRAD_PEER_OPERATOR(aclnnErf, unary<at::erf_out>)
ACLGRAD_PEER_OPERATOR(aclnnNeg, unary<at::neg_out>)
ACLGRAD_PEER_OPERATOR(aclnnSign, unary<at::sign_out>)

// ---- Arithmetic ---------------------------------------------------------------------------------

ACLGRAD_PEER_OPERATOR(aclnnAdd, [](const Tensor& self, const Tensor& other, const Scalar& alpha,
                                   Tensor out) { at::add_out(out, self, other, alpha); })
ACLGRAD_PEER_OPERATOR(aclnnSub, [](const Tensor& self, const Tensor& other, const Scalar& alpha,
                                   Tensor out) { at::sub_out(out, self, other, alpha); })
ACLGRAD_PEER_OPERATOR(aclnnMul, [](const Tensor& self, const Tensor& other, Tensor out) {
  at::mul_out(out, self, other);
})
ACLGRAD_PEER_OPERATOR(aclnnMuls, [](const Tensor& self, const Scalar& other, Tensor out) {
  at::mul_out(out, self, at::scalar_tensor(other, self.options()));
})
ACLGRAD_PEER_OPERATOR(aclnnDiv, [](const Tensor& self, const Tensor& other, Tensor out) {
  at::div_out(out, self, other);
})
ACLGRAD_PEER_OPERATOR(aclnnMaximum, [](const Tensor& self, const Tensor& other, Tensor out) {
  at::maximum_out(out, self, other);
})
ACLGRAD_PEER_OPERATOR(aclnnMinimum, [](const Tensor& self, const Tensor& other, Tensor out) {
  at::minimum_out(out, self, other);
})
ACLGRAD_PEER_OPERATOR(aclnnPowTensorScalar, [](const Tensor& self, const Scalar& exponent,
                                               Tensor out) { at::pow_out(out, self, exponent); })
ACLGRAD_PEER_OPERATOR(aclnnPowTensorTensor, [](const Tensor& self, const Tensor& exponent,
                                               Tensor out) { at::pow_out(out, self, exponent); })
