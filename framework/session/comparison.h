// SPDX-License-Identifier: Apache-2.0
// What SessionOptions::compare does around every run.
#ifndef ACLGRAD_FRAMEWORK_SESSION_COMPARISON_H_
#define ACLGRAD_FRAMEWORK_SESSION_COMPARISON_H_

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "aclgrad/bisect.h"
#include "aclgrad/variable.h"

namespace aclgrad::detail {

/// Runs the nodes of a session eagerly before each run of it, and holds its bits against theirs.
class Comparison {
 public:
  /// `updated` are the variables that the nodes update, `compared` the values to look at.
  Comparison(const Graph& graph, std::vector<Fetch> fetches, std::vector<Variable> updated,
             std::vector<ValueId> compared);
  ~Comparison();

  /// Runs eagerly, puts the variables back, and calls `run_session`. Throws ValueError that names
  /// the first node whose bits differ; the variables are then as they were before both runs.
  void run(const SessionState& session, std::span<const Feed> feeds,
           const std::function<void()>& run_session);

 private:
  Difference find(const SessionState& session, ValueId value, const Tensor& expected,
                  const Tensor& seen, std::span<const Feed> feeds) const;

  std::vector<Fetch> fetches_;
  std::unique_ptr<SessionState> eager_;
  std::vector<Variable> updated_;
  std::vector<ValueId> compared_;
};

/// Has the program say, when it ends, how many runs were compared.
void report_comparisons_at_exit();

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_COMPARISON_H_
