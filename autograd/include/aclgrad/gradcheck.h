// SPDX-License-Identifier: Apache-2.0
// Gradcheck of graphs: is what backward() records the derivative of what was recorded? The forward
// graph is copied with every floating type made float64; the copy's gradient, by the same rules and
// the same backward operators, is compared with derivatives of the copy's forward.
//
//   gradcheck::Report report = check_gradients(loss, {}, {{x, batch}, {t, labels}});
//   if (!report.passed()) fmt::print("{}", report.to_string());
//
// There is no step to choose: derivatives are extrapolated and carry an error estimate
// (gradcheck/derivative.h). Every element is right, wrong, or cannot be decided. At a corner, such
// as Hardswish's at 3, everything between the two slopes is right. For operators of one's own, in
// low precision too, see gradcheck/graph.h and gradcheck/operator.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "aclgrad/gradcheck/report.h"
#include "aclgrad/graph.h"
#include "aclgrad/session.h"

namespace aclgrad {

struct GradcheckOptions {
  /// An element is right when |analytic - numeric| <= error estimate + rtol max(|analytic|,
  /// |numeric|) + atol times the largest element of the tensor's derivative. Both are finite and 0
  /// or more.
  double rtol = 1e-9;
  double atol = 1e-11;

  /// Of the random gradients that arrive at the result, and of random directions.
  std::uint64_t seed = 1;

  /// Results and tensors up to this many pairs of elements are checked pair by pair: the whole
  /// Jacobian. Larger ones element by element, with two random gradients at the result. 0 or more.
  std::int64_t dense_limit = 1 << 14;

  /// Above 0: only so many random directions a tensor, whatever its size. Fast enough for whole
  /// networks; what it can miss stands in the report.
  int projections = 0;
};

/// Checks the gradient of `loss` with respect to `wrt`: inputs and parameters; empty means all
/// floating inputs and parameters that the loss depends on. Report::gradients has an entry for
/// each, in this order. `feeds` gives every input that the loss depends on; floating tensors may be
/// of the input's dtype or float64. Parameters are taken as they are now, and nothing in the graph
/// or the parameters changes.
///
/// While it runs, the operator library accepts float64 beyond the vendor's tables (a process-wide
/// switch, restored afterwards). Throws ValueError on a library without that switch, for options
/// out of their range, for values of `wrt` that are neither input nor parameter, for a loss that
/// depends on nothing floating, and for one that depends on an updated variable; DTypeError for a
/// loss or a value of `wrt` that is not floating; and what recording the gradient and running it
/// throw. Where all gradients are empty nothing is compared, and the report has not passed.
gradcheck::Report check_gradients(const Value& loss, std::vector<Value> wrt,
                                  std::span<const Feed> feeds, GradcheckOptions options = {});
gradcheck::Report check_gradients(const Value& loss, std::vector<Value> wrt,
                                  std::initializer_list<Feed> feeds, GradcheckOptions options = {});

}  // namespace aclgrad
