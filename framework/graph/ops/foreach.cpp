// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/foreach.h"

#include <fmt/format.h>

#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_norm.h"

namespace aclgrad {
namespace {

Recorder record_list(std::string_view op, const std::vector<Value>& values,
                     std::source_location where) {
  if (values.empty()) throw ValueError(fmt::format("{}: expected at least one value", op));
  Recorder record(op, values, where);
  record.require_floating(0);
  for (std::size_t i = 1; i < values.size(); ++i) record.require_same_dtype(i, 0);
  return record;
}

}  // namespace

std::vector<Value> foreach_norm(const std::vector<Value>& values, double p,
                                std::source_location where) {
  Recorder record = record_list("foreach_norm", values, where);
  if (std::isnan(p)) record.value_error("p must be a number, got NaN");
  const std::vector<TensorSpec> scalars(values.size(), {Shape{}, values.front().dtype()});
  return record.add<ForeachNormOp>({p}, scalars);
}

std::vector<Value> foreach_mul(const std::vector<Value>& values, double factor,
                               std::source_location where) {
  Recorder record = record_list("foreach_mul", values, where);
  record.require_holds(values.front().dtype(), factor, "factor");
  std::vector<TensorSpec> specs;
  for (std::size_t i = 0; i < values.size(); ++i) specs.push_back(record.like(i));
  return record.add<ForeachMulOp>({factor}, std::move(specs));
}

std::vector<Value> foreach_mul(const std::vector<Value>& values, const Value& factor,
                               std::source_location where) {
  std::vector<Value> products;
  for (const Value& each : values) products.push_back(mul(each, factor, where));
  return products;
}

namespace calls {

constexpr Declaration<ForeachNormAttributes> foreach_norm(
    "foreach_norm", "aclnnForeachNorm", aclnnForeachNorm, separate,
    [](const ForeachNormAttributes& values, Call& call, auto... end) {
      return aclnnForeachNormGetWorkspaceSize(call.input_list(), call.scalar(values.p),
                                              call.output_list(), end...);
    });
constexpr Declaration<ForeachMulAttributes> foreach_mul(
    "foreach_mul", "aclnnForeachMulScalarV2", aclnnForeachMulScalarV2,
    [](const ForeachMulAttributes&, std::size_t output, std::size_t input) {
      return output == input ? OutputMemory::may_be_shared : OutputMemory::separate;
    },
    [](const ForeachMulAttributes& values, Call& call, auto... end) {
      // ACL_DOUBLE is taken beside every floating dtype.
      return aclnnForeachMulScalarV2GetWorkspaceSize(call.input_list(),
                                                     call.scalar(values.factor, DType::float64),
                                                     call.output_list(), end...);
    });

}  // namespace calls
}  // namespace aclgrad
