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
#pragma once

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
#include "aclgrad/io/safetensors.h"
#include "aclgrad/ops/optimizer.h"
#include "aclgrad/optim/schedule.h"
#include "aclgrad/session.h"
#include "aclgrad/variable.h"

namespace aclgrad {

/// A number, at least 0 and finite, or a function of the step (see schedule.h): at least 0 at step
/// 0, finite at all, where it may turn negative, as in PyTorch; or schedule::plateau(). Throws
/// ValueError for no function.
class LearningRate {
 public:
  LearningRate(double rate) : rate_(rate) {}  // NOLINT: converts
  template <std::convertible_to<Schedule> Function>
  LearningRate(Function schedule) : schedule_(std::move(schedule)) {  // NOLINT: converts
    require_function();
  }

  LearningRate(schedule::Plateau plateau) : rate_(plateau.rate), plateau_(plateau) {}  // NOLINT

  bool is_number() const { return !schedule_ && !plateau_; }
  double at(std::int64_t step) const { return schedule_ ? schedule_(step) : rate_; }
  const std::optional<schedule::Plateau>& plateau() const { return plateau_; }

 private:
  void require_function() const;

  double rate_ = 0;
  Schedule schedule_;
  std::optional<schedule::Plateau> plateau_;
};

/// Parameters that are updated in their own way. An option that a group sets has the range that it
/// has for the optimizer, which must have such an option; where a group sets none, the optimizer's
/// counts. A group has at least one parameter, and a parameter is in one group, once.
struct ParameterGroup {
  std::vector<Variable> parameters;
  std::optional<double> weight_decay = std::nullopt;
  double learning_rate_factor = 1;                ///< times the learning rate; at least 0, finite
  std::optional<double> momentum = std::nullopt;  ///< of Sgd and RmsProp
  std::optional<double> beta1 = std::nullopt;     ///< of AdamW, Adam and Lion
  std::optional<double> beta2 = std::nullopt;
  std::optional<double> epsilon = std::nullopt;  ///< of AdamW, Adam and RmsProp
};

/// Two groups: what has two dimensions or more (weights, embeddings) is decayed; biases and the
/// scales of normalizations are not. A group that would be empty is left out.
std::vector<ParameterGroup> decay_matrices(const std::vector<Variable>& parameters,
                                           double weight_decay);

/// What clip_gradients() returns.
struct ClippedGradients {
  Gradients gradients;
  Value norm;  ///< of all gradients together before, rank 0; float32, float64 where all are
};

/// Gradients times min(1, max_norm / (norm + 1e-6)), with the Euclidean norm of all of them
/// together (Pascanu et al. 2013), computed in float32 for gradients of 16 bits. Where the norm is
/// NaN, so are all. Throws ValueError unless max_norm is above 0.
ClippedGradients clip_gradients(const Gradients& gradients, double max_norm,
                                std::source_location where = std::source_location::current());

/// What all optimizers do. For parameters of 16 bits the state is float32, and an update is
/// computed in float32 and rounded once, into the parameter.
///
/// Constructors throw ValueError, which names the option, its range and its value, for one out of
/// the range that stands beside it, and for groups that are not as ParameterGroup says.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Throws ValueError for a gradient of something that is not a variable, or is in no group where
  /// the optimizer has groups; ShapeError and DTypeError for one that is not as its variable.
  [[nodiscard]] Update step(const Graph& graph, const Gradients& gradients,
                            std::source_location where = std::source_location::current());

  /// Sets the learning rate to that of a step, counted from 0, for the runs to come. Does nothing
  /// where the learning rate is a number. Throws ValueError, with the step, for a rate that is
  /// infinite or NaN.
  void set_step(std::int64_t step) const;

  /// The learning rate of a step; of schedule::plateau() the present one.
  double learning_rate(std::int64_t step) const;

  /// Whether the learning rate is that of schedule::plateau(); and what an evaluation found, which
  /// such a one goes by, the less the better. NaN is no better than what was before. Other learning
  /// rates take no notice of it.
  bool goes_by_evaluations() const { return plateau_variable_.has_value(); }
  void tell_score(double score) const;

  /// For the runs to come, until the next set_step(), which a Trainer calls before each step: a
  /// rate that is to stay there is Trainer::set_learning_rate(). Throws ValueError where the
  /// learning rate was given as a number (schedule::constant() is one that can be changed), and for
  /// one below 0, infinite or NaN.
  void set_learning_rate(double rate) const;

  /// set_learning_rate(), also for a learning rate that was given as a number; std::nullopt brings
  /// the given one back. True where it is another one for what is recorded from now on only.
  bool change_learning_rate(std::optional<double> rate);

  /// For checkpoints: what it keeps of every parameter, counts of steps, and the learning rate
  /// where that is a function.
  virtual std::vector<Variable> state() const;

  /// Says that the graphs in which step() was recorded are not run any more: the next step() may be
  /// of other parameters, where some were frozen or unfrozen, or a loss depends on others. The
  /// state is kept.
  virtual void forget_graphs() {}

  /// Whether step() may be of these parameters without that.
  virtual bool accepts(const Gradients&) const { return true; }

  /// For going on from a checkpoint, in three steps. The first says what it has of parameters that
  /// rest, which step() does not update, and whether steps are to be counted for each parameter: as
  /// there, or since it has state of some parameters only; the second, before step() is recorded,
  /// makes room for that.
  std::string layout_of(const NamedTensors& checkpoint, const std::vector<Variable>& updated,
                        const std::vector<Variable>& resting) const;
  virtual void take_layout(const std::string& layout, const std::vector<Variable>& resting);

  /// The third gives the checkpoint's tensors as `own`, contents of the whole state now, has them.
  /// A parameter of which it has nothing, as before its first step, begins with zeros; state of 16
  /// bits becomes float32; a learning rate that only one has is left out, or is the present one.
  virtual NamedTensors fitted(NamedTensors checkpoint, const NamedTensors& own) const;

  /// The group that a parameter is in; null where the optimizer has no groups. Throws ValueError
  /// for one that is in none of several.
  const ParameterGroup* group_of(const Variable& parameter) const;

  /// For an update that ranks share (ShardedUpdate): step() gets gradients of variables with parts
  /// of the parameters. Such a variable belongs to the group of its parameter, and the norm of all
  /// gradients is that of all ranks' together, whose norms `gather` puts side by side, as [ranks].
  virtual void add_share(const Variable& share, const Variable& parameter);
  void gather_norms(std::function<Value(const Value&)> gather) { gather_ = std::move(gather); }

 protected:
  /// The step of one parameter.
  struct Step {
    const Graph& graph;
    Value parameter;  // the variable
    Value value;      // its contents, and
    Value gradient;   // in the dtype of the state
    double weight_decay;
    double learning_rate;  // times the Variable's, where there is one
    const ParameterGroup* group;

    /// An option of the group, or the optimizer's.
    double option(std::optional<double> ParameterGroup::*option, double common) const {
      return group != nullptr ? (group->*option).value_or(common) : common;
    }
  };

  /// What messages call an optimizer, and which options its groups may set.
  struct Kind {
    const char* name;
    bool momentum = false;
    bool betas = false;
    bool epsilon = false;
  };

  /// Of the options that all optimizers have.
  template <class Options>
  Optimizer(const Kind& kind, const Options& options, std::vector<ParameterGroup> groups)
      : Optimizer(kind, options.name, options.learning_rate, options.weight_decay,
                  options.clip_norm, std::move(groups)) {}
  Optimizer(const Kind& kind, std::string name, LearningRate rate, double weight_decay,
            std::optional<double> clip_norm, std::vector<ParameterGroup> groups);
  Optimizer(const Optimizer&) = default;
  Optimizer& operator=(const Optimizer&) = default;

  /// Records the update; returns the parameter's new value, and what else is updated that this one
  /// does not need.
  virtual std::vector<Value> update(const Step& step) = 0;

  /// Before and after all parameters; after() returns what else is updated.
  virtual void before(const Graph&, const Gradients&) {}
  virtual std::vector<Value> after(const Graph&) { return {}; }

  /// A variable of the parameter's shape, or `step`, a count of int64; 0 at first, called after it:
  /// "hidden.weight@velocity". Those that are kept are part of state().
  const Variable& slot(const Variable& parameter, const std::string& name, bool kept = true);

  /// The variable in the graph.
  Value slot(const Step& step, const std::string& name, bool kept = true);

  const std::string& name() const { return name_; }
  const Kind& kind() const { return kind_; }

  bool is_scheduled() const { return rate_variable_.has_value(); }

  /// parameter += sign learning_rate direction.
  Value move(const Step& step, const Value& direction, double sign = -1) const;

 private:
  struct Slots {
    Variable parameter;  // kept alive, so that its identity stays its own
    std::vector<std::pair<std::string, Variable>> variables;
  };

  void check_groups() const;

  Kind kind_;
  std::string name_;
  LearningRate rate_;
  double weight_decay_;
  std::optional<double> clip_norm_;
  std::vector<ParameterGroup> groups_;
  std::unordered_map<std::uintptr_t, std::size_t> group_numbers_;  // by the parameter's identity
  std::function<Value(const Value&)> gather_;                      // norms of the ranks
  std::optional<Variable> rate_variable_;
  std::optional<double> changed_rate_;               // in place of a number
  std::optional<Variable> plateau_variable_;         // what Plateau::next() goes on from
  std::unordered_map<std::uintptr_t, Slots> slots_;  // by the parameter's identity
  std::vector<Variable> kept_;
};

struct SgdOptions {
  LearningRate learning_rate = 1e-2;               ///< at least 0, finite
  double momentum = 0;                             ///< in [0, 1]
  bool nesterov = false;                           ///< needs a momentum, and no dampening
  double weight_decay = 0;                         ///< at least 0, finite
  std::optional<double> clip_norm = std::nullopt;  ///< above 0; see clip_gradients()
  std::string name = "sgd";  ///< with which the names of the common state begin
  double dampening = 0;      ///< in [0, 1]
  bool maximize = false;     ///< takes -gradient for the gradient
};

/// Stochastic gradient descent: g = gradient + weight_decay p; with momentum v = (1 - dampening) g
/// + momentum v (v = g in a parameter's first step) takes the place of g, with Nesterov's
/// g + momentum v; p = p - learning_rate g.
class Sgd : public Optimizer {
 public:
  explicit Sgd(const SgdOptions& options = {}, std::vector<ParameterGroup> groups = {});

 private:
  std::vector<Value> update(const Step& step) override;
  SgdOptions options_;
};

struct AdamWOptions {
  LearningRate learning_rate = 1e-3;               ///< at least 0, finite
  double beta1 = 0.9;                              ///< in [0, 1)
  double beta2 = 0.999;                            ///< in [0, 1)
  double weight_decay = 1e-2;                      ///< at least 0, finite
  double epsilon = 1e-8;                           ///< at least 0, finite
  bool maximize = false;                           ///< takes -gradient for the gradient
  std::optional<double> clip_norm = std::nullopt;  ///< above 0; see clip_gradients()
  std::string name = "adamw";  ///< with which the names of the common state begin
  bool amsgrad = false;        ///< divides by the largest second moment so far (Reddi et al. 2018)
};

/// Adam with decoupled weight decay, by apply_adam_w(). All parameters share one count of steps
/// (int64), so step() throws ValueError for other parameters than those of the first step(), more
/// or fewer, unless forget_graphs() or count_each_parameter() was called: then every parameter has
/// a count of its own, `hidden.weight@step`, and begins with the steps that it was part of.
class AdamW : public Optimizer {
 public:
  explicit AdamW(const AdamWOptions& options = {}, std::vector<ParameterGroup> groups = {});

  std::vector<Variable> state() const override;

  /// Counts the steps of each parameter from now on, one more node for each: for several sets of
  /// parameters that are updated in turn. Where steps were recorded before, these graphs must not
  /// be run any more. Throws ValueError for parameters that ranks share.
  void count_each_parameter();
  void forget_graphs() override { forgot_graphs_ = true; }
  bool accepts(const Gradients& gradients) const override;

  void take_layout(const std::string& layout, const std::vector<Variable>& resting) override;
  NamedTensors fitted(NamedTensors checkpoint, const NamedTensors& own) const override;
  void add_share(const Variable& share, const Variable& parameter) override;

 protected:
  AdamW(const Kind& kind, const AdamWOptions& options, std::vector<ParameterGroup> groups);
  std::vector<Value> update(const Step& step) override;
  bool maximizes() const { return options_.maximize; }

  /// As update(), for a gradient that is negative already where `maximize` is false.
  std::vector<Value> update(const Step& step, bool maximize);

 private:
  void before(const Graph& graph, const Gradients& gradients) override;
  std::vector<Value> after(const Graph& graph) override;
  std::string difference(const Gradients& gradients) const;

  AdamWOptions options_;
  Variable steps_;                    // how many steps were done
  std::vector<Variable> parameters_;  // of the latest step()
  bool counts_each_ = false;          // not by steps_, but by slots
  bool forgot_graphs_ = false;
  bool has_shares_ = false;
};

struct AdamOptions {
  LearningRate learning_rate = 1e-3;               ///< at least 0, finite
  double beta1 = 0.9;                              ///< in [0, 1)
  double beta2 = 0.999;                            ///< in [0, 1)
  double weight_decay = 0;                         ///< at least 0, finite
  double epsilon = 1e-8;                           ///< at least 0, finite
  bool maximize = false;                           ///< takes -gradient for the gradient
  std::optional<double> clip_norm = std::nullopt;  ///< above 0; see clip_gradients()
  std::string name = "adam";  ///< with which the names of the common state begin
  bool amsgrad = false;       ///< as in AdamWOptions
};

/// Adam (Kingma, Ba 2014): as AdamW, but weight_decay p is added to the gradient, which maximize
/// has negated before.
class Adam : public AdamW {
 public:
  explicit Adam(const AdamOptions& options = {}, std::vector<ParameterGroup> groups = {});

 private:
  std::vector<Value> update(const Step& step) override;
};

struct RmsPropOptions {
  LearningRate learning_rate = 1e-2;               ///< at least 0, finite
  double alpha = 0.99;                             ///< in [0, 1)
  double epsilon = 1e-8;                           ///< at least 0, finite
  double weight_decay = 0;                         ///< at least 0, finite
  double momentum = 0;                             ///< in [0, 1]
  std::optional<double> clip_norm = std::nullopt;  ///< above 0
  std::string name = "rmsprop";
  bool centered = false;
};

/// RMSProp (Hinton 2012): g = gradient + weight_decay p; s = alpha s + (1 - alpha) g^2;
/// d = g / (sqrt(s) + epsilon), with momentum d + momentum times the d before;
/// p = p - learning_rate d. Centered (Graves 2013), s - a^2 takes the place of s in d, with
/// a = alpha a + (1 - alpha) g.
class RmsProp : public Optimizer {
 public:
  explicit RmsProp(const RmsPropOptions& options = {}, std::vector<ParameterGroup> groups = {});

 private:
  std::vector<Value> update(const Step& step) override;
  RmsPropOptions options_;
};

struct LionOptions {
  LearningRate learning_rate = 1e-4;               ///< at least 0, finite
  double beta1 = 0.9;                              ///< in [0, 1)
  double beta2 = 0.99;                             ///< in [0, 1)
  double weight_decay = 0;                         ///< at least 0, finite
  std::optional<double> clip_norm = std::nullopt;  ///< above 0
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
