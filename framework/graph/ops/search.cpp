// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/search.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_topk.h"
#include "graph/ops/families.h"

namespace aclgrad {
namespace {

// Without the axis, or with extent 1. There must be elements along it.
Shape along(const Recorder& record, std::int64_t axis, bool keepdim) {
  const Shape& shape = record.input(0).shape();
  std::vector<std::int64_t> dims = shape.dims();
  if (dims.empty()) return shape;
  const auto place = dims.begin() + axis;
  if (*place == 0) record.shape_error(fmt::format("axis {} of {} has no elements", axis, shape));
  if (keepdim) {
    *place = 1;
  } else {
    dims.erase(place);
  }
  return Shape(std::move(dims));
}

}  // namespace

Value argmax(const Value& x, std::int64_t dim, bool keepdim, std::source_location where) {
  Recorder record("argmax", {x}, where);
  dim = record.axis(dim, x.shape().rank());
  return record.add<ArgmaxOp>({dim, keepdim}, {along(record, dim, keepdim), DType::int64});
}

ValuesAndIndices max(const Value& x, std::int64_t dim, bool keepdim, std::source_location where) {
  Recorder record("max", {x}, where);
  dim = record.axis(dim, x.shape().rank());
  const Shape shape = along(record, dim, keepdim);
  const auto results =
      record.add<MaxOp>({dim, keepdim}, {{shape, x.dtype()}, {shape, DType::int64}});
  return {results[0], results[1]};
}

ValuesAndIndices topk(const Value& x, std::int64_t k, std::int64_t dim, bool largest,
                      std::source_location where) {
  Recorder record("topk", {x}, where);
  dim = record.axis(dim, x.shape().rank());
  std::vector<std::int64_t> dims = x.shape().dims();
  const std::int64_t size = dims.empty() ? 1 : dims[static_cast<std::size_t>(dim)];
  if (k < (dims.empty() ? 1 : 0) || k > size) {
    record.shape_error(fmt::format("k = {} is out of range for axis {} of {}", k, dim, x.shape()));
  }
  if (!dims.empty()) dims[static_cast<std::size_t>(dim)] = k;
  const Shape shape(std::move(dims));
  const auto results =
      record.add<TopkOp>({k, dim, largest, true}, {{shape, x.dtype()}, {shape, DType::int64}});
  return {results[0], results[1]};
}

namespace calls {

ACLGRAD_CALL(argmax, aclnnArgMax, separate, SearchAttributes)
ACLGRAD_CALL(max, aclnnMaxDim, separate, SearchAttributes)
ACLGRAD_CALL(topk, aclnnTopk, separate, TopkAttributes)

}  // namespace calls
}  // namespace aclgrad
