// SPDX-License-Identifier: Apache-2.0
// check_operator for operators made of graph nodes: the forward is what is recorded, in float64;
// the backward is what backward() makes of it, in the dtype under test.
//
//   Candidate swish = from_graph("swish", {input("x")}, [](const std::vector<Value>& x) {
//     return my_swish(x[0]);
//   });
//   Report report = check_operator(swish);
//   report.add(check_operator(from_graph("swish twice", inputs, used_twice(build))));
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "aclgrad/custom.h"
#include "aclgrad/gradcheck/operator.h"
#include "aclgrad/graph.h"

namespace aclgrad::gradcheck {

/// Records an operator on inputs of any floating dtype and returns its result.
using Build = std::function<Value(const std::vector<Value>& inputs)>;

/// The operator as something to check. Inputs with a dtype of their own are recorded so; those of
/// whole numbers get no gradient. Dtypes that `build` refuses with a DTypeError are left
/// out and named in the report. Every needs-gradient mask is tried. Values between nodes
/// are stored in the dtype: what that may do to a 16-bit gradient is computed, by differentiating
/// the recorded gradient with respect to every node's result. Where an operator in it has no rule,
/// and in float32, `roundings` roundings of the largest element are allowed: about the number of
/// backward nodes.
Candidate from_graph(std::string name, std::vector<contract::Parameter> inputs, Build build,
                     double roundings = 4);

/// Checks a function of one value, elementwise, as custom_elementwise() makes them, in every dtype
/// and layout, at numbers of [low, high].
Report check_elementwise(std::string name, const std::function<Value(const Value&)>& function,
                         Number low = -8, Number high = 8, const Options& options = {});
inline Report check_elementwise(const CustomElementwise& function, Number low = -8, Number high = 8,
                                const Options& options = {}) {
  return check_elementwise(function.name(), function, low, high, options);
}

/// The same operator used twice, build(x) + build(x / 2) * 0.75, whose gradients must add up.
Build used_twice(Build build);

}  // namespace aclgrad::gradcheck
