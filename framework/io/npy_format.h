// SPDX-License-Identifier: Apache-2.0
// An array of NumPy as bytes.
#ifndef ACLGRAD_FRAMEWORK_IO_NPY_FORMAT_H_
#define ACLGRAD_FRAMEWORK_IO_NPY_FORMAT_H_

#include <string>
#include <string_view>

#include "aclgrad/tensor.h"

namespace aclgrad::detail {

/// Throws as read_npy(); `file` begins the messages.
Tensor parse_npy(std::string_view bytes, const std::string& file);

/// Throws DTypeError as write_npy().
std::string npy_of(const Tensor& tensor);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_IO_NPY_FORMAT_H_
