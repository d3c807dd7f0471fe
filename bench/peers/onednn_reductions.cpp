// SPDX-License-Identifier: Apache-2.0
// libpeer_onednn: products, reductions, normalizations, convolutions and pooling.
#include <cmath>

#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "bench/peers/onednn_peer.h"

using namespace aclgrad::bench;

namespace {

memory::desc vector_of(int64_t size) { return {{size}, memory::data_type::f32, List{1}}; }
float* floats(const memory& tensor) { return static_cast<float*>(tensor.get_data_handle()); }

void matmul(const Tensor& self, const Tensor& other, const Tensor& out, int8_t cube_math_type) {
  require(cube_math_type < 2, "the inputs' dtype is kept");
  run(dnnl::matmul(
          describe<dnnl::matmul>(engine(), self.get_desc(), other.get_desc(), out.get_desc())),
      {{DNNL_ARG_SRC, self}, {DNNL_ARG_WEIGHTS, other}, {DNNL_ARG_DST, out}});
}

template <algorithm kind>
void reduce(const Tensor& self, const List& dims, bool, aclDataType, const Tensor& out) {
  List shape = dims_of(self.get_desc());
  const auto rank = static_cast<int64_t>(shape.size());
  for (const int64_t dim : dims) shape[static_cast<size_t>(dim < 0 ? dim + rank : dim)] = 1;
  if (dims.empty()) std::fill(shape.begin(), shape.end(), 1);
  const memory::desc layout = out.get_desc().reshape(shape);
  run(dnnl::reduction(
          describe<dnnl::reduction>(engine(), kind, self.get_desc(), layout, 0.0F, 0.0F)),
      {{DNNL_ARG_SRC, self}, {DNNL_ARG_DST, {layout, engine(), out.get_data_handle()}}});
}

int axis(const Tensor& self, int64_t dim) {
  return static_cast<int>(dim < 0 ? dim + static_cast<int64_t>(dims_of(self.get_desc()).size())
                                  : dim);
}

template <auto describe, class Primitive>
void softmax(const Tensor& self, int64_t dim, const Tensor& out) {
  const memory::desc layout = self.get_desc();
  const memory to = room(out, layout);
  run(Primitive(describe(engine(), layout, axis(self, dim))),
      {{DNNL_ARG_SRC, self}, {DNNL_ARG_DST, to}});
  give(to, out);
}

template <auto describe, class Primitive>
void softmax_backward(const Tensor& grad, const Tensor& output, int64_t dim, const Tensor& out) {
  const memory::desc layout = grad.get_desc();
  const memory to = room(out, layout);
  run(Primitive(describe(engine(), layout, axis(grad, dim))),
      {{DNNL_ARG_DIFF_DST, grad}, {DNNL_ARG_DST, in(output, layout)}, {DNNL_ARG_DIFF_SRC, to}});
  give(to, out);
}

// ---- Normalizations -----------------------------------------------------------------------------
// Layer normalization hands on 1 / sqrt(variance + eps) where oneDNN keeps the variance; batch
// normalization hands on that, whatever the parameter's name says. Statistics, scale and shift are
// dense vectors of FLOAT to oneDNN, and rows lie one behind the other.

using Flags = dnnl::normalization_flags;
const Flags kAffine = Flags::use_scale | Flags::use_shift;

int64_t product(const List& sizes) {
  int64_t all = 1;
  for (const int64_t size : sizes) all *= size;
  return all;
}

// The numbers of a tensor of any strides, row-major, in another shape and dtype.
memory dense(const Tensor& given, const memory::desc& layout) {
  memory copy = made(layout);
  const List shape = dims_of(given.get_desc());
  reorder(given,
          {{shape, type_of(layout), Peer::contiguous(shape)}, engine(), copy.get_data_handle()});
  return copy;
}
memory flat(const Tensor& given) {
  return dense(given, vector_of(product(dims_of(given.get_desc()))));
}

void give_dense(const memory& result, const Tensor& out) {
  if (!out) return;
  const List shape = dims_of(out.get_desc());
  reorder({{shape, type_of(result.get_desc()), Peer::contiguous(shape)},
           engine(),
           result.get_data_handle()},
          out);
}

memory spread_of(const memory& variance, float eps) {
  const int64_t count = dims_of(variance.get_desc())[0];
  const memory spread = made(vector_of(count));
  for (int64_t i = 0; i < count; ++i) floats(spread)[i] = 1 / std::sqrt(floats(variance)[i] + eps);
  return spread;
}

memory variance_of(const Tensor& given) {
  const memory variance = flat(given);
  for (int64_t i = 0; i < dims_of(variance.get_desc())[0]; ++i) {
    const double root = 1 / static_cast<double>(floats(variance)[i]);
    floats(variance)[i] = static_cast<float>(root * root);
  }
  return variance;
}

memory affine(const Tensor& given, int64_t size, float otherwise) {
  if (given) return flat(given);
  const memory all = made(vector_of(size));
  std::fill_n(floats(all), size, otherwise);
  return all;
}

// Rows of what is normalized together.
memory::desc rows_of(const Tensor& input, const List& shape) {
  const int64_t columns = product(shape);
  const int64_t count = product(dims_of(input.get_desc())) / columns;
  return {{count, columns}, type_of(input.get_desc()), List{columns, 1}};
}

void layer_norm(const Tensor& input, const List& shape, const Tensor& weight, const Tensor& bias,
                double eps, const Tensor& out, const Tensor& mean, const Tensor& rstd) {
  const memory::desc rows = rows_of(input, shape), each = vector_of(dims_of(rows)[0]);
  const int64_t columns = dims_of(rows)[1];
  const auto small = static_cast<float>(eps);
  const auto described = describe_normalization<dnnl::layer_normalization_forward>(
      engine(), rows, each, small, kAffine);
  const memory to = made(rows), means = made(each), variances = made(each);
  run(dnnl::layer_normalization_forward(described), {{DNNL_ARG_SRC, dense(input, rows)},
                                                     {DNNL_ARG_SCALE, affine(weight, columns, 1)},
                                                     {DNNL_ARG_SHIFT, affine(bias, columns, 0)},
                                                     {DNNL_ARG_DST, to},
                                                     {DNNL_ARG_MEAN, means},
                                                     {DNNL_ARG_VARIANCE, variances}});
  give_dense(to, out);
  give_dense(means, mean);
  give_dense(spread_of(variances, small), rstd);
}

void layer_norm_backward(const Tensor& grad, const Tensor& input, const List& shape,
                         const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                         const Tensor& bias, const Mask&, const Tensor& grad_input,
                         const Tensor& grad_weight, const Tensor& grad_bias) {
  const memory::desc rows = rows_of(input, shape), each = vector_of(dims_of(rows)[0]);
  const int64_t columns = dims_of(rows)[1];
  constexpr float kEps = 0;  // it is in the variance, as the interface does not hand it on
  const auto described = describe_normalization_backward<dnnl::layer_normalization_backward,
                                                         dnnl::layer_normalization_forward>(
      engine(), rows, each, kEps, kAffine);
  const memory to = made(rows), weights = made(vector_of(columns)),
               shifts = made(vector_of(columns));
  run(dnnl::layer_normalization_backward(described), {{DNNL_ARG_SRC, dense(input, rows)},
                                                      {DNNL_ARG_DIFF_DST, dense(grad, rows)},
                                                      {DNNL_ARG_MEAN, flat(mean)},
                                                      {DNNL_ARG_VARIANCE, variance_of(rstd)},
                                                      {DNNL_ARG_SCALE, affine(weight, columns, 1)},
                                                      {DNNL_ARG_SHIFT, affine(bias, columns, 0)},
                                                      {DNNL_ARG_DIFF_SRC, to},
                                                      {DNNL_ARG_DIFF_SCALE, weights},
                                                      {DNNL_ARG_DIFF_SHIFT, shifts}});
  give_dense(to, grad_input);
  give_dense(weights, grad_weight);
  give_dense(shifts, grad_bias);
}

// In training; running statistics are updated as frameworks do it.
void batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                const Tensor& running_mean, const Tensor& running_variance, bool training,
                double momentum, double eps, const Tensor& out, const Tensor& mean,
                const Tensor& save_variance) {
  require(training, "only training is wrapped");
  const memory::desc layout = input.get_desc();
  const int64_t channels = dims_of(layout)[1], each = product(dims_of(layout)) / channels;
  const auto small = static_cast<float>(eps);
  const memory to = room(out, layout), means = made(vector_of(channels)),
               variances = made(vector_of(channels));
  run(dnnl::batch_normalization_forward(describe_normalization<dnnl::batch_normalization_forward>(
          engine(), layout, small, kAffine)),
      {{DNNL_ARG_SRC, input},
       {DNNL_ARG_SCALE, affine(weight, channels, 1)},
       {DNNL_ARG_SHIFT, affine(bias, channels, 0)},
       {DNNL_ARG_DST, to},
       {DNNL_ARG_MEAN, means},
       {DNNL_ARG_VARIANCE, variances}});
  const auto update = [&](const Tensor& running, const memory& of_batch, float factor) {
    if (!running) return;
    const memory before = flat(running);
    const auto m = static_cast<float>(momentum);
    for (int64_t c = 0; c < channels; ++c) {
      floats(before)[c] = (1 - m) * floats(before)[c] + m * factor * floats(of_batch)[c];
    }
    give_dense(before, running);
  };
  update(running_mean, means, 1);
  update(running_variance, variances,
         static_cast<float>(each) / static_cast<float>(std::max<int64_t>(each - 1, 1)));
  give(to, out);
  give_dense(means, mean);
  give_dense(variances, save_variance);
}

void batch_norm_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                         const Tensor&, const Tensor&, const Tensor& mean, const Tensor& variance,
                         bool training, double eps, const Mask&, const Tensor& grad_input,
                         const Tensor& grad_weight, const Tensor& grad_bias) {
  require(training, "only training is wrapped");
  const memory::desc layout = input.get_desc();
  const int64_t channels = dims_of(layout)[1];
  const auto small = static_cast<float>(eps);
  const auto described = describe_normalization_backward<dnnl::batch_normalization_backward,
                                                         dnnl::batch_normalization_forward>(
      engine(), layout, small, kAffine);
  const memory to = made(layout), weights = made(vector_of(channels)),
               shifts = made(vector_of(channels));
  run(dnnl::batch_normalization_backward(described), {{DNNL_ARG_SRC, input},
                                                      {DNNL_ARG_DIFF_DST, in(grad, layout)},
                                                      {DNNL_ARG_MEAN, flat(mean)},
                                                      {DNNL_ARG_VARIANCE, flat(variance)},
                                                      {DNNL_ARG_SCALE, affine(weight, channels, 1)},
                                                      {DNNL_ARG_SHIFT, affine({}, channels, 0)},
                                                      {DNNL_ARG_DIFF_SRC, to},
                                                      {DNNL_ARG_DIFF_SCALE, weights},
                                                      {DNNL_ARG_DIFF_SHIFT, shifts}});
  if (grad_input) give(to, grad_input);
  give_dense(weights, grad_weight);
  give_dense(shifts, grad_bias);
}

// ---- Convolution and pooling --------------------------------------------------------------------

// Groups are a dimension of the weights; oneDNN counts dilation from 0.
memory grouped(const Tensor& weight, int64_t groups) {
  List shape = dims_of(weight.get_desc());
  if (groups == 1) return weight;
  shape[0] /= groups;
  shape.insert(shape.begin(), groups);
  return {weight.get_desc().reshape(shape), engine(), weight.get_data_handle()};
}

List both(const List& values, size_t count) {
  return values.size() == 1 ? List(count, values[0]) : values;
}

struct Geometry {
  List stride, dilation, padding;
  Geometry(const Tensor& input, const List& strides, const List& paddings, const List& dilations) {
    const size_t count = dims_of(input.get_desc()).size() - 2;
    stride = both(strides, count);
    padding = both(paddings, count);
    dilation = both(dilations, count);
    for (int64_t& each : dilation) --each;
  }
};

auto describe_convolution(const memory::desc& input, const memory::desc& weight,
                          const memory::desc& bias, const memory::desc& output, const Geometry& g) {
  return describe<dnnl::convolution_forward>(engine(), dnnl::prop_kind::forward_training,
                                             algorithm::convolution_direct, input, weight, bias,
                                             output, g.stride, g.dilation, g.padding, g.padding);
}

void convolution(const Tensor& input, const Tensor& weight, const Tensor& bias, const List& stride,
                 const List& padding, const List& dilation, bool transposed, const List&,
                 int64_t groups, const Tensor& out, int8_t cube_math_type) {
  require(cube_math_type < 2, "the inputs' dtype is kept");
  require(!transposed, "only convolutions that are not transposed are wrapped");
  const Geometry g(input, stride, padding, dilation);
  const memory weights = grouped(weight, groups);
  const memory::desc shift = bias ? bias.get_desc() : memory::desc();
  run(dnnl::convolution_forward(
          describe_convolution(input.get_desc(), weights.get_desc(), shift, out.get_desc(), g)),
      {{DNNL_ARG_SRC, input},
       {DNNL_ARG_WEIGHTS, weights},
       {DNNL_ARG_BIAS, bias},
       {DNNL_ARG_DST, out}});
}

void convolution_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                          const List&, const List& stride, const List& padding,
                          const List& dilation, bool transposed, const List&, int groups,
                          const Mask&, int8_t cube_math_type, const Tensor& grad_input,
                          const Tensor& grad_weight, const Tensor& grad_bias) {
  require(cube_math_type < 2, "the inputs' dtype is kept");
  require(!transposed, "only convolutions that are not transposed are wrapped");
  const Geometry g(input, stride, padding, dilation);
  const memory weights = grouped(weight, groups);
  const memory::desc shift = grad_bias ? grad_bias.get_desc() : memory::desc();
  const auto forward =
      describe_convolution(input.get_desc(), weights.get_desc(), shift, grad.get_desc(), g);
  if (grad_input) {
    const auto data = describe_backward<dnnl::convolution_backward_data>(
        engine(), forward, algorithm::convolution_direct, grad_input.get_desc(), weights.get_desc(),
        grad.get_desc(), g.stride, g.dilation, g.padding, g.padding);
    run(dnnl::convolution_backward_data(data),
        {{DNNL_ARG_DIFF_DST, grad}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DIFF_SRC, grad_input}});
  }
  if (!grad_weight && !grad_bias) return;
  const memory to = grad_weight ? grouped(grad_weight, groups) : made(weights.get_desc());
  const auto kernel = describe_backward<dnnl::convolution_backward_weights>(
      engine(), forward, algorithm::convolution_direct, input.get_desc(), to.get_desc(), shift,
      grad.get_desc(), g.stride, g.dilation, g.padding, g.padding);
  run(dnnl::convolution_backward_weights(kernel), {{DNNL_ARG_DIFF_DST, grad},
                                                   {DNNL_ARG_SRC, input},
                                                   {DNNL_ARG_DIFF_WEIGHTS, to},
                                                   {DNNL_ARG_DIFF_BIAS, grad_bias}});
}

// Images without a batch get one of one.
memory batched(const Tensor& image) {
  List shape = dims_of(image.get_desc());
  if (shape.size() == 4) return image;
  shape.insert(shape.begin(), 1);
  return {image.get_desc().reshape(shape), engine(), image.get_data_handle()};
}

algorithm average(bool ceil, bool count_padding, int64_t divisor) {
  require(!ceil && divisor == 0, "oneDNN rounds sizes down and divides by a window's elements");
  return count_padding ? algorithm::pooling_avg_include_padding
                       : algorithm::pooling_avg_exclude_padding;
}

Windows windows(const List& stride, const List& kernel, const List& padding) {
  const List size = both(kernel, 2);
  return {stride.empty() ? size : both(stride, 2), size, both(padding, 2)};
}

}  // namespace

// ---- Products, reductions, normalizations -------------------------------------------------------

ACLGRAD_PEER_OPERATOR(aclnnMatmul, matmul)
ACLGRAD_PEER_OPERATOR(aclnnMm, matmul)
ACLGRAD_PEER_OPERATOR(aclnnBatchMatMul, matmul)
ACLGRAD_PEER_OPERATOR(aclnnReduceSum, reduce<algorithm::reduction_sum>)
ACLGRAD_PEER_OPERATOR(aclnnMean, reduce<algorithm::reduction_mean>)
ACLGRAD_PEER_OPERATOR(aclnnSoftmax, softmax<describe_softmax, dnnl::softmax_forward>)
ACLGRAD_PEER_OPERATOR(aclnnSoftmaxBackward,
                      softmax_backward<describe_softmax_backward, dnnl::softmax_backward>)
ACLGRAD_PEER_OPERATOR(aclnnLogSoftmax, softmax<describe_log_softmax, LogSoftmaxForward>)
ACLGRAD_PEER_OPERATOR(aclnnLogSoftmaxBackward,
                      softmax_backward<describe_log_softmax_backward, LogSoftmaxBackward>)
ACLGRAD_PEER_OPERATOR(aclnnLayerNorm, layer_norm)
ACLGRAD_PEER_OPERATOR(aclnnLayerNormBackward, layer_norm_backward)
ACLGRAD_PEER_OPERATOR(aclnnBatchNorm, batch_norm)
ACLGRAD_PEER_OPERATOR(aclnnBatchNormBackward, batch_norm_backward)
ACLGRAD_PEER_OPERATOR(aclnnConvolution, convolution)
ACLGRAD_PEER_OPERATOR(aclnnConvolutionBackward, convolution_backward)
ACLGRAD_PEER_OPERATOR(aclnnAvgPool2d, [](const Tensor& self, const List& kernel, const List& stride,
                                         const List& padding, bool ceil, bool count_padding,
                                         int64_t divisor, int8_t, const Tensor& out) {
  const memory from = batched(self), to = batched(out);
  const auto described =
      describe_pooling(engine(), average(ceil, count_padding, divisor), from.get_desc(),
                       to.get_desc(), windows(stride, kernel, padding));
  run(dnnl::pooling_forward(described), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
})
ACLGRAD_PEER_OPERATOR(aclnnAvgPool2dBackward, [](const Tensor& grad, const Tensor&,
                                                 const List& kernel, const List& stride,
                                                 const List& padding, bool ceil, bool count_padding,
                                                 int64_t divisor, int8_t, const Tensor& out) {
  const memory from = batched(grad), to = batched(out);
  const auto described =
      describe_pooling_backward(engine(), average(ceil, count_padding, divisor), to.get_desc(),
                                from.get_desc(), windows(stride, kernel, padding));
  run(dnnl::pooling_backward(described), {{DNNL_ARG_DIFF_DST, from}, {DNNL_ARG_DIFF_SRC, to}});
})
