/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution and transposed convolution over one, two or three spatial axes.
 *
 * No output may overlap an input.
 */
#pragma once

#include "aclnn/aclnn_base.h" /* what holds for every operator */

ACLGRAD_BEGIN_DECLS

/*
 * output[n, o, p] = bias[o] + the sum over c and k of input[n, c, p stride - padding + k dilation]
 * * weight[o, c, k] (cross-correlation), where c goes over the channels of o's group. Shapes: input
 * [N, C, ...] with 1 to 3 spatial axes, weight [O, C / groups, kernel...], bias [O] or null, output
 * [N, O, ...] with floor((in + padding - dilation (kernel - 1) - 1) / stride) + 1 elements along an
 * axis, both ends' padding counted. Transposed, it is the adjoint of that: weight [C, O / groups,
 * kernel...], and (in - 1) stride - padding + dilation (kernel - 1) + outputPadding + 1 elements.
 *
 * stride, padding, dilation: a value for each spatial axis, below 2^31 (in this library); padding
 * may have two for each instead, before the first and behind the last element, for two axes, and
 * for one unless transposed. outputPadding, only where transposed, likewise; else it is ignored and
 * may be null. input, weight and output have the format NCL, NCHW or NCDHW, which their rank asks
 * for, bias one of these or ND. cubeMathType: see aclnn_matmul.h.
 *
 * Data types: FLOAT, FLOAT16, and BF16 on Atlas A2, A3 and 950, in any mixture. Sums are taken in
 * FLOAT and rounded once to the output's dtype (DOUBLE, while aclgradSetAcceptDouble is on, in
 * DOUBLE). Bits do not depend on the number of threads.
 *
 * Where all tensors are BF16, strides are 1, channels share groups, a sum has 16 terms or more and
 * all have 2^15 together, the processor's own instruction for BF16 multiplies, if it has one: as
 * aclnn_mm.h says, those bits depend on the processor, unless ACL_OPT_DETERMINISTIC is set. There
 * the elements of a transposed convolution's output that no window reaches with an infinite or NaN
 * weight may be NaN, too.
 *
 * Limits: ranks 3 to 5 and equal; no negative size, kernel of at least 1; stride and dilation at
 * least 1, padding at least 0; the window lies in the padded input (unless transposed); groups at
 * least 1; outputPadding at least 0, and less than stride or dilation; groups divide the weight's
 * first size. An empty input or weight is right only with an empty output: success, nothing is
 * written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnConvolutionGetWorkspaceSize(
    const aclTensor* input, const aclTensor* weight, const aclTensor* bias,
    const aclIntArray* stride, const aclIntArray* padding, const aclIntArray* dilation,
    bool transposed, const aclIntArray* outputPadding, const int64_t groups, aclTensor* output,
    int8_t cubeMathType, uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnConvolution(void* workspace, uint64_t workspaceSize,
                                                 aclOpExecutor* executor, aclrtStream stream);

ACLGRAD_END_DECLS
