/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value along the main diagonal.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef[i, i, .., i] = fillValue. With wrap, the diagonal of a matrix of more rows than columns
 * begins again one row below its end, and again, so that every (columns + 1)-th element in the
 * order of rows is filled. fillValue: any scalar, converted to selfRef's dtype; complex ones beside
 * a complex selfRef only.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950. Limits: ranks 2 to 8, and beyond 2
 * all sizes equal. An empty selfRef: success.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFillDiagonalGetWorkspaceSize(aclTensor* selfRef,
                                                                         const aclScalar* fillValue,
                                                                         bool wrap,
                                                                         uint64_t* workspaceSize,
                                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFillDiagonal(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

ACLGRAD_END_DECLS
