// SPDX-License-Identifier: Apache-2.0
// Optimizers. step() records the update of every parameter in `gradients` and returns what to fetch
// for it. The state lives in Variables of the optimizer, one set a parameter, and is shared by all
// graphs that step() is called for.
//
//   AdamW optimizer({.learning_rate = 1e-3});
//   Session session(graph, {loss, optimizer.step(graph, backward(loss, parameters))});
//
// The learning rate is part of the nodes recorded, unless `scheduled` is set: then it stands in a
// Variable that set_learning_rate() changes between runs, and no graph is recorded or planned
// anew. The operators take a learning rate as an attribute only, so this costs SGD one more node a
// parameter and AdamW three or four. Results are the same up to rounding.
#ifndef ACLGRAD_OPTIM_H_
#define ACLGRAD_OPTIM_H_

#include <optional>
#include <source_location>
#include <string>
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
  bool scheduled = false;
  std::string name = "sgd";  ///< with which the name of a scheduled rate begins
};

/// Stochastic gradient descent: g = gradient + weight_decay p; with momentum v = g + momentum v
/// (v = 0 at first) takes the place of g; p = p - learning_rate g.
class Sgd {
 public:
  explicit Sgd(SgdOptions options = {});

  /// Throws ValueError for a gradient of something that is not a variable.
  [[nodiscard]] Update step(Graph& graph, const Gradients& gradients,
                            std::source_location where = std::source_location::current());

  /// For the runs to come. Throws ValueError unless `scheduled` was set.
  void set_learning_rate(double rate) const;

  /// For checkpoints: the velocities with momentum, the learning rate when it is scheduled.
  std::vector<Variable> state() const;

 private:
  struct Velocity {
    Variable parameter;  // kept alive, so that its identity stays its own
    Variable velocity;
  };
  const Variable& velocity_of(const Variable& parameter);

  SgdOptions options_;
  std::optional<Variable> rate_;
  std::unordered_map<std::uintptr_t, Velocity> velocities_;  // by the parameter's identity
  std::vector<Variable> order_;
};

/// AdamWAttributes says what they mean.
struct AdamWOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double weight_decay = 1e-2;
  double epsilon = 1e-8;
  bool maximize = false;
  bool scheduled = false;
  std::string name = "adamw";  ///< with which the names of the common state begin
};

/// Adam with decoupled weight decay, by apply_adam_w(); one step counter (int64) for all
/// parameters.
class AdamW {
 public:
  using Options = AdamWOptions;

  explicit AdamW(Options options = {});

  /// Throws ValueError for a gradient of something that is not a variable, and for other parameters
  /// than those of the first step(), more or fewer: all have one count of steps.
  [[nodiscard]] Update step(Graph& graph, const Gradients& gradients,
                            std::source_location where = std::source_location::current());

  /// For the runs to come. Throws ValueError unless `scheduled` was set.
  void set_learning_rate(double rate) const;

  /// For checkpoints: step counter and moments, and the learning rate when it is scheduled.
  std::vector<Variable> state() const;

 private:
  struct Moments {
    Variable parameter;  // kept alive, so that its identity stays its own
    Variable first;
    Variable second;
    std::optional<Variable> direction;  // where a scheduled step is worked out
  };
  void check_group(const Graph& graph, const Gradients& gradients) const;
  Moments& moments(const Variable& parameter);
  Value scheduled_step(Graph& graph, const Moments& state, const Value& parameter,
                       const Value& gradient, const Value& steps, std::source_location where) const;

  Options options_;
  Variable steps_;  // how many steps were done
  std::optional<Variable> rate_;
  std::unordered_map<std::uintptr_t, Moments> moments_;  // by the parameter's identity
  std::optional<std::size_t> group_size_;                // how many parameters the first step() had
  std::vector<Variable> order_;
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPTIM_H_
