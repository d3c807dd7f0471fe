// SPDX-License-Identifier: Apache-2.0
#include "session/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "aclgrad/runtime.h"

namespace aclgrad::detail {
namespace {

// Steps between two waits of a timeline. Each needs two events, and a runtime has so many only.
constexpr std::size_t kTimedTogether = 8192;

StreamPartition partition_of(const GraphData& graph, const std::vector<NodeId>& nodes,
                             PlanMode mode) {
  return mode == PlanMode::eager ? StreamPartition() : partition_streams(graph, nodes);
}

}  // namespace

Plan::Plan(const Graph& graph, const std::vector<NodeId>& nodes, const std::vector<ValueId>& kept,
           PlanMode mode)
    : graph_(GraphAccess::data(graph)),
      mode_(mode),
      partition_(partition_of(graph_, nodes, mode)),
      memory_(graph_, nodes, kept, partition_.over,
              mode == PlanMode::launched || mode == PlanMode::replayed) {
  steps_.reserve(static_cast<std::size_t>(memory_.lifetimes().steps));
  std::uint64_t largest = 0;
  for (const NodeId id : nodes) {
    if (const CallOp* op = as_call(graph_.node(id))) {
      prepare(steps_.emplace_back(Step{id, nullptr, 0, Executor()}), *op, largest);
    }
  }
  reserve_workspace(largest);
  if (partition_.has_two_streams()) {
    async_stream_.emplace();
    for (const Segment& segment : partition_.segments) {
      segment_is_over_.push_back(segment.is_awaited ? Event(ACL_EVENT_SYNC) : Event());
    }
  }
  if (mode_ == PlanMode::replayed || mode_ == PlanMode::replayed_apart) capture_pieces();
  if (replays()) find_zero_copy_inputs(nodes, kept);
}

void Plan::prepare(Step& step, const CallOp& op, std::uint64_t& workspace_size) {
  const Node& node = graph_.node(step.node);
  const auto* aclnn = op.as_aclnn();
  if (aclnn == nullptr) {
    const auto operands = [this](std::span<const ValueId> values) {
      std::vector<StreamCall::Operand> list;
      for (const ValueId value : values) {
        list.push_back({memory_.first_element(value), &graph_.value(value).layout->spec});
      }
      return list;
    };
    step.call = std::make_unique<StreamCall>(node, operands(node.inputs), operands(node.outputs));
    return;
  }
  step.phase_two = aclnn->phase_two();
  if (mode_ == PlanMode::eager) return;
  step.executor = call_phase_one(step, objects_);
  if (const int status = step.executor.make_repeatable(); status != 0) {
    check_status(status, "aclSetAclOpExecutorRepeatable", label(node));
  }
  workspace_size = std::max(workspace_size, step.workspace_size);
}

Executor Plan::call_phase_one(Step& step, CallObjects& objects) {
  const Node& node = graph_.node(step.node);
  const AclnnOp& op = *as_call(node)->as_aclnn();
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

void Plan::call_phase_two(const Step& step, aclOpExecutor* executor, aclrtStream stream) const {
  const aclnnStatus status =
      step.phase_two(workspace_.data(), step.workspace_size, executor, stream);
  if (status == 0) return;
  const Node& node = graph_.node(step.node);
  check_status(status, as_call(node)->call_name(), label(node));
}

void Plan::launch(const Step& step, aclrtStream stream) const {
  if (!step.call) return call_phase_two(step, step.executor.get(), stream);
  static_cast<const StreamOp&>(*graph_.node(step.node).op).queue(*step.call, stream);
}

void Plan::reserve_workspace(std::uint64_t size) {
  if (size > workspace_.bytes()) workspace_ = DeviceBuffer(size, "the workspace of a session");
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
  if (async_stream_ && aclrtSynchronizeStream(async_stream_->get()) != 0) aclGetRecentErrMsg();
}

void Plan::check_alive() const {
  if (memory_.is_alive()) return;
  throw ValueError(
      "the session is dead: the device was reset since it was made (aclrtResetDevice, "
      "aclFinalize)");
}

void Plan::check_usable() const {
  aclrtStreamStatus unused{};
  const int status = aclrtStreamQuery(stream_.get(), &unused);
  if (status == 0) return;
  const bool has_stream = status != ACL_ERROR_RT_INVALID_HANDLE;
  if (!memory_.is_alive() || !has_stream) aclGetRecentErrMsg();  // says less than what is thrown
  check_alive();
  if (!has_stream) throw ValueError("the session is dead: the context of its stream was destroyed");
  check_status(status, "aclrtStreamQuery", "the session cannot run on this thread");
}

aclrtStream Plan::stream_of(const Segment& segment) const {
  return segment.async ? async_stream_->get() : stream_.get();
}

// Launches all segments, with the waits between their streams.
void Plan::launch_segments(const LaunchSegment& launch) const {
  try {
    for (std::size_t i = 0; i < partition_.segments.size(); ++i) {
      const Segment& segment = partition_.segments[i];
      const aclrtStream stream = stream_of(segment);
      if (segment.awaited != kNoSegment) {
        check_status(aclrtStreamWaitEvent(stream, segment_is_over_[segment.awaited].get()),
                     "aclrtStreamWaitEvent");
      }
      if (segment.begin < segment.end) launch(i, stream);
      if (segment.is_awaited) {
        check_status(aclrtRecordEvent(segment_is_over_[i].get(), stream), "aclrtRecordEvent");
      }
    }
  } catch (...) {
    drain();
    throw;
  }
}

// Waits for both streams. What the second one says comes first: the first may have failed for it.
void Plan::synchronize() const {
  const int status = aclrtSynchronizeStream(stream_.get());
  const int async = async_stream_ ? aclrtSynchronizeStream(async_stream_->get()) : 0;
  if (status == 0 && async == 0) return;
  check_status(async != 0 ? async : status, "aclrtSynchronizeStream",
               place_of_failure(recordings_));
}

void Plan::run() {
  ensure_runtime();
  if (mode_ == PlanMode::eager) return run_steps({}, {});
  launch_segments([this](std::size_t segment, aclrtStream stream) {
    if (replays()) return execute(recordings_[segment], stream);
    const Segment& steps = partition_.segments[segment];
    for (std::size_t i = steps.begin; i < steps.end; ++i) launch(steps_[i], stream);
  });
  synchronize();
}

std::vector<Plan::Span> Plan::run_timed() {
  ensure_runtime();
  struct Ends {
    Event begin{ACL_EVENT_TIME_LINE};
    Event end{ACL_EVENT_TIME_LINE};
  };
  const std::vector<Ends> ends(std::min(steps_.size(), kTimedTogether));
  std::vector<std::size_t> launched;  // steps that use ends[0], ends[1], ...
  std::vector<Span> spans(steps_.size());
  const auto record = [](const Event& event, aclrtStream stream) {
    check_status(aclrtRecordEvent(event.get(), stream), "aclrtRecordEvent");
  };
  const auto time_of = [](const Event& event) {
    std::uint64_t time = 0;
    check_status(aclrtEventGetTimestamp(event.get(), &time), "aclrtEventGetTimestamp");
    return time;
  };
  const auto read_times = [&] {
    synchronize();
    for (std::size_t i = 0; i < launched.size(); ++i) {
      spans[launched[i]] = {time_of(ends[i].begin), time_of(ends[i].end)};
    }
    launched.clear();
  };
  launch_segments([&](std::size_t segment, aclrtStream stream) {
    for (std::size_t i = partition_.segments[segment].begin; i < partition_.segments[segment].end;
         ++i) {
      if (launched.size() == ends.size()) read_times();
      const Ends& around = ends[launched.size()];
      launched.push_back(i);
      record(around.begin, stream);
      launch(steps_[i], stream);
      record(around.end, stream);
    }
  });
  read_times();
  return spans;
}

void Plan::run_step(Step& step) {
  if (mode_ != PlanMode::eager || step.call) return launch(step, stream_.get());
  objects_ = {};
  Executor executor = call_phase_one(step, objects_);
  reserve_workspace(step.workspace_size);
  // Single use: consumed, whatever the answer.
  call_phase_two(step, executor.release(), stream_.get());
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
