/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts a tensor into chunks of one size along a dimension.
 *
 * No output may overlap an input. The list owns its tensors: aclDestroyTensorList destroys them.
 *
 * Data types: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64,
 * COMPLEX128; UINT16, UINT32 and UINT64 on 950. All outputs have one dtype, to which self is
 * converted.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Output k holds the elements from k * splitSections on, splitSections of them, of dimension dim:
 * splitSections is the size of a chunk, not their number; the last chunk holds the rest. out has at
 * least as many tensors as there are chunks; more are left as they are. splitSections may be 0 only
 * when dim has size 0. self has 1 to 8 dimensions; dim is in [-rank, rank - 1].
 *
 * An empty self: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSplitTensorGetWorkspaceSize(const aclTensor* self,
                                                                 uint64_t splitSections,
                                                                 int64_t dim, aclTensorList* out,
                                                                 uint64_t* workspaceSize,
                                                                 aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSplitTensor(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
