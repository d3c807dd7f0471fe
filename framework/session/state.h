// SPDX-License-Identifier: Apache-2.0
// What a Session and the Results of its runs share.
#ifndef ACLGRAD_FRAMEWORK_SESSION_STATE_H_
#define ACLGRAD_FRAMEWORK_SESSION_STATE_H_

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aclgrad/session.h"
#include "session/plan.h"

namespace aclgrad::detail {

class SessionState {
 public:
  SessionState(Graph graph, std::vector<Fetch> fetches, SessionOptions options);

  /// Runs once and returns the run's number.
  std::uint64_t run(std::span<const Feed> feeds);

  /// A fetched value as the run of that number left it.
  Tensor read(const Value& value, std::uint64_t run) const;

  Plan& plan() { return plan_; }
  const std::vector<Value>& inputs() const { return inputs_; }

 private:
  struct WatchedVariable {
    Variable variable;
    std::uint64_t version = 0;  // at the end of the latest run
    bool updated = false;       // by the nodes of this session
  };
  void check_fetches(const std::vector<NodeId>& nodes) const;
  void find_inputs_and_variables(const std::vector<NodeId>& nodes);
  void check_feeds(std::span<const Feed> feeds);
  void check_feed(const Value& input, const Tensor& tensor) const;
  void run_plan();
  std::vector<Tensor> snapshot(const std::vector<ValueId>& ids);

  Graph graph_;
  std::vector<Fetch> fetches_;
  SessionOptions options_;
  Plan plan_;
  std::vector<Value> inputs_;
  std::vector<bool> fed_;  // by position in inputs_, during check_feeds
  std::unordered_map<ValueId, WatchedVariable> variables_;  // by root
  std::uint64_t runs_ = 0;
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_STATE_H_
