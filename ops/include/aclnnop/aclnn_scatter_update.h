/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of each batch, such as the newest rows of a cache.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * For every batch b: data[b], along axis from indices[b] on, = updates[b]. updates has data's
 * shape, but for its size along axis, which may be smaller. A part that is not within data ends the
 * task with an error, which the next synchronisation of the stream returns, and nothing is written
 * then.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; updates has that of data. indices:
 * INT32, INT64, [batches]. Limits: ranks 2 to 8; axis in [-rank, rank - 1], but not the first
 * dimension.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceScatterUpdateGetWorkspaceSize(
    aclTensor* data, const aclTensor* indices, const aclTensor* updates, int64_t axis,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceScatterUpdate(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

ACLGRAD_END_DECLS
