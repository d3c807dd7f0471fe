// SPDX-License-Identifier: Apache-2.0
// Optimizers. step() records the update of every parameter in `gradients` and returns what to fetch
// for it. The state lives in Variables of the optimizer, one set a parameter, and is shared by all
// graphs that step() is called for.
//
//   AdamW optimizer({.learning_rate = schedule::cosine(1e-3, 100, 2000), .clip_norm = 1},
//                   decay_matrices(model.parameters(), 0.1));
//   Session session(graph, {loss, optimizer.step(graph, backward(loss, parameters))});
//   for (std::int64_t step = 0; step < 2000; ++step) {
//     optimizer.set_step(step);          // the learning rate of the run to come
//     session.run(...);
//   }
//
// A learning rate that is a number is part of the nodes recorded. One that is a function of the
// step stands in a Variable, which set_step() and set_learning_rate() change between runs; no graph
// is recorded or planned anew. The operators take a learning rate as an attribute only, so this
// costs SGD one more node a parameter and AdamW three or four. Results are the same up to rounding.
#ifndef ACLGRAD_OPTIM_H_
#define ACLGRAD_OPTIM_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aclgrad/gradients.h"
#include "aclgrad/graph.h"
#include "aclgrad/ops/update.h"
#include "aclgrad/schedule.h"
#include "aclgrad/session.h"
#include "aclgrad/variable.h"

namespace aclgrad {

/// A number, or a function of the step (see schedule.h).
class LearningRate {
 public:
  LearningRate(double rate) : rate_(rate) {}  // NOLINT: converts
  template <std::convertible_to<Schedule> Function>
  LearningRate(Function schedule) : schedule_(std::move(schedule)) {}  // NOLINT: converts

  bool is_number() const { return !schedule_; }
  double at(std::int64_t step) const { return schedule_ ? schedule_(step) : rate_; }

 private:
  double rate_ = 0;
  Schedule schedule_;
};

/// Parameters that are updated in their own way.
struct ParameterGroup {
  std::vector<Variable> parameters;
  std::optional<double> weight_decay = std::nullopt;  ///< the optimizer's where there is none
  double learning_rate_factor = 1;                    ///< times the optimizer's learning rate
};

/// Two groups: what has two dimensions or more (weights, embeddings) is decayed; biases and the
/// scales of normalizations are not.
std::vector<ParameterGroup> decay_matrices(const std::vector<Variable>& parameters,
                                           double weight_decay);

struct ClippedGradients {
  Gradients gradients;
  Value norm;  ///< of all gradients together before, float32, rank 0
};

/// Gradients times min(1, max_norm / (norm + 1e-6)), with the Euclidean norm of all of them
/// together (Pascanu et al. 2013). Where it is NaN, so are all. Throws ValueError for max_norm <=
/// 0.
ClippedGradients clip_gradients(const Gradients& gradients, double max_norm,
                                std::source_location where = std::source_location::current());

/// What all optimizers do.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Throws ValueError for a gradient of something that is not a variable, or is in no group where
  /// the optimizer has groups.
  [[nodiscard]] Update step(const Graph& graph, const Gradients& gradients,
                            std::source_location where = std::source_location::current());

  /// Sets the learning rate to that of a step, counted from 0, for the runs to come. Does nothing
  /// where the learning rate is a number.
  void set_step(std::int64_t step) const;

  /// The learning rate of a step.
  double learning_rate(std::int64_t step) const { return rate_.at(step); }

  /// For the runs to come, until the next set_step(). Throws ValueError where the learning rate was
  /// given as a number; schedule::constant() is one that can be changed.
  void set_learning_rate(double rate) const;

  /// For checkpoints: what it keeps of every parameter, counts of steps, and the learning rate
  /// where that is a function.
  virtual std::vector<Variable> state() const;

  /// The group that a parameter is in; null where the optimizer has no groups. Throws ValueError
  /// for one that is in none of several.
  const ParameterGroup* group_of(const Variable& parameter) const;

  /// For an update that ranks share (ShardedUpdate): step() gets gradients of variables with parts
  /// of the parameters. Such a variable belongs to the group of its parameter, and the norm of all
  /// gradients is that of all ranks' together, which `sum` adds up.
  void add_share(const Variable& share, const Variable& parameter);
  void sum_over_ranks(std::function<Value(const Value&)> sum) { sum_ = std::move(sum); }

 protected:
  /// The step of one parameter.
  struct Step {
    const Graph& graph;
    Value parameter;
    Value gradient;
    double weight_decay;
    double learning_rate;  // times the Variable's, where there is one
    std::source_location where;
  };

  /// Of the options that all optimizers have.
  template <class Options>
  Optimizer(const Options& options, std::vector<ParameterGroup> groups)
      : Optimizer(options.name, options.learning_rate, options.weight_decay, options.clip_norm,
                  std::move(groups)) {}
  Optimizer(const std::string& name, LearningRate rate, double weight_decay,
            std::optional<double> clip_norm, std::vector<ParameterGroup> groups);
  Optimizer(const Optimizer&) = default;
  Optimizer& operator=(const Optimizer&) = default;

  /// Records the update; returns the parameter's new value, and what else is updated that this one
  /// does not need.
  virtual std::vector<Value> update(const Step& step) = 0;

  /// Before and after all parameters; after() returns what else is updated.
  virtual void before(const Graph&, const Gradients&, std::source_location) {}
  virtual std::vector<Value> after(const Graph&, std::source_location) { return {}; }

  /// A variable of the parameter's shape, 0 at first, called after it: "hidden.weight.velocity".
  /// Those that are kept are part of state().
  const Variable& slot(const Variable& parameter, const std::string& name, bool kept = true);

  /// The variable in the graph.
  Value slot(const Step& step, const std::string& name, bool kept = true);

  bool is_scheduled() const { return rate_variable_.has_value(); }

  /// parameter += sign learning_rate direction.
  Value move(const Step& step, const Value& direction, double sign = -1) const;

 private:
  struct Slots {
    Variable parameter;  // kept alive, so that its identity stays its own
    std::vector<std::pair<std::string, Variable>> variables;
  };

  LearningRate rate_;
  double weight_decay_;
  std::optional<double> clip_norm_;
  std::vector<ParameterGroup> groups_;
  std::function<Value(const Value&)> sum_;  // over the ranks
  std::optional<Variable> rate_variable_;
  std::unordered_map<std::uintptr_t, Slots> slots_;  // by the parameter's identity
  std::vector<Variable> kept_;
};

struct SgdOptions {
  LearningRate learning_rate = 1e-2;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
  std::optional<double> clip_norm = std::nullopt;  ///< see clip_gradients()
  std::string name = "sgd";  ///< with which the names of the common state begin
};

/// Stochastic gradient descent: g = gradient + weight_decay p; with momentum v = g + momentum v
/// (v = 0 at first) takes the place of g, with Nesterov's g + momentum v; p = p - learning_rate g.
class Sgd : public Optimizer {
 public:
  explicit Sgd(const SgdOptions& options = {}, std::vector<ParameterGroup> groups = {});

 private:
  std::vector<Value> update(const Step& step) override;
  SgdOptions options_;
};

/// AdamWAttributes says what they mean.
struct AdamWOptions {
  LearningRate learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double weight_decay = 1e-2;
  double epsilon = 1e-8;
  bool maximize = false;
  std::optional<double> clip_norm = std::nullopt;  ///< see clip_gradients()
  std::string name = "adamw";  ///< with which the names of the common state begin
};

/// Adam with decoupled weight decay, by apply_adam_w(); one step counter (int64) for all
/// parameters. step() throws ValueError for other parameters than those of the first step(), more
/// or fewer: all have one count of steps.
class AdamW : public Optimizer {
 public:
  explicit AdamW(const AdamWOptions& options = {}, std::vector<ParameterGroup> groups = {});

  std::vector<Variable> state() const override;

 protected:
  std::vector<Value> update(const Step& step) override;

 private:
  void before(const Graph& graph, const Gradients& gradients, std::source_location where) override;
  std::vector<Value> after(const Graph& graph, std::source_location where) override;

  AdamWOptions options_;
  Variable steps_;                    // how many steps were done
  std::vector<Variable> parameters_;  // of the first step
};

struct AdamOptions {
  LearningRate learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double weight_decay = 0;
  double epsilon = 1e-8;
  bool maximize = false;
  std::optional<double> clip_norm = std::nullopt;  ///< see clip_gradients()
  std::string name = "adam";  ///< with which the names of the common state begin
};

/// Adam (Kingma, Ba 2014): as AdamW, but weight_decay p is added to the gradient.
class Adam : public AdamW {
 public:
  explicit Adam(const AdamOptions& options = {}, std::vector<ParameterGroup> groups = {});

 private:
  std::vector<Value> update(const Step& step) override;
};

struct RmsPropOptions {
  LearningRate learning_rate = 1e-2;
  double alpha = 0.99;
  double epsilon = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  std::optional<double> clip_norm = std::nullopt;
  std::string name = "rmsprop";
};

/// RMSProp (Hinton 2012): g = gradient + weight_decay p; s = alpha s + (1 - alpha) g^2;
/// d = g / (sqrt(s) + epsilon), with momentum d + momentum times the d before;
/// p = p - learning_rate d.
class RmsProp : public Optimizer {
 public:
  explicit RmsProp(const RmsPropOptions& options = {}, std::vector<ParameterGroup> groups = {});

 private:
  std::vector<Value> update(const Step& step) override;
  RmsPropOptions options_;
};

struct LionOptions {
  LearningRate learning_rate = 1e-4;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double weight_decay = 0;
  std::optional<double> clip_norm = std::nullopt;
  std::string name = "lion";
};

/// Lion (Chen et al. 2023): p = p - learning_rate (sign(beta1 m + (1 - beta1) gradient)
/// + weight_decay p), then m = beta2 m + (1 - beta2) gradient.
class Lion : public Optimizer {
 public:
  explicit Lion(const LionOptions& options = {}, std::vector<ParameterGroup> groups = {});

 private:
  std::vector<Value> update(const Step& step) override;
  LionOptions options_;
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPTIM_H_
