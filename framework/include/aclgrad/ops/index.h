// SPDX-License-Identifier: Apache-2.0
// Elements and rows by their numbers, of int32 or int64, and numbers at equal distances. A number
// out of range fails the run: an error with the number, nothing is written.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

namespace aclgrad {

/// y[.., k, ..] = x[.., index[k], ..] along dim; index has one dimension. Negative numbers count
/// from the end. The gradient adds up what came from one number.
Value index_select(Operand x, std::int64_t dim, const Value& index);

/// y[i, j, ..] is the element of x at the same place, but for coordinate dim, which is
/// index[i, j, ..]. index has the rank of x and is nowhere larger but along dim. Negative numbers
/// and gradient as for index_select.
Value gather(Operand x, std::int64_t dim, const Value& index);

/// x with alpha source[.., k, ..] added to the slice index[k] along dim; index has one dimension,
/// source x's dtype and shape, with the number of indices along dim. Equal indices add up, in their
/// order. Negative numbers count from the end.
Value index_add(Operand x, std::int64_t dim, const Value& index, const Value& source,
                double alpha = 1);

/// x with source[i, j, ..] added to the element at the same place, but for coordinate dim, which is
/// index[i, j, ..]: gather's gradient. index has the rank of x and is nowhere larger than source,
/// nor than x but along dim; the rest of source does not count. Of x's dtype; numbers as above.
Value scatter_add(Operand x, std::int64_t dim, const Value& index, const Value& source);

/// x with source[.., k, ..] in the place of the slice index[k] along dim, shapes and numbers as for
/// index_add. Of equal indices the last one counts, and it alone has a gradient.
Value index_copy(Operand x, std::int64_t dim, const Value& index, const Value& source);

/// index_copy() into a variable, which it overwrites: its new Value (ops/optimizer.h).
Value inplace_index_copy(Operand variable, std::int64_t dim, const Value& index,
                         const Value& source);

/// x with all elements of the slices index[k] along dim equal to value; numbers as for index_add.
Value index_fill(Operand x, std::int64_t dim, const Value& index, double value);

/// x with source[i, j, ..], or value, in the place of the element to which scatter_add() would add
/// it. Of several for one place the last in row-major order counts, and it alone has a gradient.
Value scatter(Operand x, std::int64_t dim, const Value& index, const Value& source);
Value scatter(Operand x, std::int64_t dim, const Value& index, double value);

/// x with the elements of source, in row-major order, where the mask is true: the first one at the
/// first of these places. The mask, of bool or uint8, broadcasts to x; source, of x's dtype and any
/// shape, has as many elements as the mask has true places, or more: the run fails on fewer.
Value masked_scatter(Operand x, const Value& mask, const Value& source);

/// x[i, :, j]: indices has at most one Value for each dimension of x; an empty one stands for all
/// of it, as do the dimensions beyond the list. They broadcast together; where the indexed
/// dimensions are neighbours, the result has these dimensions in their place, else in front.
/// Negative numbers count from the end. A mask would give the result a shape that is not known when
/// it is recorded: a bool index throws DTypeError, which names where() and masked_select().
Value index(Operand x, const std::vector<Value>& indices);

/// x with values, of its dtype, which broadcast to the shape of index(x, indices), in those places;
/// of equal places the last one counts. With accumulate they are added to what is there, and those
/// of equal places add up.
Value index_put(Operand x, const std::vector<Value>& indices, const Value& values,
                bool accumulate = false);

/// The elements of x where the mask is not 0, in row-major order, as one dimension. The mask, of
/// x's shape, is a Tensor: with it their number is known when this is recorded. Of a mask that the
/// graph computes, where(mask, x, 0) keeps the shape.
Value masked_select(Operand x, const Tensor& mask);

/// Every slice along dim `repeats` times, one after the other; without dim, of x as one line.
Value repeat_interleave(Operand x, std::int64_t repeats,
                        std::optional<std::int64_t> dim = std::nullopt);

/// Slice k along dim repeats[k] times, or all as often as a repeats of one element says, of int32
/// or int64; output_size is their sum, as PyTorch's argument of that name. The run fails where it
/// is not, or a number is negative.
Value repeat_interleave(Operand x, const Value& repeats, std::int64_t output_size,
                        std::optional<std::int64_t> dim = std::nullopt);

/// The gradient of that for an x of `extent` slices along dim: sums of those that came from one.
Value repeat_interleave_grad(Operand grad, const Value& repeats, std::int64_t extent,
                             std::int64_t dim);

/// Rows of weight [V, D] by their numbers: indices of any shape, with D behind it. Numbers are in
/// [0, V). The row padding_idx of the weight gets a gradient of 0.
Value embedding(Operand weight, const Value& indices,
                std::optional<std::int64_t> padding_idx = std::nullopt);

/// What embedding_bag() makes of the rows of a bag.
enum class BagMode : std::uint8_t { sum = 0, mean = 1, max = 2 };

/// "sum", "mean" or "max".
const char* to_string(BagMode mode);

struct EmbeddingBagOptions {
  BagMode mode = BagMode::mean;
  Value per_sample_weights = {};     ///< Of the indices' shape, weight's dtype; of sums only.
  bool include_last_offset = false;  ///< The last offset begins no bag, but ends the last one.
  std::optional<std::int64_t> padding_idx = std::nullopt;  ///< These indices do not count.
};
/// The sum, mean or largest elements of the rows of weight [V, D] in each bag, [bags, D]; 0 for an
/// empty one. Bag b has indices[offsets[b]] up to, without it, indices[offsets[b + 1]]; indices and
/// offsets have one dimension, int32 or int64. Without offsets indices is [bags, length]. Indices
/// are in [-V, V), where negative ones count from the end; offsets begin with 0 and do not fall: a
/// run fails on others. The gradient of a largest element goes to the first of equal ones; that of
/// per_sample_weights is there, too.
Value embedding_bag(Operand weight, const Value& indices, const Value& offsets = {},
                    const EmbeddingBagOptions& options = {});

/// The gradient of embedding for a weight of `rows` rows: row v is the sum of grad's rows with
/// number v.
Value embedding_dense_backward(Operand grad, const Value& indices, std::int64_t rows,
                               std::optional<std::int64_t> padding_idx = std::nullopt);

/// start, start + step, ... before end. Of an integer dtype all three are whole. Throws ValueError
/// for a step of 0, or one that leads away from end.
Value arange(const Graph& graph, double start, double end, double step = 1,
             DType dtype = DType::float32,
             std::source_location where = std::source_location::current());

/// 1 at the place that each number says along a new last dimension of `classes`, 0 elsewhere. x has
/// whole numbers; one that is no class has zeros alone, where PyTorch throws. There is no gradient.
Value one_hot(Operand x, std::int64_t classes, DType dtype = DType::float32);

struct IndexAddAttributes {
  std::int64_t dim;  ///< counted from the front
  double alpha;
  auto arguments() const { return named({"dim", "alpha"}, dim, alpha); }
};
struct IndexAttributes {
  std::vector<std::int64_t> dims;  ///< that are indexed, in order
  auto arguments() const { return named({"dims"}, dims); }
};
struct RepeatInterleaveAttributes {
  std::int64_t dim;  ///< counted from the front
  std::int64_t output_size;
  auto arguments() const { return named({"dim", "output_size"}, dim, output_size); }
};
struct RepeatInterleaveIntAttributes {
  std::int64_t repeats;
  std::int64_t dim;  ///< counted from the front
  std::int64_t output_size;
  auto arguments() const {
    return named({"repeats", "dim", "output_size"}, repeats, dim, output_size);
  }
};
struct EmbeddingBagAttributes {
  BagMode mode;
  bool has_weights;
  bool include_last_offset;
  std::int64_t padding_idx;  ///< -1 for none
  std::string text() const;
};
struct EmbeddingAttributes {
  std::int64_t padding_idx;  ///< only of the gradient; -1: none
  auto arguments() const { return named(); }
  std::string text() const;
};
struct EmbeddingBackwardAttributes {
  std::int64_t rows;
  std::int64_t padding_idx;  ///< -1: none
  bool scale_by_frequency;
  auto arguments() const {
    return named({"rows", "padding_idx", "scale_by_frequency"}, rows, padding_idx,
                 scale_by_frequency);
  }
};
struct ArangeAttributes {
  double start;
  double end;
  double step;
  auto arguments() const { return named({"start", "end", "step"}, start, end, step); }
};
struct OneHotAttributes {
  std::int64_t classes;
  auto arguments() const { return named({"classes", ""}, classes, std::int64_t{-1}); }
};

namespace calls {
extern const Declaration<DimAttributes> index_select, gather, index_copy, inplace_index_copy,
    scatter_add, scatter;
extern const Declaration<IndexAddAttributes> index_add;
extern const Declaration<IndexAttributes> index;  // inputs x and the indices that there are
extern const Declaration<RepeatInterleaveAttributes> repeat_interleave;
extern const Declaration<RepeatInterleaveIntAttributes> repeat_interleave_int;
extern const Declaration<DimAttributes> repeat_interleave_grad;
extern const Declaration<EmbeddingAttributes> embedding;
// Inputs weight, indices, offsets, and the samples' weights that there are; outputs the bags, the
// bag of each index, the number of indices that count, and the rows of the largest elements.
extern const Declaration<EmbeddingBagAttributes> embedding_bag;
extern const Declaration<EmbeddingBackwardAttributes> embedding_dense_backward;
extern const Declaration<ArangeAttributes> arange;
extern const Declaration<OneHotAttributes> one_hot;  // inputs x, 1 and 0
}  // namespace calls

using IndexSelectOp = DeclaredOp<calls::index_select>;
using GatherOp = DeclaredOp<calls::gather>;
using IndexAddOp = DeclaredOp<calls::index_add>;
using IndexCopyOp = DeclaredOp<calls::index_copy>;
using InplaceIndexCopyOp = DeclaredOp<calls::inplace_index_copy>;
using ScatterAddOp = DeclaredOp<calls::scatter_add>;
using ScatterOp = DeclaredOp<calls::scatter>;
using IndexOp = DeclaredOp<calls::index>;
using RepeatInterleaveOp = DeclaredOp<calls::repeat_interleave>;
using RepeatInterleaveIntOp = DeclaredOp<calls::repeat_interleave_int>;
using RepeatInterleaveGradOp = DeclaredOp<calls::repeat_interleave_grad>;
using EmbeddingOp = DeclaredOp<calls::embedding>;
using EmbeddingBagOp = DeclaredOp<calls::embedding_bag>;
using EmbeddingDenseBackwardOp = DeclaredOp<calls::embedding_dense_backward>;
using ArangeOp = DeclaredOp<calls::arange>;
using OneHotOp = DeclaredOp<calls::one_hot>;

}  // namespace aclgrad
