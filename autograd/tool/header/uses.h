// SPDX-License-Identifier: Apache-2.0
// What a function does to its arrays, by trial calls.
#ifndef ACLGRAD_AUTOGRAD_TOOL_HEADER_USES_H_
#define ACLGRAD_AUTOGRAD_TOOL_HEADER_USES_H_

#include "tool/header/reading.h"

namespace aclgrad::gradcheck {

/// Whether an array is written to, whether what was in it matters, whether it is added to.
struct Use {
  bool is_written = false;
  bool is_read = false;                     // of one that is written to
  bool overwrites = false;                  // some element, whatever it was
  bool adds = false;                        // to every one
  std::vector<std::size_t> untouched = {};  // elements
};

/// Calls of one function, whose parameters are `read`, with several draws of numbers: where a
/// function reads and writes may depend on them.
class Trials {
 public:
  /// Arrays that have the names of arrays of `before` hold what these hold after its call: of a
  /// backward, what its forward was given and made, as indices that it kept.
  Trials(const ForeignFunction& function, std::vector<ReadParameter>& read,
         const Corrections& corrections, double seconds, const Trials* before = nullptr)
      : function_(function),
        read_(read),
        corrections_(corrections),
        seconds_(seconds),
        before_(before) {}

  /// Sets how far each array is reached, and whether that depends on what the arrays hold.
  void measure();

  /// Of each parameter, once that is known.
  std::vector<Use> uses() const;

  /// Whether what it writes is the same whatever an element of an array is.
  bool ignores(std::size_t parameter, std::size_t element) const;

 private:
  std::vector<TrialArgument> arguments(int draw) const;
  TrialResult call(const std::vector<TrialArgument>& arguments) const;
  void find_uses(int draw, std::vector<Use>& all) const;

  const ForeignFunction& function_;
  std::vector<ReadParameter>& read_;
  const Corrections& corrections_;
  double seconds_;
  const Trials* before_;
};

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_HEADER_USES_H_
