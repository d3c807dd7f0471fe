// SPDX-License-Identifier: Apache-2.0
// Numbers of the C++ interface, double, as the C interface takes them.
#pragma once

#include <cfenv>

namespace aclgrad {

/// The nearest float, whatever rounding mode the program has set: a learning rate must not depend
/// on it.
inline float to_float(double value) {
  const int mode = std::fegetround();
  if (mode != FE_TONEAREST) std::fesetround(FE_TONEAREST);
  const volatile double wide = value;  // keeps the compiler from converting before or after
  const volatile float narrow = static_cast<float>(wide);
  if (mode != FE_TONEAREST) std::fesetround(mode);
  return narrow;
}

}  // namespace aclgrad
