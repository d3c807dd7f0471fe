// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_OPS_KERNELS_CONVERT_STORED_H_
#define ACLGRAD_OPS_KERNELS_CONVERT_STORED_H_

#include <cstddef>

#include "acl/acl_base.h"

namespace aclgrad::ops {

// Dense conversion between FLOAT, FLOAT16 and BF16, each value rounded once. False, with nothing
// done, for other dtypes and for equal ones. around_caches: as in StoredBlock,
// elementwise.h.
bool convert_stored(const void* source, aclDataType from, void* target, aclDataType to,
                    size_t count, bool around_caches);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_CONVERT_STORED_H_
