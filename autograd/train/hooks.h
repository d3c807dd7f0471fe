// SPDX-License-Identifier: Apache-2.0
// Hooks of a Trainer: values of a step, and their gradients, by the names that people know them by.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "aclgrad/gradients.h"
#include "aclgrad/graph.h"
#include "aclgrad/session.h"
#include "aclgrad/session/fetch.h"

namespace aclgrad::detail {

/// The value's name; where it has none "elu(hidden)", after what it is made of, or the place in the
/// program, which a loop over time has once.
std::string name_of(const Value& value);

/// Those of `all` for these values, as far as there are any.
Gradients gradients_for(const std::vector<Value>& values, const Gradients& all);

class StepHooks {
 public:
  struct Hook {
    std::string name;
    std::function<void(const Tensor& value)> look;
    bool backward;
  };

  /// Throws ValueError for an empty name or function.
  void add(Hook hook);
  void clear() { hooks_.clear(); }
  bool empty() const { return hooks_.empty(); }

  /// Records the gradients of parameters; those that hooks ask for besides are kept.
  Gradients gradients_of(const Value& loss, const std::vector<Value>& parameters,
                         const Value& seed);

  /// Forgets what was kept of a graph that is not to be run.
  void drop() { watching_.clear(); }

  /// What a run of the graph is fetched for, besides, and calls with what it gave.
  void add_fetches(std::vector<Fetch>& fetches);
  void call(const Graph& graph, const Results& results, double scale) const;

 private:
  struct Watched {
    std::size_t hook;  // in hooks_
    Value value;       // that it is called with
  };

  std::vector<Hook> hooks_;
  std::vector<Watched> watching_;              // by the step that is being recorded
  std::vector<std::vector<Watched>> watched_;  // by those that are kept
};

}  // namespace aclgrad::detail
