// SPDX-License-Identifier: Apache-2.0
// ELU (Clevert et al. 2015) with the operator's three parameters: scale x for x > 0, else
// alpha scale (e^(input_scale x) - 1).
#ifndef ACLGRAD_OPS_ELU_H_
#define ACLGRAD_OPS_ELU_H_

#include <source_location>

#include "aclgrad/graph.h"

namespace aclgrad {

/// Which forward tensor a gradient is computed from: aclnnEluBackward's isResult. `result` spares
/// keeping the input, and is the derivative for alpha >= 0, scale > 0 and input_scale > 0 only.
enum class BackwardFrom : std::uint8_t { input, result };

/// x: any shape of rank up to 8, floating. Throws ValueError for BackwardFrom::result unless
/// alpha >= 0, scale > 0 and input_scale > 0.
Value elu(const Value& x, double alpha = 1, double scale = 1, double input_scale = 1,
          BackwardFrom backward_from = BackwardFrom::input,
          std::source_location where = std::source_location::current());

/// The gradient of elu from its input or its result, as backward_from says. For s <= 0:
/// grad input_scale alpha scale e^(input_scale s) from the input and grad input_scale
/// (s + alpha scale) from the result; grad scale for s > 0.
Value elu_backward(const Value& grad, const Value& input_or_result, double alpha = 1,
                   double scale = 1, double input_scale = 1,
                   BackwardFrom backward_from = BackwardFrom::input,
                   std::source_location where = std::source_location::current());

struct EluOp final : ElementwiseOp {
  double alpha;
  double scale;
  double input_scale;
  BackwardFrom backward_from;

  EluOp(double alpha_, double scale_, double input_scale_, BackwardFrom from)
      : alpha(alpha_), scale(scale_), input_scale(input_scale_), backward_from(from) {}
  std::string_view name() const override { return "elu"; }
  std::string_view call_name() const override { return "aclnnElu"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct EluBackwardOp final : ElementwiseOp {
  double alpha;
  double scale;
  double input_scale;
  BackwardFrom backward_from;

  EluBackwardOp(double alpha_, double scale_, double input_scale_, BackwardFrom from)
      : alpha(alpha_), scale(scale_), input_scale(input_scale_), backward_from(from) {}
  std::string_view name() const override { return "elu_backward"; }
  std::string_view call_name() const override { return "aclnnEluBackward"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_ELU_H_
