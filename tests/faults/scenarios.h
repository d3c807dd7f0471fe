// SPDX-License-Identifier: Apache-2.0
// What is done while allocations fail: everything a program does with one operator, and the parts
// of the runtime that no operator touches.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/faults/run.h"

namespace aclgrad::faults {

struct Scenario {
  std::string name;
  // Starts without a context and must leave nothing behind; calls Run::finish itself.
  std::function<void(Run& run)> pass;
};

// Each operator once: tensors, both phases, a capture and its replay.
std::vector<Scenario> operator_scenarios();

// Streams, events, callbacks, memory, contexts, captures over two streams, lists, initialisation.
std::vector<Scenario> runtime_scenarios();

// Collectives of a rank alone, and of two ranks that one thread issues for.
std::vector<Scenario> hccl_scenarios();

}  // namespace aclgrad::faults
