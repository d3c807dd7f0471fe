// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops.h"
#include "tests/reference/words.h"

namespace aclgrad::reference {

Section training() {
  const Text random = {"Philox 4x32-10: element i is a function of (seed, offset, i)",
                       "Philox 4x32-10，第 i 个元素由 (seed, offset, i) 决定"};
  return {{"Losses, optimizer, random fill", "损失、优化器、随机填充"},
          {{{"aclnnMseLoss", "aclnnMseLossOut"},
            {"(self − target)², none, mean or sum; with Out of the first dimension alone",
             "(self − target)²，不规约、平均或求和；Out 只沿第一维"},
            "mse_loss(prediction, target)",
            [](Graph& graph) {
              const Value x = graph.input("x", {2, 4});
              const Value target = graph.input("target", {2, 4});
              return Recorded{mse_loss(x, target), {x}};
            }},
           {{"aclnnMseLossBackward"},
            {"2(self − target)·g, divided by the count for mean",
             "2(self − target)·g，平均时再除以个数"},
            "mse_loss_backward(g, prediction, target, reduction)",
            [](Graph& graph) {
              const Value g = graph.input("g", {2, 4});
              const Value x = graph.input("x", {2, 4});
              const Value target = graph.input("target", {2, 4});
              return Recorded{mse_loss_backward(g, x, target, Reduction::none), {g, x}};
            }},
           {{"aclnnLogSoftmax"},
            {"x − max − log Σ e^(x − max) along dim", "沿 dim 的 x − max − log Σ e^(x − max)"},
            "log_softmax(x, dim)",
            [](Graph& graph) {
              const Value x = graph.input("x", {2, 4});
              return Recorded{log_softmax(x), {x}};
            }},
           {{"aclnnLogSoftmaxBackward"},
            {"g − e^output·Σ g along dim", "沿 dim 的 g − e^output·Σ g"},
            "log_softmax_backward(g, output, dim)",
            [](Graph& graph) {
              const Value g = graph.input("g", {2, 4});
              const Value y = graph.input("y", {2, 4});
              return Recorded{log_softmax_backward(g, y, -1), {g, y}};
            }},
           {{"aclnnSoftmax"},
            {"e^(x − max) / Σ e^(x − max) along dim", "沿 dim 的 e^(x − max) / Σ e^(x − max)"},
            "softmax(x, dim)",
            [](Graph& graph) {
              const Value x = graph.input("x", {2, 4});
              return Recorded{softmax(x), {x}};
            }},
           {{"aclnnSoftmaxBackward"},
            {"output·(g − Σ g·output) along dim", "沿 dim 的 output·(g − Σ g·output)"},
            "softmax_backward(g, output, dim)",
            [](Graph& graph) {
              const Value g = graph.input("g", {2, 4});
              const Value y = graph.input("y", {2, 4});
              return Recorded{softmax_backward(g, y, -1), {g, y}};
            }},
           {{"aclnnLayerNorm"},
            {"(x − mean)·rstd·weight + bias over the last dimensions, rstd = 1/√(variance + eps)",
             "对末尾几维求 (x − mean)·rstd·weight + bias，rstd = 1/√(方差 + eps)"},
            "layer_norm(x, weight, bias, eps)",
            [](Graph& graph) {
              const Value x = graph.input("x", {2, 4});
              const Value weight = graph.input("weight", {4});
              const Value bias = graph.input("bias", {4});
              return Recorded{layer_norm(x, weight, bias), {x, weight, bias}};
            }},
           {{"aclnnLayerNormBackward"},
            {"the gradients of input, weight and bias, those that outputMask asks for",
             "input、weight、bias 的梯度，由 outputMask 选择"},
            "layer_norm_backward(g, x, mean, rstd, weight, wanted)"},
           {{"aclnnNLLLoss"},
            {"−weight·self[target]; mean divides by the sum of the weights",
             "−weight·self[target]；平均时除以权重之和"},
            "nll_loss(log_probabilities, target), cross_entropy",
            [](Graph& graph) {
              const Value x = graph.input("x", {2, 4});
              const Value target = graph.input("target", {2}, DType::int64);
              return Recorded{nll_loss(x, target), {x}};
            }},
           {{"aclnnNLLLossBackward"},
            {"−weight·g at the target, 0 elsewhere", "在 target 处为 −weight·g，其余为 0"},
            "nll_loss_backward(g, ...)"},
           {{"aclnnApplyAdamWV2"},
            {"one AdamW step in place; the step tensor holds the completed steps",
             "原地做一步 AdamW；step 张量存放已完成的步数"},
            "apply_adam_w(...), AdamW"},
           {{"aclnnApplyAdamW"},
            {"the same with its numbers, and the powers of the betas, in tensors",
             "同上，各参数与 beta 的幂放在张量里"}},
           {{"aclnnInplaceNormal"}, random, "normal(graph, shape, mean, deviation, seed, offset)"},
           {{"aclnnInplaceNormalTensor"},
            {"the same with seed and offset in INT64 tensors",
             "同上，seed 与 offset 放在 INT64 张量里"}},
           {{"aclnnInplaceUniform"}, random, "uniform(graph, shape, low, high, seed, offset)"},
           {{"aclnnInplaceUniformTensor"},
            {"the same with seed and offset in INT64 tensors",
             "同上，seed 与 offset 放在 INT64 张量里"}}}};
}

std::vector<Section> sections() {
  return {activations(), functions(), arithmetic(), products(), training()};
}

}  // namespace aclgrad::reference
