// SPDX-License-Identifier: Apache-2.0
// Elementary functions of single doubles, made of additions, multiplications and divisions alone:
// they give the same bits on every processor, which the system's own do not.
#pragma once

#include <cstddef>

namespace aclgrad::ops {

// c[0] + c[1] x + ...
template <size_t kCount>
double polynomial(double x, const double (&c)[kCount]) {
  double sum = c[kCount - 1];
  for (size_t k = kCount - 1; k-- > 0;) sum = sum * x + c[k];
  return sum;
}

// The natural logarithm of a positive, finite number, within 1 ulp.
double natural_log(double x);

// cos(2 pi x) for |x| <= 2^20, within 2^-52.
double cos_of_turns(double x);

// As std::pow, with a relative error of at most 2^-51 (1 + |exponent ln(base)|) where the result is
// normal.
double power(double base, double exponent);

}  // namespace aclgrad::ops
