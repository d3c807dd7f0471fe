// SPDX-License-Identifier: Apache-2.0
// What can be checked at all.
#pragma once

#include <string>

#include "aclgrad/gradcheck/operator.h"

namespace aclgrad::gradcheck {

/// Throws ValueError for a negative extent, for more dimensions than a tensor of the C interface
/// has, and when tensors of this shape are too large: exact values take 16 bytes an element, and
/// there are many of them.
void require_checkable(const std::string& what, const Dims& shape);

namespace detail {

/// Throws ValueError, "`draws` is 0, not a number of 1 or more", unless the value is finite and at
/// least `low`.
void require_range(const std::string& what, Number value, Number low, const char* range);

/// Throws ValueError, which names the member, for an operator that is incomplete or has members
/// that mean nothing, and for options outside their range; DTypeError for dtypes that have no
/// gradient.
void require_sound(const Candidate& candidate, const Options& options);

/// require_sound() for a Jacobian of so many rows and columns.
void require_jacobian(const Candidate& candidate, std::size_t rows, std::size_t columns);

}  // namespace detail
}  // namespace aclgrad::gradcheck
