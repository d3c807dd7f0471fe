// SPDX-License-Identifier: Apache-2.0
// Whether an element type can hold a number. Everything that takes a number for a tensor asks here;
// Tensor::to and cast() convert, and ask nothing.
#pragma once

#include <string>

#include "aclgrad/dtype.h"

namespace aclgrad::detail {

/// Empty where the dtype can hold the number, if need be rounded; else what is wrong, to go behind
/// "x = -1e+09": " is out of the range of float16, [-65504, 65504]". Floating types hold infinities
/// and NaN, and no finite number that would become infinite; integers whole numbers within their
/// range; bool anything.
std::string problem_of(double number, DType dtype);

/// The largest finite number of the dtype.
double largest_of(DType dtype);

/// Throws ValueError with `what`, the number and its problem, where there is one.
void require_holds(DType dtype, double number, const char* what);

}  // namespace aclgrad::detail
