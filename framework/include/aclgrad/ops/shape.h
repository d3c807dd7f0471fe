// SPDX-License-Identifier: Apache-2.0
// Tensors joined, padded, tiled, flipped and rolled, and triangles of matrices, which are tensors
// of their own; and views, which only describe the same data anew. Negative dims count from the
// end. All of them have gradients.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <source_location>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

namespace aclgrad {

/// The values one behind the other along dim, in the dtype that all promote to. Throws ShapeError
/// unless they have one shape but along dim, ValueError for no values.
Value cat(Operands values, std::int64_t dim = 0);

/// The values, of one shape, along a new dimension before dim; -1 appends one.
Value stack(Operands values, std::int64_t dim = 0);

/// x with `value` around it: `pads` are pairs (begin, end), the first for the last dimension, the
/// next for the one before. Negative ones cut x. Throws ShapeError for an odd number of them, more
/// than two for each dimension, or when more is cut than there is.
Value pad(Operand x, std::vector<std::int64_t> pads, double value = 0);

/// x repeats[i] times along dimension i; more repeats than dimensions add dimensions in front.
Value repeat(Operand x, std::vector<std::int64_t> repeats);

/// The lower triangle of the last two dimensions, 0 above diagonal number `diagonal`.
Value tril(Operand x, std::int64_t diagonal = 0);

/// The upper triangle, 0 below that diagonal.
Value triu(Operand x, std::int64_t diagonal = 0);

/// x with its elements in the opposite order along each of `dims`, which name a dimension once.
Value flip(Operand x, std::vector<std::int64_t> dims);

/// x shifted along dims[i] by shifts[i], which may be negative: what leaves one end comes in at the
/// other. Without dims x is shifted as one line of its elements, by one shift.
Value roll(Operand x, std::vector<std::int64_t> shifts, std::vector<std::int64_t> dims = {});

/// dims are counted from the front here.
struct PadAttributes {
  std::vector<std::int64_t> pads;
  double value;
  auto arguments() const { return named({"pads", "value"}, pads, value); }
};
struct RepeatAttributes {
  std::vector<std::int64_t> repeats;
  auto arguments() const { return named({"repeats"}, repeats); }
};
struct FlipAttributes {
  std::vector<std::int64_t> dims;
  auto arguments() const { return named({"dims"}, dims); }
};
struct RollAttributes {
  std::vector<std::int64_t> shifts;
  std::vector<std::int64_t> dims;
  auto arguments() const { return named({"shifts", "dims"}, shifts, dims); }
};
struct TriangleAttributes {
  std::int64_t diagonal;
  auto arguments() const { return named({"diagonal"}, diagonal); }
};

namespace calls {
extern const Declaration<DimAttributes> cat, stack;
extern const Declaration<PadAttributes> pad;
extern const Declaration<RepeatAttributes> repeat;
extern const Declaration<TriangleAttributes> tril, triu;
extern const Declaration<FlipAttributes> flip;
extern const Declaration<RollAttributes> roll;
}  // namespace calls

using CatOp = DeclaredOp<calls::cat>;
using StackOp = DeclaredOp<calls::stack>;
using PadOp = DeclaredOp<calls::pad>;
using RepeatOp = DeclaredOp<calls::repeat>;
using TrilOp = DeclaredOp<calls::tril>;
using TriuOp = DeclaredOp<calls::triu>;
using FlipOp = DeclaredOp<calls::flip>;
using RollOp = DeclaredOp<calls::roll>;

// ---- Views --------------------------------------------------------------------------------------
// Views: the same data under another shape or order of axes. They cost nothing when the graph runs;
// operators read and write through strides.

/// Exchanges two axes; negative ones count from the end.
Value transpose(Operand x, std::int64_t axis0, std::int64_t axis1);

/// Axis i of the result is axis order[i] of x; order names every axis once.
Value permute(Operand x, std::vector<std::int64_t> order);

/// Elements start, start + step, ... before end of dimension dim. Negative start and end count from
/// the end; both are limited to the dimension. Throws ValueError for a step below 1. Of a variable
/// a copy, which later updates leave as it is.
Value slice(Operand x, std::int64_t dim, std::int64_t start = 0,
            std::int64_t end = std::numeric_limits<std::int64_t>::max(), std::int64_t step = 1);

/// slice()s of x of `size` along dim; the last one holds the rest. Throws ValueError for a size
/// below 1.
std::vector<Value> split(Operand x, std::int64_t size, std::int64_t dim = 0);

/// slice()s of x of these sizes, which add up to the dimension.
std::vector<Value> split(Operand x, std::vector<std::int64_t> sizes, std::int64_t dim = 0);

/// The elements in row-major order under another shape; one extent may be -1 and is worked out. A
/// view that no strides describe so is copied first.
Value reshape(Operand x, std::vector<std::int64_t> dims);
template <std::same_as<Shape> S>  // not for a list in braces
Value reshape(Operand x, const S& shape) {
  return reshape(x, shape.dims());
}

/// x repeated along its axes of extent 1, and along new axes in front.
Value expand(Operand x, const Shape& shape);

/// x itself, through which no gradient passes: for backward() it is a constant (`detach` of
/// PyTorch). What leads to it is not differentiated.
Value stop_gradient(Operand x);

struct PermuteOp final : ViewOp {
  std::vector<std::int64_t> order;

  explicit PermuteOp(std::vector<std::int64_t> order_) : order(std::move(order_)) {}
  std::string_view name() const override { return "permute"; }
  std::string attributes() const override;
};

struct SliceOp final : ViewOp {
  // dim counts from the front, and 0 <= start <= end <= its extent.
  std::int64_t dim, start, end, step;

  SliceOp(std::int64_t dim_, std::int64_t start_, std::int64_t end_, std::int64_t step_)
      : dim(dim_), start(start_), end(end_), step(step_) {}
  std::string_view name() const override { return "slice"; }
  std::string attributes() const override;
};

struct ReshapeOp final : ViewOp {
  std::string_view name() const override { return "reshape"; }
};

struct ExpandOp final : ViewOp {
  std::string_view name() const override { return "expand"; }
};

struct StopGradientOp final : ViewOp {
  std::string_view name() const override { return "stop_gradient"; }
};

// ---- Conversion, copies, filling ----------------------------------------------------------------
// Conversion, copies, and tensors made from nothing.

/// x converted; x itself when it has the dtype already.
Value cast(Operand x, DType dtype);

/// A dense copy.
Value copy(Operand x);

/// x itself when it is dense, else a dense copy.
Value contiguous(Operand x);

/// Tensors filled on the device in every run; for one that is uploaded once see Graph::constant. As
/// for Tensor::full, the dtype must be able to hold the value, be it rounded: ValueError otherwise.
Value zeros(const Graph& graph, Shape shape, DType dtype = DType::float32,
            std::source_location where = std::source_location::current());
Value full(const Graph& graph, Shape shape, double value, DType dtype = DType::float32,
           std::source_location where = std::source_location::current());

/// full() of 1.
Value ones(const Graph& graph, Shape shape, DType dtype = DType::float32,
           std::source_location where = std::source_location::current());

/// Of x's shape, dtype and graph.
Value zeros_like(Operand x);
Value ones_like(Operand x);
Value full_like(Operand x, double value);

/// 1 on the main diagonal of [rows, columns], 0 elsewhere; square without columns.
Value eye(const Graph& graph, std::int64_t rows, std::optional<std::int64_t> columns = std::nullopt,
          DType dtype = DType::float32,
          std::source_location where = std::source_location::current());

/// `steps` numbers at equal distances, start the first and end the last one; of integers they are
/// cut off. bool counts nothing.
Value linspace(const Graph& graph, double start, double end, std::int64_t steps,
               DType dtype = DType::float32,
               std::source_location where = std::source_location::current());

/// base to the power of linspace(), of a floating dtype; the base is above 0.
Value logspace(const Graph& graph, double start, double end, std::int64_t steps, double base = 10,
               DType dtype = DType::float32,
               std::source_location where = std::source_location::current());

/// The rows and columns, [2, n] in int64, of the lower, or upper, triangle of a matrix in row-major
/// order, with diagonal number `offset`: a constant. index(x, {a, b}) takes the two.
Value tril_indices(const Graph& graph, std::int64_t rows, std::int64_t columns,
                   std::int64_t offset = 0,
                   std::source_location where = std::source_location::current());
Value triu_indices(const Graph& graph, std::int64_t rows, std::int64_t columns,
                   std::int64_t offset = 0,
                   std::source_location where = std::source_location::current());

struct FullAttributes {
  double value;
  auto arguments() const { return named({"value"}, value); }
  std::string text() const;
};

struct EyeAttributes {
  std::int64_t rows;
  std::int64_t columns;
  auto arguments() const { return named({"rows", "columns"}, rows, columns); }
};
struct LinspaceAttributes {
  double start;
  double end;
  std::int64_t steps;
  auto arguments() const { return named({"start", "end", "steps"}, start, end, steps); }
};

namespace calls {
extern const Declaration<> cast, copy, zeros;
extern const Declaration<FullAttributes> full;
extern const Declaration<EyeAttributes> eye;
extern const Declaration<LinspaceAttributes> linspace;
}  // namespace calls

using CastOp = DeclaredOp<calls::cast>;
using CopyOp = DeclaredOp<calls::copy>;
using ZerosOp = DeclaredOp<calls::zeros>;
using FullOp = DeclaredOp<calls::full>;
using EyeOp = DeclaredOp<calls::eye>;
using LinspaceOp = DeclaredOp<calls::linspace>;

}  // namespace aclgrad
