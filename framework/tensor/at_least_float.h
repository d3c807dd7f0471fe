// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aclgrad/dtype.h"

namespace aclgrad::detail {

/// The dtype in which statistics, sums and the state of optimizers are kept for tensors of a dtype:
/// float64 for float64, float32 for all others, those of 16 bits too.
inline DType at_least_float(DType dtype) {
  return dtype == DType::float64 ? DType::float64 : DType::float32;
}

}  // namespace aclgrad::detail
