// SPDX-License-Identifier: Apache-2.0
// What losses made of other functions share.
#pragma once

#include <vector>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/loss.h"
#include "aclgrad/ops/reduction.h"
#include "aclgrad/ops/shape.h"
#include "tensor/at_least_float.h"

namespace aclgrad::detail {

/// A loss of several nodes computes in at_least_float, and reduced() rounds it once: 16 bits
/// between its nodes would overflow where neither the loss nor its gradient does.
inline Value widened(const Value& x) { return cast(x, at_least_float(x.dtype())); }

/// The losses of all elements as the result, in the dtype of what the loss was given.
inline Value reduced(const Value& losses, Reduction reduction, DType dtype) {
  if (reduction == Reduction::none) return cast(losses, dtype);
  return cast(reduction == Reduction::sum ? reduce_sum(losses) : mean(losses), dtype);
}

/// x that is to be multiplied by `factor`: 0 where the factor is and x is NaN or an infinity. What
/// does not count adds nothing, and nothing is asked of it.
inline Value for_product(const Value& x, const Value& factor) {
  const Value unfit = ne(mul(x, 0), 0);
  return masked_fill(x, minimum(eq(factor, 0), unfit), 0);  // of bool: and
}

inline Shape without_last_axis(const Shape& shape) {
  return Shape(std::vector<std::int64_t>(shape.dims().begin(), shape.dims().end() - 1));
}

}  // namespace aclgrad::detail
