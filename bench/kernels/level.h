// SPDX-License-Identifier: Apache-2.0
// How level the operators' speed is: what they take on awkward data, as a multiple of
// what they take on normal data.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "bench/kernels/operation.h"

namespace aclgrad::bench {

struct Level {
  Cell cell;                       // with normal data
  std::map<Data, double> seconds;  // of one call, the least of several rounds over all kinds
};

// Of our operators, on one thread; `announce` is called with each cell before it is measured.
std::vector<Level> measure_level(const std::vector<Cell>& cells, aclrtStream stream,
                                 const std::function<void(const Cell&)>& announce);

}  // namespace aclgrad::bench
