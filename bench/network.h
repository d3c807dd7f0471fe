// SPDX-License-Identifier: Apache-2.0
// A workload recorded with aclgrad.
#pragma once

#include <aclgrad/aclgrad.h>

#include <vector>

#include "bench/workload.h"

namespace aclgrad::bench {

// Examples [batch, ...], and what is wanted of them.
struct Batch {
  Tensor features;
  Tensor wanted;
};

// The first `rows` of the examples that all train with.
Batch make_batch(const Workload& workload, std::int64_t rows);

// Records network and loss, with weights as fill_weight() has them and biases 0; the parameters are
// appended to `parameters`.
Value record_loss(const Workload& workload, const Value& x, const Value& wanted,
                  std::vector<Value>& parameters);

// Records the workload's optimizer.
Update record_update(const Workload& workload, Graph& graph, const Gradients& gradients);

}  // namespace aclgrad::bench
