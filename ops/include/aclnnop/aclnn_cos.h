/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cosine.
 *
 *   out = cos(input), input in radians
 *
 * Infinities give NaN; NaN stays.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * input       FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, INT8, INT16, INT32, INT64, UINT8,
 *             BOOL; BF16 (Ascend910B, Ascend910_93, Ascend950); rank 0 to 8
 * out         FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); integers and BOOL are computed in FLOAT
 *             shape of input; may be input
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCosGetWorkspaceSize(const aclTensor* input, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCos(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, const aclrtStream stream);

/*
 * aclnnCos with inputRef as both input and output.
 *
 * inputRef    FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128; BF16 (Ascend910B, Ascend910_93,
 *             Ascend950); rank 0 to 8
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceCosGetWorkspaceSize(aclTensor* inputRef,
                                                                uint64_t* workspaceSize,
                                                                aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceCos(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, const aclrtStream stream);

ACLGRAD_END_DECLS
