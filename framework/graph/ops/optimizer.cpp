// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/optimizer.h"

#include <fmt/format.h>

#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/tensor/to_float.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_norm.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

void require_broadcasts_to_variable(const Recorder& record) {
  const Shape& target = record.input(0).shape();
  record.require_shape(expands_to(record.input(1).shape(), target),
                       "{} with shape {} does not broadcast to the variable's shape {}",
                       record.input(1), record.input(1).shape(), target);
}

}  // namespace

Value inplace_add(Operand variable, const Value& x, double alpha) {
  Recorder record("inplace_add", {variable, x}, variable.where);
  record.require_same_dtype(0, 1);
  require_broadcasts_to_variable(record);
  record.require_holds(variable.dtype(), alpha, "alpha");
  return record.add<InplaceAddOp>({alpha}, record.like(0));
}

Value accumulate(Operand variable, const Value& x, double decay) {
  Recorder record("accumulate", {variable, x}, variable.where);
  record.require_floating(0);
  record.require_like(0, 1);
  record.require_holds(variable.dtype(), decay, "decay");
  return record.add<AccumulateOp>({decay}, record.like(0));
}

Value assign(Operand variable, const Value& x) {
  Recorder record("assign", {variable, x}, variable.where);
  require_broadcasts_to_variable(record);
  return record.add<AssignOp>({}, record.like(0));
}

AdamWResult apply_adam_w(Operand parameter, const Value& first_moment, const Value& second_moment,
                         const Value& gradient, const Value& step,
                         const AdamWAttributes& attributes, const Value& largest_second_moment) {
  std::vector<Value> inputs = {parameter, first_moment, second_moment};
  AdamWAttributes used = attributes;
  used.amsgrad = largest_second_moment.id() >= 0;
  if (used.amsgrad) inputs.push_back(largest_second_moment);
  const std::size_t updated = inputs.size();
  inputs.insert(inputs.end(), {gradient, step});
  Recorder record("apply_adam_w", std::move(inputs), parameter.where);
  record.require_floating(0);
  record.require_holds(DType::float32, attributes.learning_rate, "learning_rate");
  record.require_holds(DType::float32, attributes.beta1, "beta1");
  record.require_holds(DType::float32, attributes.beta2, "beta2");
  record.require_holds(DType::float32, attributes.weight_decay, "weight_decay");
  record.require_holds(DType::float32, attributes.epsilon, "epsilon");
  for (std::size_t i = 1; i <= updated; ++i) {
    record.require_like(i, 0);
  }
  record.require_value(
      step.shape().numel() == 1 && (step.dtype() == DType::float32 || step.dtype() == DType::int64),
      "the step count must be one element of float32 or int64, got {} {}", step.dtype(),
      step.shape());
  std::vector<TensorSpec> specs;
  for (std::size_t i = 0; i < updated; ++i) specs.push_back(record.like(i));
  const std::vector<Value> outputs = record.add<AdamWOp>(used, std::move(specs));
  return {outputs[0], outputs[1], outputs[2], used.amsgrad ? outputs[3] : Value()};
}

std::string AdamWAttributes::text() const {
  return fmt::format("learning_rate={}, beta1={}, beta2={}, weight_decay={}, epsilon={}{}{}",
                     learning_rate, beta1, beta2, weight_decay, epsilon,
                     maximize ? ", maximize" : "", amsgrad ? ", amsgrad" : "");
}

namespace calls {

const Declaration<InplaceAddAttributes> inplace_add = {"inplace_add", ACLGRAD_C(aclnnInplaceAdd),
                                                       updating};

// x + decay variable, into the variable.
const Declaration<AccumulateAttributes> accumulate = {
    "accumulate", ACLGRAD_C(aclnnAdd), updating,
    [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnAddGetWorkspaceSize(call.input(1), call.input(0), call.scalar(values.decay),
                                      call.output(0), end...);
    }};

const Declaration<> assign = {"assign", ACLGRAD_C(aclnnInplaceCopy), replacing};

const Declaration<AdamWAttributes> apply_adam_w = {
    "apply_adam_w", ACLGRAD_C(aclnnApplyAdamWV2), updating,
    [](const auto& values, AclnnCall& call, auto... end) {
      const std::size_t gradient = values.amsgrad ? 4 : 3;
      return aclnnApplyAdamWV2GetWorkspaceSize(
          call.output(0), call.output(1), call.output(2), values.amsgrad ? call.output(3) : nullptr,
          call.input(gradient), call.input(gradient + 1), to_float(values.learning_rate),
          to_float(values.beta1), to_float(values.beta2), to_float(values.weight_decay),
          to_float(values.epsilon), values.amsgrad, values.maximize, end...);
    }};

}  // namespace calls

namespace {

Recorder record_list(std::string_view op, const std::vector<Value>& values,
                     std::source_location where) {
  detail::require_values(op, values);
  Recorder record(op, values, where);
  record.require_floating(0);
  for (std::size_t i = 1; i < values.size(); ++i) record.require_same_dtype(i, 0);
  return record;
}

}  // namespace

std::vector<Value> foreach_norm(Operands values, double p) {
  Recorder record = record_list("foreach_norm", values, values.where);
  record.require_value(!std::isnan(p), "p must be a number, got NaN");
  const std::vector<TensorSpec> scalars(values.size(), {Shape{}, values.front().dtype()});
  return record.add<ForeachNormOp>({p}, scalars);
}

std::vector<Value> foreach_mul(Operands values, double factor) {
  Recorder record = record_list("foreach_mul", values, values.where);
  record.require_holds(values.front().dtype(), factor, "factor");
  std::vector<TensorSpec> specs;
  for (std::size_t i = 0; i < values.size(); ++i) specs.push_back(record.like(i));
  return record.add<ForeachMulOp>({factor}, std::move(specs));
}

std::vector<Value> foreach_mul(Operands values, const Value& factor) {
  std::vector<Value> products;
  for (const Value& each : values) products.push_back(mul({each, values.where}, factor));
  return products;
}

namespace calls {

const Declaration<ForeachNormAttributes> foreach_norm = {"foreach_norm",
                                                         ACLGRAD_C(aclnnForeachNorm), separate};
const Declaration<ForeachMulAttributes> foreach_mul = {
    "foreach_mul", ACLGRAD_C(aclnnForeachMulScalarV2),
    [](const ForeachMulAttributes&, std::size_t output, std::size_t input) {
      return output == input ? OutputMemory::may_be_shared : OutputMemory::separate;
    },
    [](const auto& values, AclnnCall& call, auto... end) {
      // ACL_DOUBLE is taken beside every floating dtype.
      return aclnnForeachMulScalarV2GetWorkspaceSize(call.input_list(),
                                                     call.scalar(values.factor, DType::float64),
                                                     call.output_list(), end...);
    }};

}  // namespace calls
}  // namespace aclgrad
