// SPDX-License-Identifier: Apache-2.0
// What a table of Taylor remainders says.
#pragma once

#include <functional>
#include <vector>

#include "aclgrad/gradcheck/model.h"

namespace aclgrad::detail {

struct Remainders {
  int order;
  double largest_step;  // of the first; each next step is half of it
  std::vector<double> values;
  double rounding;   // those below it are noise
  double slope;      // of the loss along the direction
  double curvature;  // its derivative, by the gradient's gradient; of order 3 only
  /// Whether the gradient, or its derivative for order 3, is a finite number along the direction.
  bool is_finite = true;
  bool are_losses_finite = true;  // at all steps
  /// By how much the derivatives of this order on both sides of the point differ, taken over steps
  /// of h: of order 1, and of order 2 for remainders of order 3.
  std::function<double(int order, double h)> jump;
};

TaylorRate rate_of(const Remainders& remainders);

}  // namespace aclgrad::detail
