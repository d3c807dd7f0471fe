/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slices by the numbers of several dimensions.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = data, then out[indices[k]] = updates[k] for every position k of indices but its last
 * dimension, which has the numbers of data's first dimensions. The last of equal numbers wins. out
 * may be data. A number that is negative or not below its dimension's size ends the task with an
 * error, which the next synchronisation of the stream returns, and nothing is written then.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; updates and out have that of data.
 * indices: INT32, INT64. Limits: ranks 1 to 8 (of updates from 0 on); indices has numbers of at
 * least one dimension; updates has the sizes of indices but the last, then those of data that no
 * numbers are for; elements in data where there are numbers.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnScatterNdGetWorkspaceSize(
    const aclTensor* data, const aclTensor* indices, const aclTensor* updates, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnScatterNd(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
