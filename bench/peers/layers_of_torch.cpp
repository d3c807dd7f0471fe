// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>
#include <torch/version.h>

#include <cmath>
#include <limits>

#include "bench/peers/openblas.h"
#include "bench/peers/torch_layers.h"

namespace aclgrad::bench {

std::string torch_version() { return "libtorch " TORCH_VERSION; }

void set_torch_threads(int count) {
  at::set_num_threads(count);
  set_openblas_threads(count);
}

std::function<void()> torch_recurrent(bool is_lstm, bool is_cell, std::int64_t steps,
                                      std::int64_t batch, std::int64_t in, std::int64_t hidden,
                                      bool in_bfloat16, bool with_gradients) {
  const std::int64_t gates = (is_lstm ? 4 : 3) * hidden;
  const auto drawn = [&](std::vector<std::int64_t> shape) {
    return (torch::rand(shape) * 0.2 - 0.1)
        .to(in_bfloat16 ? torch::kBFloat16 : torch::kFloat)
        .requires_grad_(with_gradients);
  };
  using Shape = std::vector<std::int64_t>;
  const Shape state = is_cell ? Shape{batch, hidden} : Shape{1, batch, hidden};
  const auto x = drawn(is_cell ? Shape{batch, in} : Shape{steps, batch, in});
  const auto h = drawn(state), c = drawn(state);
  const std::vector<torch::Tensor> params = {drawn({gates, in}), drawn({gates, hidden}),
                                             drawn({gates}), drawn({gates})};
  return [=] {
    const c10::InferenceMode inference(!with_gradients);
    torch::Tensor y;
    if (is_cell) {
      y = is_lstm
              ? std::get<0>(torch::lstm_cell(x, {h, c}, params[0], params[1], params[2], params[3]))
              : torch::gru_cell(x, h, params[0], params[1], params[2], params[3]);
    } else if (is_lstm) {
      y = std::get<0>(torch::lstm(x, {h, c}, params, true, 1, 0.0, true, false, false));
    } else {
      y = std::get<0>(torch::gru(x, h, params, true, 1, 0.0, true, false, false));
    }
    if (!with_gradients) return;
    std::vector<torch::Tensor> inputs = {x, h};
    if (is_lstm) inputs.push_back(c);
    inputs.insert(inputs.end(), params.begin(), params.end());
    torch::autograd::grad({y.sum()}, inputs);
  };
}

namespace {

torch::Tensor attention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                        bool causal) {
#if TORCH_VERSION_MAJOR >= 2
  return at::scaled_dot_product_attention(q, k, v, {}, 0, causal);
#else
  torch::Tensor scores = torch::matmul(q, k.transpose(-2, -1)) * (1 / std::sqrt(q.size(-1)));
  if (causal) {
    const auto later = torch::ones({q.size(-2), k.size(-2)}, torch::kBool).triu(1);
    scores = scores.masked_fill(later, -std::numeric_limits<double>::infinity());
  }
  return torch::matmul(torch::softmax(scores, -1), v);
#endif
}

}  // namespace

std::function<void()> torch_attention(const std::vector<std::int64_t>& shape, bool in_bfloat16,
                                      bool causal, bool with_gradients) {
  const auto drawn = [&] {
    return torch::randn(shape)
        .to(in_bfloat16 ? torch::kBFloat16 : torch::kFloat)
        .requires_grad_(with_gradients);
  };
  const torch::Tensor q = drawn(), k = drawn(), v = drawn();
  return [=] {
    const c10::InferenceMode inference(!with_gradients);
    const torch::Tensor y = attention(q, k, v, causal);
    if (with_gradients) torch::autograd::grad({y.sum()}, {q, k, v});
  };
}

}  // namespace aclgrad::bench
