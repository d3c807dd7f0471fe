// SPDX-License-Identifier: Apache-2.0
// SessionCache: a session for every set of shapes that turns up. A session is planned for fixed
// shapes; data whose shapes change (a last batch that is smaller, sentences of many lengths) needs
// one session a set. The cache records and plans on first sight and keeps the sessions used last.
// They share their streams, and with them a worker thread each, however many sessions there are.
//
//   SessionCache cache([&](const SessionCache::Inputs& inputs) {
//     Graph graph;
//     const Value x = graph.input("x", inputs.at("x").shape);
//     const Value y = model(x);                       // over Variables, which all graphs share
//     return SessionCache::BuiltGraph{std::move(graph), {y}};
//   });
//   Tensor y = cache.run({{"x", batch}})[0];          // the first fetch
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "aclgrad/session.h"

namespace aclgrad {

struct SessionCacheOptions {
  /// The most sessions kept; the one not used for longest goes. At least 1.
  std::size_t capacity = 256;

  /// The most bytes of device memory that they hold together (Session::device_bytes()): beyond it
  /// those not used for longest go, but for the 8 used last, which stay whatever they hold.
  std::size_t bytes = std::size_t{1} << 30;

  /// For the sessions.
  SessionOptions session = {};

  /// Called once, when the cache churns: when of the latest runs (twice as many as there are
  /// sessions kept) more than half had to plan a session in the place of another one. A line on
  /// standard error when it is empty.
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

    /// What the session counts for in SessionCacheOptions::bytes, given what it holds: that, when
    /// empty. Ranks agree on a number here, so that all forget the same sessions.
    std::function<std::size_t(std::size_t device_bytes)> count_bytes = {};
  };

  /// Called on first sight of a set of shapes.
  using Builder = std::function<BuiltGraph(const Inputs& inputs)>;

  /// Throws ValueError for a capacity of 0 or an empty builder.
  explicit SessionCache(Builder builder, SessionCacheOptions options = {});

  /// Runs the session for the feeds' shapes, planning it first when there is none. Feeds are for
  /// names; one that nothing fetched depends on is left out. Results are to be read before the next
  /// run with the same shapes. Throws ValueError for
  /// a feed without a name, a name fed twice, or that the graph lacks or has with another shape or
  /// dtype, besides what the builder, Session and run() throw; a session that could not be made is
  /// not kept.
  Results run(std::span<const Feed> feeds);
  Results run(std::initializer_list<Feed> feeds) {
    return run(std::span<const Feed>(feeds.begin(), feeds.size()));
  }

  /// Plans a session for the feeds' shapes, where there is none, without running it.
  void prepare(std::span<const Feed> feeds) { entry_for(inputs_of(feeds)); }

  /// Forgets all sessions, and that it churned: for when the builder would record something else
  /// for the same inputs. The builder itself may call it.
  void clear();

  /// The graph of the session used last. Throws ValueError where there is none.
  const Graph& latest() const;

  /// Sessions kept now, and planned so far.
  std::size_t size() const { return entries_.size(); }
  std::uint64_t planned() const { return planned_; }

  /// Bytes of device memory that the sessions kept hold together.
  std::size_t device_bytes() const { return device_bytes_; }

 private:
  struct Entry {
    Inputs inputs;
    std::size_t hash;
    Graph graph;
    Session session;
    std::set<std::string> unused;  // names of inputs that the session does not want
    std::size_t device_bytes;
  };
  using Entries = std::list<Entry>;
  static Inputs inputs_of(std::span<const Feed> feeds);
  Entry& entry_for(const Inputs& inputs);
  Entries::iterator find(const Inputs& inputs, std::size_t hash);
  Entry make_entry(const Inputs& inputs, std::size_t hash);
  bool make_room();
  void watch_for_churn(bool planned_in_place);

  Builder builder_;
  SessionCacheOptions options_;
  std::shared_ptr<detail::SessionStreams> streams_;  // of the sessions made last
  Entries entries_;                                  // the latest used first
  std::unordered_multimap<std::size_t, Entries::iterator> by_hash_;
  std::size_t device_bytes_ = 0;
  std::uint64_t planned_ = 0;
  std::deque<bool> recent_;   // whether the latest runs planned in the place of another session
  std::size_t replaced_ = 0;  // how many of them did
  bool warned_ = false;
};

}  // namespace aclgrad
