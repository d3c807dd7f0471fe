/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of an embedding that are about to be read, held to a norm.
 *
 * Data types: FLOAT, FLOAT16, DOUBLE, and BF16 on Atlas A2, A3 and 950. indices: INT32, INT64.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Of the rows of selfRef [V, D], those whose numbers are in indices, each once however often it is
 * there. With the norm (sum |x|^normType)^(1/normType) of a row, for an infinite normType its
 * largest |x|, a row of a norm above maxNorm is multiplied by maxNorm / (norm + 1e-7); others, and
 * those whose norm is NaN, stay as they are. Computed in DOUBLE, in one order for any number of
 * threads, and rounded once. Negative indices count from the end. One outside its range ends the
 * task with an error, which the next synchronisation of the stream returns, and a message that
 * names it; nothing is written then. Without indices: success, nothing is written. Limits: indices
 * of rank at most 8; normType above 0, maxNorm at least 0.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnEmbeddingRenormGetWorkspaceSize(
    aclTensor* selfRef, const aclTensor* indices, double maxNorm, double normType,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnEmbeddingRenorm(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
