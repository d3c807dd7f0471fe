// SPDX-License-Identifier: Apache-2.0
// Exact tensors for the formulas: element by element, broadcast, products of matrices, sums.
#pragma once

#include <cmath>
#include <functional>

#include "aclgrad_contract/operator.h"

namespace aclgrad::contract::dense {

using Unary = std::function<Number(Number)>;
using Binary = std::function<Number(Number, Number)>;

// The shape that both broadcast to. Throws std::invalid_argument.
Shape broadcast_shape(const Shape& a, const Shape& b);

// A tensor of one number.
Array full(const Shape& shape, Number value = 0);

// A term of a sum, or its magnitude, for the scale on which errors of the sum count.
template <bool kMagnitude>
Number term(Number x) {
  return kMagnitude ? std::abs(x) : x;
}

// Place of the element of `from` that stands at place i of the broadcast `shape`.
size_t source(const Shape& from, const Shape& shape, size_t i);

Array map(const Array& a, const Unary& f);

// f of the elements of a and b, broadcast against each other.
Array zip(const Array& a, const Array& b, const Binary& f);

// The array of a shape whose element at each position is f of that.
using At = std::function<Number(const Shape& position)>;
Array generate(const Shape& shape, const At& f);

// The element at a position.
Number at(const Array& a, const Shape& position);

// a repeated to a shape that it broadcasts to.
Array expand(const Array& a, const Shape& shape);

// The shape of a product after NumPy's rules. Throws std::invalid_argument.
Shape product_shape(const Shape& a, const Shape& b);

// That product; of the magnitudes if so wished.
Array matmul(const Array& a, const Array& b, bool magnitudes = false);

// Dimensions of a tensor of this rank, counted from the front, in order; all when none is named.
Shape normalized(const Shape& dims, size_t rank);

// Calls visit(places of a line's elements) for every line along an axis.
void for_each_line(const Shape& shape, size_t axis,
                   const std::function<void(const std::vector<size_t>& line)>& visit);

// f of the elements over `dims`, as normalized() gives them, in row-major order.
Array reduce(const Array& a, const Shape& dims, bool keep,
             const std::function<Number(const std::vector<Number>& elements)>& f);

// The sum over `dims`, as normalized() gives them.
Array sum(const Array& a, const Shape& dims, bool keep, bool magnitudes = false);

}  // namespace aclgrad::contract::dense
