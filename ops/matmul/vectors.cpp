// SPDX-License-Identifier: Apache-2.0
// aclnnDot, aclnnMv, aclnnAddmv, aclnnGemm.
#include <fmt/format.h>

#include "aclnnop/aclnn_addmv.h"
#include "aclnnop/aclnn_dot.h"
#include "aclnnop/aclnn_gemm.h"
#include "aclnnop/aclnn_mv.h"
#include "ops/matmul/integer_product_kernel.h"
#include "ops/matmul/product_rules.h"

namespace aclgrad::ops::vectors {
namespace {

namespace dot {

enum : size_t { kSelf, kTensor, kOut };

const OperatorSpec kSpec{
    "aclnnDot",
    {input("self"), input("tensor"), output("out")},
    Rules{not_null({kSelf, kTensor, kOut}), dtype_in(kSelf, kRealNumbers),
          same_dtype({kTensor, kOut}, kSelf), rank_is(kSelf, 1), rank_is(kTensor, 1),
          max_rank(kOut), same_shape(kTensor, kSelf), has_one_element(kOut)}};

}  // namespace dot

// ---- A matrix and a vector ----------------------------------------------------------------------

Rule has_length_of_rows(size_t vector, size_t matrix) {
  return [=](const Arguments& arguments) {
    return has_shape(vector, {arguments.shape(matrix)[0]})(arguments);
  };
}

// matrix @ vector, which is a matrix of one column.
MatmulProblem vector_product(const Arguments& arguments, size_t matrix, size_t vector, size_t out,
                             size_t cube_math_type) {
  const auto column = [&](size_t parameter) {
    return MatrixView{
        parameter, arguments.dtype(parameter), arguments.strides(parameter)[0], 0, {}};
  };
  MatmulProblem problem;
  problem.m = arguments.shape(matrix)[0];
  problem.k = arguments.shape(matrix)[1];
  problem.n = 1;
  problem.a = matrix_view(arguments, matrix);
  problem.b = column(vector);
  problem.out = column(out);
  set_product_dtype(arguments, cube_math_type, problem);
  return problem;
}

namespace mv {

enum : size_t { kSelf, kVec, kOut, kCubeMathType };

const OperatorSpec kSpec{
    "aclnnMv",
    {input("self"), input("vec"), output("out"), attribute("cubeMathType")},
    Rules{not_null({kSelf, kVec, kOut}), dtype_in(kSelf, kRealNumbers),
          same_dtype({kVec, kOut}, kSelf), cube_math_type_known(kCubeMathType),
          cube_math_type_fits(kCubeMathType, kSelf, kVec), rank_is(kSelf, 2), rank_is(kVec, 1),
          inner_sizes_match(kSelf, kVec), has_length_of_rows(kOut, kSelf)}};

}  // namespace mv

namespace addmv {

enum : size_t { kSelf, kMat, kVec, kAlpha, kBeta, kOut, kCubeMathType };

Dims product_shape(const Arguments& arguments) { return {arguments.shape(kMat)[0]}; }

const OperatorSpec kSpec{
    "aclnnAddmv",
    {input("self"), input("mat"), input("vec"), attribute("alpha"), attribute("beta"),
     output("out"), attribute("cubeMathType")},
    Rules{not_null({kSelf, kMat, kVec, kAlpha, kBeta, kOut}), dtype_in(kSelf, kRealNumbers),
          same_dtype({kMat, kVec, kOut}, kSelf), scalar_castable_to_float(kAlpha),
          scalar_castable_to_float(kBeta), cube_math_type_known(kCubeMathType),
          cube_math_type_fits(kCubeMathType, kMat, kVec), rank_is(kMat, 2), rank_is(kVec, 1),
          inner_sizes_match(kMat, kVec), max_rank(kSelf, 1),
          broadcasts_to_product(kSelf, product_shape), has_product_shape(kOut, product_shape)}};

Plan plan(const Arguments& arguments) {
  MatmulProblem problem = vector_product(arguments, kMat, kVec, kOut, kCubeMathType);
  const bool is_whole = is_integer(arguments.dtype(kMat));
  const WholeFactors factors{arguments.scalar(kAlpha).to_int64(),
                             arguments.scalar(kBeta).to_int64()};
  problem.alpha = factor_of(arguments, kAlpha, problem.dtype);
  problem.beta = factor_of(arguments, kBeta, problem.dtype);
  if (!is_whole && is_zero(problem.alpha)) problem.k = 0;  // the product is not computed
  if (is_whole ? factors.beta != 0 : !is_zero(problem.beta)) {
    const Operand addend = operand(arguments, kSelf, product_shape(arguments));
    problem.addend = MatrixView{kSelf, addend.dtype, addend.strides[0], 0, {}};
  }
  return plan_any_product(problem, factors);
}

}  // namespace addmv

// ---- Two matrices -------------------------------------------------------------------------------

namespace gemm {

enum : size_t { kA, kB, kC, kAlpha, kBeta, kTransA, kTransB, kOut, kCubeMathType };

Dims sizes_of(const Arguments& arguments, size_t matrix, size_t trans) {
  const Dims& shape = arguments.shape(matrix);
  return arguments.integer(trans) == 0 ? shape : Dims{shape[1], shape[0]};
}

Dims product_shape(const Arguments& arguments) {
  return {sizes_of(arguments, kA, kTransA)[0], sizes_of(arguments, kB, kTransB)[1]};
}

Rule inner_sizes_fit() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t columns = sizes_of(arguments, kA, kTransA)[1];
    const int64_t rows = sizes_of(arguments, kB, kTransB)[0];
    if (columns == rows) return std::nullopt;
    return fmt::format(
        "the columns of op(A), of A {}, and the rows of op(B), of B {}, must be equal, but are {} "
        "and {}.",
        to_string(arguments.shape(kA)), to_string(arguments.shape(kB)), columns, rows);
  });
}

bool reads_c(const Arguments& arguments) { return !is_zero(arguments.real(kBeta)); }

const OperatorSpec kSpec{
    "aclnnGemm",
    {input("A"), input("B"), input("C"), attribute("alpha"), attribute("beta"), attribute("transA"),
     attribute("transB"), output("out"), attribute("cubeMathType")},
    Rules{not_null({kA, kB, kC, kOut}), dtype_in(kA, kRealFloats), same_dtype({kB, kC, kOut}, kA),
          cube_math_type_known(kCubeMathType), cube_math_type_fits(kCubeMathType, kA, kB),
          rank_is(kA, 2), rank_is(kB, 2), max_rank(kC), rank_is(kOut, 2),
          integer_between(kTransA, 0, 1), integer_between(kTransB, 0, 1), inner_sizes_fit(),
          when(reads_c, broadcasts_to_product(kC, product_shape)),
          has_product_shape(kOut, product_shape)}};

Plan plan(const Arguments& arguments) {
  const auto matrix = [&](size_t parameter, size_t trans) {
    MatrixView view = matrix_view(arguments, parameter);
    if (arguments.integer(trans) != 0) std::swap(view.row_stride, view.column_stride);
    return view;
  };
  const Dims shape = product_shape(arguments);
  if (count_elements(shape) == 0) return {};
  MatmulProblem problem;
  problem.m = shape[0];
  problem.n = shape[1];
  problem.k = sizes_of(arguments, kA, kTransA)[1];
  problem.a = matrix(kA, kTransA);
  problem.b = matrix(kB, kTransB);
  problem.out = matrix_view(arguments, kOut);
  set_product_dtype(arguments, kCubeMathType, problem);
  problem.alpha = arguments.real(kAlpha);
  problem.beta = arguments.real(kBeta);
  if (is_zero(problem.alpha)) problem.k = 0;  // the product is not computed
  if (reads_c(arguments)) {
    const Operand addend = operand(arguments, kC, shape);
    problem.addend = MatrixView{kC, addend.dtype, addend.strides[0], addend.strides[1], {}};
  }
  return plan_matmul(problem);
}

}  // namespace gemm
}  // namespace

ACLGRAD_OPERATOR(aclnnDot, dot::kSpec, [](const Arguments& arguments) {
  return plan_dot(arguments, dot::kSelf, dot::kTensor, dot::kOut);
})
ACLGRAD_OPERATOR(aclnnMv, mv::kSpec, [](const Arguments& arguments) {
  return plan_any_product(
      vector_product(arguments, mv::kSelf, mv::kVec, mv::kOut, mv::kCubeMathType));
})
ACLGRAD_OPERATOR(aclnnAddmv, addmv::kSpec, addmv::plan)
ACLGRAD_OPERATOR(aclnnGemm, gemm::kSpec, gemm::plan)

}  // namespace aclgrad::ops::vectors
