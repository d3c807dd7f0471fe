// SPDX-License-Identifier: Apache-2.0
// lstm() and gru() as nodes for each step: for sequences of several lengths, and for gradients of
// gradients.
#ifndef ACLGRAD_FRAMEWORK_GRAPH_OPS_RECURRENT_STEPS_H_
#define ACLGRAD_FRAMEWORK_GRAPH_OPS_RECURRENT_STEPS_H_

#include <vector>

#include "aclgrad/ops/recurrent.h"
#include "aclgrad/record.h"

namespace aclgrad::detail {

struct Stepped {
  Value output;
  RecurrentState last;
};

/// Of what is checked, time first. A GRU's state has no c.
Stepped by_steps(const Value& x, const RecurrentState& begin, const std::vector<Value>& params,
                 const RecurrentFunctionOptions& options);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_GRAPH_OPS_RECURRENT_STEPS_H_
