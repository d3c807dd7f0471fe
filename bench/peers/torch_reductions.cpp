// SPDX-License-Identifier: Apache-2.0
// libpeer_torch: products, reductions, normalizations, convolutions, pooling and losses. Where ATen
// has no form that writes a given tensor, its result is copied.
#include <torch/csrc/autograd/autograd.h>

#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_baddbmm.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_group_norm_backward.h"
#include "aclnnop/aclnn_l1_loss.h"
#include "aclnnop/aclnn_l1_loss_backward.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "bench/peers/torch_peer.h"

using namespace aclgrad::bench;

namespace {

using Mask = std::vector<char>;

// Statistics that a call does not have are without elements.
void give(Tensor out, const Tensor& result) {
  if (!out.defined() || !result.defined() || result.numel() == 0) return;
  out.copy_(result.reshape(out.sizes()));
}

// Three gradients, of which a mask may leave out some.
void give(const Tensor& a, const Tensor& b, const Tensor& c,
          const std::tuple<Tensor, Tensor, Tensor>& results) {
  give(a, std::get<0>(results));
  give(b, std::get<1>(results));
  give(c, std::get<2>(results));
}

// What the interface hands on from batch normalization in training is the variance, whatever the
// parameter's name says.
Tensor variance_of(const Tensor& invstd, double eps) {
  return (invstd.to(at::kDouble).pow(-2) - eps).to(invstd.scalar_type());
}
Tensor invstd_of(const Tensor& variance, double eps) {
  if (!variance.defined()) return variance;
  return (variance.to(at::kDouble) + eps).rsqrt().to(variance.scalar_type());
}

// As front ends and autograd hand tensors to kernels that take them for contiguous.
Tensor packed(const Tensor& tensor, const Tensor& otherwise = {}) {
  return tensor.defined() ? tensor.contiguous() : otherwise;
}

// ATen's kernel does not check what its front ends do.
void require_statistics(bool training, const Tensor& mean, const Tensor& variance) {
  TORCH_CHECK(training || (mean.defined() && variance.defined()),
              "evaluation takes running statistics");
}

std::array<bool, 3> flags(const Mask& mask) {
  return {mask.at(0) != 0, mask.at(1) != 0, mask.at(2) != 0};
}

// What autograd gives where ATen has no backward of its own.
template <class Loss>
void differentiate(const Tensor& grad, const Tensor& self, Tensor out, Loss loss) {
  const Tensor input = self.detach().requires_grad_();
  const Tensor value = loss(input);
  out.copy_(torch::autograd::grad({value}, {input}, {grad.expand(value.sizes())})[0]);
}

// The framework's 0 stands for no divisor.
c10::optional<int64_t> divisor(int64_t value) {
  return value == 0 ? c10::nullopt : c10::optional<int64_t>(value);
}

void require_dtype_kept(int8_t cube_math_type) {
  TORCH_CHECK(cube_math_type < 2, "the inputs' dtype is kept");
}

void matmul(const Tensor& self, const Tensor& other, Tensor out, int8_t cube_math_type) {
  require_dtype_kept(cube_math_type);
  at::matmul_out(out, self, other);
}

c10::optional<at::ScalarType> into(aclDataType dtype) { return Peer::type(dtype); }

}  // namespace

// ---- Products and sums --------------------------------------------------------------------------

ACLGRAD_PEER_OPERATOR(aclnnMatmul, matmul)
ACLGRAD_PEER_OPERATOR(aclnnMm, matmul)
ACLGRAD_PEER_OPERATOR(aclnnBatchMatMul, matmul)
ACLGRAD_PEER_OPERATOR(aclnnAddmm,
                      [](const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta,
                         const Scalar& alpha, Tensor out, int8_t cube_math_type) {
                        require_dtype_kept(cube_math_type);
                        at::addmm_out(out, self, a, b, beta, alpha);
                      })
ACLGRAD_PEER_OPERATOR(aclnnBaddbmm,
                      [](const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta,
                         const Scalar& alpha, Tensor out, int8_t cube_math_type) {
                        require_dtype_kept(cube_math_type);
                        at::baddbmm_out(out, self, a, b, beta, alpha);
                      })
ACLGRAD_PEER_OPERATOR(aclnnReduceSum,
                      [](const Tensor& self, const List& dims, bool keep, aclDataType dtype,
                         Tensor out) { at::sum_out(out, self, dims, keep, into(dtype)); })
ACLGRAD_PEER_OPERATOR(aclnnMean,
                      [](const Tensor& self, const List& dims, bool keep, aclDataType dtype,
                         Tensor out) { at::mean_out(out, self, dims, keep, into(dtype)); })
ACLGRAD_PEER_OPERATOR(aclnnInplaceCopy, [](Tensor self, const Tensor& source) {
  TORCH_CHECK(self.is_floating_point() || !source.is_floating_point(),
              "C++ leaves open what large numbers are as integers");
  self.copy_(source);
})

// ---- Softmax and normalizations -----------------------------------------------------------------

ACLGRAD_PEER_OPERATOR(aclnnSoftmax, [](const Tensor& self, int64_t dim, Tensor out) {
  give(out, at::_softmax(self, dim, false));
})
ACLGRAD_PEER_OPERATOR(aclnnSoftmaxBackward, [](const Tensor& grad, const Tensor& output,
                                               int64_t dim, Tensor out) {
  give(out, at::_softmax_backward_data(grad, output, dim, output.scalar_type()));
})
ACLGRAD_PEER_OPERATOR(aclnnLogSoftmax, [](const Tensor& self, int64_t dim, Tensor out) {
  give(out, at::_log_softmax(self, dim, false));
})
ACLGRAD_PEER_OPERATOR(aclnnLogSoftmaxBackward, [](const Tensor& grad, const Tensor& output,
                                                  int64_t dim, Tensor out) {
  give(out, at::_log_softmax_backward_data(grad, output, dim, output.scalar_type()));
})
ACLGRAD_PEER_OPERATOR(aclnnLayerNorm, [](const Tensor& input, const List& shape,
                                         const Tensor& weight, const Tensor& bias, double eps,
                                         const Tensor& out, const Tensor& mean,
                                         const Tensor& rstd) {
  give(out, mean, rstd, at::native_layer_norm(input, shape, weight, bias, eps));
})
ACLGRAD_PEER_OPERATOR(aclnnLayerNormBackward,
                      [](const Tensor& grad, const Tensor& input, const List& shape,
                         const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                         const Tensor& bias, const Mask& mask, const Tensor& grad_input,
                         const Tensor& grad_weight, const Tensor& grad_bias) {
                        give(grad_input, grad_weight, grad_bias,
                             at::native_layer_norm_backward(
                                 packed(grad), packed(input), shape, packed(mean), packed(rstd),
                                 packed(weight, at::ones(shape, input.options())),
                                 packed(bias, at::zeros(shape, input.options())), flags(mask)));
                      })
ACLGRAD_PEER_OPERATOR(aclnnBatchNorm, [](const Tensor& input, const Tensor& weight,
                                         const Tensor& bias, const Tensor& mean,
                                         const Tensor& variance, bool training, double momentum,
                                         double eps, const Tensor& out, const Tensor& save_mean,
                                         const Tensor& save_variance) {
  require_statistics(training, mean, variance);
  auto [result, batch_mean, invstd] =
      at::native_batch_norm(input, weight, bias, mean, variance, training, momentum, eps);
  give(out, save_mean, save_variance, {result, batch_mean, variance_of(invstd, eps)});
})
ACLGRAD_PEER_OPERATOR(aclnnBatchNormBackward,
                      [](const Tensor& grad, const Tensor& input, const Tensor& weight,
                         const Tensor& mean, const Tensor& variance, const Tensor& save_mean,
                         const Tensor& save_variance, bool training, double eps, const Mask& mask,
                         const Tensor& grad_input, const Tensor& grad_weight,
                         const Tensor& grad_bias) {
                        require_statistics(training, mean, variance);
                        give(grad_input, grad_weight, grad_bias,
                             at::native_batch_norm_backward(
                                 grad, input, weight, mean, variance, save_mean,
                                 invstd_of(save_variance, eps), training, eps, flags(mask)));
                      })
ACLGRAD_PEER_OPERATOR(aclnnGroupNorm, [](const Tensor& self, const Tensor& gamma,
                                         const Tensor& beta, int64_t n, int64_t c, int64_t hxw,
                                         int64_t group, double eps, const Tensor& out,
                                         const Tensor& mean, const Tensor& rstd) {
  give(out, mean, rstd,
       at::native_group_norm(packed(self), packed(gamma), packed(beta), n, c, hxw, group, eps));
})
ACLGRAD_PEER_OPERATOR(aclnnGroupNormBackward, [](const Tensor& grad, const Tensor& input,
                                                 const Tensor& mean, const Tensor& rstd,
                                                 const Tensor& gamma, int64_t n, int64_t c,
                                                 int64_t hxw, int64_t group, const Mask& mask,
                                                 const Tensor& grad_input, const Tensor& grad_gamma,
                                                 const Tensor& grad_beta) {
  give(grad_input, grad_gamma, grad_beta,
       at::native_group_norm_backward(packed(grad), packed(input), packed(mean), packed(rstd),
                                      packed(gamma), n, c, hxw, group, flags(mask)));
})

// ---- Convolution and pooling --------------------------------------------------------------------

ACLGRAD_PEER_OPERATOR(aclnnConvolution,
                      [](const Tensor& input, const Tensor& weight, const Tensor& bias,
                         const List& stride, const List& padding, const List& dilation,
                         bool transposed, const List& output_padding, int64_t groups,
                         const Tensor& out, int8_t cube_math_type) {
                        require_dtype_kept(cube_math_type);
                        give(out, at::convolution(input, weight, bias, stride, padding, dilation,
                                                  transposed, output_padding, groups));
                      })
ACLGRAD_PEER_OPERATOR(
    aclnnConvolutionBackward,
    [](const Tensor& grad, const Tensor& input, const Tensor& weight, const List& bias_sizes,
       const List& stride, const List& padding, const List& dilation, bool transposed,
       const List& output_padding, int groups, const Mask& mask, int8_t cube_math_type,
       const Tensor& grad_input, const Tensor& grad_weight, const Tensor& grad_bias) {
      require_dtype_kept(cube_math_type);
      give(grad_input, grad_weight, grad_bias,
           at::convolution_backward(grad, input, weight, bias_sizes, stride, padding, dilation,
                                    transposed, output_padding, groups, flags(mask)));
    })
ACLGRAD_PEER_OPERATOR(aclnnAvgPool2d, [](const Tensor& self, const List& kernel, const List& stride,
                                         const List& padding, bool ceil, bool count_padding,
                                         int64_t divide_by, int8_t, Tensor out) {
  at::avg_pool2d_out(out, self, kernel, stride, padding, ceil, count_padding, divisor(divide_by));
})
ACLGRAD_PEER_OPERATOR(aclnnAvgPool2dBackward,
                      [](const Tensor& grad, const Tensor& self, const List& kernel,
                         const List& stride, const List& padding, bool ceil, bool count_padding,
                         int64_t divide_by, int8_t, Tensor out) {
                        at::avg_pool2d_backward_out(out, grad, self, kernel, stride, padding, ceil,
                                                    count_padding, divisor(divide_by));
                      })
ACLGRAD_PEER_OPERATOR(aclnnMaxPool2dWithIndices, [](const Tensor& self, const List& kernel,
                                                    const List& stride, const List& padding,
                                                    const List& dilation, bool ceil,
                                                    const Tensor& out, const Tensor& indices) {
  const auto [largest, places] =
      at::max_pool2d_with_indices(self, kernel, stride, padding, dilation, ceil);
  give(out, largest);
  give(indices, places);
})
ACLGRAD_PEER_OPERATOR(aclnnMaxPool2dWithIndicesBackward,
                      [](const Tensor& grad, const Tensor& self, const Tensor& indices,
                         const List& kernel, const List& stride, const List& padding,
                         const List& dilation, bool ceil, const Tensor& out) {
                        give(out, at::max_pool2d_with_indices_backward(grad, self, kernel, stride,
                                                                       padding, dilation, ceil,
                                                                       indices.to(at::kLong)));
                      })
ACLGRAD_PEER_OPERATOR(aclnnAdaptiveAvgPool2d,
                      [](const Tensor& self, const List& size, const Tensor& out) {
                        give(out, at::adaptive_avg_pool2d(self, size));
                      })
ACLGRAD_PEER_OPERATOR(aclnnAdaptiveAvgPool2dBackward,
                      [](const Tensor& grad, const Tensor& self, const Tensor& out) {
                        give(out, at::_adaptive_avg_pool2d_backward(grad, self));
                      })

// ---- Embedding and losses -----------------------------------------------------------------------

ACLGRAD_PEER_OPERATOR(aclnnEmbedding,
                      [](const Tensor& weight, const Tensor& indices, const Tensor& out) {
                        give(out, at::embedding(weight, indices));
                      })
ACLGRAD_PEER_OPERATOR(aclnnEmbeddingDenseBackward, [](const Tensor& grad, const Tensor& indices,
                                                      uint64_t rows, uint64_t padding,
                                                      bool by_frequency, const Tensor& out) {
  give(out, at::embedding_dense_backward(grad, indices, static_cast<int64_t>(rows),
                                         static_cast<int64_t>(padding), by_frequency));
})
ACLGRAD_PEER_OPERATOR(aclnnNLLLoss, [](const Tensor& self, const Tensor& target,
                                       const Tensor& weight, int64_t reduction, int64_t ignored,
                                       Tensor out, Tensor total_weight) {
  at::nll_loss_forward_out(out, total_weight, self, target, weight, reduction, ignored);
})
ACLGRAD_PEER_OPERATOR(aclnnNLLLossBackward, [](const Tensor& grad, const Tensor& self,
                                               const Tensor& target, const Tensor& weight,
                                               int64_t reduction, int64_t ignored,
                                               const Tensor& total_weight, Tensor out) {
  at::nll_loss_backward_out(out, grad, self, target, weight, reduction, ignored, total_weight);
})
ACLGRAD_PEER_OPERATOR(aclnnMseLoss,
                      [](const Tensor& self, const Tensor& target, int64_t reduction,
                         const Tensor& out) { give(out, at::mse_loss(self, target, reduction)); })
ACLGRAD_PEER_OPERATOR(aclnnMseLossBackward,
                      [](const Tensor& grad, const Tensor& self, const Tensor& target,
                         int64_t reduction, Tensor out) {
                        at::mse_loss_backward_out(out, grad, self, target, reduction);
                      })
ACLGRAD_PEER_OPERATOR(aclnnL1Loss,
                      [](const Tensor& self, const Tensor& target, int64_t reduction,
                         const Tensor& out) { give(out, at::l1_loss(self, target, reduction)); })
ACLGRAD_PEER_OPERATOR(aclnnL1LossBackward, [](const Tensor& grad, const Tensor& self,
                                              const Tensor& target, int64_t reduction,
                                              const Tensor& out) {
  differentiate(grad, self, out,
                [&](const Tensor& input) { return at::l1_loss(input, target, reduction); });
})
ACLGRAD_PEER_OPERATOR(aclnnSmoothL1Loss, [](const Tensor& self, const Tensor& target,
                                            int64_t reduction, float beta, const Tensor& out) {
  give(out, at::smooth_l1_loss(self, target, reduction, static_cast<double>(beta)));
})
ACLGRAD_PEER_OPERATOR(aclnnSmoothL1LossBackward, [](const Tensor& grad, const Tensor& self,
                                                    const Tensor& target, int64_t reduction,
                                                    float beta, Tensor out) {
  at::smooth_l1_loss_backward_out(out, grad, self, target, reduction, static_cast<double>(beta));
})
ACLGRAD_PEER_OPERATOR(aclnnBinaryCrossEntropyWithLogits,
                      [](const Tensor& self, const Tensor& target, const Tensor& weight,
                         const Tensor& pos_weight, int64_t reduction, const Tensor& out) {
                        give(out, at::binary_cross_entropy_with_logits(self, target, weight,
                                                                       pos_weight, reduction));
                      })
ACLGRAD_PEER_OPERATOR(aclnnBinaryCrossEntropyWithLogitsBackward,
                      [](const Tensor& grad, const Tensor& self, const Tensor& target,
                         const Tensor& weight, const Tensor& pos_weight, int64_t reduction,
                         const Tensor& out) {
                        differentiate(grad, self, out, [&](const Tensor& input) {
                          return at::binary_cross_entropy_with_logits(input, target, weight,
                                                                      pos_weight, reduction);
                        });
                      })
