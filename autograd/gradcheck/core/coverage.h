// SPDX-License-Identifier: Apache-2.0
// How much the comparison of a gradient proves. Where a gradient is 0 because nothing reaches it (a
// rectifier below 0, dropped elements) or because its terms cancel (a normalization under an
// upstream gradient of ones), wrong backwards are right, too.
#pragma once

#include <vector>

#include "gradcheck/core/compare.h"

namespace aclgrad::gradcheck::detail {

/// Says in the report which numbers the inputs had.
void see_ranges(const Candidate& candidate, const Arrays& inputs, Report& report);

class GradientCoverage {
 public:
  /// Counts the elements of a problem; those of several are added up.
  void see(const Candidate& candidate, const Problem& problem);

  /// Adds a finding when most elements of an input's gradient are 0 and most of the upstream
  /// gradient reaches none of the others. A maximum or a loss of classes, whose gradient has to be
  /// 0 almost everywhere, is trusted: all that goes in comes out somewhere.
  void report(const Candidate& candidate, DType dtype, Report& report) const;

 private:
  struct Count {
    std::int64_t elements = 0;
    std::int64_t nonzero = 0;   // elements that are not 0
    std::int64_t upstream = 0;  // elements of the upstream gradient
    std::int64_t reached = 0;   // those that reach a nonzero one
  };
  std::vector<Count> counts_;  // by differentiable input
};

}  // namespace aclgrad::gradcheck::detail
