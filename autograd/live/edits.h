// SPDX-License-Identifier: Apache-2.0
// Elements of a graph's values that a run is to have otherwise, and rounding by chance.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/tensor.h"
#include "session/run_observer.h"

namespace aclgrad::live {

struct Edit {
  ValueId value = -1;
  std::int64_t index = 0;
  double to = 0;
};

class Edits {
 public:
  /// Replaces an earlier edit of the same element.
  void set(const Edit& edit);

  /// Forgets those of a value, or all.
  void release(ValueId value);
  void release() { edits_.clear(); }

  /// Changes a value's tensor; returns whether it did.
  bool apply(ValueId value, Tensor& tensor) const;

  bool concerns(ValueId value) const;
  auto begin() const { return edits_.begin(); }
  auto end() const { return edits_.end(); }
  bool empty() const { return edits_.empty(); }

 private:
  std::vector<Edit> edits_;
};

/// Makes the edits in an eager run: of constants before it begins, of an operator's outputs when it
/// has run. Inputs are edited in their feeds, variables by assign().
class Interventions final : public detail::RunObserver {
 public:
  Interventions(const Graph& graph, const Edits& edits) : graph_(graph), edits_(edits) {}

  void begin_run(detail::Executable& executable, std::span<const Feed> feeds) override;
  void after_node(const detail::NodeRun& run) override;

 private:
  const Graph& graph_;
  const Edits& edits_;
};

/// What rounding does to a result: the same run again, with every operator's results a unit in
/// their last place off, up or down by chance (Parker 1997, Monte Carlo arithmetic). What cancels
/// shows how little is left of it.
class Rounding final : public detail::RunObserver {
 public:
  explicit Rounding(std::uint64_t seed) : state_(seed * 2 + 1) {}
  void after_node(const detail::NodeRun& run) override;

 private:
  double next();  // -1 to 1

  std::uint64_t state_;
};

}  // namespace aclgrad::live
