// SPDX-License-Identifier: Apache-2.0
// The matrix products and convolutions of a training step: what no implementation of it can do
// without.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/workload.h"

namespace aclgrad::bench {

// [count, m, k] x [count, k, n], and its gradients by both factors.
struct Product {
  int64_t count = 1;
  int64_t m;
  int64_t k;
  int64_t n;
  bool left_gradient = true;  // not asked for where the left factor is the batch
};

// Of square images [n, in, side, side], and its gradients by images and weights.
struct Convolution {
  int64_t n;
  int64_t in;
  int64_t out;
  int64_t side;
  int64_t kernel;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t groups = 1;
  bool image_gradient = true;

  int64_t out_side() const { return (side + 2 * padding - kernel) / stride + 1; }
};

struct Products {
  std::vector<Product> matrices;
  std::vector<Convolution> convolutions;
};

Products products_of(const Workload& workload);

}  // namespace aclgrad::bench
