/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles a tensor.
 *
 * No output may overlap an input.
 *
 * Data types: FLOAT, FLOAT16, BF16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, UINT32, UINT64, BOOL,
 * COMPLEX64, COMPLEX128; UINT16, but not on 910. out has the dtype of self.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out holds self repeats[i] times along dimension i; where repeats has more entries than self
 * dimensions, self counts as one with sizes of 1 in front. out's size is self's times repeats[i].
 *
 * Limits: number of repeats: at least self's rank, at most 8; none is negative; ranks at most 8.
 * With a repeats of 0 or an empty self nothing is written, and the shape of out is not checked.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnRepeatGetWorkspaceSize(const aclTensor* self,
                                                            const aclIntArray* repeats,
                                                            aclTensor* out, uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRepeat(void* workspace, uint64_t workspaceSize,
                                            aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
