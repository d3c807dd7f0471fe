// SPDX-License-Identifier: Apache-2.0
// All that is measured, as page.py draws it.
#pragma once

#include <string>
#include <vector>

#include "bench/kernels/level.h"
#include "bench/kernels/measure.h"

namespace aclgrad::bench {

struct Times {
  std::vector<Result> results = {};
  std::vector<Level> levels = {};
  LaunchTimes launch = {};
  Effort effort = {};
  std::vector<std::string> peers = {};  // with versions
  std::string instruction_set = {};     // of our kernels, by Highway's name
  int threads = 1;                      // the most that were used
};

std::string to_json(const Times& times);

}  // namespace aclgrad::bench
