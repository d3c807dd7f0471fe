// SPDX-License-Identifier: Apache-2.0
// Tensors joined, cut, padded and tiled, and triangles of matrices. The results are tensors of
// their own; what only describes the same data anew is in views.h. Negative dims count from the
// end. All of them have gradients.
#ifndef ACLGRAD_OPS_SHAPES_H_
#define ACLGRAD_OPS_SHAPES_H_

#include <cstdint>
#include <limits>
#include <source_location>
#include <vector>

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"

namespace aclgrad {

/// The values one behind the other along dim, in the dtype that all promote to. Throws ShapeError
/// unless they have one shape but along dim, ValueError for no values.
Value cat(const std::vector<Value>& values, std::int64_t dim = 0,
          std::source_location where = std::source_location::current());

/// The values, of one shape, along a new dimension before dim; -1 appends one.
Value stack(const std::vector<Value>& values, std::int64_t dim = 0,
            std::source_location where = std::source_location::current());

/// Elements start, start + step, ... before end of dimension dim. Negative start and end count from
/// the end; both are limited to the dimension. Throws ValueError for a step below 1.
Value slice(const Value& x, std::int64_t dim, std::int64_t start = 0,
            std::int64_t end = std::numeric_limits<std::int64_t>::max(), std::int64_t step = 1,
            std::source_location where = std::source_location::current());

/// x in chunks of `size` along dim; the last one holds the rest. Throws ValueError for a size below
/// 1.
std::vector<Value> split(const Value& x, std::int64_t size, std::int64_t dim = 0,
                         std::source_location where = std::source_location::current());

/// x in chunks of these sizes, which add up to the dimension.
std::vector<Value> split(const Value& x, std::vector<std::int64_t> sizes, std::int64_t dim = 0,
                         std::source_location where = std::source_location::current());

/// x with `value` around it: `pads` are pairs (begin, end), the first for the last dimension, the
/// next for the one before. Negative ones cut x. Throws ShapeError for an odd number of them, more
/// than two for each dimension, or when more is cut than there is.
Value pad(const Value& x, std::vector<std::int64_t> pads, double value = 0,
          std::source_location where = std::source_location::current());

/// x repeats[i] times along dimension i; more repeats than dimensions add dimensions in front.
Value repeat(const Value& x, std::vector<std::int64_t> repeats,
             std::source_location where = std::source_location::current());

/// The lower triangle of the last two dimensions, 0 above diagonal number `diagonal`.
Value tril(const Value& x, std::int64_t diagonal = 0,
           std::source_location where = std::source_location::current());

/// The upper triangle, 0 below that diagonal.
Value triu(const Value& x, std::int64_t diagonal = 0,
           std::source_location where = std::source_location::current());

/// dims are counted from the front here.
struct JoinAttributes {
  std::int64_t dim;
  auto arguments() const { return named({"dim"}, dim); }
};
struct SliceAttributes {
  std::int64_t dim;
  std::int64_t start;
  std::int64_t end;
  std::int64_t step;
  auto arguments() const { return named({"dim", "start", "end", "step"}, dim, start, end, step); }
};
struct SplitAttributes {
  std::int64_t chunk;  ///< its size
  std::int64_t dim;
  auto arguments() const { return named({"chunk", "dim"}, chunk, dim); }
};
struct SplitSizesAttributes {
  std::vector<std::int64_t> sizes;
  std::int64_t dim;
  std::string text() const;
};
struct PadAttributes {
  std::vector<std::int64_t> pads;
  double value;
  auto arguments() const { return named({"pads", "value"}, pads, value); }
  std::string text() const;
};
struct RepeatAttributes {
  std::vector<std::int64_t> repeats;
  auto arguments() const { return named({"repeats"}, repeats); }
  std::string text() const;
};
struct TriangleAttributes {
  std::int64_t diagonal;
  auto arguments() const { return named({"diagonal"}, diagonal); }
};

namespace calls {
extern const Declaration<JoinAttributes> cat, stack;
extern const Declaration<SliceAttributes> slice;
extern const Declaration<SplitAttributes> split;
extern const Declaration<SplitSizesAttributes> split_sizes;
extern const Declaration<PadAttributes> pad;
extern const Declaration<RepeatAttributes> repeat;
extern const Declaration<TriangleAttributes> tril, triu;
}  // namespace calls

using CatOp = DeclaredOp<calls::cat>;
using StackOp = DeclaredOp<calls::stack>;
using SliceOp = DeclaredOp<calls::slice>;
using SplitOp = DeclaredOp<calls::split>;
using SplitSizesOp = DeclaredOp<calls::split_sizes>;
using PadOp = DeclaredOp<calls::pad>;
using RepeatOp = DeclaredOp<calls::repeat>;
using TrilOp = DeclaredOp<calls::tril>;
using TriuOp = DeclaredOp<calls::triu>;

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_SHAPES_H_
