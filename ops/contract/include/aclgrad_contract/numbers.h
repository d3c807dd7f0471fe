// SPDX-License-Identifier: Apache-2.0
// Numbers as dtypes hold them, for references and checks, and elements of every dtype in memory.
// Kernels convert vectors by code of their own, which is tested with these; the scalars' conversion
// (aclgrad_common/float16.h) is tested with that of tests/ops/support/numbers.h, written apart from
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "acl/acl_base.h"
#include "aclgrad_common/dtypes.h"
#include "aclgrad_contract/array.h"

namespace aclgrad::contract {

// Those whose numbers are known: real ones, and complex ones of such parts.
const std::vector<aclDataType>& dtypes_with_numbers();
// Null for another.
const common::DtypeInfo* find_dtype(aclDataType dtype);

bool is_float(aclDataType dtype);    // a real one
bool is_complex(aclDataType dtype);  // whose parts are real numbers
bool is_whole(aclDataType dtype);    // integers and BOOL

// "FLOAT16"
const char* label_of(aclDataType dtype);

size_t bytes_of(aclDataType dtype);

// The dtype of a complex number's parts; any other dtype itself.
aclDataType part_of(aclDataType dtype);

// x as the dtype holds it: rounded to nearest even, or cut off and stopped at the limits; in BOOL 1
// unless it is 0; a complex dtype holds what its parts do. NaN stays, but is 0 in integers.
Number rounded(Number x, aclDataType dtype);

// Distance between the numbers of a floating dtype around x; infinite for an x that is not finite.
Number unit_at(Number x, aclDataType dtype);

// The next number of a floating dtype above x, which is one.
Number next_above(Number x, aclDataType dtype);

// A number as the dtype holds it that wraps, where that is one of integers, after it was cut off.
Number wrapped(Number x, aclDataType dtype);

// A number of one dtype as another holds it, not rounded yet where that one is floating: integers
// wrap, numbers that may have a fraction are cut off and stop at the limits.
Number converted(Number x, aclDataType from, aclDataType to);

// Element `index` of memory of a dtype; of complex numbers the real part (writing makes the
// imaginary one 0). Writing rounds.
Number load(const void* data, aclDataType dtype, size_t index);
void store(void* data, aclDataType dtype, size_t index, Number value);

}  // namespace aclgrad::contract
