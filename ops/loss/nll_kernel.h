// SPDX-License-Identifier: Apache-2.0
// Negative log likelihood of the rows' targets, and its gradient. Both first look at every target:
// one that is neither a class nor the ignored index ends the task with an exception that names the
// row and the class, before anything is written. The runtime turns it into the status of the next
// synchronisation.
#pragma once

#include "ops/engine/elementwise.h"
#include "ops/loss/loss_reduction.h"

namespace aclgrad::ops {

struct NllParameters {
  size_t self, target, weight;
  LossReduction reduction;
  int64_t ignore_index;
};

// out = l[n], their weighted mean or their sum; total_weight = the sum of the weights. For kNone
// that is 0 with `clears_total`, else left as it was.
Plan plan_nll(const Arguments& arguments, const NllParameters& parameters, size_t out,
              size_t total_weight, bool clears_total);

// out = 0 but for -w[n] * g at the target of every row n.
Plan plan_nll_backward(const Arguments& arguments, const NllParameters& parameters,
                       size_t grad_output, size_t total_weight, size_t out);

}  // namespace aclgrad::ops
