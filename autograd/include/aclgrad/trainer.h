// SPDX-License-Identifier: Apache-2.0
// Training without a graph in sight: a model, a loss, an optimizer.
//
//   const auto loss = [&](const Value& x, const Value& t) { return cross_entropy(model(x), t); };
//   Trainer trainer(model, loss, optimizer);
//   History history = fit(trainer, batches, {.epochs = 20, .validation = digits.test,
//                                            .patience = 3, .report = "out/report.html"});
//   Tensor scores = predict(model, images);
//
// fit() is a loop over Trainer::step(), which a program may write itself:
//
//   for (const data::Dataset& batch : batches.epoch(epoch)) sum += trainer.step(batch);
//
// A graph is recorded and planned for every shape of batch that turns up, a smaller last one say.
#ifndef ACLGRAD_TRAINER_H_
#define ACLGRAD_TRAINER_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/checkpoint.h"
#include "aclgrad/data.h"
#include "aclgrad/module.h"
#include "aclgrad/nn.h"
#include "aclgrad/optim.h"
#include "aclgrad/report.h"
#include "aclgrad/session_cache.h"

namespace aclgrad {

/// Records the loss of a batch, one number, from the inputs that hold it.
using LossFunction = std::function<Value(const Value& features, const Value& labels)>;

class Trainer {
 public:
  /// Refers to the optimizer. Throws ValueError for a model without parameters.
  Trainer(const Module& model, LossFunction loss, Optimizer& optimizer,
          const SessionOptions& session = {});

  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  /// Trains on a batch; returns its loss before. Throws ValueError, on the first batch of a shape,
  /// for a loss that reads variables which the model does not have, and for one that is not one
  /// number; and what recording and running throw.
  double step(const data::Dataset& batch);

  /// The mean loss of examples in Mode::evaluation, `batch_size` at a time.
  double evaluate(const data::Dataset& examples, std::int64_t batch_size = 256);

  /// Steps done.
  std::int64_t steps() const { return steps_; }

  /// Goes on where the checkpoint was saved, with its `step` and the tensors of state(); `batch` is
  /// one to be trained on, whose shape the optimizer's state is made for. Throws as
  /// aclgrad::restore().
  void restore(const Checkpoint& checkpoint, const data::Dataset& batch);

  const Module& model() const { return model_; }
  const Optimizer& optimizer() const { return optimizer_; }

  /// The model's state and the optimizer's, which it has from its first step on: what a checkpoint
  /// must hold.
  std::vector<Variable> state() const;

 private:
  SessionCache::Recording record(Mode mode, const SessionCache::Inputs& inputs);

  Module model_;
  LossFunction loss_;
  Optimizer& optimizer_;
  SessionCache training_, evaluation_;
  std::int64_t steps_ = 0;
};

/// Runs a model in Mode::evaluation, and keeps what it planned for the next call.
class Predictor {
 public:
  template <Layer Model>
  explicit Predictor(Model model, std::int64_t batch_size = 256)
      : Predictor(std::function<Value(const Value&)>(
                      [kept = std::move(model)](const Value& x) -> Value { return kept(x); }),
                  batch_size) {}
  Predictor(std::function<Value(const Value&)> model, std::int64_t batch_size);

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
Tensor predict(const Model& model, const Tensor& x, std::int64_t batch_size = 256) {
  return Predictor(model, batch_size)(x);
}

/// Something to watch besides the loss, measured at every evaluation.
struct Metric {
  std::string name;
  std::function<double()> measure;
};

struct FitOptions {
  std::int64_t epochs = 10;
  std::optional<std::int64_t> steps = std::nullopt;  ///< in all, instead of epochs
  std::int64_t evaluate_every = 0;                   ///< steps; 0: after every epoch

  /// Examples not trained on, whose mean loss each evaluation takes.
  std::optional<data::Dataset> validation = std::nullopt;
  std::vector<Metric> metrics = {};

  /// Early stopping: ends after so many evaluations without a validation loss below the best; 0:
  /// never.
  std::int64_t patience = 0;
  bool keep_best = false;  ///< In the end, the weights of the lowest validation loss come back.

  /// Written at every evaluation where there is a name. With `resume`, a run goes on from there,
  /// with the bits of one that never stopped.
  std::filesystem::path checkpoint = {};
  bool resume = false;

  std::filesystem::path report = {};  ///< a page with the curves, written as it goes
  std::string title = "training";
  report::ProgressMode progress = report::ProgressMode::automatic;

  /// Makes the next batch on another thread while one is trained on.
  bool prefetch = false;
};

struct Evaluation {
  std::int64_t step = 0;  ///< steps done
  double loss = 0;        ///< mean of the steps since the evaluation before
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> metrics = {};  ///< in the order of FitOptions
};

struct History {
  std::vector<Evaluation> evaluations = {};
  std::size_t best = 0;        ///< the evaluation of the lowest validation loss
  bool stopped_early = false;  ///< by `patience`
  double seconds = 0;          ///< in this process

  /// A table with a line an evaluation.
  std::string to_string(const std::vector<Metric>& metrics = {}) const;
};

/// Trains. Throws ValueError for options that do not go together (patience or keep_best without
/// validation, resume without a checkpoint's name), a checkpoint of another order of batches or of
/// other metrics, and a loss that is not finite any more.
History fit(Trainer& trainer, const data::Batches& batches, const FitOptions& options = {});

}  // namespace aclgrad

#endif  // ACLGRAD_TRAINER_H_
