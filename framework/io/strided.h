// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aclgrad/tensor.h"

namespace aclgrad::detail {

/// A tensor of elements that lie `strides` apart from element `offset` of the bytes on, all within
/// them. Throws IoError, which begins with `place`, for a bool that is neither 0 nor 1, and for a
/// tensor that there is no memory for.
Tensor gathered(std::string_view bytes, std::int64_t offset, const Shape& shape,
                const std::vector<std::int64_t>& strides, DType dtype, const std::string& place);

}  // namespace aclgrad::detail
