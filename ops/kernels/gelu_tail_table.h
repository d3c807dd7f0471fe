// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_OPS_KERNELS_GELU_TAIL_TABLE_H_
#define ACLGRAD_OPS_KERNELS_GELU_TAIL_TABLE_H_

#include <cstddef>

namespace aclgrad::ops {

inline constexpr size_t kTailTerms = 7;
inline constexpr float kTailRest[kTailTerms] = {
    -0x1.ffff780000000p-1f, 0x1.7fd5f40000000p+1f,  -0x1.db351e0000000p+3f, 0x1.80545c0000000p+6f,
    -0x1.3b726e0000000p+9f, 0x1.83778e0000000p+11f, -0x1.d790e60000000p+12f};

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_GELU_TAIL_TABLE_H_
