/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts elements, or a value, where their coordinate along one dimension says, or adds them to, or
 * multiplies them with, what is there.
 *
 * out may be self. src may not overlap what is written. Sums and products are computed in double,
 * or in integers that wrap, in the row-major order of index, and rounded once: the same bits on
 * every run and with any number of threads. Of equal indices with reduce 0 the last in row-major
 * order stays, which PyTorch leaves open.
 *
 * Data types with reduce 0, bit for bit: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8,
 * UINT16, UINT32, UINT64, BOOL, COMPLEX64, COMPLEX128, and BF16 on Atlas A2, A3 and 950; with 1 and
 * 2: FLOAT, FLOAT16, DOUBLE, INT8, INT16, INT32, INT64, UINT8, BOOL (1: or, 2: and), and BF16
 * likewise. src and out have the dtype of self. index: INT32, INT64.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * out = self, then for every position (i, j, ..) of index, with the index in the place of
 * coordinate dim (here 1): out[i, index[i, j, ..], ..] = src[i, j, ..] for reduce 0, += for 1, *=
 * for 2. A negative index counts from the end. An index outside its range ends the task with an
 * error, which the next synchronisation of the stream returns, and a message that names the index;
 * nothing is written then.
 *
 * self, index and src have one rank, at most 8 (none counts as 1); index is nowhere larger than
 * src, nor than self but along dim: the rest of src does not count. out has the size of self. dim
 * in [-rank, rank - 1]; a size of 0 along dim together with indices is refused. Without indices,
 * out is self. reduce in [0, 2].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnScatterGetWorkspaceSize(
    const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* src,
    int64_t reduce, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnScatter(void* workspace, uint64_t workspaceSize,
                                             aclOpExecutor* executor, aclrtStream stream);

/* The same in place. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceScatterGetWorkspaceSize(
    aclTensor* selfRef, int64_t dim, const aclTensor* index, const aclTensor* src, int64_t reduce,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceScatter(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

/*
 * The same with one value for every element of src: any scalar, converted to the dtype of self;
 * complex ones beside a complex self only.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnScatterValueGetWorkspaceSize(
    const aclTensor* self, int64_t dim, const aclTensor* index, const aclScalar* value,
    int64_t reduce, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnScatterValue(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

/* That in place. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceScatterValueGetWorkspaceSize(
    aclTensor* selfRef, int64_t dim, const aclTensor* index, const aclScalar* value, int64_t reduce,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceScatterValue(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

ACLGRAD_END_DECLS
