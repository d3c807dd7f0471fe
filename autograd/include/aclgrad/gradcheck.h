// SPDX-License-Identifier: Apache-2.0
// Gradcheck: is what backward() records the derivative of what was recorded? The forward graph is
// copied with every floating type made float64; the copy's gradient, by the same rules and the same
// backward operators, is compared element by element with finite differences of the copy's forward.
//
//   GradcheckReport report = gradcheck(loss, {}, {{x, batch}, {t, labels}});
//   if (!report.passed()) fmt::print("{}", report.to_string());
//
// Differences are taken over four points (fourth order): with steps near 1e-3 both the truncation
// and the rounding error are near 1e-12 for smooth functions of size 1. Within two steps of a point
// where a derivative jumps (0 for selu and elu, -3 and 3 for hardswish) they are not meaningful.
#ifndef ACLGRAD_GRADCHECK_H_
#define ACLGRAD_GRADCHECK_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/session.h"

namespace aclgrad {

struct GradcheckOptions {
  /// Step for an element x: step * max(1, |x|), rounded to a power of two. 0 takes 2^-10.
  double step = 0;

  /// An element passes when |analytic - numeric| <= atol + rtol max(|analytic|, |numeric|) + r,
  /// where r allows for the rounding of the loss itself: 16 units in its last place, divided by the
  /// step.
  double rtol = 1e-6;
  double atol = 1e-9;

  /// A result of more than one element is weighted with random numbers of this seed and summed.
  std::uint64_t seed = 1;
};

/// What was found for one tensor. Errors are the largest over its elements; the worst element is
/// the one that uses most of its tolerance.
struct GradcheckTensor {
  std::string name;
  Shape shape;
  double max_abs_error = 0;
  double max_rel_error = 0;
  double max_gradient = 0;       // largest magnitude of an analytic element
  std::int64_t worst_index = 0;  // row-major
  double analytic = 0;           // at the worst element
  double numeric = 0;
  std::int64_t failures = 0;  // elements out of tolerance
  bool passed() const { return failures == 0; }
};

struct GradcheckReport {
  GradcheckOptions options;
  std::vector<GradcheckTensor> tensors;

  bool passed() const;

  /// A headline and a table with a line a tensor.
  std::string to_string() const;
};

/// Checks the gradient of `loss` with respect to `wrt`: inputs and parameters; empty means all
/// floating inputs and parameters that the loss depends on. `feeds` gives every input that the loss
/// depends on; floating tensors may be of the input's dtype or float64. Parameters are taken as
/// they are now, and nothing in the graph or the parameters changes.
///
/// While it runs, the operator library accepts float64 beyond the vendor's tables (a process-wide
/// switch, restored afterwards). Throws ValueError on a library without that switch, for values of
/// `wrt` that are neither input nor parameter, and for a loss that depends on an updated variable.
GradcheckReport gradcheck(const Value& loss, std::vector<Value> wrt, std::span<const Feed> feeds,
                          GradcheckOptions options = {});
GradcheckReport gradcheck(const Value& loss, std::vector<Value> wrt,
                          std::initializer_list<Feed> feeds, GradcheckOptions options = {});

}  // namespace aclgrad

#endif  // ACLGRAD_GRADCHECK_H_
