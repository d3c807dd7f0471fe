// SPDX-License-Identifier: Apache-2.0
// What convolution and its backward share: their checks, and the shape of the work.
#pragma once

#include <optional>

#include "ops/convolution/convolution_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {

// Numbers of the parameters; `result` is the output or its gradient.
struct ConvolutionParameters {
  size_t input, weight, stride, padding, dilation, transposed, output_padding, groups, result;
};

bool is_empty_convolution(const Arguments& arguments, const ConvolutionParameters& p);

// Input, weight and result have one rank of 3 to 5.
Rule convolution_ranks(const ConvolutionParameters& p);
// One value for each spatial axis; padding may have one for each end of each.
Rule convolution_array_sizes(const ConvolutionParameters& p);
// stride and dilation are at least 1, padding at least 0, all below 2^31.
Rule convolution_values(const ConvolutionParameters& p);
// The window lies in the padded input.
Rule convolution_window_fits(const ConvolutionParameters& p);
Rule convolution_groups(const ConvolutionParameters& p);
// Channels of input and weight fit each other.
Rule convolution_channels(const ConvolutionParameters& p);
// Groups divide the first size of the weight.
Rule convolution_groups_divide(const ConvolutionParameters& p);
// A vector of one element for each output channel.
Rule has_output_channels(size_t tensor, const ConvolutionParameters& p);
Rule convolution_result_shape(const ConvolutionParameters& p);

int64_t output_channels(const Arguments& arguments, const ConvolutionParameters& p);

// The work of checked arguments. That of a transposed convolution is the adjoint of one from its
// output to its input.
ConvolutionShape convolution_shape(const Arguments& arguments, const ConvolutionParameters& p);

// The type of the arrays: DOUBLE if one of the operands is; BF16 if all that is given is and the
// processor multiplies such numbers in pairs (convolution_kernel_pairs.h); else FLOAT.
aclDataType convolution_dtype(const Arguments& arguments, const ConvolutionShape& shape,
                              std::initializer_list<size_t> operands,
                              std::initializer_list<size_t> others);

}  // namespace aclgrad::ops
