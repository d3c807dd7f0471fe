// SPDX-License-Identifier: Apache-2.0
// Optimizers. step() records the update of every parameter in `gradients` and returns what to fetch
// for it. The state lives in Variables of the optimizer, one set a parameter, and is shared by all
// graphs that step() is called for. Learning rates are fixed when the step is recorded.
//
//   AdamW optimizer({.learning_rate = 1e-3});
//   Session session(graph, {loss, optimizer.step(graph, backward(loss, parameters))});
#ifndef ACLGRAD_OPTIM_H_
#define ACLGRAD_OPTIM_H_

#include <optional>
#include <source_location>
#include <unordered_map>
#include <vector>

#include "aclgrad/gradients.h"
#include "aclgrad/graph.h"
#include "aclgrad/ops/update.h"
#include "aclgrad/session.h"
#include "aclgrad/variable.h"

namespace aclgrad {

struct SgdOptions {
  double learning_rate = 1e-2;
  double momentum = 0;
  double weight_decay = 0;
};

/// Stochastic gradient descent: g = gradient + weight_decay p; with momentum v = g + momentum v
/// (v = 0 at first) takes the place of g; p = p - learning_rate g.
class Sgd {
 public:
  explicit Sgd(SgdOptions options = {});

  /// Throws ValueError for a gradient of something that is not a variable.
  Update step(Graph& graph, const Gradients& gradients,
              std::source_location where = std::source_location::current());

  /// The velocities, for checkpoints; empty without momentum.
  std::vector<Variable> state() const;

 private:
  struct Velocity {
    Variable parameter;  // kept alive, so that its identity stays its own
    Variable velocity;
  };
  const Variable& velocity_of(const Variable& parameter);

  SgdOptions options_;
  std::unordered_map<std::uintptr_t, Velocity> velocities_;  // by the parameter's identity
  std::vector<Variable> order_;
};

/// Adam with decoupled weight decay, by apply_adam_w(); one step counter (int64) for all
/// parameters.
class AdamW {
 public:
  using Options = AdamWAttributes;

  explicit AdamW(Options options = {});

  /// Throws ValueError for a gradient of something that is not a variable.
  Update step(Graph& graph, const Gradients& gradients,
              std::source_location where = std::source_location::current());

  /// Step counter and moments, for checkpoints.
  std::vector<Variable> state() const;

 private:
  struct Moments {
    Variable parameter;  // kept alive, so that its identity stays its own
    Variable first;
    Variable second;
  };
  Moments& moments(const Variable& parameter);

  Options options_;
  Variable steps_;                                       // how many steps were done
  std::unordered_map<std::uintptr_t, Moments> moments_;  // by the parameter's identity
  std::vector<Variable> order_;
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPTIM_H_
