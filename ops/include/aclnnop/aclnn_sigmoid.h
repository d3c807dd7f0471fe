/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logistic function.
 *
 *   out = 1 / (1 + e^-self)
 *
 * Infinities give 0 and 1; NaN stays.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self        FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, BF16, INT8, INT16, INT32, INT64,
 *             UINT8, BOOL; rank 0 to 8
 * out         FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, BF16; integers and BOOL are
 *             converted to it before
 *             shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSigmoidGetWorkspaceSize(const aclTensor* self, aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSigmoid(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, const aclrtStream stream);

/*
 * aclnnSigmoid with selfRef as both input and output.
 *
 * selfRef     FLOAT, FLOAT16, DOUBLE, COMPLEX64, COMPLEX128, BF16; rank 0 to 8
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceSigmoidGetWorkspaceSize(aclTensor* selfRef,
                                                                    uint64_t* workspaceSize,
                                                                    aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceSigmoid(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor,
                                                    const aclrtStream stream);

ACLGRAD_END_DECLS
