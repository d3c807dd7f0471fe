// SPDX-License-Identifier: Apache-2.0
// bisect: where a replayed session and an eager one part. Both are run on the same feeds; the first
// node after which the bits differ is named. Nothing that works differs, so a difference is a
// fault: of an operator that keeps state or declares wrongly which memory it may overwrite, of the
// memory plan, or of the runtime's replay.
//
//   Difference found = bisect(graph, {loss, update}, {{x, batch}, {t, labels}});
//   if (found) std::cerr << found.to_string() << '\n';
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/session.h"

namespace aclgrad {

/// The first difference, if any.
struct Difference {
  /// How the session with the memory plan was run when it showed: launched node by node, or
  /// replayed from a recording.
  enum class Found { nowhere, node_by_node, replayed };

  Found found = Found::nowhere;
  NodeId node = -1;      ///< the node after which bits differ
  ValueId value = -1;    ///< what differs: an output of the node, or another value alive then
  Tensor eager = {};     ///< the value in the eager run
  Tensor replayed = {};  ///< and in the other
  std::string where;     ///< "node 3 `geglu` (examples/x.cpp:41)"

  explicit operator bool() const { return found != Found::nowhere; }

  /// One or two sentences: the node, the value, how many elements differ and the first of them.
  std::string to_string() const;
};

/// The first node in the order of running after which bits differ. Variables are left as they were
/// found. Looks node by node first, with the memory plan in force; then at a replay that keeps
/// every value; and only if neither shows anything but a whole replay is wrong, at recordings of
/// one node, of two, and so on. Needs host memory for a hash of every value, and device memory for
/// all of them at once. Throws what Session and run() throw.
Difference bisect(const Graph& graph, const std::vector<Fetch>& fetches,
                  std::span<const Feed> feeds);
inline Difference bisect(const Graph& graph, const std::vector<Fetch>& fetches,
                         std::initializer_list<Feed> feeds = {}) {
  return bisect(graph, fetches, std::span<const Feed>(feeds.begin(), feeds.size()));
}

}  // namespace aclgrad
