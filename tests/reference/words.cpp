// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/words.h"

#include <algorithm>
#include <map>
#include <string>

#include "aclgrad/ops.h"

namespace aclgrad::reference {
namespace {

constexpr bool kConstant = false;

struct Input {
  const char* name;
  Shape shape = {2, 4};
  bool varies = true;  // or is what the derivative does not ask for
  DType dtype = DType::float32;
};
using Values = const std::vector<Value>&;

Record of_inputs(std::vector<Input> inputs, std::function<Value(Values)> function) {
  return [=](Graph& graph) {
    std::vector<Value> all, varied;
    for (const Input& each : inputs) {
      all.push_back(graph.input(each.name, each.shape, each.dtype));
      if (each.varies) varied.push_back(all.back());
    }
    return Recorded{function(all), varied};
  };
}

Record of(std::function<Value(const Value&)> function) {
  return of_inputs({{"x"}}, [function](Values v) { return function(v[0]); });
}

Record of_two(std::function<Value(const Value&, const Value&)> function, Shape a_shape = {2, 4},
              Shape b_shape = {2, 4}) {
  return of_inputs({{"a", a_shape}, {"b", b_shape}},
                   [function](Values v) { return function(v[0], v[1]); });
}

// The derivative with respect to the second is 0.
Record linear(std::function<Value(const Value&, const Value&)> function) {
  return of_inputs({{"a"}, {"b", {2, 4}, kConstant}},
                   [function](Values v) { return function(v[0], v[1]); });
}

// The second argument are numbers of elements of the first.
Record with_index(std::function<Value(const Value&, const Value&)> function, Shape index_shape) {
  return of_inputs({{"x"}, {"index", index_shape, kConstant, DType::int64}},
                   [function](Values v) { return function(v[0], v[1]); });
}

// A loss of x and a target.
Record loss_of(std::function<Value(const Value&, const Value&)> function) {
  return of_inputs({{"x"}, {"target", {2, 4}, kConstant}},
                   [function](Values v) { return function(v[0], v[1]); });
}

// A function of [1, 2, 3, ...] with so many axes behind the channels.
Record of_axes(std::size_t axes, std::function<Value(const Value&)> function) {
  std::vector<std::int64_t> dims = {1, 2};
  for (std::size_t i = 0; i < axes; ++i) dims.push_back(3 + static_cast<std::int64_t>(i));
  return of_inputs({{"x", Shape(std::move(dims))}},
                   [function](Values v) { return function(v[0]); });
}

Record padded_of(std::size_t axes, PadMode mode) {
  return of_axes(
      axes, [=](const Value& x) { return pad(x, std::vector<std::int64_t>(2 * axes, 1), mode); });
}

Record resized_of(std::size_t axes, Interpolation mode) {
  return of_axes(axes, [=](const Value& x) { return interpolate(x, {.size = 5, .mode = mode}); });
}

Recorded attention_of(Graph& graph, bool of_gradient) {
  const Value x = graph.input("x", {1, 2, 3, 4});
  const Value y = scaled_dot_product_attention(x, x, x);
  if (!of_gradient) return {y, {x}};
  const Value g = graph.input("g", {1, 2, 3, 4});
  return {
      scaled_dot_product_attention_backward(g, graph.values(y.node().inputs),
                                            graph.values(y.node().outputs), {{.scale = 0.5}})[0],
      {g, x}};
}

Recorded rotary_of(Graph& graph, bool of_gradient) {
  const Value x = graph.input("x", {2, 3, 4}), cos = graph.input("cos", {1, 3, 4}),
              sin = graph.input("sin", {1, 3, 4});
  if (!of_gradient) return {rotary_position_embedding(x, cos, sin), {x, cos, sin}};
  return {rotary_position_embedding_backward(x, cos, sin, x, RotaryMode::half)[0], {x, cos, sin}};
}

Recorded masked_softmax_of(Graph& graph, bool of_gradient) {
  const Value x = graph.input("x", {1, 2, 3, 4});
  const Value mask = graph.input("mask", {1, 1, 3, 4}, DType::boolean);
  if (!of_gradient) return {scaled_masked_softmax(x, mask), {x}};
  return {scaled_masked_softmax_backward(graph.input("g", {1, 2, 3, 4}), x, mask, {1, false}), {x}};
}

Recorded deep_norm_of(Graph& graph, bool of_gradient) {
  const Value x = graph.input("x", {2, 4}), gx = graph.input("gx", {2, 4});
  const Value beta = graph.input("beta", {4}), gamma = graph.input("gamma", {4});
  const Value y = deep_norm(x, gx, beta, gamma);
  if (!of_gradient) return {y, {x, gx, beta, gamma}};
  const std::vector<Value> made = graph.values(y.node().outputs);
  return {deep_norm_backward(graph.input("g", {2, 4}), x, gx, gamma, made[1], made[2], 0.3)[0],
          {x, gx, gamma}};
}

// A layer of one unit, or its gradient by x.
Recorded recurrent_of(Graph& graph, bool is_lstm, bool of_gradient) {
  const std::int64_t gates = is_lstm ? 4 : 3;
  const Value x = graph.input("x", {3, 2, 1}), h = graph.input("h", {1, 2, 1});
  const Value w = graph.input("w", {gates, 1});
  const RecurrentFunctionOptions options{.has_biases = false};
  const Value y =
      is_lstm ? lstm(x, {h, h}, {w, w}, options).output : gru(x, h, {w, w}, options).output;
  if (!of_gradient) return {y, {x, h, w}};
  const Value g = graph.input("g", {3, 2, 1});
  const std::vector<Value> inputs = graph.values(y.node().inputs);
  const std::vector<Value> outputs = graph.values(y.node().outputs);
  const RecurrentAttributes attributes{.has_biases = false};
  const Value dx = is_lstm ? lstm_backward(inputs, outputs, {g, h, h}, attributes)[0]
                           : gru_backward(inputs, outputs, {g, h}, attributes)[0];
  return {dx, {g, x, h, w}};
}

Recorded lstm_cell_of(Graph& graph, bool of_gradient) {
  const Value gates = graph.input("gates", {2, 4}), c = graph.input("c", {2, 1});
  const auto made = fused_lstm_cell(gates, gates, c);
  if (!of_gradient) return {made[0], {gates, c}};
  const Value g = graph.input("g", {2, 1});
  return {lstm_cell_backward(g, g, c, made[1], made[2], false)[0], {g, c}};
}

Recorded batch_norm_of(Graph& graph) {
  const Value x = graph.input("x", {2, 3});
  const Value weight = graph.input("weight", {3});
  const Value bias = graph.input("bias", {3});
  const Value mean = graph.parameter(Variable("mean", Tensor::zeros({3})));
  const Value var = graph.parameter(Variable("var", Tensor::full({3}, 1)));
  return {batch_norm(x, weight, bias, mean, var), {x, weight, bias}};
}

using X = const Value&;

const std::map<std::string, Record>& records() {
  static const std::map<std::string, Record> all = {
      {"aclnnElu", of([](X x) { return elu(x); })},
      {"aclnnEluBackward", of_two([](X g, X s) { return elu_backward(g, s); })},
      {"aclnnGeGluV3", of([](X x) { return geglu(x); })},
      {"aclnnGeGluV3Backward", of_inputs({{"g", {2, 2}}, {"x"}, {"gelu", {2, 2}, kConstant}},
                                         [](Values v) {
                                           return geglu_backward(v[0], v[1], v[2], -1,
                                                                 Approximate::none, false);
                                         })},
      {"aclnnGeluV2", of([](X x) { return gelu(x); })},
      {"aclnnGeluBackwardV2",
       of_two([](X g, X x) { return gelu_backward(g, x, Approximate::none); })},

      {"aclnnThresholdBackward", linear([](X g, X x) { return threshold_backward(g, x); })},
      {"aclnnLeakyRelu", of([](X x) { return leaky_relu(x); })},
      {"aclnnLeakyReluBackward", linear([](X g, X x) { return leaky_relu_backward(g, x); })},
      {"aclnnSoftplus", of([](X x) { return softplus(x); })},
      {"aclnnSoftplusBackward", of_two([](X g, X x) { return softplus_backward(g, x); })},

      {"aclnnHardtanh", of([](X x) { return hardtanh(x); })},
      {"aclnnHardtanhBackward", linear([](X g, X x) { return hardtanh_backward(g, x); })},
      {"aclnnHardshrink", of([](X x) { return hardshrink(x); })},
      {"aclnnHardshrinkBackward", linear([](X g, X x) { return hardshrink_backward(g, x); })},
      {"aclnnSoftshrink", of([](X x) { return softshrink(x); })},
      {"aclnnSoftshrinkBackward", linear([](X g, X x) { return softshrink_backward(g, x); })},
      {"aclnnHardsigmoidBackward", linear([](X g, X x) { return hardsigmoid_backward(g, x); })},
      {"aclnnThreshold", of([](X x) { return threshold(x, 0.5, 2); })},
      {"aclnnCelu", of([](X x) { return celu(x); })},
      {"aclnnLogit", of([](X x) { return logit(x); })},
      {"aclnnLogitGrad", of_two([](X g, X x) { return logit_backward(g, x); })},
      {"aclnnGlu", of([](X x) { return glu(x); })},
      {"aclnnGluBackward", of_two([](X g, X x) { return glu_backward(g, x); }, {2, 2})},
      {"aclnnSwiGlu", of([](X x) { return swiglu(x); })},
      {"aclnnSwiGluGrad", of_two([](X g, X x) { return swiglu_backward(g, x); }, {2, 2})},
      {"aclnnPrelu", of_two([](X x, X w) { return prelu(x, w); }, {2, 4}, {4})},
      {"aclnnPreluBackward",
       of_inputs({{"g"}, {"x"}, {"weight", {4}}},
                 [](Values v) { return prelu_backward(v[0], v[1], v[2])[0]; })},

      {"aclnnSoftmax", of([](X x) { return softmax(x); })},
      {"aclnnSoftmaxBackward", of_two([](X g, X y) { return softmax_backward(g, y, -1); })},
      {"aclnnLogSoftmax", of([](X x) { return log_softmax(x); })},
      {"aclnnLogSoftmaxBackward", of_two([](X g, X y) { return log_softmax_backward(g, y, -1); })},
      {"aclnnLayerNorm", of_inputs({{"x"}, {"weight", {4}}, {"bias", {4}}},
                                   [](Values v) { return layer_norm(v[0], v[1], v[2]); })},
      {"aclnnFlashAttentionScore", [](Graph& graph) { return attention_of(graph, false); }},
      {"aclnnFlashAttentionScoreGrad", [](Graph& graph) { return attention_of(graph, true); }},
      {"aclnnRotaryPositionEmbedding", [](Graph& graph) { return rotary_of(graph, false); }},
      {"aclnnRotaryPositionEmbeddingGrad", [](Graph& graph) { return rotary_of(graph, true); }},
      {"aclnnLSTM", [](Graph& graph) { return recurrent_of(graph, true, false); }},
      {"aclnnLstmBackward", [](Graph& graph) { return recurrent_of(graph, true, true); }},
      {"aclnnGRU", [](Graph& graph) { return recurrent_of(graph, false, false); }},
      {"aclnnGRUBackward", [](Graph& graph) { return recurrent_of(graph, false, true); }},
      {"aclnnThnnFusedLstmCell", [](Graph& graph) { return lstm_cell_of(graph, false); }},
      {"aclnnThnnFusedLstmCellBackward", [](Graph& graph) { return lstm_cell_of(graph, true); }},
      {"aclnnScaledMaskedSoftmax", [](Graph& graph) { return masked_softmax_of(graph, false); }},
      {"aclnnScaledMaskedSoftmaxBackward",
       [](Graph& graph) { return masked_softmax_of(graph, true); }},
      {"aclnnDeepNorm", [](Graph& graph) { return deep_norm_of(graph, false); }},
      {"aclnnDeepNormGrad", [](Graph& graph) { return deep_norm_of(graph, true); }},
      {"aclnnConvolution", of_inputs({{"x", {1, 2, 4, 4}}, {"y1", {3, 2, 3, 3}}, {"y2", {3}}},
                                     [](Values v) { return conv2d(v[0], v[1], v[2]); })},
      {"aclnnConvolutionBackward",
       of_inputs({{"x", {1, 3, 2}}, {"y1", {1, 2, 4}}, {"y2", {3, 2, 3}}},
                 [](Values v) {
                   return convolution_backward(v[0], v[1], v[2], {{1}, {0}, {1}, {0}, 1, false},
                                               {true, false, false})[0];
                 })},
      {"aclnnMaxPool2dWithIndices",
       of_inputs({{"x", {1, 2, 4, 4}}}, [](Values v) { return max_pool2d(v[0], 2); })},
      {"aclnnAvgPool2d",
       of_inputs({{"x", {1, 2, 4, 4}}}, [](Values v) { return avg_pool2d(v[0], 2); })},
      {"aclnnAdaptiveAvgPool2d",
       of_inputs({{"x", {1, 2, 4, 4}}}, [](Values v) { return adaptive_avg_pool2d(v[0], 2); })},
      {"aclnnMaxPool3dWithArgmax", of_axes(3, [](X x) { return max_pool3d(x, 2); })},
      {"aclnnAvgPool3d", of_axes(3, [](X x) { return avg_pool3d(x, 2); })},
      {"aclnnAdaptiveAvgPool3d", of_axes(3, [](X x) { return adaptive_avg_pool3d(x, 2); })},
      {"aclnnAdaptiveMaxPool2d", of_axes(2, [](X x) { return adaptive_max_pool2d(x, 2); })},
      {"aclnnAdaptiveMaxPool3d", of_axes(3, [](X x) { return adaptive_max_pool3d(x, 2); })},
      {"aclnnMaxUnpool2d",
       of_inputs({{"x", {1, 2, 2}}, {"indices", {1, 2, 2}, kConstant, DType::int64}},
                 [](Values v) { return max_unpool2d(v[0], v[1], 3); })},
      {"aclnnReflectionPad1d", padded_of(1, PadMode::reflect)},
      {"aclnnReplicationPad1d", padded_of(1, PadMode::replicate)},
      {"aclnnReflectionPad2d", padded_of(2, PadMode::reflect)},
      {"aclnnReplicationPad2d", padded_of(2, PadMode::replicate)},
      {"aclnnReflectionPad3d", padded_of(3, PadMode::reflect)},
      {"aclnnReplicationPad3d", padded_of(3, PadMode::replicate)},
      {"aclnnUpsampleNearest1d", resized_of(1, Interpolation::nearest)},
      {"aclnnUpsampleNearestExact1d", resized_of(1, Interpolation::nearest_exact)},
      {"aclnnUpsampleNearest2d", resized_of(2, Interpolation::nearest)},
      {"aclnnUpsampleNearestExact2d", resized_of(2, Interpolation::nearest_exact)},
      {"aclnnUpsampleNearest3d", resized_of(3, Interpolation::nearest)},
      {"aclnnUpsampleNearestExact3d", resized_of(3, Interpolation::nearest_exact)},
      {"aclnnUpsampleLinear1d", resized_of(1, Interpolation::linear)},
      {"aclnnUpsampleBilinear2d", resized_of(2, Interpolation::linear)},
      {"aclnnUpsampleTrilinear3d", resized_of(3, Interpolation::linear)},
      {"aclnnUpsampleBicubic2d", resized_of(2, Interpolation::cubic)},
      {"aclnnIm2col", of_axes(2, [](X x) { return unfold(x, 2); })},
      {"aclnnIm2colBackward",
       of_inputs({{"x", {1, 4, 4}}}, [](Values v) { return fold(v[0], 3, 2); })},
      {"aclnnGridSampler2D", of_inputs({{"x", {1, 2, 3, 4}}, {"y1", {1, 2, 2, 2}}},
                                       [](Values v) { return grid_sample(v[0], v[1]); })},
      {"aclnnGridSampler3D", of_inputs({{"x", {1, 2, 2, 3, 4}}, {"y1", {1, 1, 2, 2, 3}}},
                                       [](Values v) { return grid_sample(v[0], v[1]); })},
      {"aclnnBatchNorm", batch_norm_of},
      {"aclnnGroupNorm", of_inputs({{"x", {1, 4, 2, 2}}, {"y1", {4}}, {"y2", {4}}},
                                   [](Values v) { return group_norm(v[0], 2, v[1], v[2]); })},
      {"aclnnRmsNorm",
       of_inputs({{"x"}, {"gamma", {4}}}, [](Values v) { return rms_norm(v[0], v[1]); })},
      {"aclnnMseLoss", loss_of([](X x, X t) { return mse_loss(x, t); })},
      {"aclnnMseLossBackward",
       of_inputs({{"g"}, {"x"}, {"target", {2, 4}, kConstant}},
                 [](Values v) { return mse_loss_backward(v[0], v[1], v[2], Reduction::none); })},
      {"aclnnL1Loss", loss_of([](X x, X t) { return l1_loss(x, t); })},
      {"aclnnSmoothL1Loss", loss_of([](X x, X t) { return smooth_l1_loss(x, t); })},
      {"aclnnBinaryCrossEntropyWithLogits",
       loss_of([](X x, X t) { return bce_with_logits(x, t); })},
      {"aclnnBinaryCrossEntropy", loss_of([](X x, X t) { return binary_cross_entropy(x, t); })},
      {"aclnnSoftMarginLoss", loss_of([](X x, X t) { return soft_margin_loss(x, t); })},
      {"aclnnDropoutDoMask", of_inputs({{"x"}, {"mask", {16}, kConstant, DType::uint8}},
                                       [](Values v) { return apply_dropout(v[0], v[1], 0.5); })},
      {"aclnnNLLLoss", of_inputs({{"x"}, {"target", {2}, kConstant, DType::int64}},
                                 [](Values v) { return nll_loss(v[0], v[1]); })},
      {"aclnnCtcLoss", of_inputs({{"x", {4, 2, 3}}, {"target", {2, 2}, kConstant, DType::int64}},
                                 [](Values v) {
                                   return ctc_loss(v[0], v[1], {4, 4}, {2, 2}, {.blank = 2});
                                 })},
      {"aclnnMultilabelMarginLoss",
       with_index([](X x, X i) { return multilabel_margin_loss(x, i); }, {2, 4})},

      {"aclnnAdd", of_two([](X a, X b) { return add(a, b, 2); })},
      {"aclnnSub", of_two([](X a, X b) { return sub(a, b, 2); })},
      {"aclnnSWhere", of_inputs({{"a"}, {"b"}, {"condition", {2, 4}, kConstant, DType::boolean}},
                                [](Values v) { return where(v[2], v[0], v[1]); })},
      {"aclnnAddcmul",
       of_inputs({{"x"}, {"a"}, {"b"}}, [](Values v) { return addcmul(v[0], v[1], v[2]); })},
      {"aclnnAddcdiv",
       of_inputs({{"x"}, {"a"}, {"b"}}, [](Values v) { return addcdiv(v[0], v[1], v[2]); })},
      {"aclnnPowScalarTensor", of([](X x) { return pow(2.0, x); })},
      {"aclnnRoundDecimals", of([](X x) { return round(x, 2); })},
      {"aclnnClampTensor",
       of_inputs({{"x"}, {"min"}, {"max"}}, [](Values v) { return clamp(v[0], v[1], v[2]); })},
      {"aclnnLerp", of_inputs({{"start"}, {"end"}, {"weight"}},
                              [](Values v) { return lerp(v[0], v[1], v[2]); })},
      {"aclnnCast", of([](X x) { return cast(x, DType::float16); })},
      {"aclnnCat", of_two([](X a, X b) {
         return cat({a, b}, 1);
       })},
      {"aclnnStack", of_two([](X a, X b) {
         return stack({a, b});
       })},
      {"aclnnSlice", of([](X x) { return slice(x, 1, 1, 3); })},
      {"aclnnSplitTensor", of([](X x) { return split(x, 1).front(); })},
      {"aclnnSplitWithSize", of([](X x) {
         return split(x, {1, 3}, 1).front();
       })},
      {"aclnnConstantPadNd", of([](X x) {
         return pad(x, {1, 2});
       })},
      {"aclnnRepeat", of([](X x) {
         return repeat(x, {2, 1});
       })},
      {"aclnnTril", of([](X x) { return tril(x); })},
      {"aclnnTriu", of([](X x) { return triu(x); })},
      {"aclnnFlip", of([](X x) { return flip(x, {0}); })},
      {"aclnnRoll", of([](X x) { return roll(x, {1}, {0}); })},
      {"aclnnIndexSelect", with_index([](X x, X i) { return index_select(x, 1, i); }, {3})},
      {"aclnnGather", with_index([](X x, X i) { return gather(x, 1, i); }, {2, 3})},
      {"aclnnIndexAdd", with_index([](X x, X i) { return index_add(x, 0, i, x); }, {2})},
      {"aclnnIndexCopy", with_index([](X x, X i) { return index_copy(x, 0, i, x); }, {2})},
      {"aclnnScatter", with_index([](X x, X i) { return scatter(x, 1, i, x); }, {2, 3})},
      {"aclnnScatterAdd", with_index([](X x, X i) { return scatter_add(x, 1, i, x); }, {2, 3})},
      {"aclnnIndex", with_index(
                         [](X x, X i) {
                           return index(x, {i, i});
                         },
                         {3})},
      // With numbers 0, 1, 0, 1 of repeats.
      {"aclnnRepeatInterleaveWithDim",
       with_index([](X x, X i) { return repeat_interleave(x, i, 2, 1); }, {4})},
      {"aclnnRepeatInterleaveIntWithDim", of([](X x) { return repeat_interleave(x, 2, 1); })},
      {"aclnnRepeatInterleaveGrad",
       with_index([](X x, X i) { return repeat_interleave_grad(x, i, 8, 1); }, {8})},
      {"aclnnEmbeddingBag", with_index([](X x, X i) { return embedding_bag(x, i); }, {2, 3})},
      {"aclnnEmbedding", with_index([](X x, X i) { return embedding(x, i); }, {3})},
      {"aclnnEmbeddingDenseBackward",
       with_index([](X g, X i) { return embedding_dense_backward(g, i, 5); }, {2})},
      {"aclnnMatmul", of_two([](X a, X b) { return matmul(a, b); }, {2, 4}, {4, 3})},
      {"aclnnAddmm", of_inputs({{"c", {2, 3}}, {"a", {2, 4}}, {"b", {4, 3}}},
                               [](Values v) { return addmm(v[0], v[1], v[2], 2, 3); })},
      {"aclnnBatchMatMul", of_two([](X a, X b) { return bmm(a, b); }, {2, 2, 4}, {2, 4, 3})},
      {"aclnnBaddbmm", of_inputs({{"c", {2, 2, 3}}, {"a", {2, 2, 4}}, {"b", {2, 4, 3}}},
                                 [](Values v) { return baddbmm(v[0], v[1], v[2], 2, 3); })},
      {"aclnnDot", of_two([](X a, X b) { return dot(a, b); }, {4}, {4})},
      {"aclnnMv", of_two([](X m, X v) { return mv(m, v); }, {2, 4}, {4})},
      {"aclnnAddmv", of_inputs({{"c", {2}}, {"matrix"}, {"vector", {4}}},
                               [](Values v) { return addmv(v[0], v[1], v[2], 2, 3); })},
      {"aclnnGer", of_two([](X a, X b) { return outer(a, b); }, {2}, {3})},
      {"aclnnAddr", of_inputs({{"c", {2, 3}}, {"a", {2}}, {"b", {3}}},
                              [](Values v) { return addr(v[0], v[1], v[2], 2, 3); })},
      {"aclnnLinalgCross", of_two([](X a, X b) { return cross(a, b); }, {2, 3}, {2, 3})},
      {"aclnnDiag", of([](X x) { return diag(x, 1); })},
      {"aclnnInverse", of_inputs({{"matrix", {2, 2}}}, [](Values v) { return inverse(v[0]); })},
      {"aclnnSlogdet",
       of_inputs({{"matrix", {2, 2}}}, [](Values v) { return slogdet(v[0]).logabsdet; })},
      {"aclnnTriangularSolve",
       of_two([](X a, X b) { return solve_triangular(a, b); }, {2, 2}, {2, 3})},
      {"aclnnReduceNansum", of([](X x) { return nansum(x, {0}); })},
      {"aclnnAminmax", of([](X x) { return aminmax(x, {0}).min; })},
      {"aclnnMinDim", of([](X x) { return min(x, 0).values; })},
      {"aclnnMax", of([](X x) { return max(x); })},
      {"aclnnMin", of([](X x) { return min(x); })},
      {"aclnnProd", of([](X x) { return prod(x); })},
      {"aclnnTrace", of([](X x) { return trace(x); })},
      {"aclnnMedian", of([](X x) { return median(x); })},
      {"aclnnNanMedian", of([](X x) { return nanmedian(x); })},
      {"aclnnProdDim", of([](X x) { return prod(x, 0); })},
      {"aclnnCummax", of([](X x) { return cummax(x, 0).values; })},
      {"aclnnCummin", of([](X x) { return cummin(x, 0).values; })},
      {"aclnnSort", of([](X x) { return sort(x).values; })},
      {"aclnnMedianDim", of([](X x) { return median(x, 0).values; })},
      {"aclnnNanMedianDim", of([](X x) { return nanmedian(x, 0).values; })},
      {"aclnnKthvalue", of([](X x) { return kthvalue(x, 2).values; })},
      {"aclnnReduceSum", of([](X x) { return reduce_sum(x, {0}); })},
      {"aclnnMean", of([](X x) { return mean(x, {0}); })},
      {"aclnnAmax", of([](X x) { return amax(x, {0}); })},
      {"aclnnAmin", of([](X x) { return amin(x, {0}); })},
      {"aclnnMaxDim", of([](X x) { return max(x, 0).values; })},
      {"aclnnVar", of([](X x) { return var(x, {0}); })},
      {"aclnnStd", of([](X x) { return stddev(x, {0}); })},
      {"aclnnLogSumExp", of([](X x) { return logsumexp(x, {0}); })},
      {"aclnnNorm", of([](X x) { return norm(x, {0}); })},
      {"aclnnCdist", of_two([](X a, X b) { return cdist(a, b); }, {2, 4}, {3, 4})},
      {"aclnnForeachNorm", of([](X x) { return foreach_norm({x}).front(); })},
      {"aclnnForeachMulScalarV2", of([](X x) { return foreach_mul({x}, 2.0).front(); })},
      {"aclnnCumsumV2", of([](X x) { return cumsum(x, 0); })},
      {"aclnnCumprod", of([](X x) { return cumprod(x, 0); })},
      {"aclnnTopk", of([](X x) { return topk(x, 2).values; })},
#include "records.inc"
  };
  return all;
}

}  // namespace

std::vector<Section> sections() {
  std::vector<Section> all;
  for (const contract::Family& family : contract::families()) {
    Section section{family.title, {}};
    for (const contract::Operator& op : family.operators) {
      const auto head = std::ranges::find_if(section.operators, [&](const Words& words) {
        return words.operators.front() == op.call.form_of;
      });
      if (head != section.operators.end()) {
        head->operators.push_back(op.name());
      } else {
        section.operators.push_back({{op.name()}, op.words.computes, op.words.in_graph});
      }
    }
    all.push_back(std::move(section));
  }
  return all;
}

Record record_of(const std::string& op) {
  const auto found = records().find(op);
  return found == records().end() ? Record() : found->second;
}

}  // namespace aclgrad::reference
