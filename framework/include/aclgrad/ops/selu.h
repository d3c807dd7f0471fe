// SPDX-License-Identifier: Apache-2.0
// SELU (Klambauer et al. 2017): lambda x for x > 0, else lambda alpha (e^x - 1), with
// lambda = 1.0507009873554805 and alpha = 1.6732632423543772.
#ifndef ACLGRAD_OPS_SELU_H_
#define ACLGRAD_OPS_SELU_H_

#include <source_location>

#include "aclgrad/graph.h"

namespace aclgrad {

/// x: any shape, floating.
Value selu(const Value& x, std::source_location where = std::source_location::current());

/// The gradient from the forward *output*: grad * lambda where result >= 0, else
/// grad * (result + lambda alpha). Same shape and dtype.
Value selu_backward(const Value& grad, const Value& result,
                    std::source_location where = std::source_location::current());

struct SeluOp final : ElementwiseOp {
  std::string_view name() const override { return "selu"; }
  std::string_view call_name() const override { return "aclnnSelu"; }
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct SeluBackwardOp final : ElementwiseOp {
  std::string_view name() const override { return "selu_backward"; }
  std::string_view call_name() const override { return "aclnnSeluBackward"; }
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_SELU_H_
