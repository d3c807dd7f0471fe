// SPDX-License-Identifier: Apache-2.0
// lstm() and gru() as more than one node: a node for each layer and direction, for sequences of
// several lengths, and nodes for each step, for gradients of gradients.
#pragma once

#include <functional>
#include <vector>

#include "aclgrad/graph/record.h"
#include "aclgrad/ops/recurrent.h"

namespace aclgrad::detail {

struct LayersResult {
  Value output;
  RecurrentState last;
};

/// One layer in one direction: h after every step of x [T, N, in]. The state [N, H] is that before
/// the first step, and becomes that after the last; a GRU's has no c.
using RecurrentPass = std::function<Value(const Value& x, bool backwards,
                                          const std::vector<Value>& params, RecurrentState& state)>;

/// All layers and directions, each by `pass`. Of what is checked, time first.
LayersResult layer_by_layer(const Value& x, const RecurrentState& begin,
                            const std::vector<Value>& params,
                            const RecurrentFunctionOptions& options, const RecurrentPass& pass);

/// Nodes for each step. All steps count.
LayersResult by_steps(const Value& x, const RecurrentState& begin, const std::vector<Value>& params,
                      const RecurrentFunctionOptions& options);

/// A node for each layer and direction, of the steps that count.
LayersResult with_lengths(const Value& x, const RecurrentState& begin,
                          const std::vector<Value>& params,
                          const RecurrentFunctionOptions& options);

}  // namespace aclgrad::detail
