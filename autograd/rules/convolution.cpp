// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/convolution.h"

#include "aclgrad/ops.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// Every gradient is linear in g and in x or weight: the gradients are the other products of the
// same three.
InputGradients second_order(const ConvolutionBackwardOp& op, const RuleCall& call) {
  const Value& g = call.input(0);
  const Value& x = call.input(1);
  const Value& weight = call.input(2);
  InputGradients gradients(3);
  std::size_t output = 0;
  if (op.wanted[0] && call.has_gradient(output++)) {
    const Value& c = call.gradient(output - 1);
    if (call.needs(0)) add_to(gradients[0], convolution(c, weight, {}, op));
    if (call.needs(2)) {
      add_to(gradients[2], convolution_backward(g, c, weight, op, {false, true, false})[1]);
    }
  }
  if (op.wanted[1] && call.has_gradient(output++)) {
    const Value& c = call.gradient(output - 1);
    if (call.needs(0)) add_to(gradients[0], convolution(x, c, {}, op));
    if (call.needs(1)) {
      add_to(gradients[1], convolution_backward(g, x, c, op, {true, false, false})[0]);
    }
  }
  if (op.wanted[2] && call.has_gradient(output) && call.needs(0)) {
    std::vector<std::int64_t> channels(g.shape().rank(), 1);
    channels[1] = g.shape()[1];
    add_to(gradients[0], expand(reshape(call.gradient(output), channels), g.shape()));
  }
  return gradients;
}

}  // namespace

void add_convolution_rules(RuleTable& table) {
  table.add<ConvolutionOp>([](auto& op, Call call) {
    const bool has_bias = call.node().inputs.size() > 2;
    return convolution_backward(call.gradient(), call.input(0), call.input(1), op,
                                {call.needs(0), call.needs(1), has_bias && call.needs(2)});
  });
  table.add<ConvolutionBackwardOp, second_order>();
}

}  // namespace aclgrad::detail
