// SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace products_nodes {
namespace {

Items matmul_node(const NodeCall& node) {
  const Value a = node.value(0), b = node.value(1);
  if (is_floating(a.dtype())) return {matmul(a, b)};
  // Whole numbers, exact in double up to 2^53.
  return {cast(matmul(cast(a, DType::float64), cast(b, DType::float64)), a.dtype())};
}

Items gemm(const NodeCall& node) {
  Value a = node.value(0), b = node.value(1);
  const DType dtype = a.dtype();
  const double alpha = node.number("alpha", 1), beta = node.number("beta", 1);
  if (!is_floating(dtype)) {
    a = cast(a, DType::float64);
    b = cast(b, DType::float64);
  }
  if (node.integer("transA", 0) != 0) a = transpose(a, 0, 1);
  if (node.integer("transB", 0) != 0) b = transpose(b, 0, 1);
  if (!node.has(2) || beta == 0) {
    const Value product = matmul(a, b);
    return {cast(alpha == 1 ? product : product * alpha, dtype)};
  }
  Value c = cast(node.value(2), a.dtype());
  if (c.shape().rank() == 0) c = reshape(c, Dims{1});
  return {cast(addmm(c, a, b, beta, alpha), dtype)};
}

constexpr Operator kOperators[] = {
    {"Gemm", gemm},
    {"MatMul", matmul_node},
};

}  // namespace
}  // namespace products_nodes

std::span<const Operator> product_operators() { return products_nodes::kOperators; }

}  // namespace aclgrad::onnx
