// SPDX-License-Identifier: Apache-2.0
// What the operators that move elements share. Numbers are argument indices; rules that fail say
// 161002.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ops/engine/dtype/cast.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {

using ShapeOf = std::function<Dims(const Arguments&)>;

// A dtype of one of two sets: the second holds on 950.
Rule dtype_in(size_t tensor, const DtypeSet& others, const DtypeSet& of_950);
// The tensor has the shape that the call's other arguments give it; `why` follows in the message.
Rule has_shape_of(size_t tensor, ShapeOf shape,
                  std::function<std::string(const Arguments&)> why = nullptr);
Rule same_rank(size_t tensor, size_t reference);
Rule min_rank(size_t tensor, size_t least);
// The elements of a dimension that numbers are looked up in: some, where there are numbers.
Rule has_elements_along(size_t tensor, size_t axis, size_t index);
// No complex scalar, but beside complex elements.
Rule real_beside_real(size_t scalar, size_t tensor);

// An array as messages print it: "[2, -3]".
std::string to_string(const std::vector<int64_t>& numbers);

// " for dims [1, 0]", as a reason for has_shape_of.
std::function<std::string(const Arguments&)> given(std::initializer_list<size_t> arrays);

// The tensor as a whole.
Operand whole(const Arguments& arguments, size_t tensor);

// Its elements from `start` on along a dimension.
Operand part_of(const Arguments& arguments, size_t tensor, size_t axis, int64_t start);

// A size with another one added; the largest number where 64 bits cannot hold it.
int64_t saturating_sum(int64_t a, int64_t b);

}  // namespace aclgrad::ops
