// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation of a recorded graph.
#pragma once

#include <source_location>
#include <vector>

#include "aclgrad/gradients.h"
#include "aclgrad/graph.h"

namespace aclgrad {

struct BackwardOptions {
  /// The upstream gradient of the loss, of its shape and dtype. Empty: a one, and then the loss
  /// must have exactly one element.
  Value seed = {};

  /// Values that the loss does not depend on get a gradient of zeros instead of an error.
  bool allow_unused = false;

  /// Values that the loss does not depend on are left out of the result.
  bool omit_unused = false;
};

/// Appends to the graph the nodes that compute the derivative of `loss` with respect to each of
/// `wrt`: the gradient rule of every operator between them, once, from the loss backwards;
/// additions where a value is used more than once; sums where an operand was broadcast. What no
/// gradient is asked for gets no node. What was recorded to be computed again (checkpointed.h) is
/// recorded again where the gradient arrives there. The nodes belong to Pass::backward and to the
/// line that recorded the forward node. Every gradient is a Value of its own, named "d x" where its
/// value is named "x": where two would be the same, or the seed itself, one is a view.
///
/// Throws ShapeError for a loss of more than one element without a seed, DTypeError when the loss
/// or a value of `wrt` is not floating, ValueError when the loss does not depend on a value (see
/// allow_unused, omit_unused) and when an operator on the way has no rule; each names the node.
[[nodiscard]] Gradients backward(const Value& loss, const std::vector<Value>& wrt,
                                 BackwardOptions options = {},
                                 std::source_location where = std::source_location::current());

}  // namespace aclgrad
