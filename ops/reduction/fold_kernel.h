// SPDX-License-Identifier: Apache-2.0
// Products over some dimensions of a tensor, and whether all or any of its elements are true.
#pragma once

#include <type_traits>

#include "ops/engine/iterate.h"

namespace aclgrad::ops {

enum class Fold { kProduct, kAll, kAny };

struct FoldProblem {
  size_t input;
  size_t output;
  DimSet reduced;     // of the input
  aclDataType dtype;  // what elements are converted to first, and the result is rounded to
  Fold fold;
};

// The output's elements, in row-major order, are those of the dimensions kept. In a chunk of terms,
// term i is joined to accumulator i mod 8, and these are joined in pairs. Over no elements a
// product is 1, all is true and any is false.
Plan plan_fold(const Arguments& arguments, const FoldProblem& problem);

// Integers wrap, where multiplying them as they are would be undefined.
template <class T>
T wrapping_product(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

}  // namespace aclgrad::ops
