// SPDX-License-Identifier: Apache-2.0
// The logarithm of the gamma function and its derivative, of single doubles: additions,
// multiplications, divisions and natural_log() (scalar_math.h) alone.
#pragma once

namespace aclgrad::ops {

// log|Gamma(x)|, infinite at 0 and the negative integers. Largest error: 4 units in the last place
// of the largest of the result, 1 and, for negative x, log Gamma(|x|).
double log_gamma(double x);

// The derivative of log_gamma: -infinity at 0, infinity at -0, NaN at negative integers. Largest
// error: 4 units in the last place of the largest of the result, log|x| and 1.
double digamma(double x);

}  // namespace aclgrad::ops
