// SPDX-License-Identifier: Apache-2.0
// Plan: the operator calls of a session, ready to run: memory, executors, workspace, and the
// recording of all of them. It knows nothing of feeds and fetches.
#ifndef ACLGRAD_FRAMEWORK_SESSION_PLAN_H_
#define ACLGRAD_FRAMEWORK_SESSION_PLAN_H_

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/handles.h"
#include "session/memory.h"

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

  /// Throws StatusError when the device was reset since the plan was made: its memory is gone.
  void check_alive() const;

  /// Lets a replay read an input where the tensor has it, which must stay there until the end of
  /// the run. False where that cannot be: the input is to be uploaded then.
  bool lend(ValueId input, const Tensor& tensor);

  /// Runs every operator once and waits for the end. Throws StatusError that names the node, after
  /// the stream is idle. A replayed plan allocates nothing.
  void run();

  /// Called around the operator of a step.
  using Hook = std::function<void(std::size_t step)>;

  /// The same, waiting after every operator; hooks may be empty.
  void run_steps(const Hook& before, const Hook& after);

  /// Captures the first `count` operators and replays them once. Returns false where the runtime
  /// cannot capture.
  bool replay_first(std::size_t count);

  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }

  std::size_t step_count() const { return steps_.size(); }
  const Node& node(std::size_t step) const { return graph_.node(steps_[step].node); }

  /// Whether run() replays.
  bool replays() const { return recording_.model.get() != nullptr; }

  std::size_t workspace_bytes() const { return workspace_.bytes(); }
  void poison_workspace();

 private:
  struct Step {
    NodeId node;
    PhaseTwo phase_two;
    std::uint64_t workspace_size = 0;
    Executor executor;
  };
  Executor call_phase_one(Step& step, CallObjects& objects);
  void call_phase_two(const Step& step, aclOpExecutor* executor) const;
  void reserve_workspace(std::uint64_t size);
  void run_step(Step& step);
  struct Recording {
    RecordedModel model;
    std::vector<std::size_t> tasks;  // by step: how many were recorded when it had been
  };
  /// An input that replays can read anywhere.
  struct Lendable {
    std::vector<aclTensor*> tensors;  // of it and of its views
    const std::byte* at;              // where the recording looks for it
  };
  void find_lendable(const std::vector<NodeId>& nodes, const std::vector<ValueId>& kept);

  Recording capture(std::size_t count);
  void replay(const Recording& recording);
  std::string place_of_failure(const Recording& recording) const;
  void drain() const noexcept;

  const GraphData& graph_;
  PlanMode mode_;
  Memory memory_;
  DeviceBuffer workspace_;
  CallObjects objects_;
  std::vector<Call::Argument> input_arguments_;  // of the latest call
  std::vector<Call::Argument> output_arguments_;
  // Executors die before the tensors and objects that they refer to, the stream before all, and the
  // recording, which was made on it, before the stream.
  std::vector<Step> steps_;
  Stream stream_;
  Recording recording_;
  std::unordered_map<ValueId, Lendable> lendable_;
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_PLAN_H_
