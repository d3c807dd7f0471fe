// SPDX-License-Identifier: Apache-2.0
#include "session/plan.h"

#include <fmt/format.h>

#include "aclgrad/runtime.h"

namespace aclgrad::detail {
namespace {

TensorSpec spec_of(const Value& value) { return {value.shape(), value.dtype()}; }

}  // namespace

Plan::Plan(const Graph& graph, const std::vector<NodeId>& nodes, bool eager)
    : eager_(eager), memory_(graph, nodes) {
  std::uint64_t largest = 0;
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    if (dynamic_cast<const AclnnOp*>(node.op.get()) == nullptr) continue;
    Step& step = steps_.emplace_back(make_step(graph, node));
    if (eager_) continue;
    step.executor = call_phase_one(step);
    check_status(step.executor.make_repeatable(), "aclSetAclOpExecutorRepeatable", label(node));
    largest = std::max(largest, step.workspace_size);
  }
  reserve_workspace(largest);
}

Plan::Step Plan::make_step(const Graph& graph, const Node& node) {
  const auto* op = static_cast<const AclnnOp*>(node.op.get());
  const std::vector<Value> inputs = graph.values(node.inputs);
  const std::vector<Value> outputs = graph.values(node.outputs);
  std::vector<TensorSpec> specs;
  specs.reserve(inputs.size() + outputs.size());  // no reallocation: arguments point into it
  auto argument = [&](const Value& value, const Value& stored_as) {
    specs.push_back(spec_of(value));
    return Call::Argument{memory_.tensor(stored_as), &specs.back()};
  };
  std::vector<Call::Argument> input_arguments;
  for (const Value& input : inputs) input_arguments.push_back(argument(input, input));
  std::vector<Call::Argument> output_arguments;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    // An updated variable is one tensor, given to the operator as one object.
    const auto updated = op->updated_input(i);
    output_arguments.push_back(argument(outputs[i], updated ? inputs[*updated] : outputs[i]));
  }
  Call call(std::move(input_arguments), std::move(output_arguments));
  return Step{&node, op, op->phase_two(), std::move(specs), std::move(call), Executor(), 0};
}

Executor Plan::call_phase_one(Step& step) {
  aclOpExecutor* executor = nullptr;
  const aclnnStatus status = step.op->phase_one(step.call, &step.workspace_size, &executor);
  if (status != 0) {
    check_status(status, fmt::format("{}GetWorkspaceSize", step.op->call_name()),
                 label(*step.node));
  }
  return Executor(executor);
}

void Plan::reserve_workspace(std::uint64_t size) {
  if (size > workspace_.bytes()) workspace_ = DeviceBuffer(size);
}

void Plan::run(const Hook& before, const Hook& after) {
  ensure_runtime();
  try {
    eager_ ? run_eagerly(before, after) : run_planned();
  } catch (...) {
    // What was queued before the failure still uses our memory.
    if (aclrtSynchronizeStream(stream_.get()) != 0) aclGetRecentErrMsg();  // the first error counts
    throw;
  }
}

void Plan::run_planned() {
  for (Step& step : steps_) {
    const aclnnStatus status =
        step.phase_two(workspace_.data(), step.workspace_size, step.executor.get(), stream_.get());
    if (status != 0) check_status(status, step.op->call_name(), label(*step.node));
  }
  check_status(aclrtSynchronizeStream(stream_.get()), "aclrtSynchronizeStream",
               "a node of the session failed (an eager session says which)");
}

void Plan::run_eagerly(const Hook& before, const Hook& after) {
  for (Step& step : steps_) {
    if (before) before(*step.node);
    step.call.clear_objects();
    Executor executor = call_phase_one(step);
    reserve_workspace(step.workspace_size);
    // Single use: phase two consumes the executor, whatever it answers.
    const aclnnStatus status =
        step.phase_two(workspace_.data(), step.workspace_size, executor.release(), stream_.get());
    if (status != 0) check_status(status, step.op->call_name(), label(*step.node));
    check_status(aclrtSynchronizeStream(stream_.get()), "aclrtSynchronizeStream",
                 label(*step.node));
    if (after) after(*step.node);
  }
}

std::vector<NodeId> Plan::schedule() const {
  std::vector<NodeId> ids;
  for (const Step& step : steps_) ids.push_back(step.node->id);
  return ids;
}

}  // namespace aclgrad::detail
