/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements shifted along dimensions, those that leave one end coming in at the other.
 *
 * Every value keeps its bits. No output may overlap an input.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950. out has the dtype of x.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[.., (i + shift) mod n, ..] = x[.., i, ..] along each dimension in dims, n its size; shifts
 * has one entry for each, of any sign and size. A dimension that is named twice is shifted twice.
 * With an empty dims and one shift, x counts as one line of its elements in row-major order. out
 * has the size of x. Limits: dims in [-n, n-1] (n = x's rank, 1 for 0-d); ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRollGetWorkspaceSize(const aclTensor* x,
                                                          const aclIntArray* shifts,
                                                          const aclIntArray* dims, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRoll(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
