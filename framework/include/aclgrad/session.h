// SPDX-License-Identifier: Apache-2.0
// Session: runs part of a graph, as often as wanted.
//
//   Session session(graph, {loss, update});                  // plans once
//   Results results = session.run({{x, batch}, {t, labels}});  // runs
//   double value = results[loss].item();
//
// Inputs may be fed by their names, and results read by their numbers:
//
//   double value = session.run({{"x", batch}, {"t", labels}})[0].item();
//
// Construction works out which nodes the fetched values need, lays all values out in one piece of
// memory in which those that never live at the same time share, calls phase one of every operator
// once, and has a stream record phase two of all of them in the order of recording. A run reads the
// feeds where they lie, replays what was recorded, and waits. It allocates nothing. Asynchronous
// nodes (StreamOp::is_async) overlap with the operators, on a second stream. An eager session calls
// both phases of each operator in every run, waits after each, and gives every value memory of its
// own: slow, for looking at what happens. Both give the same bits.
//
// The graph may grow, or die, afterwards; the session runs what it planned. A session is for one
// thread at a time: a run that begins during another one throws ValueError. A run that is under way
// goes on to its end when the session is destroyed. Sessions that share variables must not run at
// the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/session/fetch.h"
#include "aclgrad/session/memory_report.h"
#include "aclgrad/session/profile.h"
#include "aclgrad/tensor.h"

namespace aclgrad {

/// How a session runs. The environment variable ACLGRAD_SESSION adds to the options of every
/// session of a program, as words with commas between them: eager, launch (for `replay` = false),
/// poison, trace_nonfinite, compare. What a session's own options rule out stays off.
struct SessionOptions {
  /// Run node by node (see above).
  bool eager = false;

  /// Record once and replay in every run. Without it, and on a runtime that cannot record, every
  /// run launches every node.
  bool replay = true;

  /// Run node by node and fill memory with NaN as soon as what lay there is dead, so that a read of
  /// dead memory shows. Not with `eager`, which reuses no memory.
  bool poison = false;

  /// Run node by node and throw ValueError, naming the node, its inputs and the place that recorded
  /// it, as soon as one makes infinity while all that it read was finite, makes NaN while it read
  /// no NaN, or reads a NaN from a feed, a parameter or a constant. Infinities that come in so
  /// (masks) are let through. Variables may then be half updated.
  bool trace_nonfinite = false;

  /// Run everything eagerly first, and throw ValueError, naming the first node whose bits differ
  /// (see bisect.h), unless the run itself leaves the same bits in all that is fetched or updated.
  /// Variables are then as they were before. Not with `eager`. Asynchronous work (StreamOp) is
  /// done twice. profile() and timeline() compare nothing.
  bool compare = false;

  /// Called after every operator of an eager run with its tensors; inputs are as they were before
  /// it ran. Only with `eager`.
  std::function<void(const Node& node, const std::vector<Tensor>& inputs,
                     const std::vector<Tensor>& outputs)>
      observer = {};
};

namespace detail {
class SessionState;
class SessionStreams;
}  // namespace detail

/// What a run left. Tensors are copied out when they are asked for: results that are not read cost
/// nothing. Reading after the next run of the same session throws ValueError, since its memory has
/// been overwritten; so does reading a variable that has changed meanwhile. Threads may read at the
/// same time: a run that one begins waits until those that are reading are done. Results outlive
/// their session.
class Results {
 public:
  /// A copy of a fetched value. Throws ValueError when it was not fetched, or when the device was
  /// reset since the run.
  Tensor operator[](const Value& value) const;

  /// A copy of what the fetch of that number gave. Throws ValueError for a number out of range, or
  /// of an Update, besides.
  Tensor operator[](std::size_t fetch) const;

 private:
  friend class Session;
  Results(std::shared_ptr<detail::SessionState> state, std::uint64_t run)
      : state_(std::move(state)), run_(run) {}

  std::shared_ptr<detail::SessionState> state_;
  std::uint64_t run_;
};

class Session {
 public:
  /// Throws ValueError for a fetched value of another graph, one that a node needed here
  /// overwrites, a parameter that is dead or lies on another device than the session, which is the
  /// calling thread's, or options that do not go together; StatusError, naming the node, when phase
  /// one of an operator fails, or, naming the largest value, when there is not enough memory.
  Session(const Graph& graph, std::vector<Fetch> fetches, SessionOptions options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// Runs once. Before anything runs, throws ValueError for a missing, unknown or doubled feed and
  /// for a session that is dead, as its device was reset or the context that it was made in
  /// destroyed; ShapeError and DTypeError for a tensor that does not fit its input; StatusError on
  /// a thread that uses another device. Throws StatusError when an operator fails; variables may
  /// then be half updated.
  Results run(std::span<const Feed> feeds);
  Results run(std::initializer_list<Feed> feeds = {}) { return run(all(feeds)); }

  /// The operators' nodes in the order of running.
  std::vector<NodeId> schedule() const;

  /// The inputs that run() wants.
  std::vector<Value> inputs() const;

  /// Bytes of device memory that the plan holds, without the variables.
  std::size_t device_bytes() const;

  /// What lies where in it.
  MemoryReport memory_report() const;

  /// Whether run() replays a recording.
  bool replays() const;

  /// A run, node by node, with the time that each took; the values fetched cannot be read. Throws
  /// as run() does.
  Profile profile(std::span<const Feed> feeds);
  Profile profile(std::initializer_list<Feed> feeds = {}) { return profile(all(feeds)); }

  /// A run as run() does it, but for the launching of every node; with what ran when, and on which
  /// of the session's streams. The values fetched cannot be read. Throws as run() does, and
  /// ValueError for an eager session, or one with an option that makes it run node by node.
  Profile timeline(std::span<const Feed> feeds);
  Profile timeline(std::initializer_list<Feed> feeds = {}) { return timeline(all(feeds)); }

 private:
  friend class SessionCache;

  /// Runs on streams that other sessions have too, of which one runs at a time.
  Session(const Graph& graph, std::vector<Fetch> fetches, SessionOptions options,
          std::shared_ptr<detail::SessionStreams> streams);

  static std::span<const Feed> all(std::initializer_list<Feed> feeds) {
    return {feeds.begin(), feeds.size()};
  }
  detail::SessionState& state() const;  // throws ValueError when there is none
  /// For runs, which keep it whatever becomes of the session meanwhile.
  std::shared_ptr<detail::SessionState> kept_state() const;

  std::shared_ptr<detail::SessionState> state_;
};

}  // namespace aclgrad
