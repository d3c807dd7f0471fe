// SPDX-License-Identifier: Apache-2.0
// libpeer_onednn: elementwise operators.
#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_exp.h"
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
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_sub.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "bench/peers/onednn_peer.h"

using namespace aclgrad::bench;

namespace {

void eltwise(algorithm kind, const Tensor& self, const Tensor& out, float alpha = 0,
             float beta = 0) {
  const memory::desc layout = self.get_desc();
  const memory to = room(out, layout);
  run(dnnl::eltwise_forward(describe_eltwise(engine(), kind, layout, alpha, beta)),
      {{DNNL_ARG_SRC, self}, {DNNL_ARG_DST, to}});
  give(to, out);
}

// `data`: the forward's input, or its output for kinds that use that.
void eltwise_backward(algorithm kind, const Tensor& grad, const Tensor& data, const Tensor& out,
                      float alpha = 0, bool is_result = false) {
  const memory::desc layout = grad.get_desc();
  const memory to = room(out, layout);
  run(dnnl::eltwise_backward(describe_eltwise_backward(engine(), kind, layout, alpha)),
      {{DNNL_ARG_DIFF_DST, grad},
       {is_result ? DNNL_ARG_DST : DNNL_ARG_SRC, in(data, layout)},
       {DNNL_ARG_DIFF_SRC, to}});
  give(to, out);
}

template <algorithm kind, int alpha = 0>
void unary(const Tensor& self, const Tensor& out) {
  eltwise(kind, self, out, alpha);
}

template <algorithm kind, int alpha = 0>
void of_input(const Tensor& grad, const Tensor& self, const Tensor& out) {
  eltwise_backward(kind, grad, self, out, alpha);
}

template <algorithm kind>
void of_result(const Tensor& grad, const Tensor& output, const Tensor& out) {
  eltwise_backward(kind, grad, output, out, 0, true);
}

template <algorithm kind>
void binary(const Tensor& self, const Tensor& other, const Tensor& out) {
  const auto layout = [&](const Tensor& tensor) {
    List shape = dims_of(tensor.get_desc());
    shape.insert(shape.begin(), dims_of(out.get_desc()).size() - shape.size(), 1);
    return tensor.get_desc().reshape(shape);
  };
  const memory::desc a = layout(self), b = layout(other);
  run(dnnl::binary(describe<dnnl::binary>(engine(), kind, a, b, out.get_desc())),
      {{DNNL_ARG_SRC_0, {a, engine(), self.get_data_handle()}},
       {DNNL_ARG_SRC_1, {b, engine(), other.get_data_handle()}},
       {DNNL_ARG_DST, out}});
}

template <algorithm kind>
void scaled_sum(const Tensor& self, const Tensor& other, float alpha, const Tensor& out) {
  require(alpha == 1, "oneDNN's sum has no alpha");
  binary<kind>(self, other, out);
}

algorithm gelu(bool tanh) {
  return tanh ? algorithm::eltwise_gelu_tanh : algorithm::eltwise_gelu_erf;
}

void softplus(float beta) { require(beta == 1, "oneDNN's soft ReLU has no beta"); }

}  // namespace

// ---- Activations --------------------------------------------------------------------------------

ACLGRAD_PEER_OPERATOR(aclnnElu, [](const Tensor& self, float alpha, float scale, float input_scale,
                                   const Tensor& out) {
  require(scale == 1 && input_scale == 1, "oneDNN's ELU has no scale");
  eltwise(algorithm::eltwise_elu, self, out, alpha);
})
ACLGRAD_PEER_OPERATOR(aclnnEluBackward, [](const Tensor& grad, float alpha, float scale,
                                           float input_scale, bool is_result, const Tensor& self,
                                           const Tensor& out) {
  require(scale == 1 && input_scale == 1, "oneDNN's ELU has no scale");
  eltwise_backward(is_result ? algorithm::eltwise_elu_use_dst_for_bwd : algorithm::eltwise_elu,
                   grad, self, out, alpha, is_result);
})
ACLGRAD_PEER_OPERATOR(aclnnHardswish, unary<algorithm::eltwise_hardswish>)
ACLGRAD_PEER_OPERATOR(aclnnHardswishBackwardV2, of_input<algorithm::eltwise_hardswish>)
ACLGRAD_PEER_OPERATOR(aclnnGelu, unary<algorithm::eltwise_gelu_tanh>)
ACLGRAD_PEER_OPERATOR(aclnnGeluBackward, of_input<algorithm::eltwise_gelu_tanh>)
ACLGRAD_PEER_OPERATOR(aclnnGeluV2, [](const Tensor& x, int64_t approximate, const Tensor& y) {
  eltwise(gelu(approximate != 0), x, y);
})
ACLGRAD_PEER_OPERATOR(aclnnGeluBackwardV2, [](const Tensor& grad, const Tensor& self,
                                              const std::string& approximate, const Tensor& out) {
  eltwise_backward(gelu(approximate == "tanh"), grad, self, out);
})
ACLGRAD_PEER_OPERATOR(aclnnSilu, unary<algorithm::eltwise_swish, 1>)
ACLGRAD_PEER_OPERATOR(aclnnSiluBackward, of_input<algorithm::eltwise_swish, 1>)
ACLGRAD_PEER_OPERATOR(aclnnSigmoid, unary<algorithm::eltwise_logistic>)
ACLGRAD_PEER_OPERATOR(aclnnSigmoidBackward, of_result<algorithm::eltwise_logistic_use_dst_for_bwd>)
ACLGRAD_PEER_OPERATOR(aclnnTanh, unary<algorithm::eltwise_tanh>)
ACLGRAD_PEER_OPERATOR(aclnnTanhBackward, of_result<algorithm::eltwise_tanh_use_dst_for_bwd>)
ACLGRAD_PEER_OPERATOR(aclnnSoftplus, [](const Tensor& self, float beta, float, const Tensor& out) {
  softplus(beta);
  eltwise(algorithm::eltwise_soft_relu, self, out, 1);
})
ACLGRAD_PEER_OPERATOR(aclnnSoftplusBackward, [](const Tensor& grad, const Tensor& self, float beta,
                                                float, const Tensor& out) {
  softplus(beta);
  eltwise_backward(algorithm::eltwise_soft_relu, grad, self, out, 1);
})
ACLGRAD_PEER_OPERATOR(aclnnLeakyRelu, [](const Tensor& self, float slope, const Tensor& out) {
  eltwise(algorithm::eltwise_relu, self, out, slope);
})
ACLGRAD_PEER_OPERATOR(aclnnLeakyReluBackward, [](const Tensor& grad, const Tensor& self,
                                                 float slope, bool is_result, const Tensor& out) {
  eltwise_backward(is_result ? algorithm::eltwise_relu_use_dst_for_bwd : algorithm::eltwise_relu,
                   grad, self, out, slope, is_result);
})
ACLGRAD_PEER_OPERATOR(aclnnRelu, unary<algorithm::eltwise_relu>)
ACLGRAD_PEER_OPERATOR(aclnnThresholdBackward, [](const Tensor& grad, const Tensor& self,
                                                 float threshold, const Tensor& out) {
  require(threshold == 0, "oneDNN's ReLU has its corner at 0");
  eltwise_backward(algorithm::eltwise_relu, grad, self, out);
})

// ---- Functions and arithmetic -------------------------------------------------------------------

ACLGRAD_PEER_OPERATOR(aclnnAbs, unary<algorithm::eltwise_abs>)
ACLGRAD_PEER_OPERATOR(aclnnExp, unary<algorithm::eltwise_exp>)
ACLGRAD_PEER_OPERATOR(aclnnLog, unary<algorithm::eltwise_log>)
ACLGRAD_PEER_OPERATOR(aclnnSqrt, unary<algorithm::eltwise_sqrt>)
ACLGRAD_PEER_OPERATOR(aclnnPowTensorScalar,
                      [](const Tensor& self, float exponent, const Tensor& out) {
                        eltwise(algorithm::eltwise_pow, self, out, 1, exponent);
                      })
ACLGRAD_PEER_OPERATOR(aclnnAdd, scaled_sum<algorithm::binary_add>)
ACLGRAD_PEER_OPERATOR(aclnnSub, scaled_sum<algorithm::binary_sub>)
ACLGRAD_PEER_OPERATOR(aclnnMul, binary<algorithm::binary_mul>)
ACLGRAD_PEER_OPERATOR(aclnnDiv, binary<algorithm::binary_div>)
ACLGRAD_PEER_OPERATOR(aclnnMaximum, binary<algorithm::binary_max>)
ACLGRAD_PEER_OPERATOR(aclnnMinimum, binary<algorithm::binary_min>)
ACLGRAD_PEER_OPERATOR(aclnnMuls, [](const Tensor& self, float other, const Tensor& out) {
  eltwise(algorithm::eltwise_linear, self, out, other);
})
ACLGRAD_PEER_OPERATOR(aclnnInplaceCopy, [](const Tensor& self, const Tensor& source) {
  const auto is_float = [](const Tensor& tensor) {
    const memory::data_type type = type_of(tensor.get_desc());
    return type != memory::data_type::s32 && type != memory::data_type::s8 &&
           type != memory::data_type::u8;
  };
  require(is_float(self) || !is_float(source), "oneDNN rounds where the interface truncates");
  reorder(source, self);
})
