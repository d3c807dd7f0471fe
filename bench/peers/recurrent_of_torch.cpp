// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "bench/peers/openblas.h"
#include "bench/peers/torch_recurrent.h"

namespace aclgrad::bench {

void use_one_torch_thread() {
  at::set_num_threads(1);
  set_openblas_threads(1);
}

std::function<void()> torch_recurrent(bool is_lstm, bool is_cell, std::int64_t steps,
                                      std::int64_t batch, std::int64_t in, std::int64_t hidden,
                                      bool with_gradients) {
  const std::int64_t gates = (is_lstm ? 4 : 3) * hidden;
  const auto drawn = [&](std::vector<std::int64_t> shape) {
    return (torch::rand(shape) * 0.2 - 0.1).requires_grad_(with_gradients);
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

}  // namespace aclgrad::bench
