// SPDX-License-Identifier: Apache-2.0
// Elements by their order, where they belong in it, and how often they are there. In ascending
// order a NaN stands behind all numbers, in descending order before them; equal elements keep
// theirs. Negative axes count from the end.
//
// A graph knows its shapes before it runs: how many different elements there are is asked on the
// host, of a result (unique(), nonzero() and masked_select() of tensor/math.h).
#pragma once

#include <cstdint>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"
#include "aclgrad/ops/reduction.h"

namespace aclgrad {

/// All elements in order along `dim`, in x's dtype, and their places, in int64. The gradient of a
/// value goes to its element.
ValuesAndIndices sort(Operand x, std::int64_t dim = -1, bool descending = false);

/// Those places alone. There is no gradient.
Value argsort(Operand x, std::int64_t dim = -1, bool descending = false);

/// The element in the middle of all in order, the lower one of two; NaN where there is one, and of
/// nothing, if x is floating. The gradient goes in equal parts to all elements that are it.
Value median(Operand x);

/// The same along `dim`, and the place of the first element that is it. The gradient goes to that
/// element.
ValuesAndIndices median(Operand x, std::int64_t dim, bool keepdim = false);

/// median() of the elements that are no NaN; NaN where all are.
Value nanmedian(Operand x);
ValuesAndIndices nanmedian(Operand x, std::int64_t dim, bool keepdim = false);

/// The k-th smallest element along `dim`, from k = 1 on, and its place. The gradient goes to that
/// element.
ValuesAndIndices kthvalue(Operand x, std::int64_t k, std::int64_t dim = -1, bool keepdim = false);

struct SearchsortedOptions {
  bool right = false;  ///< Behind elements that are equal to the number, not before them.
  Value sorter = {};   ///< The places of the sequence's elements in ascending order, in int64.
};
/// For each number the place in an ascending sequence at which it belongs, in int64. The sequence
/// has one dimension, or the numbers' rank and extents but for the last dimension: then row by row.
/// No dtype is bool. There is no gradient.
Value searchsorted(Operand sequence, const Value& numbers, const SearchsortedOptions& options = {});

/// In which interval between ascending boundaries, of one dimension, each element lies, in int64: 0
/// before the first of them. An element that is equal to a boundary lies before it, with `right`
/// behind it. There is no gradient.
Value bucketize(Operand x, const Value& boundaries, bool right = false);

/// How often each of the numbers 0, 1, ..., size - 1 is in x, in int64, or the sum of the weights
/// where it is, in float32, or float64 of other dtypes than float32. x has one dimension and whole
/// numbers, the weights its shape. A larger number does not count: PyTorch's result has a size that
/// depends on it. A negative one fails the run. There is no gradient.
Value bincount(Operand x, std::int64_t size, const Value& weights = {});

/// How many elements lie in each of `bins` equal intervals from min to max, which belongs to the
/// last, in x's floating dtype; elements outside and NaN do not count. Where min is max, the range
/// is that of the elements. There is no gradient.
Value histc(Operand x, std::int64_t bins = 100, double min = 0, double max = 0);

/// The places of the first `size` elements that are not 0, in row-major order: rows of `rank`
/// numbers in int64, and `fill_value` where there are fewer. Made of other functions; there is no
/// gradient.
Value nonzero_static(Operand x, std::int64_t size, std::int64_t fill_value = -1);

struct SortAttributes {
  std::int64_t dim;
  bool descending;
  auto arguments() const { return named({"", "dim", "descending"}, true, dim, descending); }
};
struct ArgsortAttributes {
  std::int64_t dim;
  bool descending;
  auto arguments() const { return named({"dim", "descending"}, dim, descending); }
};
struct KthvalueAttributes {
  std::int64_t k;
  std::int64_t dim;
  bool keepdim;
  auto arguments() const { return named({"k", "dim", "keepdim"}, k, dim, keepdim); }
};
struct SearchsortedAttributes {
  bool right;
  auto arguments() const { return named({"", "right"}, false, right); }
};
struct BincountAttributes {
  std::int64_t bins;
  auto arguments() const { return named({"size"}, bins); }
};
struct HistcAttributes {
  std::int64_t bins;
  double min;
  double max;
  auto arguments() const { return named({"bins", "min", "max"}, bins, min, max); }
};

namespace calls {
// Outputs values, indices.
extern const Declaration<SortAttributes> sort;
extern const Declaration<SearchAttributes> median_dim, nanmedian_dim;
extern const Declaration<KthvalueAttributes> kthvalue;

extern const Declaration<ArgsortAttributes> argsort;
extern const Declaration<> median, nanmedian;
extern const Declaration<SearchsortedAttributes> searchsorted;  // inputs sequence, numbers, sorter
extern const Declaration<SearchsortedAttributes> bucketize;
extern const Declaration<BincountAttributes> bincount;  // inputs x, weights
extern const Declaration<HistcAttributes> histc;
}  // namespace calls

using SortOp = DeclaredOp<calls::sort>;
using ArgsortOp = DeclaredOp<calls::argsort>;
using MedianOp = DeclaredOp<calls::median>;
using NanmedianOp = DeclaredOp<calls::nanmedian>;
using MedianDimOp = DeclaredOp<calls::median_dim>;
using NanmedianDimOp = DeclaredOp<calls::nanmedian_dim>;
using KthvalueOp = DeclaredOp<calls::kthvalue>;
using SearchsortedOp = DeclaredOp<calls::searchsorted>;
using BucketizeOp = DeclaredOp<calls::bucketize>;
using BincountOp = DeclaredOp<calls::bincount>;
using HistcOp = DeclaredOp<calls::histc>;

}  // namespace aclgrad
