// SPDX-License-Identifier: Apache-2.0
// Numbers as dtypes hold them, for references. Written apart from the library's own conversions,
// which are among what is tested.
#ifndef ACLGRAD_CONTRACT_NUMBERS_H_
#define ACLGRAD_CONTRACT_NUMBERS_H_

#include "aclgrad_contract/operator.h"

namespace aclgrad::contract {

bool is_float(aclDataType dtype);    // a real one
bool is_complex(aclDataType dtype);  // whose parts are real numbers
bool is_whole(aclDataType dtype);    // integers and BOOL

// "FLOAT16"
const char* label_of(aclDataType dtype);

// x as the dtype holds it: rounded to nearest even, or cut off and stopped at the limits; in BOOL 1
// unless it is 0; a complex dtype holds what its parts do.
Number rounded(Number x, aclDataType dtype);

// Distance between the numbers of a floating dtype around x, which is finite.
Number unit_at(Number x, aclDataType dtype);

// A number as the dtype holds it that wraps, where that is one of integers, after it was cut off.
Number wrapped(Number x, aclDataType dtype);

// A number of one dtype as another holds it, not rounded yet where that one is floating: integers
// wrap, numbers that may have a fraction are cut off and stop at the limits.
Number converted(Number x, aclDataType from, aclDataType to);

}  // namespace aclgrad::contract

#endif  // ACLGRAD_CONTRACT_NUMBERS_H_
