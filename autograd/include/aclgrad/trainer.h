// SPDX-License-Identifier: Apache-2.0
// Training without a graph in sight: a model, a loss, an optimizer.
//
//   const auto loss = [&](const Value& x, const Value& t) { return cross_entropy(model(x), t); };
//   Trainer trainer(model, loss, optimizer);
//   RunReport report("out/report.html");
//   History history = fit(trainer, batches, {.epochs = 20, .validation = digits.test,
//                                            .patience = 3, .log = &report});
//   Tensor scores = predict(model, images);
//
// fit() is a loop over Trainer::step(), which a program may write itself:
//
//   for (const data::Dataset& batch : batches.epoch(epoch)) sum += trainer.step(batch);
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
#ifndef ACLGRAD_TRAINER_H_
#define ACLGRAD_TRAINER_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/checkpoint.h"
#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/loss_scaler.h"
#include "aclgrad/module.h"
#include "aclgrad/nn.h"
#include "aclgrad/optim.h"
#include "aclgrad/ranks.h"
#include "aclgrad/session_cache.h"
#include "aclgrad/terminal.h"
#include "aclgrad/training_log.h"

namespace aclgrad {

namespace detail {
class SplitLoss;
}

/// Records the loss of a batch, one number, from the inputs that hold it.
///
/// Where a batch is worked on in parts (micro-batches, ranks, pieces of what is evaluated), its
/// loss and gradients are those of the whole batch all the same, but for rounding. For that the
/// loss must be made of sums and means over the examples, also over those that count only
/// (cross_entropy with ignored targets, nll_loss with class weights, a sum divided by the sum of a
/// mask), added up and multiplied with what does not depend on the model. Examples must not see
/// each other: what layers draw or count (dropout, batch normalization), they do for each part by
/// itself. A custom operator is taken for one that works on each example. Where the loss is of
/// another kind, sqrt(mean) say, its parts are refused with a ValueError that names the node.
using LossFunction = std::function<Value(const Value& features, const Value& labels)>;

struct TrainerOptions {
  /// Parts into which a batch is cut, those of all ranks together; 0: one a rank. Their sizes
  /// differ by one example at most; of more parts than examples some are empty and left out. A rank
  /// trains on one after another and adds up their gradients, so a batch may be larger than what
  /// memory holds at a time.
  std::int64_t micro_batches = 0;

  /// Scales the loss, for activations in float16: a step whose gradients overflow is left out, and
  /// the scale adapts (see LossScaler).
  std::optional<LossScalerOptions> loss_scaling = std::nullopt;

  /// The ranks that train together, which must outlive the trainer; null: one. All begin with the
  /// first rank's parameters and keep the same. Buffers are each rank's own: random masks differ,
  /// and of the running statistics of batch normalization the first rank's are evaluated and saved.
  Ranks* ranks = nullptr;

  /// The most examples that evaluate() takes at a time; 0: all of them.
  std::int64_t evaluation_batch = 256;

  /// For each of training, evaluation and observation: how many shapes of batch are kept planned,
  /// and in how much memory. Ranks go by what the first one holds.
  SessionCacheOptions sessions = {};
};

class Trainer {
 public:
  /// Refers to the optimizer. Throws ValueError for a model without parameters to train, an empty
  /// loss function, and micro-batches that the ranks cannot share evenly.
  Trainer(const Module& model, LossFunction loss, Optimizer& optimizer,
          const TrainerOptions& options = {});

  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Trains on a batch, together with the other ranks; returns its loss before. Parameters that the
  /// loss does not depend on stay as they are, without weight decay; a line on standard error names
  /// them once. Of a batch without examples, a mean is NaN. Throws ValueError, on the first batch
  /// of a shape, for a loss that reads variables which the model does not have, that is not one
  /// number, that depends on no parameter, or that parts do not add up to (see LossFunction); and
  /// what recording and running throw.
  double step(const data::Dataset& batch);

  /// The loss of examples in Mode::evaluation, as if they were one batch; `batch_size` at a time,
  /// by default the options' `evaluation_batch`, with 0 all at once. Other ranks have no part in
  /// it. Throws ValueError for no examples, a negative batch size, and, where several pieces are
  /// needed, for a loss that pieces do not add up to (see LossFunction).
  double evaluate(const data::Dataset& examples,
                  std::optional<std::int64_t> batch_size = std::nullopt);

  /// Looks into the network in Mode::evaluation: adds to a log the norm of every parameter's
  /// gradient, for this rank's parts of a batch, and what every activation returns, for the first
  /// of them. Training takes no notice of it, and other ranks have no part in it. Throws as step().
  void observe(const data::Dataset& batch, TrainingLog& log);

  /// Steps done, and how many of them updated nothing since gradients overflowed.
  std::int64_t steps() const { return steps_; }
  std::int64_t skipped() const { return scaler_ ? scaler_->skipped() : 0; }

  /// Goes on where the checkpoint was saved, with its `step` and `tensors` as tensors() gave them,
  /// on whatever number of ranks; `batch` is one to be trained on, whose shape the optimizer's
  /// state is made for. All ranks call it with the same `step`; the first rank's tensors count.
  /// Throws as aclgrad::restore().
  void restore(const Checkpoint& checkpoint, const data::Dataset& batch);

  const Module& model() const { return model_; }
  const Optimizer& optimizer() const { return optimizer_; }
  const Ranks& ranks() const { return ranks_; }
  const MicroBatches& micro_batches() const { return micro_batches_; }

  /// The graph of the latest step, forward, backward and update. Throws ValueError before the
  /// first.
  const Graph& graph() const { return training_.latest(); }

  /// The model's state, the optimizer's, which it has from its first step on, and the loss
  /// scaler's.
  std::vector<Variable> state() const;

  /// What a checkpoint must hold: the contents of state(), as one rank has them. All ranks call it.
  NamedTensors tensors() const;

  /// The batch after the latest one that fit() trained on, where that was in this order of batches
  /// (data::Batches::description()); else the first.
  data::Position next_batch(const std::string& order) const {
    return order == data_order_ ? next_batch_ : data::Position();
  }
  void set_next_batch(const std::string& order, data::Position next) {
    data_order_ = order;
    next_batch_ = next;
  }

 private:
  struct Pieces;
  Value record_loss(const Value& features, const Value& labels) const;
  LossAndGradients record_gradients(const Value& loss);
  LossAndGradients record_parts(const Graph& graph, const SessionCache::Inputs& inputs);
  LossAndGradients no_part(const detail::SplitLoss& split, const Graph& graph);
  bool is_whole(std::int64_t batch) const;
  void require_parameters() const;
  void follow_freezing();
  void follow_parameters(const Gradients& gradients);
  void forget_graphs();
  SessionCache::BuiltGraph record_step(const SessionCache::Inputs& inputs);
  SessionCache::BuiltGraph record_evaluation(const SessionCache::Inputs& inputs);
  SessionCache::BuiltGraph record_piece(const SessionCache::Inputs& inputs);
  SessionCache::BuiltGraph record_observation(const SessionCache::Inputs& inputs);
  void warn_of_unused(const Gradients& gradients);
  std::vector<Feed> feeds_of(const data::Dataset& batch);
  std::vector<Variable> resting_parameters() const;  // which the step recorded last does not update
  void assign(const NamedTensors& whole);
  void separate_draws();

  Module model_;
  LossFunction loss_;
  Optimizer& optimizer_;
  Ranks alone_;
  Ranks& ranks_;
  MicroBatches micro_batches_;
  std::optional<LossScaler> scaler_;
  std::int64_t evaluation_batch_;
  SessionOptions session_;
  SessionCache training_, evaluation_, pieces_, observation_;
  std::uint64_t freeze_count_ = Module::freeze_count();
  std::vector<bool> frozen_;           // the parts of the model, as they were recorded
  std::vector<Variable> updated_;      // by the step recorded last; empty where there is none
  std::vector<data::Dataset> cut_;     // parts of the latest batch, where it is cut
  std::shared_ptr<Pieces> piecewise_;  // how evaluate() combines pieces; made by the first
  Graph update_graph_;                 // with a loss scaler
  std::optional<Session> update_;
  std::vector<std::string> observed_gradients_, observed_layers_;
  bool warned_of_unused_ = false;
  std::int64_t steps_ = 0;
  std::string data_order_;  // of the batches that fit() trained on last
  data::Position next_batch_;
};

/// Runs a model in Mode::evaluation, and keeps what it planned for the next call.
class Predictor {
 public:
  template <Layer Model>
  explicit Predictor(Model model, std::int64_t batch_size = 256,
                     const SessionCacheOptions& sessions = {})
      : Predictor(std::function<Value(const Value&)>(
                      [kept = std::move(model)](const Value& x) -> Value { return kept(x); }),
                  batch_size, sessions) {}
  /// Throws ValueError for an empty function or a negative batch size.
  Predictor(std::function<Value(const Value&)> model, std::int64_t batch_size,
            const SessionCacheOptions& sessions = {});

  /// The model's result for x. Of more than `batch_size` rows (along the first axis) it takes that
  /// many at a time; throws ShapeError when the result then has another number of rows. 0 takes
  /// all at once.
  Tensor operator()(const Tensor& x);

 private:
  Tensor run(const Tensor& x) { return cache_.run({{"x", x}})[0]; }

  SessionCache cache_;
  std::int64_t batch_size_;
};

/// Once; a Predictor plans less for many.
template <Layer Model>
Tensor predict(const Model& model, const Tensor& x, std::int64_t batch_size = 256,
               const SessionCacheOptions& sessions = {}) {
  return Predictor(model, batch_size, sessions)(x);
}

/// What layers within a model return for x in Mode::evaluation: the values whose names are wanted,
/// in the order of recording. Throws ValueError for an empty function.
NamedTensors intermediate_values(const std::function<Value(const Value&)>& model, const Tensor& x,
                                 const std::function<bool(const std::string& name)>& wanted);

/// Something to watch besides the loss, measured at every evaluation.
struct Metric {
  std::string name;
  std::function<double()> measure;
  std::string chart = {};         ///< of the log, for its curve; one of its own without
  bool larger_is_better = false;  ///< for FitOptions::monitor
};

/// The loss, or the weights that the last step has left, are not finite any more.
class Diverged : public ValueError {
 public:
  using ValueError::ValueError;
};

/// All counts are at least 0 and begin with this call of fit(), whatever the trainer did before.
/// With `resume` they begin with the run that the checkpoint is of.
struct FitOptions {
  std::int64_t epochs = 10;
  std::optional<std::int64_t> steps = std::nullopt;  ///< instead of epochs
  std::int64_t evaluate_every = 0;  ///< steps; 0: so many as an epoch has. And after the last step.

  /// Examples not trained on, at least one, whose mean loss each evaluation takes.
  std::optional<data::Dataset> validation = std::nullopt;
  std::vector<Metric> metrics = {};  ///< of different names

  /// What the best evaluation is the best by: the metric of this name; without one the validation
  /// loss, less being better. What is not finite is never the best, and ends no wait for it.
  std::string monitor = {};

  /// Early stopping: ends after so many evaluations in turn without a better one; 0: never.
  std::int64_t patience = 0;

  /// In the end, the weights of the best evaluation come back, where there is one; also when the
  /// run ends with Diverged.
  bool keep_best = false;

  /// Ends at an evaluation with at most this validation loss.
  std::optional<double> target_loss = std::nullopt;

  /// Written where there is a name: every so many steps, by default at every evaluation, with 0
  /// never. Weights whose loss for their own batch is not finite any more are not written. With
  /// `resume`, a run goes on from there, with the bits of one that never stopped; where there is no
  /// file yet, it begins.
  std::filesystem::path checkpoint = {};
  std::optional<std::int64_t> checkpoint_every = std::nullopt;
  bool resume = false;

  /// What holds for the whole run, by different names: the log gets it, and a run goes on from a
  /// checkpoint that was made with the same only.
  std::vector<std::pair<std::string, std::string>> settings = {};

  /// Gets curves and settings as they come: a RunReport (run_report.h), which writes a page, or any
  /// other.
  TrainingLog* log = nullptr;
  bool observe = false;  ///< Trainer::observe() at first and after evaluations
  std::string title = "training";
  report::ProgressMode progress = report::ProgressMode::automatic;

  /// Makes the next batch on another thread while one is trained on.
  bool prefetch = false;
};

struct Evaluation {
  std::int64_t step = 0;  ///< Trainer::steps(), which go on from one fit() to the next
  double loss = 0;        ///< mean of the steps since the evaluation before
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> metrics = {};  ///< in the order of FitOptions
};

/// Where there was no step left to do it has no evaluations or, with `resume`, those of the
/// checkpoint.
struct History {
  std::vector<Evaluation> evaluations = {};
  std::vector<std::string> metrics = {};  ///< their names
  bool validated = false;                 ///< whether there were examples for validation
  std::size_t best = 0;  ///< the best evaluation (FitOptions::monitor); 0 where none is finite
  bool stopped_early = false;  ///< by `patience` or `target_loss`
  double seconds = 0;          ///< in this process
  double step_seconds = 0;     ///< those spent in steps
  std::int64_t steps = 0;      ///< done in this process

  /// A value of every evaluation, for a chart: curve("selu", &Evaluation::loss). They are numbered
  /// from 1.
  report::Series curve(const std::string& name,
                       const std::function<double(const Evaluation&)>& value) const;

  /// A table with a line an evaluation.
  std::string to_string() const;
};

/// Trains for so many epochs or steps. Called again for the same trainer with batches in the same
/// order, it goes on with the batch after the last one (2 epochs, then 4: those numbered 0 to 5);
/// batches in another order begin with their first. Steps go on in any case, and learning rates by
/// them (Trainer::steps()).
///
/// On several ranks all call it with the same options; the first measures, shows and saves, and all
/// return what it found, or throw where it could not. Before the first step it throws ValueError
/// for options that do not go together (patience without validation or `monitor`, ...), for a
/// checkpoint of another order of batches, other metrics or other settings, and IoError where
/// checkpoint or page cannot be written. Names of files are made absolute then. Later it throws
/// Diverged, and what batches, metrics and the log throw.
History fit(Trainer& trainer, const data::Batches& batches, const FitOptions& options = {});

}  // namespace aclgrad

#endif  // ACLGRAD_TRAINER_H_
