// SPDX-License-Identifier: Apache-2.0
// One gradient, checked by differences of the loss in float64.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/data.h"
#include "live/preview.h"

namespace aclgrad::live {

struct Check {
  /// Central differences over 2h, the first, and what extrapolation makes of them and those of the
  /// rows above (Richardson 1911).
  struct Row {
    double h;
    std::vector<double> quotients;
  };

  enum class Verdict {
    agrees,
    differs,
    unclear,  ///< differences show no slope, or rounding leaves nothing of what is to be judged
    edited,   ///< the gradient on show follows from what its user has set, not from the loss alone
  };

  Verdict verdict = Verdict::unclear;
  double shown = 0;  ///< the gradient on show; as `ours` where there is none
  double ours = 0;   ///< what backward() records, in float64
  double slope = 0;  ///< by differences
  double error = 0;  ///< believed: of the differences, and of rounding in float64
  bool agrees() const { return verdict == Verdict::agrees; }
  std::vector<Row> rows = {};
  std::string sentence = {};
};

/// Judges the gradient on show of an element of a value before the loss: an input, a parameter or
/// the result of an operator, with the edits there are. The same graph in float64 tells what
/// backward() makes of it, and differences of the loss tell the slope; rounding is measured, in
/// float64 and in the dtype on show. Runs the preview with other roundings: it is to be run again.
/// Throws ValueError for a value that the loss does not depend on, or that lies before an edited
/// result; DTypeError for one of integers, ShapeError for an index out of range.
Check check_element(Preview& preview, Trainer& trainer, const data::Dataset& batch,
                    const Edits& edits, const Value& value, std::int64_t index);

}  // namespace aclgrad::live
