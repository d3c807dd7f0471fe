// SPDX-License-Identifier: Apache-2.0
// Whether all contenders compute the same: to compare the speed of different things would be idle.
#pragma once

#include <string>
#include <vector>

#include "bench/kernels/operation.h"

namespace aclgrad::bench {

// What differs, a line each. Only FLOAT on contiguous tensors is looked at, not what writes in
// place, and not where a peer stands in with an operation that it has instead of one that it lacks.
std::vector<std::string> disagreements(const std::vector<Cell>& cells);

}  // namespace aclgrad::bench
