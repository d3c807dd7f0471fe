// SPDX-License-Identifier: Apache-2.0
// 64-bit integers as doubles, rounded to odd (see math/rounding.h).
#ifndef ACLGRAD_OPS_ENGINE_DTYPE_ROUNDING_H_
#define ACLGRAD_OPS_ENGINE_DTYPE_ROUNDING_H_

#include <cstdint>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/math/rounding.h"

namespace aclgrad::ops {

// A 64-bit integer as a double, rounded to odd.
ACLGRAD_INLINE double integer_to_odd(int64_t value) {
  constexpr int64_t kLow = 0x7FF;  // 11 bits: what does not fit can only lie there
  const int64_t low = value & kLow;
  return add_to_odd(static_cast<double>(value - low), static_cast<double>(low));
}
ACLGRAD_INLINE double integer_to_odd(uint64_t value) {
  constexpr uint64_t kLow = 0x7FF;
  const uint64_t low = value & kLow;
  return add_to_odd(static_cast<double>(value - low), static_cast<double>(low));
}

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ENGINE_DTYPE_ROUNDING_H_
