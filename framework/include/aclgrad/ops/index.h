// SPDX-License-Identifier: Apache-2.0
// Elements and rows by their numbers, of int32 or int64, and numbers at equal distances. A number
// out of range fails the run: an error with the number, nothing is written.
#ifndef ACLGRAD_OPS_INDEX_H_
#define ACLGRAD_OPS_INDEX_H_

#include <cstdint>
#include <optional>
#include <source_location>

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"

namespace aclgrad {

/// y[.., k, ..] = x[.., index[k], ..] along dim; index has one dimension. Negative numbers count
/// from the end. The gradient adds up what came from one number.
Value index_select(Operand x, std::int64_t dim, const Value& index);

/// y[i, j, ..] is the element of x at the same place, but for coordinate dim, which is
/// index[i, j, ..]. index has the rank of x and is nowhere larger but along dim. Negative numbers
/// and gradient as for index_select.
Value gather(Operand x, std::int64_t dim, const Value& index);

/// Rows of weight [V, D] by their numbers: indices of any shape, with D behind it. Numbers are in
/// [0, V). The row padding_idx of the weight gets a gradient of 0.
Value embedding(Operand weight, const Value& indices,
                std::optional<std::int64_t> padding_idx = std::nullopt);

/// The gradient of embedding for a weight of `rows` rows: row v is the sum of grad's rows with
/// number v.
Value embedding_dense_backward(Operand grad, const Value& indices, std::int64_t rows,
                               std::optional<std::int64_t> padding_idx = std::nullopt);

/// start, start + step, ... before end. Of an integer dtype all three are whole. Throws ValueError
/// for a step of 0, or one that leads away from end.
Value arange(const Graph& graph, double start, double end, double step = 1,
             DType dtype = DType::float32,
             std::source_location where = std::source_location::current());

struct AlongAttributes {
  std::int64_t dim;  ///< counted from the front
  auto arguments() const { return named({"dim"}, dim); }
};
struct EmbeddingAttributes {
  std::int64_t padding_idx;  ///< only of the gradient; -1: none
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

namespace calls {
extern const Declaration<AlongAttributes> index_select, gather;
extern const Declaration<EmbeddingAttributes> embedding;
extern const Declaration<EmbeddingBackwardAttributes> embedding_dense_backward;
extern const Declaration<ArangeAttributes> arange;
}  // namespace calls

using IndexSelectOp = DeclaredOp<calls::index_select>;
using GatherOp = DeclaredOp<calls::gather>;
using EmbeddingOp = DeclaredOp<calls::embedding>;
using EmbeddingDenseBackwardOp = DeclaredOp<calls::embedding_dense_backward>;
using ArangeOp = DeclaredOp<calls::arange>;

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_INDEX_H_
