// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_FRAMEWORK_TENSOR_AT_LEAST_FLOAT_H_
#define ACLGRAD_FRAMEWORK_TENSOR_AT_LEAST_FLOAT_H_

#include "aclgrad/dtype.h"

namespace aclgrad::detail {

/// The dtype in which statistics, sums and the state of optimizers are kept for tensors of a dtype:
/// float64 for float64, float32 for all others, those of 16 bits too.
inline DType at_least_float(DType dtype) {
  return dtype == DType::float64 ? DType::float64 : DType::float32;
}

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_TENSOR_AT_LEAST_FLOAT_H_
