// SPDX-License-Identifier: Apache-2.0
// SessionCache: a session for every set of shapes that turns up. A session is planned for fixed
// shapes; data whose shapes change (a last batch that is smaller, sentences of many lengths) needs
// one session a set. The cache records and plans on first sight and keeps the sessions used last.
//
//   SessionCache cache([&](const SessionCache::Inputs& inputs) {
//     Graph graph;
//     const Value x = graph.input("x", inputs.at("x").shape);
//     const Value y = model(x);                       // over Variables, which all graphs share
//     return SessionCache::BuiltGraph{std::move(graph), {y}};
//   });
//   Tensor y = cache.run({{"x", batch}})[0];          // the first fetch
#ifndef ACLGRAD_SESSION_CACHE_H_
#define ACLGRAD_SESSION_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <list>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/session.h"

namespace aclgrad {

struct SessionCacheOptions {
  /// The most sessions kept; the one not used for longest goes. At least 1.
  std::size_t capacity = 8;

  /// For the sessions.
  SessionOptions session = {};

  /// Called once, when the cache churns: when of the latest 2 `capacity` runs more than half had to
  /// plan although the cache was full. A line on standard error when it is empty.
  std::function<void(const std::string& message)> warn = {};
};

class SessionCache {
 public:
  /// Shape and dtype of what is fed, by the input's name.
  class Inputs : public std::map<std::string, TensorSpec> {
   public:
    /// Throws ValueError, saying what is fed, for a name that is not.
    const TensorSpec& at(const std::string& name) const;
  };

  /// A graph whose inputs have the names and specs asked for, and what to run it for.
  struct BuiltGraph {
    Graph graph;
    std::vector<Fetch> fetches;
  };

  /// Called on first sight of a set of shapes.
  using Builder = std::function<BuiltGraph(const Inputs& inputs)>;

  /// Throws ValueError for a capacity of 0 or an empty builder.
  explicit SessionCache(Builder builder, SessionCacheOptions options = {});

  /// Runs the session for the feeds' shapes, planning it first when there is none. Feeds are for
  /// names; results are to be read before the next run with the same shapes. Throws ValueError for
  /// a feed without a name, a name fed twice, or that the graph lacks or has with another shape or
  /// dtype, besides what the builder, Session and run() throw; a session that could not be made is
  /// not kept.
  Results run(std::span<const Feed> feeds) {
    return entry_for(inputs_of(feeds)).session.run(feeds);
  }
  Results run(std::initializer_list<Feed> feeds) {
    return run(std::span<const Feed>(feeds.begin(), feeds.size()));
  }

  /// Plans a session for the feeds' shapes, where there is none, without running it.
  void prepare(std::span<const Feed> feeds) { entry_for(inputs_of(feeds)); }

  /// Forgets all sessions, and that it churned.
  void clear();

  /// The graph of the session used last. Throws ValueError where there is none.
  const Graph& latest() const;

  /// Sessions kept now, and planned so far.
  std::size_t size() const { return entries_.size(); }
  std::uint64_t planned() const { return planned_; }

 private:
  struct Entry {
    Inputs inputs;
    Graph graph;
    Session session;
  };
  static Inputs inputs_of(std::span<const Feed> feeds);
  Entry& entry_for(const Inputs& inputs);
  Entry make_entry(const Inputs& inputs) const;
  void watch_for_churn(bool planned_when_full);

  Builder builder_;
  SessionCacheOptions options_;
  std::list<Entry> entries_;  // the latest used first
  std::uint64_t planned_ = 0;
  std::vector<bool> recent_;  // a ring: whether a run planned although the cache was full
  std::size_t next_recent_ = 0;
  bool warned_ = false;
};

}  // namespace aclgrad

#endif  // ACLGRAD_SESSION_CACHE_H_
