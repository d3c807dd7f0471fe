// SPDX-License-Identifier: Apache-2.0
// Hardswish and its derivative.
//
//   forward    0 for x <= -3;  x (x + 3) / 6 between;  x for x >= 3
//   backward   g d with d = 0 below -3, x/3 + 1/2 between, 1 above 3. At -3 and 3 themselves the
//              closed form takes the middle value, the open form the outer one.
#pragma once

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

enum class Interval { kClosed, kOpen };

// in: x; out: hardswish of x.
FloatKernel hardswish_kernel();
// in: g, x; out: the gradient.
FloatKernel hardswish_backward_kernel(Interval middle);

}  // namespace aclgrad::ops
