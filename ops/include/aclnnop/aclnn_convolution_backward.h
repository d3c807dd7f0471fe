/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of convolution.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * Of aclnnConvolution: gradInput, the adjoint applied to gradOutput, 0 where no window reached;
 * gradWeight; gradBias = the sum of gradOutput over images and space. outputMask says which of the
 * three are written, in this order; the others may be null. biasSizes is [O], or null. groups is a
 * plain int. Tensors of rank 3 have the format NCL or ND, of rank 4 NCHW, of rank 5 NCDHW.
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, in any mixture. Sums are taken in
 * FLOAT, those of gradWeight over many places and of gradBias in DOUBLE, and rounded once (DOUBLE,
 * while aclgradSetAcceptDouble is on, in DOUBLE). Bits do not depend on the number of threads.
 * Where all tensors are BF16, the processor's own instruction may multiply, as aclnn_convolution.h
 * says. There an infinite or NaN element may make NaN of gradients beside those that it reaches.
 *
 * Limits: stride and dilation at least 1, padding at least 0; outputPadding 0, or where transposed
 * at least 0 and with three axes less than stride; groups at least 1; cubeMathType 0 to 3; ranks 3
 * to 5 and equal; the window lies in the padded input. An outputMask of other than 3 values gives
 * 161001. An empty input or weight: gradWeight and gradBias become 0, gradInput is not written;
 * biasSizes must be given for gradBias, and the input must have no images or no channels for
 * gradInput; channels and gradOutput are not compared.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnConvolutionBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* input, const aclTensor* weight,
    const aclIntArray* biasSizes, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool transposed, const aclIntArray* outputPadding, int groups,
    const aclBoolArray* outputMask, int8_t cubeMathType, aclTensor* gradInput,
    aclTensor* gradWeight, aclTensor* gradBias, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnConvolutionBackward(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         const aclrtStream stream);

ACLGRAD_END_DECLS
