// SPDX-License-Identifier: Apache-2.0
// The Euclidean norm of a tensor on the host, for what a log is told.
#pragma once

#include <algorithm>
#include <cmath>

#include "aclgrad/tensor.h"

namespace aclgrad::detail {

inline double euclidean_norm(const Tensor& tensor) {
  const Tensor wide = tensor.to(DType::float64);
  double largest = 0;
  for (const double value : wide.data<double>()) {
    if (std::isnan(value)) return value;
    largest = std::max(largest, std::abs(value));
  }
  if (largest == 0 || std::isinf(largest)) return largest;
  // Times a power of two, so that no square is too large or too small for double.
  const double scale = std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000));
  double squares = 0;
  for (const double value : wide.data<double>()) squares += (value * scale) * (value * scale);
  return std::sqrt(squares) / scale;
}

}  // namespace aclgrad::detail
