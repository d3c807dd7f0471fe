// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/selu_kernel.h"

#include <algorithm>
#include <limits>

#include "ops/activation/elu_kernel.h"

namespace aclgrad::ops {
namespace {

// SELU is the ELU of these numbers. The rest counts where y + lambda alpha is small, near the
// forward's limit. An output of 0 has the slope of the linear branch. Of all pairs of floats the
// product of these two is nearest to the limit.
constexpr EluFunction kSelu{.limit = 1.7580993408473768600,
                            .scale = 1.0507009873554804934,
                            .input_scale = 1,
                            .limit_rest = 0x1.05161b045a1f7p-56,
                            .linear_above = -0x1p-149,
                            .limit_factors = {0x1.4a8594p+0f, 0x1.5c98cp+0f}};

// Products of integers with lambda and lambda alpha as multiples of 2^-64. Their error is below
// 2^-34 for factors of 32 bits, while no such product comes that near to an integer (by the
// continued fractions of the two constants), so cutting off gives the digits of the exact value.
using Int128 = __int128;
constexpr Int128 kOne = Int128{1} << 64;
constexpr Int128 kLambdaWide = kOne + 0x0cfabd6a911322e0;
constexpr Int128 kLambdaAlphaWide = kOne + 0xc212cc640f031105;

int64_t truncate_and_clamp(Int128 multiple, int64_t low, int64_t high) {
  return std::clamp(static_cast<int64_t>(multiple / kOne), low, high);  // division truncates
}

struct Range {
  int64_t low;
  int64_t high;
};

Range range_of(aclDataType dtype) {
  if (dtype == ACL_INT8)
    return {std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max()};
  return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
}

}  // namespace

FloatKernel selu_kernel() { return elu_kernel(kSelu); }

FloatKernel selu_backward_kernel() { return elu_backward_kernel(kSelu, /*is_result=*/true); }

IntegerKernel selu_integer_kernel(aclDataType dtype) {
  return [range = range_of(dtype)](const int64_t* const* in, int64_t* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const int64_t x = in[0][i];
      // Below 0 the value lies between -1.76 and -1.11.
      out[0][i] =
          x > 0 ? truncate_and_clamp(x * kLambdaWide, range.low, range.high) : (x < 0 ? -1 : 0);
    }
  };
}

IntegerKernel selu_backward_integer_kernel(aclDataType dtype) {
  return [range = range_of(dtype)](const int64_t* const* in, int64_t* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const int64_t g = in[0][i];
      const int64_t y = in[1][i];
      const Int128 slope = y < 0 ? y * kOne + kLambdaAlphaWide : kLambdaWide;
      out[0][i] = truncate_and_clamp(g * slope, range.low, range.high);
    }
  };
}

}  // namespace aclgrad::ops
