// SPDX-License-Identifier: Apache-2.0
// Pairs of plain functions at points that random numbers do not meet.
#pragma once

#include "gradcheck/core/function_calls.h"

namespace aclgrad::gradcheck::detail {

/// Points with zeros, ends of ranges, equal numbers, equal indices, numbers far out. Float64 only.
void check_points(const FunctionPair& pair, std::uint64_t seed, Report& report);

/// The numbers far out alone.
void check_far_points(const FunctionPair& pair, std::uint64_t seed, Report& report);

/// Along random directions and with equal numbers: for sizes of which no Jacobian is made.
void check_directions(const FunctionPair& pair, std::uint64_t seed, Report& report);

}  // namespace aclgrad::gradcheck::detail
