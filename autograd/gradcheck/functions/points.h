// SPDX-License-Identifier: Apache-2.0
// Pairs of plain functions at points that random numbers do not meet.
#pragma once

#include "gradcheck/functions/calls.h"

namespace aclgrad::gradcheck::detail {

/// check_functions without the points below.
Report check_pair(FunctionPair pair, Options options);

/// Runs a part; what it throws is a finding.
void part_of(const FunctionPair& pair, Report& report, const std::function<void()>& part);

/// Points with zeros, ends of ranges, equal numbers, equal indices, small numbers, numbers far out.
/// Of float64 and with a reference only.
void check_points(const FunctionPair& pair, std::uint64_t seed, Report& report);

/// The numbers far out alone.
void check_far_points(const FunctionPair& pair, std::uint64_t seed, Report& report);

/// Along random directions and with equal numbers: for sizes of which no Jacobian is made.
void check_directions(const FunctionPair& pair, std::uint64_t seed, Report& report);

}  // namespace aclgrad::gradcheck::detail
