// SPDX-License-Identifier: Apache-2.0
// Arithmetic of tensors on the host, for data before a graph and results behind it; nothing here is
// differentiated, or meant for the speed of a training step.
//
//   const Tensor noisy = images + 0.1 * init::normal(images.shape(), /*seed=*/1);
//   const double right = mean(eq(data::argmax(scores), labels));
//
// Shapes broadcast as in graphs; throws ShapeError where they do not. Dtypes are those that the
// same operator has in a graph, as PyTorch's: the wider one; an integer tensor with a fraction, or
// divided, becomes float32. Whole numbers are computed in 64 bits and wrap around, others in
// double, and both are converted as Tensor::to() does. Random tensors are init::normal() and
// init::uniform() (init.h).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "aclgrad/tensor.h"

namespace aclgrad {

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, double b);
Tensor operator-(const Tensor& a, double b);
Tensor operator*(const Tensor& a, double b);
Tensor operator/(const Tensor& a, double b);
Tensor operator+(double a, const Tensor& b);
Tensor operator-(double a, const Tensor& b);
Tensor operator*(double a, const Tensor& b);
Tensor operator/(double a, const Tensor& b);
Tensor operator-(const Tensor& a);

/// Of every element, boolean: equal, not equal, less, at most, greater, at least. NaN is only not
/// equal.
Tensor eq(const Tensor& a, const Tensor& b);
Tensor ne(const Tensor& a, const Tensor& b);
Tensor lt(const Tensor& a, const Tensor& b);
Tensor le(const Tensor& a, const Tensor& b);
Tensor gt(const Tensor& a, const Tensor& b);
Tensor ge(const Tensor& a, const Tensor& b);
Tensor eq(const Tensor& a, double b);
Tensor ne(const Tensor& a, double b);
Tensor lt(const Tensor& a, double b);
Tensor le(const Tensor& a, double b);
Tensor gt(const Tensor& a, double b);
Tensor ge(const Tensor& a, double b);

/// Tensors one behind the other along an axis, a negative one from the end: columns of numbers
/// beside those of data::one_hot(), say. The widest of their dtypes. Throws ShapeError for none,
/// and for those whose other extents differ.
Tensor cat(const std::vector<Tensor>& tensors, std::int64_t dim = 0);

/// The places of the elements that are not 0, in row-major order: int64, a row of one number for
/// each axis. NaN is not 0.
Tensor nonzero(const Tensor& x);

/// The elements where the mask, of x's shape, is not 0, in row-major order along one axis. Throws
/// ShapeError for another shape.
Tensor masked_select(const Tensor& x, const Tensor& mask);

/// The different elements of a tensor.
struct Unique {
  Tensor values;   ///< In ascending order along one axis; NaN last, each of them different.
  Tensor inverse;  ///< Of x's shape: the place in `values` of each element, int64.
  Tensor counts;   ///< How often each of `values` is there, int64.
};
Unique unique(const Tensor& x);

/// What a function makes of every element, in the same dtype. Throws ValueError for an empty one.
Tensor map(const Tensor& x, const std::function<double(double)>& function);

/// Of all elements, in double. The mean of none is NaN; min() and max() throw ShapeError for none,
/// and are NaN where an element is.
double sum(const Tensor& x);
double mean(const Tensor& x);
double min(const Tensor& x);
double max(const Tensor& x);

}  // namespace aclgrad
