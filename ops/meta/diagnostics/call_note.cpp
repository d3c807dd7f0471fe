// SPDX-License-Identifier: Apache-2.0
#include "ops/meta/diagnostics/call_note.h"

#include <memory>

#include "ops/meta/diagnostics/call_log.h"

namespace aclgrad::ops {
namespace {

bool is_read(Role role) { return role == Role::kInput || role == Role::kInOut; }
bool is_written(Role role) { return role == Role::kOutput || role == Role::kInOut; }

std::vector<aclgradTaskOperand> operands_of(const aclOpExecutor& executor, void* workspace) {
  std::vector<aclgradTaskOperand> operands;
  for (size_t i = 0; i < executor.bindings.size(); ++i) {
    const aclOpExecutor::Binding& binding = executor.bindings[i];
    if (binding.object == nullptr) continue;
    const aclTensor& tensor = executor.note->tensors[i];
    const Parameter& parameter = executor.spec->parameters[binding.parameter];
    operands.push_back(
        {parameter.name, static_cast<unsigned char*>(binding.base) + binding.byte_offset,
         tensor.view_shape.data(), tensor.view_strides.data(), tensor.view_shape.size(),
         aclDataTypeSize(tensor.dtype), is_read(parameter.role) ? 1 : 0,
         is_written(parameter.role) ? 1 : 0, binding.object});
  }
  if (executor.plan->workspace_size > 0) {
    // One element as large as all of it.
    operands.push_back({"workspace", workspace, nullptr, nullptr, 0, executor.plan->workspace_size,
                        0, 1, nullptr});
  }
  return operands;
}

}  // namespace

void note_plan(const Arguments& arguments, aclOpExecutor& executor) {
  auto note = std::make_shared<CallNote>();
  note->number = aclgradNextCallNumber();
  note->tensors.resize(arguments.size());
  note->versions.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (executor.bindings[i].object == nullptr) continue;
    note->tensors[i] = arguments.tensor(i);
    note->versions[i] = aclgradObjectVersion(&arguments.tensor(i));
  }
  executor.note = std::move(note);
}

void check_phases(const aclOpExecutor& executor) {
  if (!diagnosing(ACLGRAD_CHECK_PHASES)) return;
  aclgradObjectUsed(&executor);
  for (size_t i = 0; i < executor.bindings.size(); ++i) {
    const aclOpExecutor::Binding& binding = executor.bindings[i];
    if (binding.object == nullptr) continue;
    aclgradCheckVersion(executor.spec->name, executor.spec->parameters[binding.parameter].name,
                        binding.object, executor.note->versions[i]);
  }
}

aclError launch_noted(const aclOpExecutor& executor, void* workspace, const NotedLaunch& launch) {
  NotedLaunch logged = launch;
  std::vector<aclgradTaskOperand> operands;
  try {
    operands = operands_of(executor, workspace);
    logged = with_log(executor, launch);
  } catch (...) {
    if (launch.release != nullptr) launch.release(launch.argument);
    throw;
  }
  return aclgradLaunchDescribed(logged.stream, executor.spec->name, logged.run, logged.argument,
                                logged.release, logged.tiling, operands.data(), operands.size());
}

}  // namespace aclgrad::ops
