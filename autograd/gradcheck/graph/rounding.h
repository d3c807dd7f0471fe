// SPDX-License-Identifier: Apache-2.0
// What storing every node's result in 16 bits may do to a gradient made of graph nodes.
#pragma once

#include <memory>
#include <optional>

#include "aclgrad/gradcheck/graph.h"

namespace aclgrad::gradcheck {

/// Returns a bound for every gradient element: the sum over all elements v of all nodes' results of
/// |dg/dv| times half a unit in v's last place, a sixteenth more for what is of second order. The
/// derivatives are those of the recorded gradient, by backward() on it, in float64. Empty when an
/// operator in the gradient has no rule, and for recurrent layers, whose rule is not by all inputs.
std::function<Arrays(const Arrays& inputs, const Array& cotangent, DType dtype)> rounding_of_graph(
    const std::vector<contract::Parameter>& inputs, const Build& build);

}  // namespace aclgrad::gradcheck
