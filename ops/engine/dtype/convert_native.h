// SPDX-License-Identifier: Apache-2.0
// Native kernels that convert or copy dense rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// From one of FLOAT, FLOAT16 and BF16 to another; each value is rounded once. The block's dtype is
// not used.
NativeKernel native_conversion(aclDataType from, aclDataType to);

// The same at once, for elements that follow each other; false where the dtypes are not two of
// those.
bool convert_dense(const void* from, aclDataType from_dtype, void* to, aclDataType to_dtype,
                   int64_t count);

// Elements of so many bytes, bit for bit.
NativeKernel native_copy(size_t element_bytes);

}  // namespace aclgrad::ops
