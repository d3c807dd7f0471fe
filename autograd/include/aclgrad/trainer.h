// SPDX-License-Identifier: Apache-2.0
// Training without a graph in sight: a model, a loss, an optimizer.
//
//   const auto loss = [&](const Value& x, const Value& t) { return cross_entropy(model(x), t); };
//   Trainer trainer(model, loss, optimizer);
//   for (const data::Dataset& batch : batches.epoch(epoch)) sum += trainer.step(batch);
//
// fit() (fit.h) is such a loop; predict() (predict.h) runs the model.
//
// A graph is recorded and planned for every shape of batch that turns up, a smaller last one say,
// and anew when a part of the model was frozen or unfrozen (Module::freeze()). The loss may depend
// on other parameters for one shape than for another: each is updated, and its steps are counted,
// when the loss depends on it.
//
// Several ranks train any model together; each makes the same trainer and gives step() the same
// batches:
//
//   DataParallel ranks(Communicator::from_environment());  // aclgrad/distributed.h
//   Trainer trainer(model, loss, optimizer, {.micro_batches = 8, .ranks = &ranks});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/io/checkpoint.h"
#include "aclgrad/nn/module.h"
#include "aclgrad/optim.h"
#include "aclgrad/optim/loss_scaler.h"
#include "aclgrad/optim/weight_average.h"
#include "aclgrad/session/cache.h"
#include "aclgrad/train/loss_function.h"
#include "aclgrad/train/ranks.h"
#include "aclgrad/training_log.h"

namespace aclgrad {

namespace detail {
class Evaluator;
class Fit;
class Observation;
class TrainingStep;
}  // namespace detail

struct TrainerOptions {
  /// Parts into which a batch is cut, those of all ranks together; 0: one a rank. Their sizes
  /// differ by one example at most; of more parts than examples some are empty and left out. A rank
  /// trains on one after another and adds up their gradients, so a batch may be larger than what
  /// memory holds at a time.
  std::int64_t micro_batches = 0;

  /// Scales the loss, for activations in float16: a step whose gradients overflow updates nothing
  /// (it counts in steps(), by which the learning rate goes), and
  /// the scale adapts (see LossScaler).
  std::optional<LossScalerOptions> loss_scaling = std::nullopt;

  /// The ranks that train together, which must outlive the trainer; null: one. All begin with the
  /// first rank's parameters and keep the same. Buffers are each rank's own: random masks differ,
  /// and of the running statistics of batch normalization the first rank's are evaluated and saved.
  Ranks* ranks = nullptr;

  /// A moving average of the model's weights, which must outlive the trainer: updated after every
  /// step that updates, part of state(), and what fit() evaluates and takes for the best weights.
  /// It must be one of all parameters that are trained.
  WeightAverage* average = nullptr;

  /// The most examples that evaluate() takes at a time; 0: all of them.
  std::int64_t evaluation_batch = 256;

  /// For each of training, evaluation and observation: how many shapes of batch are kept planned,
  /// and in how much memory. Ranks go by what the first one holds.
  SessionCacheOptions sessions = {};
};

/// A training step as a graph of its own, to look at.
struct RecordedStep {
  Graph graph;
  Value loss;
  Gradients gradients;  ///< of the parameters, and of all that lies between them and the loss
  Update update;
};

class Trainer {
 public:
  /// Refers to the optimizer. Throws ValueError for a model without parameters to train, an empty
  /// loss function, an average of another model, and micro-batches that the ranks cannot share
  /// evenly.
  Trainer(const Module& model, LossFunction loss, Optimizer& optimizer,
          const TrainerOptions& options = {});

  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;
  ~Trainer();

  /// Trains on a batch, together with the other ranks; returns its loss before. Parameters that the
  /// loss does not depend on stay as they are, without weight decay; a line on standard error names
  /// them once. The loss may read other models, a teacher say, that are frozen or whose results go
  /// through stop_gradient(); they stay as they are. Of a batch without examples, a mean is NaN.
  /// Throws ValueError, on the first batch of a shape, for a loss with a gradient for variables
  /// which the model does not have, that is not one number, that depends on no parameter, or that
  /// parts do not add up to (see LossFunction); in any case where it is called by what fit() or
  /// another step() of this trainer calls, and within WeightAverage::with_averages(); and what
  /// recording and running throw.
  double step(const data::Dataset& batch);

  /// The loss of examples in Mode::evaluation, as if they were one batch; `batch_size` at a time,
  /// by default the options' `evaluation_batch`, with 0 all at once. Other ranks have no part in
  /// it. Throws ValueError for no examples, a negative batch size, and, where several pieces are
  /// needed, for a loss that pieces do not make (see LossFunction); a function of means and sums,
  /// sqrt(mean) say, is made of them at the end.
  double evaluate(const data::Dataset& examples,
                  std::optional<std::int64_t> batch_size = std::nullopt);

  /// Looks into the network in Mode::evaluation: adds to a log the norm of every parameter's
  /// gradient, for this rank's parts of a batch, and what every activation returns, for the first
  /// of them, as "relu(hidden)", without the gates of recurrent layers. Units of images are
  /// channels. Training takes no notice of it, and other ranks have no part in it. Throws as
  /// step().
  void observe(const data::Dataset& batch, TrainingLog& log);

  /// Calls a function in every step() to come, at its end, with what the value of this name was, or
  /// with the gradient of the batch's loss with respect to it. The name is the path of a layer
  /// whose result it is ("blocks.0.attention"), that of a parameter, "elu(hidden)" for an
  /// activation of either, or one that Value::named() gave. A layer that is called several times
  /// has as many results, and a batch in micro-batches each result as often: the function is called
  /// for each, in the order of recording. Several functions are called in the order in which they
  /// were added. What they throw leaves step(), whose update is done. On several ranks all add the
  /// same ones, and see their own parts.
  ///
  /// Steps have the same bits with and without. Throws ValueError for an empty name or function;
  /// step() does where the loss depends on no value of that name, and lists those that there are.
  using Look = std::function<void(const Tensor& value)>;
  void on_forward(const std::string& name, Look look);
  void on_backward(const std::string& name, Look look);
  void remove_hooks();

  /// A learning rate for all steps to come, in place of the optimizer's; without one the
  /// optimizer's again. Where that was given as a number, which is part of what is recorded, the
  /// next step is recorded anew. Throws ValueError for one below 0, infinite or NaN.
  void set_learning_rate(std::optional<double> rate);
  const std::optional<double>& fixed_learning_rate() const { return fixed_rate_; }

  /// That of the next step.
  double learning_rate() const { return fixed_rate_.value_or(optimizer_.learning_rate(steps_)); }

  /// Tells the optimizer what an evaluation found, for schedule::plateau(); fit() does.
  void tell_score(double score) { optimizer_.tell_score(score); }

  /// Steps done, and how many of them updated nothing since gradients overflowed; checkpoints keep
  /// the first number only.
  std::int64_t steps() const { return steps_; }
  std::int64_t skipped() const;

  /// Goes on where the checkpoint was saved, with its `step` and `tensors` as tensors() gave them
  /// (a rate of set_learning_rate() is not among them: fit() keeps it), on whatever number of
  /// ranks; `batch` is one to be trained on, whose shape the optimizer's state is made for. All
  /// ranks call it with the same `step`; the first rank's tensors count. Throws as
  /// aclgrad::restore(), and where step() may not be called.
  void restore(const Checkpoint& checkpoint, const data::Dataset& batch);

  const Module& model() const { return model_; }
  const Optimizer& optimizer() const { return optimizer_; }
  const Ranks& ranks() const { return ranks_; }
  WeightAverage* average() const { return average_; }
  const MicroBatches& micro_batches() const;

  /// Records what step() runs for such a batch, with the gradients of what lies on the way as
  /// values of their own. A session of it trains on the same parameters and optimizer's state as
  /// step() does, with the same bits, but counts no step; prepare_step() sets the learning rate.
  /// Throws as step(), and ValueError where a step is not one graph: with a loss scaler,
  /// micro-batches or several ranks.
  RecordedStep record_step(const data::Dataset& batch);

  /// Sets the learning rate for the step that comes next; step() does it by itself.
  void prepare_step();

  /// The graph of the latest step, forward, backward and update. Throws ValueError before the
  /// first.
  const Graph& graph() const;

  /// The model's state, the optimizer's, which it has from its first step on, and the loss
  /// scaler's.
  std::vector<Variable> state() const;

  /// What a checkpoint must hold: the contents of state(), as one rank has them. All ranks call it.
  /// Throws ValueError within WeightAverage::with_averages(), where the weights are not there.
  NamedTensors tensors() const;

  /// The batch after the latest one that fit() trained on, where that was in this order of batches
  /// (data::Batches::description()); else the first.
  data::Position next_batch(const std::string& order) const {
    return order == data_order_ ? next_batch_ : data::Position();
  }
  /// Throws where step() may not be called.
  void set_next_batch(const std::string& order, data::Position next) {
    require_idle("set_next_batch()");
    data_order_ = order;
    next_batch_ = next;
  }

 private:
  friend class detail::Fit;
  /// While it lives, the trainer does this: nothing that it calls may step.
  class Doing {
   public:
    Doing(Trainer& trainer, const char* what) : trainer_(trainer) { trainer_.doing_ = what; }
    ~Doing() { trainer_.doing_ = nullptr; }
    Doing(const Doing&) = delete;
    Doing& operator=(const Doing&) = delete;

   private:
    Trainer& trainer_;
  };
  double train_on(const data::Dataset& batch);  // as step(), and as restore()
  void load(const Checkpoint& checkpoint, const data::Dataset& batch);
  void require_idle(const char* what) const;
  void require_own_weights(const char* what) const;
  void require_average_of_model() const;
  void follow_freezing();
  void forget_graphs();
  void assign(const NamedTensors& whole);

  Module model_;
  Optimizer& optimizer_;
  Ranks alone_;
  Ranks& ranks_;
  WeightAverage* average_;
  std::int64_t evaluation_batch_;
  std::unique_ptr<detail::TrainingStep> step_;
  std::unique_ptr<detail::Evaluator> evaluator_;
  std::unique_ptr<detail::Observation> observation_;
  std::optional<double> fixed_rate_;
  std::int64_t steps_ = 0;
  const char* doing_ = nullptr;  // what a call of step() would disturb
  std::string data_order_;       // of the batches that fit() trained on last
  data::Position next_batch_;
};

}  // namespace aclgrad
