// SPDX-License-Identifier: Apache-2.0
// The networks of examples/ with libtorch's modules, called by the same names.
#pragma once

// First, as clang wants it complete where the headers below make vectors of it.
#include <ATen/core/ivalue.h>

#include <torch/torch.h>

#include "bench/workload.h"

namespace aclgrad::bench {

// What a layer or a network is to this program.
struct TorchNetwork : torch::nn::Module {
  virtual torch::Tensor forward(torch::Tensor x) = 0;
};

std::shared_ptr<TorchNetwork> make_network(const Workload& workload);

}  // namespace aclgrad::bench
