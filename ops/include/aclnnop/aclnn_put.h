/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements by their numbers in the order of rows.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef, as one line in the order of its rows, at index[k] = source[k], or += with accumulate,
 * for every k in the order of rows. Without accumulate the last of equal numbers wins; with it,
 * terms are added in their order in DOUBLE, INT64 or complex numbers of DOUBLE, and rounded once.
 *
 * A negative number counts from the end. One outside its range ends the task with an error, which
 * the next synchronisation of the stream returns, and nothing is written then.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64,
 * COMPLEX128, BF16 on Atlas A2, A3 and 950, and without accumulate UINT16, UINT32, UINT64; source
 * has that of selfRef. index: INT32, INT64. Limits: ranks at most 8; as many elements in index and
 * source; elements in selfRef where there are numbers.
 */
ACL_FUNC_VISIBILITY aclnnStatus
aclnnInplacePutGetWorkspaceSize(aclTensor* selfRef, const aclTensor* index, const aclTensor* source,
                                bool accumulate, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplacePut(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
