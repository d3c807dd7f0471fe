// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/update.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/record.h"
#include "aclgrad/to_float.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "aclnnop/aclnn_copy.h"

namespace aclgrad {
namespace {

void require_broadcasts_to_variable(const Recorder& record) {
  const Shape& target = record.input(0).shape();
  if (record.broadcast(target, record.input(1).shape()) == target) return;
  record.shape_error(fmt::format("{} with shape {} does not broadcast to the variable's shape {}",
                                 record.input(1).description(), record.input(1).shape(), target));
}

TensorSpec spec_of(const Value& value) { return {value.shape(), value.dtype()}; }

}  // namespace

Value inplace_add(const Value& variable, const Value& x, double alpha, std::source_location where) {
  Recorder record("inplace_add", {variable, x}, where);
  record.require_same_dtype(0, 1);
  require_broadcasts_to_variable(record);
  return record.add(std::make_shared<InplaceAddOp>(alpha), spec_of(variable));
}

Value accumulate(const Value& variable, const Value& x, double decay, std::source_location where) {
  Recorder record("accumulate", {variable, x}, where);
  record.require_floating(0);
  record.require_same_dtype(0, 1);
  record.require_same_shape(0, 1);
  return record.add(std::make_shared<AccumulateOp>(decay), spec_of(variable));
}

Value assign(const Value& variable, const Value& x, std::source_location where) {
  Recorder record("assign", {variable, x}, where);
  require_broadcasts_to_variable(record);
  return record.add(std::make_shared<AssignOp>(), spec_of(variable));
}

AdamWResult apply_adam_w(const Value& parameter, const Value& first_moment,
                         const Value& second_moment, const Value& gradient, const Value& step,
                         const AdamWAttributes& attributes, std::source_location where) {
  Recorder record("apply_adam_w", {parameter, first_moment, second_moment, gradient, step}, where);
  record.require_floating(0);
  for (std::size_t i = 1; i < 4; ++i) {
    record.require_same_dtype(i, 0);
    record.require_same_shape(i, 0);
  }
  if (step.shape().numel() != 1 ||
      (step.dtype() != DType::float32 && step.dtype() != DType::int64)) {
    record.value_error(
        fmt::format("the step count must be one element of float32 or int64, got "
                    "{} {}",
                    step.dtype(), step.shape()));
  }
  const std::vector<Value> outputs =
      record.add(std::make_shared<AdamWOp>(attributes),
                 {spec_of(parameter), spec_of(first_moment), spec_of(second_moment)});
  return {outputs[0], outputs[1], outputs[2]};
}

std::string InplaceAddOp::attributes() const { return fmt::format("alpha={}", alpha); }
aclnnStatus InplaceAddOp::phase_one(Call& call, std::uint64_t* size,
                                    aclOpExecutor** executor) const {
  return aclnnInplaceAddGetWorkspaceSize(
      call.output(0), call.input(1), call.scalar(alpha, call.input_spec(0).dtype), size, executor);
}
PhaseTwo InplaceAddOp::phase_two() const { return aclnnInplaceAdd; }

std::string AccumulateOp::attributes() const { return fmt::format("decay={}", decay); }
aclnnStatus AccumulateOp::phase_one(Call& call, std::uint64_t* size,
                                    aclOpExecutor** executor) const {
  return aclnnAddGetWorkspaceSize(call.input(1), call.input(0),
                                  call.scalar(decay, call.input_spec(0).dtype), call.output(0),
                                  size, executor);
}
PhaseTwo AccumulateOp::phase_two() const { return aclnnAdd; }

aclnnStatus AssignOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnInplaceCopyGetWorkspaceSize(call.output(0), call.input(1), size, executor);
}
PhaseTwo AssignOp::phase_two() const { return aclnnInplaceCopy; }

std::string AdamWOp::attributes() const {
  return fmt::format("learning_rate={}, beta1={}, beta2={}, weight_decay={}, epsilon={}{}",
                     values.learning_rate, values.beta1, values.beta2, values.weight_decay,
                     values.epsilon, values.maximize ? ", maximize" : "");
}
aclnnStatus AdamWOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnApplyAdamWV2GetWorkspaceSize(
      call.output(0), call.output(1), call.output(2), nullptr, call.input(3), call.input(4),
      to_float(values.learning_rate), to_float(values.beta1), to_float(values.beta2),
      to_float(values.weight_decay), to_float(values.epsilon), false, values.maximize, size,
      executor);
}
PhaseTwo AdamWOp::phase_two() const { return aclnnApplyAdamWV2; }

}  // namespace aclgrad
