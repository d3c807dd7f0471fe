// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/matmul.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_baddbmm.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_matmul.h"

namespace aclgrad {
namespace {

Shape leading(const Dims& dims) { return Shape(Dims(dims.begin(), dims.end() - 2)); }

Shape product_shape(const Recorder& record, const Shape& left, const Shape& right) {
  for (const Shape* shape : {&left, &right}) {
    record.require_shape(shape->rank() >= 1 && shape->rank() <= 6,
                         "ranks must be 1 to 6, got shapes {} and {}", left, right);
  }
  Dims a = left.dims();
  Dims b = right.dims();
  if (left.rank() == 1) a.insert(a.begin(), 1);
  if (right.rank() == 1) b.push_back(1);
  record.require_shape(a.back() == b[b.size() - 2], "inner sizes of {} and {} differ", left, right);
  Dims dims = record.broadcast(leading(a), leading(b)).dims();
  if (left.rank() > 1) dims.push_back(a[a.size() - 2]);
  if (right.rank() > 1) dims.push_back(b.back());
  return Shape(std::move(dims));
}

Shape batch_product_shape(const Recorder& record, const Value& a, const Value& b) {
  record.require_shape(a.shape().rank() == 3 && b.shape().rank() == 3,
                       "both factors must have rank 3, got {} and {}", a.shape(), b.shape());
  return product_shape(record, a.shape(), b.shape());
}

void require_broadcast(const Recorder& record, const Value& c, const Shape& shape) {
  record.require_shape(expands_to(c.shape(), shape), "{} with shape {} does not broadcast to {}", c,
                       c.shape(), shape);
}

// Products are scaled before they are rounded to 16 bits.
void check_factors(const Recorder& record, DType dtype, double beta, double alpha) {
  record.require_holds_as_float(dtype, beta, "beta");
  record.require_holds_as_float(dtype, alpha, "alpha");
}

}  // namespace

Value matmul(Operand a, const Value& b) {
  Recorder record("matmul", {a, b}, a.where);
  record.require_floating(0);
  record.require_floating(1);
  Shape shape = product_shape(record, a.shape(), b.shape());
  return record.add<MatmulOp>({}, {std::move(shape), promote(a.dtype(), b.dtype())});
}

Value addmm(Operand c, const Value& a, const Value& b, double beta, double alpha) {
  Recorder record("addmm", {c, a, b}, c.where);
  for (std::size_t i = 0; i < 3; ++i) record.require_floating(i);
  record.require_shape(a.shape().rank() == 2 && b.shape().rank() == 2,
                       "both factors must have rank 2, got {} and {}", a.shape(), b.shape());
  Shape shape = product_shape(record, a.shape(), b.shape());
  record.require_shape(c.shape().rank() >= 1, "c must have rank 1 or 2, got a scalar");
  require_broadcast(record, c, shape);
  const DType dtype = promote(c.dtype(), promote(a.dtype(), b.dtype()));
  check_factors(record, dtype, beta, alpha);
  return record.add<AddmmOp>({beta, alpha}, {std::move(shape), dtype});
}

Value bmm(Operand a, const Value& b) {
  Recorder record("bmm", {a, b}, a.where);
  record.require_floating(0);
  record.require_floating(1);
  Shape shape = batch_product_shape(record, a, b);
  return record.add<BmmOp>({}, {std::move(shape), promote(a.dtype(), b.dtype())});
}

Value baddbmm(Operand c, const Value& a, const Value& b, double beta, double alpha) {
  Recorder record("baddbmm", {c, a, b}, c.where);
  for (std::size_t i = 0; i < 3; ++i) record.require_floating(i);
  Shape shape = batch_product_shape(record, a, b);
  record.require_shape(a.shape()[0] == shape[0],
                       "only the second factor can have a batch of 1, got {} and {}", a.shape(),
                       b.shape());
  require_broadcast(record, c, shape);
  const DType dtype = promote(c.dtype(), promote(a.dtype(), b.dtype()));
  check_factors(record, dtype, beta, alpha);
  return record.add<BaddbmmOp>({beta, alpha}, {std::move(shape), dtype});
}

Value linear(Operand x, const Value& weight, const Value& bias) {
  const RecordScope scope(x);
  Recorder record("linear", {x, weight, bias},
                  x.where);  // checks only: addmm is what gets recorded
  record.require_shape(
      x.shape().rank() >= 1 && weight.shape().rank() == 2 && x.shape()[-1] == weight.shape()[0],
      "{} of shape {} needs a weight of shape [{}, out], {} has {}", x, x.shape(),
      x.shape().rank() < 1 ? 1 : x.shape()[-1], weight, weight.shape());
  record.require_shape(bias.shape() == Shape{weight.shape()[1]},
                       "the bias must have shape [{}], got {}", weight.shape()[1], bias.shape());
  if (x.shape().rank() == 2) return addmm(bias, x, weight, 1, 1);
  Dims dims = x.shape().dims();
  dims.back() = weight.shape()[1];
  // The row count is worked out here: with an empty matrix -1 would be ambiguous.
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < dims.size(); ++i) rows *= dims[i];
  const Value matrix = reshape(x, {rows, x.shape()[-1]});
  return reshape(addmm(bias, matrix, weight, 1, 1), std::move(dims));
}

std::string AddmmAttributes::text() const {
  return beta == 1 && alpha == 1 ? std::string{} : fmt::format("beta={}, alpha={}", beta, alpha);
}

namespace calls {

const Declaration<MatmulAttributes> matmul = {"matmul", ACLGRAD_C(aclnnMatmul), separate};
const Declaration<MatmulAttributes> bmm = {"bmm", ACLGRAD_C(aclnnBatchMatMul), separate};
const Declaration<AddmmAttributes> addmm = {"addmm", ACLGRAD_C(aclnnAddmm), separate};
const Declaration<AddmmAttributes> baddbmm = {"baddbmm", ACLGRAD_C(aclnnBaddbmm), separate};

}  // namespace calls
}  // namespace aclgrad
