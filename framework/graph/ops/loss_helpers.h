// SPDX-License-Identifier: Apache-2.0
// What losses made of other functions share.
#ifndef ACLGRAD_FRAMEWORK_GRAPH_OPS_LOSS_HELPERS_H_
#define ACLGRAD_FRAMEWORK_GRAPH_OPS_LOSS_HELPERS_H_

#include <vector>

#include "aclgrad/ops/loss.h"
#include "aclgrad/ops/reduction.h"

namespace aclgrad::detail {

/// The losses of all elements as the result.
inline Value reduced(const Value& losses, Reduction reduction) {
  if (reduction == Reduction::none) return losses;
  return reduction == Reduction::sum ? reduce_sum(losses) : mean(losses);
}

inline Shape without_last_axis(const Shape& shape) {
  return Shape(std::vector<std::int64_t>(shape.dims().begin(), shape.dims().end() - 1));
}

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_GRAPH_OPS_LOSS_HELPERS_H_
