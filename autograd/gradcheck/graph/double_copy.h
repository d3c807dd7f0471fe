// SPDX-License-Identifier: Apache-2.0
// A copy of part of a graph in double precision.
#pragma once

#include <unordered_map>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad::detail {

struct DoubleCopy {
  /// An input of the copy, and what it stands for in the original: an input or a variable.
  struct Leaf {
    Value original;
    Value copy;
  };

  Graph graph;
  Value result;                               // the copy of the value asked for
  std::vector<Leaf> leaves;                   // in the order of recording
  std::unordered_map<ValueId, Value> copies;  // of all that was copied, by the original's number
};

/// Copies what `result` depends on: the same operators with every floating type replaced by
/// float64. Variables become inputs; constants are converted. Throws ValueError when it depends on
/// an updated variable.
DoubleCopy copy_as_double(const Value& result);

}  // namespace aclgrad::detail
