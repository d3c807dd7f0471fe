// SPDX-License-Identifier: Apache-2.0
// Layer and root-mean-square normalization of a sum of tensors over the last dimensions, and the
// gradients; in double, with sums in row-major order, rounded once.
#pragma once

#include <optional>
#include <vector>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// A tensor times a factor.
struct Term {
  size_t tensor;
  double factor = 1;
};

// Parameters of the operator. The first of the terms has the shape of the sum, the others broadcast
// to it; a row stretches over the dimensions of gamma, the last.
struct SummedRows {
  std::vector<Term> terms;
  size_t gamma;
  bool centered = true;  // RMS normalization takes the mean for 0, and has none
};

// y = (sum - mean) * rstd * gamma + beta, rstd = 1 / sqrt(variance + epsilon), with mean and rstd
// of every row; mean and the sum itself are written, where they are given.
struct SummedRowsResults {
  std::optional<size_t> beta = {}, mean = {}, sum = {};
  size_t rstd, y;
};
Plan plan_summed_rows(const Arguments& arguments, const SummedRows& rows, double epsilon,
                      const SummedRowsResults& results);

// The gradient of the sum, plus `also`, goes to the tensors of `to`, times their factors; those of
// gamma and beta are summed over the rows in their order.
struct SummedRowsGradients {
  size_t dy, mean, rstd;
  std::optional<size_t> also = {};
  std::vector<Term> to;
  size_t gamma, beta;
};
Plan plan_summed_rows_backward(const Arguments& arguments, const SummedRows& rows,
                               const SummedRowsGradients& gradients);

}  // namespace aclgrad::ops
