/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of classes as rows with one element that is on.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = onValue where the place along axis is the element of self, else offValue. axis is where in
 * out the classes lie: in [-1, rank of self], -1 and the rank for the last dimension; all other
 * dimensions are self's in their order. An element that is no class, below 0 or not below
 * numClasses, has all values off.
 *
 * self: INT8, INT16, INT32, INT64, UINT8. onValue, offValue, of one element, and out, all alike:
 * FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, BOOL,
 * COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950. Limits: numClasses not negative; rank of
 * self at most 7. An empty out: success.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnOneHotGetWorkspaceSize(
    const aclTensor* self, int64_t numClasses, const aclTensor* onValue, const aclTensor* offValue,
    int64_t axis, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnOneHot(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
