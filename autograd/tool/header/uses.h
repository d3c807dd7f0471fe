// SPDX-License-Identifier: Apache-2.0
// What a function does to its arrays, by trial calls.
#ifndef ACLGRAD_AUTOGRAD_TOOL_HEADER_USES_H_
#define ACLGRAD_AUTOGRAD_TOOL_HEADER_USES_H_

#include "tool/header/reading.h"

namespace aclgrad::gradcheck {

/// Whether an array is written to, whether what was in it matters, whether it is added to.
struct Use {
  bool is_written = false;
  bool is_read = false;  // of one that is written to
  bool adds = false;
  std::vector<std::size_t> untouched = {};  // elements
};

/// Calls of one function, whose parameters are `read`.
class Trials {
 public:
  Trials(const ForeignFunction& function, std::vector<ReadParameter>& read,
         const Corrections& corrections, double seconds)
      : function_(function), read_(read), corrections_(corrections), seconds_(seconds) {}

  /// Sets how far each array is reached.
  void measure();

  /// Of each parameter, once that is known.
  std::vector<Use> uses() const;

  /// Whether what it writes is the same whatever an element of an array is.
  bool ignores(std::size_t parameter, std::size_t element) const;

 private:
  std::vector<TrialArgument> arguments() const;
  TrialResult call(const std::vector<TrialArgument>& arguments) const;

  const ForeignFunction& function_;
  std::vector<ReadParameter>& read_;
  const Corrections& corrections_;
  double seconds_;
};

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_HEADER_USES_H_
