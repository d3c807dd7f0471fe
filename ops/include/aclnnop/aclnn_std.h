/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard deviation over dimensions.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = sqrt(sum((x - mean)^2) / (n - correction)) of the n elements of self over the dimensions in
 * dim: the root of aclnnVarCorrection's result (aclnn_var.h), whose data types, dimensions and
 * special values hold here too. The root is taken in DOUBLE, and the result rounded once.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnStdGetWorkspaceSize(const aclTensor* self,
                                                         const aclIntArray* dim, int64_t correction,
                                                         bool keepdim, aclTensor* out,
                                                         uint64_t* workspaceSize,
                                                         aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnStd(void* workspace, uint64_t workspaceSize,
                                         aclOpExecutor* executor, aclrtStream stream);

/* aclnnStd, and the mean of the same elements. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnStdMeanCorrectionGetWorkspaceSize(
    const aclTensor* self, const aclIntArray* dim, int64_t correction, bool keepdim,
    aclTensor* stdOut, aclTensor* meanOut, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnStdMeanCorrection(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
