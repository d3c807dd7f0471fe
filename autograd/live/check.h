// SPDX-License-Identifier: Apache-2.0
// One gradient, checked by differences of the loss in float64.
#ifndef ACLGRAD_AUTOGRAD_LIVE_CHECK_H_
#define ACLGRAD_AUTOGRAD_LIVE_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/data.h"
#include "live/look.h"

namespace aclgrad::live {

struct Check {
  /// Central differences over 2h, the first, and what extrapolation makes of them and those of the
  /// rows above (Richardson 1911).
  struct Row {
    double h;
    std::vector<double> quotients;
  };

  double ours = 0;   // what backward() records, in float64
  double slope = 0;  // by differences
  double error = 0;  // believed
  bool agrees = false;
  std::vector<Row> rows = {};
  std::string sentence = {};
};

/// The derivative of the loss by an element of a value before it: an input, a parameter or the
/// result of an operator, with the edits there are. Throws ValueError for a value that the loss
/// does not depend on, or that lies before an edited result; DTypeError for one of integers,
/// ShapeError for an index out of range.
Check check_element(const Look& look, const data::Dataset& batch, const Edits& edits,
                    const Value& value, std::int64_t index);

}  // namespace aclgrad::live

#endif  // ACLGRAD_AUTOGRAD_LIVE_CHECK_H_
