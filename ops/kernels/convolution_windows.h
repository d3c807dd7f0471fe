// SPDX-License-Identifier: Apache-2.0
// The elements under the windows of a convolution, as the columns of a matrix.
#ifndef ACLGRAD_OPS_KERNELS_CONVOLUTION_WINDOWS_H_
#define ACLGRAD_OPS_KERNELS_CONVOLUTION_WINDOWS_H_

#include "ops/kernels/convolution.h"

namespace aclgrad::ops {

// The elements of `channels` input channels under the windows of places [begin, end): a row for
// each channel and tap; 0 where a window reaches over the edge.
void im2col(const ConvolutionShape& s, const float* x, int64_t channels, int64_t begin, int64_t end,
            float* columns);
void im2col(const ConvolutionShape& s, const double* x, int64_t channels, int64_t begin,
            int64_t end, double* columns);

// Adds such rows to the elements that they stand for.
void col2im(const ConvolutionShape& s, const float* columns, int64_t channels, int64_t begin,
            int64_t end, float* x);
void col2im(const ConvolutionShape& s, const double* columns, int64_t channels, int64_t begin,
            int64_t end, double* x);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_CONVOLUTION_WINDOWS_H_
