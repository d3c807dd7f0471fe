// SPDX-License-Identifier: Apache-2.0
// GELU (Hendrycks, Gimpel 2016): x Phi(x), and its tanh approximation
// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
#ifndef ACLGRAD_OPS_GELU_H_
#define ACLGRAD_OPS_GELU_H_

#include <source_location>

#include "aclgrad/graph.h"

namespace aclgrad {

/// The form of GELU; the values are those of the operators' attribute.
enum class Approximate : std::uint8_t { none = 0, tanh = 1 };

/// "none" or "tanh".
const char* to_string(Approximate approximate);

/// The erf form by aclnnGeluV2, the tanh form by aclnnGelu. x: any shape of rank up to 8, floating.
Value gelu(const Value& x, Approximate approximate = Approximate::none,
           std::source_location where = std::source_location::current());
Value gelu_backward(const Value& grad, const Value& x, Approximate approximate = Approximate::none,
                    std::source_location where = std::source_location::current());

/// aclnnGeluV2 for both forms.
Value gelu_v2(const Value& x, Approximate approximate = Approximate::none,
              std::source_location where = std::source_location::current());
Value gelu_v2_backward(const Value& grad, const Value& x, Approximate approximate,
                       std::source_location where = std::source_location::current());

/// The tanh form.
struct GeluOp final : ElementwiseOp {
  std::string_view name() const override { return "gelu"; }
  std::string_view call_name() const override { return "aclnnGelu"; }
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct GeluBackwardOp final : ElementwiseOp {
  std::string_view name() const override { return "gelu_backward"; }
  std::string_view call_name() const override { return "aclnnGeluBackward"; }
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct GeluV2Op final : ElementwiseOp {
  Approximate approximate;

  explicit GeluV2Op(Approximate approximate_) : approximate(approximate_) {}
  std::string_view name() const override { return "gelu_v2"; }
  std::string_view call_name() const override { return "aclnnGeluV2"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct GeluV2BackwardOp final : ElementwiseOp {
  Approximate approximate;

  explicit GeluV2BackwardOp(Approximate approximate_) : approximate(approximate_) {}
  std::string_view name() const override { return "gelu_v2_backward"; }
  std::string_view call_name() const override { return "aclnnGeluBackwardV2"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_GELU_H_
