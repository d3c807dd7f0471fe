// SPDX-License-Identifier: Apache-2.0
// Exact tensors for the formulas: element by element, broadcast, products of matrices, sums.
#ifndef ACLGRAD_AUTOGRAD_TOOL_DENSE_H_
#define ACLGRAD_AUTOGRAD_TOOL_DENSE_H_

#include <functional>

#include "aclgrad/gradcheck_numbers.h"

namespace aclgrad::gradcheck::dense {

using Unary = std::function<Number(Number)>;
using Binary = std::function<Number(Number, Number)>;

Array map(const Array& a, const Unary& f);

/// f of the elements of a and b, broadcast against each other.
Array zip(const Array& a, const Array& b, const Binary& f);

/// a repeated to a shape that it broadcasts to.
Array expand(const Array& a, const Dims& shape);

/// The product after NumPy's rules; of the magnitudes if so wished.
Array matmul(const Array& a, const Array& b, bool magnitudes = false);

/// Dimensions of a tensor of this rank, counted from the front, in order; all when none is named.
Dims normalized(const Dims& dims, std::size_t rank);

/// The sum over `dims`, as normalized() gives them.
Array sum(const Array& a, const Dims& dims, bool keep, bool magnitudes = false);

}  // namespace aclgrad::gradcheck::dense

#endif  // ACLGRAD_AUTOGRAD_TOOL_DENSE_H_
