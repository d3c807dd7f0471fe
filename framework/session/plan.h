// SPDX-License-Identifier: Apache-2.0
// Plan: the calls of a session, ready to run: memory, executors, workspace, and the recordings of
// all of them. It knows nothing of feeds and fetches.
#ifndef ACLGRAD_FRAMEWORK_SESSION_PLAN_H_
#define ACLGRAD_FRAMEWORK_SESSION_PLAN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/handles.h"
#include "session/memory.h"
#include "session/stream_partition.h"

namespace aclgrad::detail {

enum class PlanMode : std::uint8_t {
  eager,     ///< phase one in every run; every value has memory of its own
  launched,  ///< phase one once, phase two in every run
  replayed,  ///< phase two once too, while the stream is captured; `launched` where the runtime
             ///< cannot capture
  replayed_apart,  ///< the same, but every value has memory of its own
};

class Plan {
 public:
  /// Prepares the nodes, in their order; `kept` values are read after a run. Throws StatusError
  /// that names the node.
  Plan(const Graph& graph, const std::vector<NodeId>& nodes, const std::vector<ValueId>& kept,
       PlanMode mode);

  /// Throws ValueError when the device was reset since the plan was made: its memory is gone.
  void check_alive() const;

  /// The same, and StatusError when the calling thread cannot use the plan's stream.
  void check_usable() const;

  /// Lets a replay read an input where the tensor has it, which must stay there until the end of
  /// the run. False where that cannot be: the input is to be uploaded then.
  bool bind_zero_copy(ValueId input, const Tensor& tensor);

  /// Runs every operator once and waits for the end. Throws StatusError that names the node, after
  /// the stream is idle. A replayed plan allocates nothing.
  void run();

  /// Called around the operator of a step.
  using Hook = std::function<void(std::size_t step)>;

  /// The same, waiting after every operator; hooks may be empty. All on one stream.
  void run_steps(const Hook& before, const Hook& after);

  /// When a step began and ended, in microseconds of some clock.
  struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  /// As run(), but launches every step, with events around it. Not for an eager plan.
  std::vector<Span> run_timed();

  /// Whether a step runs on the second stream.
  bool is_async(std::size_t step) const {
    return partition_.has_two_streams() && detail::is_async(node(step));
  }

  /// Captures the first `count` operators and replays them once. Returns false where the runtime
  /// cannot capture.
  bool replay_first(std::size_t count);

  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }

  std::size_t step_count() const { return steps_.size(); }
  const Node& node(std::size_t step) const { return graph_.node(steps_[step].node); }

  /// Whether run() replays.
  bool replays() const { return !recordings_.empty(); }

  std::size_t workspace_bytes() const { return workspace_.bytes(); }
  void poison_workspace();

 private:
  struct Step {
    NodeId node;
    PhaseTwo phase_two = nullptr;  // of an operator
    std::uint64_t workspace_size = 0;
    Executor executor;
    std::unique_ptr<StreamCall> call = nullptr;  // of a StreamOp
  };
  /// What a stream recorded of some steps.
  struct Recording {
    RecordedModel model;
    std::vector<std::size_t> tasks;  // by step: how many were recorded when it had been
    std::size_t first = 0;           // step
  };
  using LaunchSegment = std::function<void(std::size_t segment, aclrtStream stream)>;

  void prepare(Step& step, const CallOp& op, std::uint64_t& workspace_size);
  Executor call_phase_one(Step& step, CallObjects& objects);
  void call_phase_two(const Step& step, aclOpExecutor* executor, aclrtStream stream) const;
  void launch(const Step& step, aclrtStream stream) const;
  void reserve_workspace(std::uint64_t size);
  void run_step(Step& step);
  aclrtStream stream_of(const Segment& segment) const;
  void launch_segments(const LaunchSegment& launch) const;
  void synchronize() const;

  /// Where a recording looks for a tensor of an input. Each moves by itself, so that what a move
  /// that failed left behind is known to the next.
  struct ReadPlace {
    aclmdlRI model;
    aclTensor* tensor;  // of the input or of a view of it
    const std::byte* input;
  };
  void find_zero_copy_inputs(const std::vector<NodeId>& nodes, const std::vector<ValueId>& kept);

  std::optional<Recording> capture(const Segment& segment) const;
  void capture_pieces();
  static void execute(const Recording& recording, aclrtStream stream);
  static std::optional<std::size_t> failed_step(const Recording& recording);
  std::string place_of_failure(std::span<const Recording> recordings) const;
  void drain() const noexcept;

  const GraphData& graph_;
  PlanMode mode_;
  StreamPartition partition_;  // one segment, unless there are two streams
  Memory memory_;
  DeviceBuffer workspace_;
  CallObjects objects_;
  std::vector<Call::Argument> input_arguments_;  // of the latest call
  std::vector<Call::Argument> output_arguments_;
  // Executors die before the tensors and objects that they refer to, the streams before all, and
  // the recordings, which were made on them, before the streams.
  std::vector<Step> steps_;
  Stream stream_;
  std::optional<Stream> async_stream_;  // the second stream
  std::vector<Event> segment_is_over_;  // by segment; empty for one that is not awaited
  std::vector<Recording> recordings_;   // by segment; none where the plan launches
  std::unordered_map<ValueId, std::vector<ReadPlace>>
      zero_copy_inputs_;  // inputs to be read anywhere
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_PLAN_H_
