/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often each number stands in a list, or the sum of its weights.
 *
 * No output may overlap an input unless its comment says otherwise.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out[i] = how many elements of self are i, or the sum of weights where they are. out has one
 * dimension, with the size that the caller chose: numbers beyond it are left out. A number below 0
 * makes the task fail. self has one dimension; weights, which may be null, its size. minlength >= 0
 * is what the caller kept to, and is not used. Sums are taken in self's order in DOUBLE and rounded
 * once. Data types of self: INT8, INT16, INT32, INT64, UINT8; of weights: FLOAT, FLOAT16, DOUBLE,
 * INT8, INT16, INT32, INT64, UINT8, BOOL, and BF16 on Atlas A2, A3 and 950. out: without weights
 * INT64 or INT32, with those of FLOAT FLOAT, with others DOUBLE.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnBincountGetWorkspaceSize(const aclTensor* self,
                                                              const aclTensor* weights,
                                                              int64_t minlength, aclTensor* out,
                                                              uint64_t* workspaceSize,
                                                              aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBincount(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
