// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/matmul.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/ops/views.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_matmul.h"

namespace aclgrad {
namespace {

// cubeMathType: compute in the inputs' dtype.
constexpr std::int8_t kKeepDtype = 0;

using Dims = std::vector<std::int64_t>;

Shape leading(const Dims& dims) { return Shape(Dims(dims.begin(), dims.end() - 2)); }

Shape product_shape(const Recorder& record, const Shape& left, const Shape& right) {
  for (const Shape* shape : {&left, &right}) {
    if (shape->rank() < 1 || shape->rank() > 6) {
      record.shape_error(fmt::format("ranks must be 1 to 6, got shapes {} and {}", left, right));
    }
  }
  Dims a = left.dims();
  Dims b = right.dims();
  if (left.rank() == 1) a.insert(a.begin(), 1);
  if (right.rank() == 1) b.push_back(1);
  if (a.back() != b[b.size() - 2]) {
    record.shape_error(fmt::format("inner sizes of {} and {} differ", left, right));
  }
  Dims dims = record.broadcast(leading(a), leading(b)).dims();
  if (left.rank() > 1) dims.push_back(a[a.size() - 2]);
  if (right.rank() > 1) dims.push_back(b.back());
  return Shape(std::move(dims));
}

}  // namespace

Value matmul(const Value& a, const Value& b, std::source_location where) {
  Recorder record("matmul", {a, b}, where);
  record.require_floating(0);
  record.require_floating(1);
  Shape shape = product_shape(record, a.shape(), b.shape());
  return record.add<MatmulOp>({}, {std::move(shape), Recorder::promote(a.dtype(), b.dtype())});
}

Value addmm(const Value& c, const Value& a, const Value& b, double beta, double alpha,
            std::source_location where) {
  Recorder record("addmm", {c, a, b}, where);
  for (std::size_t i = 0; i < 3; ++i) record.require_floating(i);
  if (a.shape().rank() != 2 || b.shape().rank() != 2) {
    record.shape_error(
        fmt::format("both factors must have rank 2, got {} and {}", a.shape(), b.shape()));
  }
  Shape shape = product_shape(record, a.shape(), b.shape());
  if (c.shape().rank() < 1 || c.shape().rank() > 2 || record.broadcast(c.shape(), shape) != shape) {
    record.shape_error(fmt::format("{} with shape {} does not broadcast to {}", c.description(),
                                   c.shape(), shape));
  }
  const DType dtype = Recorder::promote(c.dtype(), Recorder::promote(a.dtype(), b.dtype()));
  return record.add<AddmmOp>({beta, alpha}, {std::move(shape), dtype});
}

Value linear(const Value& x, const Value& weight, const Value& bias, std::source_location where) {
  Recorder record("linear", {x, weight, bias}, where);  // checks only: addmm is what gets recorded
  if (x.shape().rank() < 1 || weight.shape().rank() != 2 || x.shape()[-1] != weight.shape()[0]) {
    record.shape_error(fmt::format("x {} needs a weight of shape [{}, out], got {}", x.shape(),
                                   x.shape().rank() < 1 ? 1 : x.shape()[-1], weight.shape()));
  }
  if (bias.shape() != Shape{weight.shape()[1]}) {
    record.shape_error(
        fmt::format("the bias must have shape [{}], got {}", weight.shape()[1], bias.shape()));
  }
  if (x.shape().rank() == 2) return addmm(bias, x, weight, 1, 1, where);
  Dims dims = x.shape().dims();
  dims.back() = weight.shape()[1];
  // The row count is worked out here: with an empty matrix -1 would be ambiguous.
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < dims.size(); ++i) rows *= dims[i];
  const Value matrix = reshape(x, {rows, x.shape()[-1]}, where);
  return reshape(addmm(bias, matrix, weight, 1, 1, where), std::move(dims), where);
}

std::string AddmmAttributes::text() const {
  return beta == 1 && alpha == 1 ? std::string{} : fmt::format("beta={}, alpha={}", beta, alpha);
}

namespace calls {

constexpr Declaration<> matmul("matmul", "aclnnMatmul", aclnnMatmul, separate,
                               [](const NoAttributes&, Call& call, auto... end) {
                                 return aclnnMatmulGetWorkspaceSize(call.input(0), call.input(1),
                                                                    call.output(0), kKeepDtype,
                                                                    end...);
                               });

constexpr Declaration<AddmmAttributes> addmm(
    "addmm", "aclnnAddmm", aclnnAddmm, separate,
    [](const AddmmAttributes& values, Call& call, auto... end) {
      return aclnnAddmmGetWorkspaceSize(call.input(0), call.input(1), call.input(2),
                                        call.scalar(values.beta), call.scalar(values.alpha),
                                        call.output(0), kKeepDtype, end...);
    });

}  // namespace calls
}  // namespace aclgrad
