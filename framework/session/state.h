// SPDX-License-Identifier: Apache-2.0
// What a Session and the Results of its runs share.
#ifndef ACLGRAD_FRAMEWORK_SESSION_STATE_H_
#define ACLGRAD_FRAMEWORK_SESSION_STATE_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "aclgrad/session.h"
#include "session/comparison.h"
#include "session/plan.h"
#include "session/watch.h"

namespace aclgrad::detail {

/// Another handle on the graph. Throws ValueError when nothing of it is fetched.
Graph shared_graph(const Graph& graph, const std::vector<Fetch>& fetches);

/// The values that some fetches run for. Throws ValueError for one of another graph.
std::vector<ValueId> fetched_values(const Graph& graph, const std::vector<Fetch>& fetches,
                                    bool only_readable);

class SessionState {
 public:
  /// `mode` overrules the options.
  SessionState(Graph graph, std::vector<Fetch> fetches, SessionOptions options,
               std::optional<PlanMode> mode = {});

  /// Runs once and returns the run's number.
  std::uint64_t run(std::span<const Feed> feeds);

  /// The same, node by node and timed.
  Profile profile(std::span<const Feed> feeds);

  /// The same, launched node by node without waiting after each.
  Profile timeline(std::span<const Feed> feeds);

  /// The first half of run(): all that comes before the operators. `replays` says that run() of the
  /// plan follows, which can read feeds where they lie.
  void begin_run(std::span<const Feed> feeds, bool replays = false);

  /// A fetched value as the run of that number left it.
  Tensor read(const Value& value, std::uint64_t run) const;

  /// Copies of values as they are now.
  std::vector<Tensor> snapshot(std::span<const ValueId> ids) const;

  MemoryReport memory_report() const;

  const Graph& graph() const { return graph_; }
  Plan& plan() { return plan_; }
  const Plan& plan() const { return plan_; }
  std::vector<Value> inputs() const;

 private:
  struct WatchedVariable {
    ValueId root;
    Variable variable;
    std::uint64_t version = 0;  // at the end of the latest run
    bool updated = false;       // by the nodes of this session
  };
  void check_options() const;
  void check_before_planning() const;
  void check_fetches() const;
  void find_inputs_and_variables();
  void prepare_comparison();
  void check_feeds(std::span<const Feed> feeds);
  void check_feed(ValueId input, const Tensor& tensor) const;
  [[noreturn]] void refuse_feed(const Value& input) const;
  void run_alone(std::span<const Feed> feeds);
  void run_steps(StepTimes* times);

  Graph graph_;
  const GraphData& data_;
  std::vector<Fetch> fetches_;
  SessionOptions options_;
  std::vector<NodeId> nodes_;
  std::vector<ValueId> kept_;
  Plan plan_;
  std::vector<ValueId> inputs_;
  std::vector<bool> fed_;  // by position in inputs_, during check_feeds
  std::vector<WatchedVariable> variables_;
  std::optional<Poison> poison_;
  std::optional<Comparison> comparison_;
  std::uint64_t runs_ = 0;
  std::atomic_flag is_running_;
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_STATE_H_
