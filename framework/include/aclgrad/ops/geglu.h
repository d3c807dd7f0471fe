// SPDX-License-Identifier: Apache-2.0
// GEGLU (Shazeer 2020): the input is split in two halves A (first) and B along an axis; the result
// is A gelu(B), or gelu(A) B with activate_left.
#ifndef ACLGRAD_OPS_GEGLU_H_
#define ACLGRAD_OPS_GEGLU_H_

#include <source_location>

#include "aclgrad/graph.h"
#include "aclgrad/ops/gelu.h"

namespace aclgrad {

/// x: rank 1 to 8, floating, with an even extent along `dim`; the result has half of it. The node's
/// second output, the activated half's gelu, is kept for the backward.
Value geglu(const Value& x, std::int64_t dim = -1, Approximate approximate = Approximate::none,
            bool activate_left = false,
            std::source_location where = std::source_location::current());

/// The gradient with respect to x. grad and gelu have the result's shape; gelu is the forward
/// node's second output.
Value geglu_backward(const Value& grad, const Value& x, const Value& gelu, std::int64_t dim,
                     Approximate approximate, bool activate_left,
                     std::source_location where = std::source_location::current());

struct GegluOp final : AclnnOp {
  std::int64_t dim;
  Approximate approximate;
  bool activate_left;

  GegluOp(std::int64_t dim_, Approximate approximate_, bool activate_left_)
      : dim(dim_), approximate(approximate_), activate_left(activate_left_) {}
  std::string_view name() const override { return "geglu"; }
  std::string_view call_name() const override { return "aclnnGeGluV3"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct GegluBackwardOp final : AclnnOp {
  std::int64_t dim;
  Approximate approximate;
  bool activate_left;

  GegluBackwardOp(std::int64_t dim_, Approximate approximate_, bool activate_left_)
      : dim(dim_), approximate(approximate_), activate_left(activate_left_) {}
  std::string_view name() const override { return "geglu_backward"; }
  std::string_view call_name() const override { return "aclnnGeGluV3Backward"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
  /// Each half of the gradient lies where the same half of x lay.
  bool may_overwrite(std::size_t, std::size_t input) const override { return input == 1; }
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_GEGLU_H_
