// SPDX-License-Identifier: Apache-2.0
// Plan: the operator calls of a session, ready to run: arguments, executors, workspace. It knows
// nothing of feeds and fetches.
#ifndef ACLGRAD_FRAMEWORK_SESSION_PLAN_H_
#define ACLGRAD_FRAMEWORK_SESSION_PLAN_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/handles.h"
#include "session/memory.h"

namespace aclgrad::detail {

class Plan {
 public:
  /// Prepares the nodes, in their order. Planned: calls phase one of each and makes its executor
  /// repeatable. Eager: leaves phase one to the runs. Throws StatusError.
  Plan(const Graph& graph, const std::vector<NodeId>& nodes, bool eager);

  using Hook = std::function<void(const Node&)>;

  /// Runs every operator once and waits for the end. Throws StatusError, after the stream is idle.
  /// `before` and `after` are called around every operator of an eager plan when they are set.
  void run(const Hook& before = {}, const Hook& after = {});

  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }

  /// The operators' nodes.
  std::vector<NodeId> schedule() const;

  std::size_t device_bytes() const { return memory_.bytes() + workspace_.bytes(); }

 private:
  struct Step {
    const Node* node;
    const AclnnOp* op;
    PhaseTwo phase_two;
    std::vector<TensorSpec> specs;  // the arguments refer to these
    Call call;
    Executor executor;
    std::uint64_t workspace_size = 0;
  };
  Step make_step(const Graph& graph, const Node& node);
  Executor call_phase_one(Step& step);
  void reserve_workspace(std::uint64_t size);
  void run_planned();
  void run_eagerly(const Hook& before, const Hook& after);

  bool eager_;
  Memory memory_;
  DeviceBuffer workspace_;
  // Executors die before the tensors that they refer to, the stream before both.
  std::deque<Step> steps_;
  Stream stream_;
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_PLAN_H_
