// SPDX-License-Identifier: Apache-2.0
// The reduction of the ranks' elements, in one fixed tree over the rank numbers.
#pragma once

#include <cstddef>
#include <span>

#include "hccl/hccl_types.h"

namespace aclgrad::hccl {

// result[i] = the reduction of parts[0][i], parts[1][i], ...; parts[r] is rank r's. With R parts
// left and M the largest power of two below R, part i >= M goes into part i - M, until one is left:
// for 8, ((0+4)+(2+6)) + ((1+5)+(3+7)). Every reduction of the library is made here, whatever way
// the parts have come: the bits depend on them alone. FP16 and BFP16 are reduced in float and
// rounded once, to nearest even. Integers wrap. MAX and MIN hand on NaN and order -0 below +0.
//
// `result` may be one of the parts. Nothing needs to be aligned. The type must be one that some
// product reduces.
void reduce(HcclDataType dtype, HcclReduceOp op, std::span<const void* const> parts, void* result,
            size_t count);

}  // namespace aclgrad::hccl
