// SPDX-License-Identifier: Apache-2.0
// An array of NumPy as bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aclgrad/tensor.h"

namespace aclgrad::detail {

/// What the header of an array says.
struct NpyHeader {
  std::string descr = {};  // '<f4'; "" of records of several fields
  bool fortran = false;
  std::vector<std::int64_t> shape = {};
};

/// Reads the Python dictionary that a header is, whoever wrote it: {'descr': '<f4',
/// 'fortran_order': False, 'shape': (3, 4), }, with quotes of both kinds, in any order, with the
/// 4L of Python 2. Throws IoError, which begins with `file`.
NpyHeader npy_header(std::string_view text, const std::string& file);

bool begins_as_npy(std::string_view bytes);

/// Throws as read_npy(); `file` begins the messages.
Tensor parse_npy(std::string_view bytes, const std::string& file);

/// Throws DTypeError as write_npy().
std::string npy_of(const Tensor& tensor);

}  // namespace aclgrad::detail
