// SPDX-License-Identifier: Apache-2.0
// What a Session and the Results of its runs share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "aclgrad/session.h"
#include "session/executable.h"
#include "session/run_observer.h"

namespace aclgrad::detail {

class SessionState {
 public:
  /// `mode` overrules the options. Without streams that it can use it makes its own.
  SessionState(const Graph& graph, std::vector<Fetch> fetches, SessionOptions options,
               std::optional<RunMode> mode = {}, std::shared_ptr<SessionStreams> streams = nullptr);

  /// Runs once and returns the run's number.
  std::uint64_t run(std::span<const Feed> feeds);

  /// run(), node by node and timed.
  Profile profile(std::span<const Feed> feeds);

  /// profile(), launched node by node without waiting after each.
  Profile timeline(std::span<const Feed> feeds);

  /// All that comes before the nodes of a run. `zero_copy` says that Executable::run() follows,
  /// which can read feeds where they lie.
  void bind(std::span<const Feed> feeds, RunObservers observers = {}, bool zero_copy = false);

  /// A fetched value as the run of that number left it.
  Tensor read(const Value& value, std::uint64_t run) const;

  const Graph& graph() const { return graph_; }
  const std::vector<Fetch>& fetches() const { return fetches_; }
  Executable& executable() { return executable_; }
  const Executable& executable() const { return executable_; }
  const Program& program() const { return executable_.program(); }

 private:
  void check_feeds(std::span<const Feed> feeds);
  ValueId input_of(const Feed& feed) const;  // -1: none of the graph's
  [[noreturn]] void refuse_feed(const Feed& feed) const;

  Graph graph_;
  std::vector<Fetch> fetches_;
  SessionOptions options_;
  Executable executable_;
  std::vector<ValueId> readable_;        // what is fetched, in order
  std::vector<const Feed*> fed_;         // by input, while a run begins
  std::vector<std::uint64_t> versions_;  // by variable, at the end of the latest run
  std::vector<std::unique_ptr<RunObserver>> owned_observers_;
  std::vector<RunObserver*> observers_;
  std::vector<RunObserver*> node_observers_;  // those that need runs node by node
  // Readers of other threads. A run counts first and then waits until none of them is left; a read
  // that counts itself while the number of the run is still its own is over before that.
  std::atomic<std::uint64_t> runs_ = 0;
  mutable std::atomic<std::uint32_t> readers_ = 0;
  std::atomic_flag is_running_;
};

// What a session's options mean together (options.cpp).

/// The program's options and those that ACLGRAD_SESSION adds for every session of a program that is
/// not to be changed; what the program's own rule out stays off. Throws ValueError for a word that
/// names no option.
SessionOptions with_environment(SessionOptions options);

/// Returns the options. Throws ValueError for some that do not go together.
SessionOptions checked(SessionOptions options);

/// Whether every run goes node by node.
bool runs_node_by_node(const SessionOptions& options);

RunMode mode_of(const SessionOptions& options);

// What looks at runs, or meddles with them (framework/diagnostics).

/// What the options ask for.
std::vector<std::unique_ptr<RunObserver>> make_observers(const SessionState& session,
                                                         const SessionOptions& options);

/// SessionOptions::compare: runs the nodes of a session eagerly before each run of it, and holds
/// its bits against theirs. Throws ValueError that names the first node whose bits differ; the
/// variables are then as they were before both runs.
std::unique_ptr<RunObserver> make_comparison(const SessionState& session);

/// Has the program say, when it ends, how many runs were compared.
void report_comparisons_at_exit();

/// Runs node by node, within the observers, or launching every node with events around it, and says
/// what ran when.
Profile profile_node_by_node(Executable& executable, RunObservers observers);
Profile profile_launched(Executable& executable);

}  // namespace aclgrad::detail
