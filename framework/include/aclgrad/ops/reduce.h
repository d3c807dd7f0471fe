// SPDX-License-Identifier: Apache-2.0
// Sums and means over axes. No axes means all of them; negative axes count from the end. Reduced
// axes vanish, or stay with extent 1 when keepdim is set.
#ifndef ACLGRAD_OPS_REDUCE_H_
#define ACLGRAD_OPS_REDUCE_H_

#include <source_location>
#include <vector>

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"

namespace aclgrad {

/// The result has x's dtype. Throws ShapeError for an axis out of range or named twice.
Value reduce_sum(const Value& x, std::vector<std::int64_t> axes = {}, bool keepdim = false,
                 std::source_location where = std::source_location::current());

/// As reduce_sum, divided by the number of elements reduced; x must be floating.
Value mean(const Value& x, std::vector<std::int64_t> axes = {}, bool keepdim = false,
           std::source_location where = std::source_location::current());

/// `axes` are counted from the front, sorted; all of them are listed when none were given.
struct ReductionAttributes {
  std::vector<std::int64_t> axes;
  bool keepdim;
  auto arguments() const { return named({"axes", "keepdim"}, axes, keepdim); }
  std::string text() const;
};

namespace calls {
extern const Declaration<ReductionAttributes> reduce_sum, mean;
}

using ReduceSumOp = DeclaredOp<calls::reduce_sum>;
using MeanOp = DeclaredOp<calls::mean>;

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_REDUCE_H_
