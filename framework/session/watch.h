// SPDX-License-Identifier: Apache-2.0
// What may go on around every node when a session runs node by node: poisoning dead memory, looking
// for NaN and infinity, taking the time.
#ifndef ACLGRAD_FRAMEWORK_SESSION_WATCH_H_
#define ACLGRAD_FRAMEWORK_SESSION_WATCH_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/profile.h"
#include "session/plan.h"

namespace aclgrad::detail {

/// Fills memory with NaN as soon as what lay there is dead.
class Poison {
 public:
  explicit Poison(Plan& plan);

  /// Before the feeds are copied in: everything that is not constant.
  void begin();
  void after(std::size_t step);

 private:
  Plan& plan_;
  std::vector<std::int32_t> by_death_;   // blocks, in the order of their last step
  std::vector<std::size_t> first_dead_;  // by step: where its blocks begin in by_death_
};

/// Throws ValueError when a node makes NaN from none or infinity while all that it read was finite,
/// and when it reads a NaN that no node has made.
class NonFiniteTracer {
 public:
  NonFiniteTracer(const GraphData& graph, const Plan& plan) : graph_(graph), plan_(plan) {}

  void before(std::size_t step);
  void after(std::size_t step) const;

 private:
  const GraphData& graph_;
  const Plan& plan_;
  bool finite_inputs_ = false;
  std::string inputs_;  // described as they were before the node
};

/// What plan.run_timed() has found.
Profile timeline_of(const GraphData& graph, const Plan& plan, const std::vector<Plan::Span>& spans);

/// When every node of a run began and how long it took.
class StepTimes {
 public:
  explicit StepTimes(std::size_t steps) : entries_(steps) {}

  void before() { begun_ = Clock::now(); }
  void after(std::size_t step);

  Profile describe(const GraphData& graph, const Plan& plan) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    Clock::time_point begin;
    Clock::time_point end;
  };
  std::vector<Entry> entries_;
  Clock::time_point begun_;
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_WATCH_H_
