// SPDX-License-Identifier: Apache-2.0
// aclnnMatmul, aclnnMm, aclnnBatchMatMul.
#include "aclnnop/aclnn_matmul.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "ops/matmul/product_rules.h"

namespace aclgrad::ops::matmul {
namespace {

enum : size_t { kSelf, kMat2, kOut, kCubeMathType };
constexpr size_t kMaxMatmulRank = 6;

// The leading dimensions of a tensor of matrices; a vector has none.
Dims batch_of(const Dims& shape) { return {shape.data(), std::max<size_t>(shape.size(), 2) - 2}; }

bool batches_broadcast(const Arguments& arguments, Dims& batch) {
  const auto lead = [&](size_t i) {
    const Dims& shape = arguments.shape(i);
    return shape.size() < 2 ? Dims{} : batch_of(shape);
  };
  return broadcast_shapes(lead(kSelf), lead(kMat2), batch);
}

// A vector times a vector: one element, which the caller may hold as [] or [1].
bool is_dot(const Arguments& arguments) {
  return arguments.shape(kSelf).size() == 1 && arguments.shape(kMat2).size() == 1;
}

Dims product_shape(const Arguments& arguments) {
  Dims shape;
  batches_broadcast(arguments, shape);
  const Dims& self = arguments.shape(kSelf);
  const Dims& mat2 = arguments.shape(kMat2);
  if (self.size() > 1) shape.push_back(self[self.size() - 2]);
  if (mat2.size() > 1) shape.push_back(mat2[mat2.size() - 1]);
  return shape;
}

Rule not_zero_dimensional(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.shape(tensor).empty()) return std::nullopt;
    return fmt::format("tensor {} must have at least 1 dimension, but is [].",
                       arguments.name(tensor));
  });
}

Rule batch_broadcasts() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    Dims batch;
    if (batches_broadcast(arguments, batch)) return std::nullopt;
    return fmt::format(
        "the leading sizes of tensor {} {} and tensor {} {} do not broadcast, expected "
        "equal sizes or 1.",
        arguments.name(kSelf), to_string(arguments.shape(kSelf)), arguments.name(kMat2),
        to_string(arguments.shape(kMat2)));
  });
}

Rule out_is_product() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims expected = product_shape(arguments);
    const Dims& shape = arguments.shape(kOut);
    if (shape == expected || (is_dot(arguments) && shape == Dims{1})) return std::nullopt;
    return fmt::format("tensor {} must have size {}, but is {}.", arguments.name(kOut),
                       to_string(expected), to_string(shape));
  });
}

// mat2 may be a weight after aclnnTransMatmulWeight, which is read by its strides.
const OperatorSpec kMatmul{
    "aclnnMatmul",
    {input("self"), input("mat2"), output("out"), attribute("cubeMathType")},
    Rules{not_null({kSelf, kMat2, kOut}), dtype_in({kSelf, kMat2, kOut}, kFloats),
          cube_math_type_known(kCubeMathType), cube_math_type_fits(kCubeMathType, kSelf, kMat2),
          max_rank(kSelf, kMaxMatmulRank), max_rank(kMat2, kMaxMatmulRank),
          max_rank(kOut, kMaxMatmulRank), not_zero_dimensional(kSelf), not_zero_dimensional(kMat2),
          inner_sizes_match(kSelf, kMat2), batch_broadcasts(), no_private_format(kSelf),
          no_private_format(kOut), out_is_product()}};

const OperatorSpec kMm{
    "aclnnMm",
    {input("self"), input("mat2"), output("out"), attribute("cubeMathType")},
    Rules{not_null({kOut, kSelf, kMat2}), dtype_in({kSelf, kMat2, kOut}, kFloats),
          cube_math_type_known(kCubeMathType), cube_math_type_fits(kCubeMathType, kSelf, kMat2),
          rank_is(kMat2, 2), rank_is(kSelf, 2), inner_sizes_match(kSelf, kMat2), rank_is(kOut, 2),
          out_is_product()}};

const OperatorSpec kBatchMatMul{
    "aclnnBatchMatMul",
    {input("self"), input("mat2"), output("out"), attribute("cubeMathType")},
    Rules{not_null({kSelf, kMat2, kOut}), dtype_in({kSelf, kMat2, kOut}, kFloats),
          cube_math_type_known(kCubeMathType), cube_math_type_fits(kCubeMathType, kSelf, kMat2),
          rank_is(kSelf, 3), rank_is(kMat2, 3), rank_is(kOut, 3), inner_sizes_match(kSelf, kMat2),
          batch_broadcasts(), out_is_product(), no_private_format(kSelf), no_private_format(kOut)}};

// A tensor of matrices over the broadcast batch. A vector is a row (on the left) or a column.
enum class VectorIs { kRow, kColumn };
MatrixView batched_view(const Arguments& arguments, size_t parameter, const Dims& batch,
                        VectorIs vector) {
  const Dims& shape = arguments.shape(parameter);
  const Dims& strides = arguments.strides(parameter);
  MatrixView view{parameter, arguments.dtype(parameter), 0, 0, Dims::filled(batch.size(), 0)};
  const size_t rank = shape.size();
  if (rank == 1) {
    (vector == VectorIs::kRow ? view.column_stride : view.row_stride) = strides[0];
    return view;
  }
  view.row_stride = strides[rank - 2];
  view.column_stride = strides[rank - 1];
  const size_t missing = batch.size() - (rank - 2);
  for (size_t d = 0; d + 2 < rank; ++d) {
    if (shape[d] != 1) view.batch_strides[missing + d] = strides[d];
  }
  return view;
}

// out has the batch's dimensions, then rows unless self is a vector, then columns unless mat2 is
// one.
MatrixView output_view(const Arguments& arguments, const Dims& batch) {
  const Dims& strides = arguments.strides(kOut);
  MatrixView view{kOut, arguments.dtype(kOut), 0, 0, Dims(strides.data(), batch.size())};
  if (is_dot(arguments)) return view;
  size_t next = batch.size();
  if (arguments.shape(kSelf).size() > 1) view.row_stride = strides[next++];
  if (arguments.shape(kMat2).size() > 1) view.column_stride = strides[next];
  return view;
}

Plan plan_batched(const Arguments& arguments) {
  MatmulProblem problem;
  batches_broadcast(arguments, problem.batch);
  const Dims& self = arguments.shape(kSelf);
  const Dims& mat2 = arguments.shape(kMat2);
  problem.m = self.size() > 1 ? self[self.size() - 2] : 1;
  problem.k = self[self.size() - 1];
  problem.n = mat2.size() > 1 ? mat2[mat2.size() - 1] : 1;
  problem.a = batched_view(arguments, kSelf, problem.batch, VectorIs::kRow);
  problem.b = batched_view(arguments, kMat2, problem.batch, VectorIs::kColumn);
  problem.out = output_view(arguments, problem.batch);
  set_product_dtype(arguments, kCubeMathType, problem);
  return plan_matmul(problem);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnMatmul, kMatmul, plan_batched)
ACLGRAD_OPERATOR(aclnnMm, kMm, [](const Arguments& arguments) {
  return plan_matmul(matrix_product(arguments, kSelf, kMat2, kOut, kCubeMathType));
})
ACLGRAD_OPERATOR(aclnnBatchMatMul, kBatchMatMul, plan_batched)

}  // namespace aclgrad::ops::matmul
