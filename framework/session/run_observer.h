// SPDX-License-Identifier: Apache-2.0
// RunObserver: what may look at a run, or meddle with it. The run loop knows none of those that do.
#pragma once

#include <cstddef>
#include <span>

#include "acl/acl_rt.h"
#include "aclgrad/session/fetch.h"

namespace aclgrad::detail {

class Executable;

/// A node that is about to run, or has run.
struct NodeRun {
  Executable& executable;
  std::size_t position;  // in the program
  const Node& node;
  aclrtStream stream;  // that it runs on
};

/// Of several observers the first is the outermost: the first to see a node begin, the last to see
/// it end.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  /// Whether a run must go node by node for it.
  virtual bool needs_node_by_node() const { return true; }

  /// Before the feeds are copied in, and when all is done or something has thrown; then it must not
  /// throw itself.
  virtual void begin_run(Executable& /*executable*/, std::span<const Feed> /*feeds*/) {}
  virtual void end_run(bool /*failed*/) {}

  virtual void before_node(const NodeRun& /*run*/) {}
  virtual void after_node(const NodeRun& /*run*/) {}
};

using RunObservers = std::span<RunObserver* const>;

}  // namespace aclgrad::detail
