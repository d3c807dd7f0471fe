// SPDX-License-Identifier: Apache-2.0
#include "session/executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "aclgrad/error.h"
#include "aclgrad/runtime.h"
#include "aclgrad/runtime/accept_double.h"

namespace aclgrad::detail {

bool SessionStreams::are_usable() const {
  aclrtStreamStatus unused{};
  const bool usable = aclrtStreamQuery(first(), &unused) == 0;
  if (!usable) aclGetRecentErrMsg();  // no error
  return usable;
}

Executable::Executable(Program program, RunMode mode, std::shared_ptr<SessionStreams> streams)
    : program_(std::move(program)),
      mode_(mode),
      memory_((check_variables(), program_)),
      streams_(streams != nullptr && streams->are_usable() ? std::move(streams)
                                                           : std::make_shared<SessionStreams>()),
      stream_(streams_->first()) {
  launches_.reserve(program_.instructions.size());
  std::uint64_t workspace = 0;
  for (std::size_t position = 0; position < program_.instructions.size(); ++position) {
    workspace = std::max(workspace, launches_.emplace_back(prepare(position)).workspace_size);
  }
  reserve_workspace(workspace);
  if (program_.has_two_streams()) {
    async_stream_ = streams_->second();
    for (const Segment& segment : program_.segments) {
      segment_is_over_.push_back(segment.is_awaited ? Event(ACL_EVENT_SYNC) : Event());
    }
  }
  if (mode_ != RunMode::replayed && mode_ != RunMode::replayed_apart) return;
  capture_all();
  if (replays()) zero_copy_ = ZeroCopyInputs(program_, memory_, recordings_);
}

void Executable::capture_all() {
  ensure_runtime();
  std::vector<Recording> all;
  for (const Segment& segment : program_.segments) {
    const aclrtStream stream = segment.async ? async_stream_ : stream_;
    std::optional<Recording> recording =
        Recording::capture(stream, segment.begin, segment.end,
                           [&](std::size_t position) { launch(position, stream); });
    if (!recording) return;
    all.push_back(std::move(*recording));
  }
  recordings_ = std::move(all);
}

void Executable::check_variables() const {
  ensure_runtime();
  int device = -1;
  check_status(aclrtGetDevice(&device), "aclrtGetDevice");
  for (const BoundVariable& bound : program_.variables) {
    const auto refuse = [&](const std::string& reason) {
      throw ValueError(
          fmt::format("parameter {} of {} {}", program_.graph->description(bound.root),
                      label(program_.graph->node(program_.graph->value(bound.root).node)), reason));
    };
    if (bound.dtype != program_.graph->value(bound.root).layout->spec.dtype) {
      refuse_converted(bound);
    }
    if (!bound.variable.is_alive()) {
      refuse("is dead: its device memory was freed (aclrtResetDevice, aclFinalize)");
    }
    if (bound.variable.device() != device) {
      refuse(fmt::format("lies on device {}, the session is made on device {} (use_device)",
                         bound.variable.device(), device));
    }
  }
}

Executable::Launch Executable::prepare(std::size_t position) {
  const Node& node = this->node(position);
  Launch launch;
  const AclnnOp* aclnn = as_call(node)->as_aclnn();
  if (aclnn == nullptr) {
    const auto buffers = [this](std::span<const ValueId> values) {
      std::vector<StreamCall::Buffer> list;
      for (const ValueId value : values) {
        list.push_back({memory_.first_element(value), &program_.graph->value(value).layout->spec});
      }
      return list;
    };
    launch.call = std::make_unique<StreamCall>(node, buffers(node.inputs), buffers(node.outputs));
    return launch;
  }
  launch.phase_two = aclnn->phase_two();
  if (mode_ == RunMode::eager) return launch;
  launch.executor = call_phase_one(position, launch.workspace_size);
  if (const int status = launch.executor.make_repeatable(); status != 0) {
    check_status(status, "aclSetAclOpExecutorRepeatable", label(node));
  }
  return launch;
}

Executor Executable::call_phase_one(std::size_t position, std::uint64_t& workspace_size) {
  const Node& node = this->node(position);
  const AclnnOp& op = *as_call(node)->as_aclnn();
  auto argument = [&](ValueId value, ValueId stored_as) {
    const ValueRecord& record = program_.graph->value(value);
    // What runs node by node may be looked at by observers.
    const bool is_read = mode_ != RunMode::replayed || !program_.unread[at(record.root)];
    return AclnnCall::Argument{memory_.tensor(stored_as), &record.layout->spec, is_read};
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
  AclnnCall call(input_arguments_, output_arguments_, objects_);
  aclOpExecutor* executor = nullptr;
  const auto is_wide = [](const AclnnCall::Argument& tensor) {
    return tensor.spec->dtype == DType::float64;
  };
  const bool wide = std::ranges::any_of(input_arguments_, is_wide) ||
                    std::ranges::any_of(output_arguments_, is_wide);
  std::optional<AcceptDouble> accept_double;
  if (wide && AcceptDouble::is_available()) accept_double.emplace();
  const aclnnStatus status = op.phase_one(call, &workspace_size, &executor);
  if (status != 0) {
    check_status(status, fmt::format("{}GetWorkspaceSize", op.call_name()), label(node),
                 wide && !accept_double
                     ? "this operator library takes float64 in few operators: cast() to float32"
                     : "");
  }
  return Executor(executor);
}

void Executable::launch(std::size_t position, aclrtStream stream) {
  Launch& launch = launches_[position];
  const CallOp& op = *as_call(node(position));
  if (launch.call) return op.as_stream_op()->queue(*launch.call, stream);
  const bool eager = mode_ == RunMode::eager;
  if (eager) {
    objects_ = {};
    launch.executor = call_phase_one(position, launch.workspace_size);
    reserve_workspace(launch.workspace_size);
  }
  // One for a single use is consumed, whatever the answer.
  aclOpExecutor* executor = eager ? launch.executor.release() : launch.executor.get();
  const aclnnStatus status =
      launch.phase_two(workspace_.data(), launch.workspace_size, executor, stream);
  if (status != 0) check_status(status, op.call_name(), label(node(position)));
}

void Executable::reserve_workspace(std::uint64_t size) {
  if (size > workspace_.bytes()) workspace_ = DeviceBuffer(size, "the workspace of a session");
}

void Executable::drain() const noexcept {
  // What was queued before a failure still uses our memory. The first error counts.
  if (aclrtSynchronizeStream(stream_) != 0) aclGetRecentErrMsg();
  if (async_stream_ != nullptr && aclrtSynchronizeStream(async_stream_) != 0) aclGetRecentErrMsg();
}

void Executable::check_alive() const {
  if (memory_.is_alive()) return;
  throw ValueError(
      "the session is dead: the device was reset since it was made (aclrtResetDevice, "
      "aclFinalize)");
}

void Executable::check_usable() const {
  aclrtStreamStatus unused{};
  const int status = aclrtStreamQuery(stream_, &unused);
  if (status == 0) return;
  const bool has_stream = status != ACL_ERROR_RT_INVALID_HANDLE;
  if (!memory_.is_alive() || !has_stream) aclGetRecentErrMsg();  // says less than what is thrown
  check_alive();
  if (!has_stream) throw ValueError("the session is dead: the context of its stream was destroyed");
  check_status(status, "aclrtStreamQuery", "the session cannot run on this thread");
}

// Launches all segments, with the waits between their streams, and waits for the end.
void Executable::launch_segments(const LaunchSegment& launch) {
  try {
    for (std::size_t i = 0; i < program_.segments.size(); ++i) {
      const Segment& segment = program_.segments[i];
      const aclrtStream stream = segment.async ? async_stream_ : stream_;
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
  synchronize();
}

// What the second stream says comes first: the first may have failed for it.
void Executable::synchronize() const {
  const int status = aclrtSynchronizeStream(stream_);
  const int async = async_stream_ != nullptr ? aclrtSynchronizeStream(async_stream_) : 0;
  if (status == 0 && async == 0) return;
  check_status(async != 0 ? async : status, "aclrtSynchronizeStream",
               place_of_failure(recordings_));
}

void Executable::run() {
  if (mode_ == RunMode::eager) return run_node_by_node({});
  if (!replays()) return run_launched({});
  ensure_runtime();
  launch_segments(
      [this](std::size_t segment, aclrtStream stream) { recordings_[segment].replay(stream); });
}

void Executable::run_launched(RunObservers observers) {
  ensure_runtime();
  launch_segments([&](std::size_t segment, aclrtStream stream) {
    const Segment& range = program_.segments[segment];
    for (std::size_t position = range.begin; position < range.end; ++position) {
      const NodeRun run{*this, position, node(position), stream};
      for (RunObserver* observer : observers) observer->before_node(run);
      launch(position, stream);
      for (RunObserver* observer : observers | std::views::reverse) observer->after_node(run);
    }
  });
}

void Executable::run_node_by_node(RunObservers observers) {
  ensure_runtime();
  for (std::size_t position = 0; position < launches_.size(); ++position) {
    const NodeRun run{*this, position, node(position), stream_};
    for (RunObserver* observer : observers) observer->before_node(run);
    try {
      launch(position, stream_);
    } catch (...) {
      drain();
      throw;
    }
    if (const int status = aclrtSynchronizeStream(stream_); status != 0) {
      check_status(status, "aclrtSynchronizeStream", label(run.node));
    }
    for (RunObserver* observer : observers | std::views::reverse) observer->after_node(run);
  }
}

bool Executable::replay_first(std::size_t count) {
  ensure_runtime();
  const std::optional<Recording> recording = Recording::capture(
      stream_, 0, count, [this](std::size_t position) { launch(position, stream_); });
  if (!recording) return false;
  recording->replay(stream_);
  const int status = aclrtSynchronizeStream(stream_);
  if (status != 0) {
    check_status(status, "aclrtSynchronizeStream", place_of_failure({&*recording, 1}));
  }
  return true;
}

// What the second stream failed at comes first, as in synchronize().
std::string Executable::place_of_failure(std::span<const Recording> recordings) const {
  std::optional<std::size_t> found;
  for (const Recording& recording : recordings) {
    const std::optional<std::size_t> position = recording.failed_position();
    if (position && (!found || program_.instructions[*position].async)) found = position;
    if (found && program_.instructions[*found].async) break;
  }
  return found ? label(node(*found)) : "a node of the session failed (an eager session says which)";
}

}  // namespace aclgrad::detail
