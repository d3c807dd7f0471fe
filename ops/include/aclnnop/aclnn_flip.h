/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements in the opposite order along dimensions.
 *
 * Every value keeps its bits. No output may overlap an input.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950. out has the dtype of self.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[.., i, ..] = self[.., n - 1 - i, ..] along every dimension in dims, n its size. dims lists
 * dimensions in [-n, n-1] (n = self's rank, 1 for 0-d), each once; an empty array makes a copy. out
 * has the size of self. Limits: ranks at most 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnFlipGetWorkspaceSize(const aclTensor* self,
                                                          const aclIntArray* dims, aclTensor* out,
                                                          uint64_t* workspaceSize,
                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFlip(void* workspace, uint64_t workspaceSize,
                                          aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
