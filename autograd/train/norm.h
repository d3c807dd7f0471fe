// SPDX-License-Identifier: Apache-2.0
// The Euclidean norm of a tensor on the host, for what a log is told.
#ifndef ACLGRAD_AUTOGRAD_TRAIN_NORM_H_
#define ACLGRAD_AUTOGRAD_TRAIN_NORM_H_

#include <cmath>

#include "aclgrad/tensor.h"

namespace aclgrad::detail {

inline double euclidean_norm(const Tensor& tensor) {
  const Tensor wide = tensor.to(DType::float64);
  double squares = 0;
  for (const double value : wide.data<double>()) squares += value * value;
  return std::sqrt(squares);
}

}  // namespace aclgrad::detail

#endif  // ACLGRAD_AUTOGRAD_TRAIN_NORM_H_
