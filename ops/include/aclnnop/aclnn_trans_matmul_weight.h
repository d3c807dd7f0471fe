/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights of products in the layout that a processor likes.
 *
 * Products here read weights as they are, so that nothing is reordered. A tensor of the format
 * FRACTAL_NZ that is given to aclnnMm, aclnnMatmul or aclnnBatchMatMul as mat2 is read by its sizes
 * and strides, as one of the format ND.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Prepares a weight for products: success, nothing is changed. Data types: FLOAT, FLOAT16, DOUBLE,
 * INT8, and BF16 on Atlas A2, A3 and 950. Limits: rank from 2 to 8.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransMatmulWeightGetWorkspaceSize(aclTensor* mmWeightRef,
                                                                       uint64_t* workspaceSize,
                                                                       aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransMatmulWeight(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

/*
 * *weightTensorSize = the bytes that a weight of this shape takes after aclnnTransMatmulWeight: the
 * product of the sizes times the bytes of an element, of which two of INT4 share one. One call,
 * without an executor. tensorShape or weightTensorSize null: 161001; a negative size, or a dtype
 * whose elements have no size: 161002.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape,
                                                                 aclDataType dataType,
                                                                 uint64_t* weightTensorSize);

ACLGRAD_END_DECLS
