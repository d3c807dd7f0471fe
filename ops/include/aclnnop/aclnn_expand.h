/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tensor broadcast to a size, as a copy, bit for bit.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; out has the dtype
 * of self.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = self broadcast to size. size has an entry for each dimension of out, the last ones for
 * those of self: a dimension of size 1 becomes any, others stay as they are; -1 keeps the size of
 * self. Entries in front of those of self add dimensions.
 *
 * Limits: rank of self and entries of size at most 8, entries 0 or more, or -1; out has that size.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnExpandGetWorkspaceSize(const aclTensor* self,
                                                            const aclIntArray* size, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnExpand(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
