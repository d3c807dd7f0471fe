// SPDX-License-Identifier: Apache-2.0
// fit(): a training run with evaluations, early stopping, best weights, checkpoints and reports.
//
//   RunReport report("out/report.html");
//   History history = fit(trainer, batches, {.epochs = 20, .validation = digits.test,
//                                            .patience = 3, .log = &report});
//
// What else is to happen on the way is a callback:
//
//   Callback halve{.after_epoch = [](FitRun& run) {
//     if (run.epoch() % 30 == 29) run.set_learning_rate(run.learning_rate() / 2);
//   }};
//   fit(trainer, batches, {.callbacks = {halve}});
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/terminal.h"
#include "aclgrad/trainer.h"
#include "aclgrad/training_log.h"

namespace aclgrad {

namespace detail {
class Fit;
struct RunState;
}  // namespace detail

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

struct FitOptions;

/// What one evaluation of fit() found.
struct Evaluation {
  std::int64_t step = 0;  ///< Trainer::steps(), which go on from one fit() to the next
  double loss = 0;        ///< mean of the steps since the evaluation before
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> metrics = {};  ///< in the order of FitOptions
};

/// A run of fit(), as a callback sees it.
class FitRun {
 public:
  FitRun(const FitRun&) = delete;
  FitRun& operator=(const FitRun&) = delete;

  Trainer& trainer() const { return trainer_; }
  const FitOptions& options() const { return options_; }

  /// Trainer::steps(); and the steps that this run has done, of how many. With `resume` both count
  /// those before it, too.
  std::int64_t step() const { return trainer_.steps(); }
  std::int64_t done() const;
  std::int64_t total() const { return total_; }

  /// What was trained on last, or is in before_step() and in begin(): its epoch, counted from 0,
  /// the batch (empty in begin()), and the loss of that step.
  std::uint64_t epoch() const { return epoch_; }
  const data::Dataset& batch() const { return *batch_; }
  double loss() const { return loss_; }

  /// The evaluations so far, those of a run that is resumed included, the number of the best of
  /// them (FitOptions::monitor), and the steps since the latest.
  const std::vector<Evaluation>& evaluations() const;
  std::optional<std::size_t> best() const { return best_; }
  std::int64_t steps_since_evaluation() const;

  /// Whether the run went on from a checkpoint.
  bool resumed() const { return resumed_; }

  /// The run ends: with an evaluation, where the steps since the latest had none, and the
  /// checkpoint. Resumed, it is over.
  void stop() { stops_ = true; }

  /// Trainer::learning_rate() and Trainer::set_learning_rate(): the rate of the next step, and of
  /// all from that one on. A checkpoint keeps it.
  double learning_rate() const { return trainer_.learning_rate(); }
  void set_learning_rate(double rate) { trainer_.set_learning_rate(rate); }

  /// A point of a curve at this step in FitOptions::log, where there is one.
  void point(const std::string& chart, const std::string& curve, double y) const;

  /// How far the losses are, in one line: "loss 0.1234  validation 0.2345".
  std::string note() const;

  /// What ended the run, in Callback::failed; empty before.
  const std::string& failure() const { return failure_; }

 private:
  friend class detail::Fit;
  FitRun(Trainer& trainer, const FitOptions& options, const detail::RunState& state)
      : trainer_(trainer), options_(options), state_(state) {}

  Trainer& trainer_;
  const FitOptions& options_;
  const detail::RunState& state_;
  std::int64_t total_ = 0;
  std::uint64_t epoch_ = 0;
  data::Dataset none_;
  const data::Dataset* batch_ = &none_;
  double loss_ = 0;
  std::optional<std::size_t> best_;
  std::string failure_;
  bool resumed_ = false, stops_ = false;
};

/// What is to happen in a run of fit(), each where it is given. Callbacks are called in their
/// order, and what they throw ends the run: the steps done are done, and the next fit() goes on
/// with the batch after them, as after any exception. They may not step: Trainer::step() and
/// restore() of the run's trainer throw ValueError. On several ranks all call them, with the same
/// numbers; whether to stop, and the learning rate, are what the first rank's callbacks say.
struct Callback {
  using Event = std::function<void(FitRun& run)>;

  Event begin = {};             ///< before the first step, also where there is none to do
  Event before_step = {};       ///< before a batch is trained on
  Event after_step = {};        ///< after the update, before the step's evaluation
  Event after_evaluation = {};  ///< FitRun::evaluations().back() is the new one
  Event after_epoch = {};       ///< after the last batch of an epoch, and its evaluation
  Event progress = {};          ///< after all that a step has led to, but for the checkpoint
  Event finish = {};            ///< at the end of a run that was not broken off; the best weights
                                ///< are back
  Event failed = {};            ///< instead of that, where anything was thrown after this one's
                                ///< begin() was called, by begin() or finish() itself, too; it
                                ///< goes on, whatever this one throws
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

  /// What else is to happen on the way.
  std::vector<Callback> callbacks = {};

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

  /// The record of the run, JSON: hashes of what is read in each step and of the trainer's state at
  /// the begin, at evaluations and in checkpoints, with losses, learning rates, settings and what
  /// it ran on. `aclgrad-verify` trains again and compares (docs/how-to/verify-a-run.md). By
  /// default it has the checkpoint's name with ".run.json" behind; with an empty name there is
  /// none.
  std::optional<std::filesystem::path> record = std::nullopt;
  std::int64_t record_every = 0;  ///< hashes of the state after every so many steps, too; 0: none

  /// What holds for the whole run, by different names: the log gets it, and a run goes on from a
  /// checkpoint that was made with the same only.
  std::vector<std::pair<std::string, std::string>> settings = {};

  /// Gets curves and settings as they come: a RunReport (run_report.h), which writes a page, or any
  /// other.
  TrainingLog* log = nullptr;
  /// Trainer::observe() at first and after evaluations, and "Update ratios": by how much the step
  /// after it changes each parameter, as a part of its norm.
  bool observe = false;
  std::string title = "training";
  report::ProgressMode progress = report::ProgressMode::automatic;

  /// Makes the next batches on another thread while one is trained on, as one of
  /// BatchOptions::workers does.
  bool prefetch = false;
};

/// Where there was no step left to do it has no evaluations or, with `resume`, those of the
/// checkpoint.
struct History {
  std::vector<Evaluation> evaluations = {};
  std::vector<std::string> metrics = {};  ///< their names
  bool validated = false;                 ///< whether there were examples for validation
  std::size_t best = 0;   ///< the best evaluation (FitOptions::monitor); 0 where none is finite
  bool has_best = false;  ///< whether one is
  bool stopped_early = false;  ///< by `patience`, `target_loss` or a callback
  double seconds = 0;          ///< in this process
  double step_seconds = 0;     ///< those spent in steps
  std::int64_t steps = 0;      ///< done in this process

  /// A value of every evaluation, for a chart: curve("selu", &Evaluation::loss). They are numbered
  /// from 1.
  report::Series curve(const std::string& name,
                       const std::function<double(const Evaluation&)>& value) const;

  /// A table with a line an evaluation, the best of several marked, and whether it stopped early.
  std::string to_string() const;
};

/// Trains for so many epochs or steps. Called again for the same trainer with batches in the same
/// order, it goes on with the batch after the last one (2 epochs, then 4: those numbered 0 to 5);
/// batches in another order begin with their first. Steps go on in any case, and learning rates by
/// them (Trainer::steps()).
///
/// Whatever is thrown on the way, the trainer's steps, its place in the batches and its state are
/// those of the steps done, and a log is told that the run has failed, also where it fails before
/// the log hears of it.
///
/// On several ranks all call it with the same options; the first measures, shows and saves, and all
/// return what it found, or throw where it could not. Before the first step it throws ValueError
/// for options that do not go together (patience, or a learning rate of schedule::plateau(),
/// without validation or `monitor`, ...), where the trainer may not step, for a checkpoint of
/// another order of batches, other metrics or other settings, and IoError where checkpoint or page
/// cannot be written. Names of files are made absolute then. Later it throws Diverged, and what
/// batches, metrics, callbacks and the log throw.
History fit(Trainer& trainer, const data::Batches& batches, const FitOptions& options = {});

}  // namespace aclgrad
