// SPDX-License-Identifier: Apache-2.0
// Sums and means over axes. No axes means all of them; negative axes count from the end. Reduced
// axes vanish, or stay with extent 1 when keepdim is set.
#ifndef ACLGRAD_OPS_REDUCE_H_
#define ACLGRAD_OPS_REDUCE_H_

#include <source_location>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad {

/// The result has x's dtype. Throws ShapeError for an axis out of range or named twice.
Value reduce_sum(const Value& x, std::vector<std::int64_t> axes = {}, bool keepdim = false,
                 std::source_location where = std::source_location::current());

/// As reduce_sum, divided by the number of elements reduced; x must be floating.
Value mean(const Value& x, std::vector<std::int64_t> axes = {}, bool keepdim = false,
           std::source_location where = std::source_location::current());

/// `axes` are counted from the front, sorted; all of them are listed when none were given.
struct ReduceSumOp final : AclnnOp {
  std::vector<std::int64_t> axes;
  bool keepdim;

  ReduceSumOp(std::vector<std::int64_t> axes_, bool keepdim_)
      : axes(std::move(axes_)), keepdim(keepdim_) {}
  std::string_view name() const override { return "reduce_sum"; }
  std::string_view call_name() const override { return "aclnnReduceSum"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

struct MeanOp final : AclnnOp {
  std::vector<std::int64_t> axes;
  bool keepdim;

  MeanOp(std::vector<std::int64_t> axes_, bool keepdim_)
      : axes(std::move(axes_)), keepdim(keepdim_) {}
  std::string_view name() const override { return "mean"; }
  std::string_view call_name() const override { return "aclnnMean"; }
  std::string attributes() const override;
  aclnnStatus phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const override;
  PhaseTwo phase_two() const override;
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_REDUCE_H_
