// SPDX-License-Identifier: Apache-2.0
// libtorch's recurrent functions, in a file of their own: its headers take long to compile.
#pragma once

#include <cstdint>
#include <functional>

namespace aclgrad::bench {

void use_one_torch_thread();

/// A run of torch::lstm, gru or their cells on parameters of its own; with all gradients if wished.
std::function<void()> torch_recurrent(bool is_lstm, bool is_cell, std::int64_t steps,
                                      std::int64_t batch, std::int64_t in, std::int64_t hidden,
                                      bool with_gradients);

}  // namespace aclgrad::bench
