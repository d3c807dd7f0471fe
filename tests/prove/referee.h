// SPDX-License-Identifier: Apache-2.0
// Compares a single result with the exact value: long double first, then any precision until the
// answer is certain.
#pragma once

#include "acl/acl_base.h"
#include "tests/prove/function.h"

namespace aclgrad::prove {

enum class Rounding {
  kCorrectlyRounded,
  kInexact,    // a number, but not the nearest
  kNotNumber,  // NaN or an infinity where a number was due, or the other way round
};

struct Comparison {
  Rounding rounding;
  double ulp = 0;  // of kInexact: the distance in units of the last place of the exact value
};

// Of function(x) * factor, rounded to nearest even in dtype. Throws std::runtime_error when even
// the highest precision does not tell on which side of a tie the value lies.
Comparison compare(const ProvenFunction& function, aclDataType dtype, long double x,
                   long double factor, long double result);

}  // namespace aclgrad::prove
