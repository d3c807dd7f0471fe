/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts elements one after the other where a mask is true, bit for bit: the gradient of
 * aclnnMaskedSelect.
 *
 * source may not overlap selfRef.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64,
 * BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; source has the
 * dtype of selfRef. mask: BOOL, UINT8 (true: not 0).
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * selfRef[k-th true position of mask] = source[k], both in row-major order. mask broadcasts to the
 * size of selfRef. source has any size, with as many elements as there are true positions, or more,
 * of which the rest does not count; fewer end the task with an error, which the next
 * synchronisation of the stream returns, and nothing is written then.
 *
 * Ranks at most 8. An empty selfRef: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceMaskedScatterGetWorkspaceSize(aclTensor* selfRef,
                                                                          const aclTensor* mask,
                                                                          const aclTensor* source,
                                                                          uint64_t* workspaceSize,
                                                                          aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceMaskedScatter(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

ACLGRAD_END_DECLS
