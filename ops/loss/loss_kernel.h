// SPDX-License-Identifier: Apache-2.0
// Losses out of a formula for one element, computed in double: element by element, added up in the
// order of tree_sum.h, or averaged.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

struct Loss {
  // Broadcast to the shape of the loss before it is reduced; ones where there is none.
  std::vector<std::optional<size_t>> inputs;
  size_t out;
  aclDataType dtype;  // the result is rounded to it first
  RealKernel formula;
};

// out of the common shape.
Plan plan_elements(const Arguments& arguments, const Loss& loss);

// out, of one element: the sum by `divisor`; 0, or NaN for a divisor of 0, without elements.
Plan plan_total(const Arguments& arguments, const Loss& loss, const Dims& common, int64_t divisor);

// Either, as the attribute `reduction` says.
Plan plan_loss(const Arguments& arguments, size_t reduction, const Dims& common, const Loss& loss);

inline std::optional<size_t> where_given(const Arguments& arguments, size_t tensor) {
  return arguments.given(tensor) ? std::optional(tensor) : std::nullopt;
}

// The sum of `terms` terms by `divisor`, cut into chunks for the threads.
using ChunkSum = std::function<double(const Run& run, int64_t begin, int64_t end)>;
Plan plan_chunks(const Arguments& arguments, size_t out, aclDataType dtype, int64_t terms,
                 int64_t divisor, ChunkSum sum);

// Kernels of elements. Binary cross entropy of logits: of self, target, weight, posWeight; its
// gradient: of gradOutput before these. They are made of log(1 + e^x) and 1 / (1 + e^-x).
RealKernel binary_cross_entropy(RealKernel softplus);
RealKernel binary_cross_entropy_gradient(RealKernel sigmoid, double divisor);

// |x - y|, and what is (x - y)^2 / (2 beta) below beta; their gradients: of gradOutput before x, y.
RealKernel absolute_error(double beta);
RealKernel absolute_error_gradient(double beta, double divisor);

}  // namespace aclgrad::ops
