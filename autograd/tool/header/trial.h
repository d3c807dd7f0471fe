// SPDX-License-Identifier: Apache-2.0
// One call of a foreign function in a process of its own, each array up against a page that may not
// be touched: what it wrote, and where it went too far.
#ifndef ACLGRAD_AUTOGRAD_TOOL_HEADER_TRIAL_H_
#define ACLGRAD_AUTOGRAD_TOOL_HEADER_TRIAL_H_

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tool/header/foreign_call.h"

namespace aclgrad::gradcheck {

/// A function crashed, went on and on, or would not stop at any size of its arrays.
struct FunctionFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a parameter gets: an array of so many numbers, or one number.
struct TrialArgument {
  std::vector<double> values;  // of a pointer: what its memory holds; else one number
};

struct TrialResult {
  std::vector<std::vector<double>> after;  // by parameter; empty for numbers
  double returned = 0;
  std::optional<std::size_t> beyond;  // the array at whose end it was stopped
  std::string failure;                // or how else it ended: "crashed (...)", "did not return ..."

  bool is_good() const { return !beyond && failure.empty(); }
};

/// Throws IoError where there is no memory or process to be had.
TrialResult try_call(const ForeignFunction& function, const std::vector<TrialArgument>& arguments,
                     double seconds);

/// What is known of an array's elements before.
struct Extent {
  std::size_t at_least = 0;
  bool is_said = false;  // then these, and no more
};

/// How many elements of each array the function reaches, at least those known; 0 for numbers. The
/// arrays' own sizes do not matter; what they hold is held over and over. Throws FunctionFailed
/// that says what stopped it.
std::vector<std::size_t> reached_by(const ForeignFunction& function,
                                    const std::vector<TrialArgument>& arguments,
                                    const std::vector<Extent>& known, double seconds);

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_HEADER_TRIAL_H_
