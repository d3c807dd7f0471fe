// SPDX-License-Identifier: Apache-2.0
// How level the operators' speed is: what they take on awkward data, as a multiple of
// what they take on normal data.
#ifndef ACLGRAD_BENCH_KERNELS_LEVEL_H_
#define ACLGRAD_BENCH_KERNELS_LEVEL_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/kernels/bars.h"
#include "bench/kernels/operation.h"

namespace aclgrad::bench {

struct Level {
  Cell cell;                       // with normal data
  std::map<Data, double> seconds;  // of one call, the least of several rounds over all kinds

  double ratio(Data data) const { return seconds.at(data) / seconds.at(Data::normal); }
};

// Of our operators, on one thread; `announce` is called with each cell before it is measured.
std::vector<Level> measure_level(const std::vector<Cell>& cells, aclrtStream stream,
                                 const std::function<void(const Cell&)>& announce);

std::vector<Bar> level_bars(const std::vector<Level>& levels);

// A row for each operator and dtype, a column for each kind of data.
std::vector<std::string> level_header();
std::vector<std::string> level_row(const Level& level);

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_KERNELS_LEVEL_H_
