// SPDX-License-Identifier: Apache-2.0
// What a file is that could not be read as what it was taken for.
#pragma once

#include <string>
#include <string_view>

namespace aclgrad::detail {

enum class Expected { tensors, table, idx };

/// A sentence that ends with what to do, such as "it is compressed with gzip: unpack it first", by
/// how the file begins (some thousand bytes are enough); "" where that is nothing known.
std::string other_kind(std::string_view beginning, Expected expected);

}  // namespace aclgrad::detail
