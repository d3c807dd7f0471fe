// SPDX-License-Identifier: Apache-2.0
// libtorch's recurrent functions and its attention, in a file of their own: its headers take long
// to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace aclgrad::bench {

/// "libtorch" and its version.
std::string torch_version();

void set_torch_threads(int count);

/// A run of torch::lstm, gru or their cells on parameters of its own; with all gradients if wished.
std::function<void()> torch_recurrent(bool is_lstm, bool is_cell, std::int64_t steps,
                                      std::int64_t batch, std::int64_t in, std::int64_t hidden,
                                      bool in_bfloat16, bool with_gradients);

/// A run of its scaled_dot_product_attention on queries, keys and values of this shape; of the
/// products and the softmax that it is made of where this libtorch has no such function.
std::function<void()> torch_attention(const std::vector<std::int64_t>& shape, bool in_bfloat16,
                                      bool causal, bool with_gradients);

}  // namespace aclgrad::bench
