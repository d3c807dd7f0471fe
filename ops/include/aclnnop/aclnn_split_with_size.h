/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts a tensor into chunks of given sizes along a dimension.
 *
 * No output may overlap an input. The list owns its tensors: aclDestroyTensorList destroys them.
 *
 * Data types: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL, COMPLEX64,
 * COMPLEX128; UINT16, UINT32 and UINT64 on 950. self is converted to the dtype of each output; they
 * may differ.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Output k holds the next splitSize[k] elements of dimension dim. The sizes are not negative and
 * add up to the size of dim; out has one tensor for each. self has 1 to 8 dimensions; dim is in
 * [-rank, rank - 1].
 *
 * An empty self: success, nothing is written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnSplitWithSizeGetWorkspaceSize(const aclTensor* self,
                                                                   const aclIntArray* splitSize,
                                                                   int64_t dim, aclTensorList* out,
                                                                   uint64_t* workspaceSize,
                                                                   aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSplitWithSize(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
