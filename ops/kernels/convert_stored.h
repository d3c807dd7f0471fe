// SPDX-License-Identifier: Apache-2.0
// Dense rows of stored elements, converted or copied.
#ifndef ACLGRAD_OPS_KERNELS_CONVERT_STORED_H_
#define ACLGRAD_OPS_KERNELS_CONVERT_STORED_H_

#include <cstddef>

#include "ops/kernels/elementwise.h"

namespace aclgrad::ops {

// Between FLOAT, FLOAT16 and BF16, `to` other than `from`; each value is rounded once. The block's
// own dtype says nothing.
void convert_stored(const StoredBlock& block, aclDataType from, aclDataType to);

// Elements of 2 or 4 bytes, bit for bit.
void copy_stored(const StoredBlock& block, size_t element_bytes);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_CONVERT_STORED_H_
