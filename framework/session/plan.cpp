// SPDX-License-Identifier: Apache-2.0
#include "session/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/runtime.h"

namespace aclgrad::detail {

Plan::Plan(const Graph& graph, const std::vector<NodeId>& nodes, const std::vector<ValueId>& kept,
           PlanMode mode)
    : graph_(GraphAccess::data(graph)),
      mode_(mode),
      memory_(graph_, nodes, kept, mode == PlanMode::launched || mode == PlanMode::replayed) {
  steps_.reserve(static_cast<std::size_t>(memory_.lifetimes().steps));
  std::uint64_t largest = 0;
  for (const NodeId id : nodes) {
    const AclnnOp* op = as_call(graph_.node(id));
    if (op == nullptr) continue;
    Step& step = steps_.emplace_back(Step{id, op->phase_two(), 0, Executor()});
    if (mode_ == PlanMode::eager) continue;
    step.executor = call_phase_one(step, objects_);
    if (const int status = step.executor.make_repeatable(); status != 0) {
      check_status(status, "aclSetAclOpExecutorRepeatable", label(graph_.node(id)));
    }
    largest = std::max(largest, step.workspace_size);
  }
  reserve_workspace(largest);
  if (mode_ == PlanMode::replayed || mode_ == PlanMode::replayed_apart)
    recording_ = capture(steps_.size());
  if (replays()) find_lendable(nodes, kept);
}

Executor Plan::call_phase_one(Step& step, CallObjects& objects) {
  const Node& node = graph_.node(step.node);
  const AclnnOp& op = *as_call(node);
  auto argument = [&](ValueId value, ValueId stored_as) {
    return Call::Argument{memory_.tensor(stored_as), &graph_.value(value).layout->spec};
  };
  input_arguments_.clear();
  output_arguments_.clear();
  for (const ValueId input : node.inputs) input_arguments_.push_back(argument(input, input));
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    // An updated variable is one tensor, given to the operator as one object.
    const auto updated = op.updated_input(i);
    output_arguments_.push_back(
        argument(node.outputs[i], updated ? node.inputs[*updated] : node.outputs[i]));
  }
  Call call(input_arguments_, output_arguments_, objects);
  aclOpExecutor* executor = nullptr;
  const aclnnStatus status = op.phase_one(call, &step.workspace_size, &executor);
  if (status != 0)
    check_status(status, fmt::format("{}GetWorkspaceSize", op.call_name()), label(node));
  return Executor(executor);
}

void Plan::call_phase_two(const Step& step, aclOpExecutor* executor) const {
  const aclnnStatus status =
      step.phase_two(workspace_.data(), step.workspace_size, executor, stream_.get());
  if (status == 0) return;
  const Node& node = graph_.node(step.node);
  check_status(status, as_call(node)->call_name(), label(node));
}

void Plan::reserve_workspace(std::uint64_t size) {
  if (size > workspace_.bytes()) workspace_ = DeviceBuffer(size);
}

void Plan::poison_workspace() {
  constexpr std::int32_t kAllOnes = 0xFF;
  if (workspace_.bytes() == 0) return;
  check_status(aclrtMemset(workspace_.data(), workspace_.bytes(), kAllOnes, workspace_.bytes()),
               "aclrtMemset");
}

void Plan::drain() const noexcept {
  // What was queued before a failure still uses our memory. The first error counts.
  if (aclrtSynchronizeStream(stream_.get()) != 0) aclGetRecentErrMsg();
}

void Plan::check_alive() const {
  aclrtStreamStatus unused{};
  const int status = aclrtStreamQuery(stream_.get(), &unused);
  if (status == 0) return;
  check_status(status, "aclrtStreamQuery",
               "the session is dead: the device was reset since it was made (aclrtResetDevice, "
               "aclFinalize)");
}

void Plan::run() {
  ensure_runtime();
  if (replays()) return replay(recording_);
  if (mode_ == PlanMode::eager) return run_steps({}, {});
  try {
    for (const Step& step : steps_) call_phase_two(step, step.executor.get());
  } catch (...) {
    drain();
    throw;
  }
  check_status(aclrtSynchronizeStream(stream_.get()), "aclrtSynchronizeStream",
               "a node of the session failed (an eager session says which)");
}

void Plan::run_step(Step& step) {
  if (mode_ != PlanMode::eager) return call_phase_two(step, step.executor.get());
  objects_ = {};
  Executor executor = call_phase_one(step, objects_);
  reserve_workspace(step.workspace_size);
  call_phase_two(step, executor.release());  // single use: consumed, whatever the answer
}

void Plan::run_steps(const Hook& before, const Hook& after) {
  ensure_runtime();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (before) before(i);
    try {
      run_step(steps_[i]);
    } catch (...) {
      drain();
      throw;
    }
    if (const int status = aclrtSynchronizeStream(stream_.get()); status != 0) {
      check_status(status, "aclrtSynchronizeStream", label(node(i)));
    }
    if (after) after(i);
  }
}

}  // namespace aclgrad::detail
