/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values held between two bounds.
 *
 *   out = min(max(self, minVal), maxVal)
 *
 * Where minVal is above maxVal every value becomes maxVal. NaN stays.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * self            FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *                 Ascend910_93, Ascend950); rank 0 to 8
 * minVal, maxVal  of any real dtype; rounded to FLOAT unless self is DOUBLE; beside integers cut
 *                 off and held within the range of the dtype
 * out             dtype and shape of self; may be self
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardtanhGetWorkspaceSize(
    const aclTensor* self, const aclScalar* minVal, const aclScalar* maxVal, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnHardtanh(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

/*
 * aclnnHardtanh with selfRef as both input and output.
 *
 * selfRef         FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8; BF16 (Ascend910B,
 *                 Ascend910_93, Ascend950); rank 0 to 8
 * minVal, maxVal  of any real dtype; rounded to FLOAT unless self is DOUBLE; beside integers cut
 *                 off and held within the range of the dtype
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceHardtanhGetWorkspaceSize(aclTensor* selfRef,
                                                                     const aclScalar* minVal,
                                                                     const aclScalar* maxVal,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceHardtanh(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
