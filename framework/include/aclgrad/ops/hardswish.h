// SPDX-License-Identifier: Apache-2.0
// Hardswish (Howard et al. 2019): x min(max(x + 3, 0), 6) / 6.
#ifndef ACLGRAD_OPS_HARDSWISH_H_
#define ACLGRAD_OPS_HARDSWISH_H_

#include <source_location>

#include "aclgrad/graph.h"

namespace aclgrad {

/// The function has corners at -3 and 3; the two gradient operators differ only there. v2 takes the
/// slope outside (0 and 1), as the usual frameworks do, v1 the slope inside (-0.5 and 1.5).
enum class HardswishGradient : std::uint8_t { v1, v2 };

/// x: any shape, floating.
Value hardswish(const Value& x, HardswishGradient gradient = HardswishGradient::v2,
                std::source_location where = std::source_location::current());

/// grad times the slope at the forward input: 0 below -3, x/3 + 1/2 between, 1 above 3.
Value hardswish_backward(const Value& grad, const Value& x,
                         HardswishGradient gradient = HardswishGradient::v2,
                         std::source_location where = std::source_location::current());

struct HardswishOp final : ElementwiseOp {
  HardswishGradient gradient;

  explicit HardswishOp(HardswishGradient gradient_) : gradient(gradient_) {}
  std::string_view name() const override { return "hardswish"; }
  std::string_view call_name() const override { return "aclnnHardswish"; }
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct HardswishBackwardOp final : ElementwiseOp {
  HardswishGradient gradient;

  explicit HardswishBackwardOp(HardswishGradient gradient_) : gradient(gradient_) {}
  std::string_view name() const override { return "hardswish_backward"; }
  std::string_view call_name() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_HARDSWISH_H_
