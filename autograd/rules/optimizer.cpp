// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/optimizer.h"

#include <numeric>

#include "aclgrad/ops/arithmetic.h"
#include "rules/table.h"

namespace aclgrad::detail {

void add_optimizer_rules(RuleTable& table) {
  table.add<ForeachNormOp>([](auto& op, Call call) {
    InputGradients gradients(call.node().inputs.size());
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!call.needs(i) || !call.has_gradient(i)) continue;
      std::vector<std::int64_t> axes(call.input(i).shape().rank());
      std::iota(axes.begin(), axes.end(), 0);
      gradients[i] = gradient_of_norm(op.p, axes, call, i);
    }
    return gradients;
  });

  table.add<ForeachMulOp>([](auto& op, Call call) {
    InputGradients gradients(call.node().inputs.size());
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (call.needs(i) && call.has_gradient(i)) gradients[i] = mul(call.gradient(i), op.factor);
    }
    return gradients;
  });
}

}  // namespace aclgrad::detail
