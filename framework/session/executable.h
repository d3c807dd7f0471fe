// SPDX-License-Identifier: Apache-2.0
// Executable: a program on a device, ready to run: memory, executors, workspace, streams, and what
// these recorded (recording.h). It knows nothing of feeds, nor of what looks at a run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/runtime/handles.h"
#include "session/memory.h"
#include "session/program.h"
#include "session/recording.h"
#include "session/run_observer.h"

namespace aclgrad::detail {

/// What sessions run on. Those that have the same streams run one at a time, and leave them idle.
/// Every stream in use has a thread, which takes a while to fall asleep and must be woken then:
/// many sessions that take turns on streams of their own spend more time with that than with work.
class SessionStreams {
 public:
  aclrtStream first() const { return first_.get(); }

  /// The second stream, for asynchronous nodes; made when it is asked for.
  aclrtStream second() {
    if (!second_) second_.emplace();
    return second_->get();
  }

  /// Whether the calling thread can use them: not those of another device, or of one reset since.
  bool are_usable() const;

 private:
  Stream first_;
  std::optional<Stream> second_;
};

class Executable {
 public:
  /// Runs on these streams, or where there are none, or not usable ones, on its own. Throws
  /// ValueError for a variable that is dead or lies on another device than the calling
  /// thread's; StatusError that names the node, or the largest value when memory is short.
  Executable(Program program, RunMode mode, std::shared_ptr<SessionStreams> streams);

  /// Throws ValueError when the device was reset since: the memory is gone.
  void check_alive() const;

  /// As check_alive(); StatusError also when the calling thread cannot use the stream.
  void check_usable() const;

  /// Lets a replay read an input where the tensor has it, which must stay there until the end of
  /// the run. False where that cannot be: the input is to be uploaded then.
  bool bind_zero_copy(ValueId input, const Tensor& tensor) {
    return zero_copy_.bind(input, tensor);
  }

  /// Runs every node once, in the fastest way that the mode allows, and waits for the end. Throws
  /// StatusError that names the node, after the stream is idle. A replay allocates nothing, but
  /// for the events between two streams.
  void run();

  /// run(), launching every node. Not in eager mode.
  void run_launched(RunObservers observers);

  /// run_launched(), on one stream, waiting after every node.
  void run_node_by_node(RunObservers observers);

  /// Captures the first `count` nodes and replays them once. Returns false where the runtime cannot
  /// capture.
  bool replay_first(std::size_t count);

  /// Waits until all that was launched is done. Throws as run() does.
  void synchronize() const;

  const Program& program() const { return program_; }
  const std::shared_ptr<SessionStreams>& streams() const { return streams_; }
  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }

  /// Whether run() replays.
  bool replays() const { return !recordings_.empty(); }

  std::size_t workspace_bytes() const { return workspace_.bytes(); }
  void poison_workspace() { poison(workspace_, 0, workspace_.bytes()); }

 private:
  /// An instruction, prepared.
  struct Launch {
    PhaseTwo phase_two = nullptr;  // of an operator
    std::uint64_t workspace_size = 0;
    Executor executor = {};
    std::unique_ptr<StreamCall> call = nullptr;  // of a StreamOp
  };
  using LaunchSegment = std::function<void(std::size_t segment, aclrtStream stream)>;

  const Node& node(std::size_t position) const { return program_.node(position); }
  void check_variables() const;
  Launch prepare(std::size_t position);
  Executor call_phase_one(std::size_t position, std::uint64_t& workspace_size);
  void launch(std::size_t position, aclrtStream stream);
  void reserve_workspace(std::uint64_t size);
  void launch_segments(const LaunchSegment& launch);
  void drain() const noexcept;

  void capture_all();
  std::string place_of_failure(std::span<const Recording> recordings) const;

  Program program_;
  RunMode mode_;
  Memory memory_;
  DeviceBuffer workspace_;
  CallObjects objects_;
  std::vector<AclnnCall::Argument> input_arguments_;  // of the latest call
  std::vector<AclnnCall::Argument> output_arguments_;
  // Executors die before the tensors and objects that they refer to, the streams, where they are
  // the session's own, before all, and the recordings, which were made on them, before the streams.
  std::vector<Launch> launches_;  // by position
  std::shared_ptr<SessionStreams> streams_;
  aclrtStream stream_;
  aclrtStream async_stream_ = nullptr;  // the second stream, where the program has one
  std::vector<Event> segment_is_over_;  // by segment; empty for one that is not awaited
  std::vector<Recording> recordings_;   // by segment; none where instructions are launched
  ZeroCopyInputs zero_copy_;
};

}  // namespace aclgrad::detail
