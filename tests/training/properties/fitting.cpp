// SPDX-License-Identifier: Apache-2.0
// What fit() does with what it is given: counts, NaN, divergence, parameters without use.
#include <fmt/format.h>

#include <cmath>

#include "tests/training/properties/properties.h"

namespace aclgrad::training {
namespace {

// The batches in their order, so that it is known which is in which.
data::Batches in_order(const Problem& problem, const data::Dataset& examples) {
  data::BatchOptions options = shuffled(problem);
  options.shuffle = false;
  return {examples, options};
}

bool takes_nan(const Spec& spec) { return !spec.at("input").contains("tokens"); }

// Two fits do what one does that is as long.
Difference fit_again(const Spec& spec) {
  const auto train_in = [&](const std::vector<std::int64_t>& counts) {
    const std::unique_ptr<Problem> problem = build(spec);
    Trainer trainer(problem->model, problem->loss, *problem->optimizer);
    const data::Batches batches(problem->examples, shuffled(*problem));
    for (const std::int64_t count : counts) fit(trainer, batches, quietly(count));
    return outcome(*problem, trainer, {});
  };
  Trained whole;
  try {
    whole = train_in({5});
  } catch (const Diverged&) {
    return {};  // a batch none of whose targets count
  }
  for (const std::vector<std::int64_t>& counts : {std::vector<std::int64_t>{1, 4}, {2, 1, 2}}) {
    if (const Difference wrong = different_bits(whole, train_in(counts))) {
      return fmt::format("fits of {} and more steps: {}", counts[0], *wrong);
    }
  }
  return {};
}

// A NaN is never the best: patience ends, and there are no best weights to come back.
Difference nan_is_no_best(const Spec& spec) {
  if (!takes_nan(spec)) return {};
  const std::unique_ptr<Problem> problem = build(spec);
  Trainer trainer(problem->model, problem->loss, *problem->optimizer);
  data::Dataset validation = problem->evaluation;
  poison_last(validation);
  FitOptions options = quietly(20);
  options.evaluate_every = 1;
  options.validation = validation;
  options.patience = 3;
  options.keep_best = true;
  const History history = fit(trainer, in_order(*problem, problem->examples), options);
  const std::size_t count = history.evaluations.size();
  if (!history.stopped_early || count > 4) {
    return fmt::format("with a patience of 3 there were {} evaluations, all NaN", count);
  }
  const std::string table = history.to_string();
  if (table.find("nan") == std::string::npos) return "the table shows no NaN: " + table;
  return {};
}

// A run that diverges says so, and the best weights come back: those of a run that ended before.
Difference divergence(const Spec& spec) {
  if (!takes_nan(spec)) return {};
  Spec several = spec;
  several["batches"] = {4, 4, 4};
  const auto train_for = [&](std::int64_t steps, bool poisoned) {
    const std::unique_ptr<Problem> problem = build(several);
    Trainer trainer(problem->model, problem->loss, *problem->optimizer);
    if (poisoned) poison_last(problem->examples);
    FitOptions options = quietly(steps);
    options.evaluate_every = 1;
    options.validation = problem->evaluation;
    options.keep_best = true;
    bool diverged = false;
    try {
      fit(trainer, in_order(*problem, problem->examples), options);
    } catch (const Diverged&) {
      diverged = true;
    }
    return std::pair(diverged, Trained{values_of(problem->model.parameters())});
  };
  const auto [diverged, kept] = train_for(3, true);
  if (!diverged) return "a NaN in the third batch was passed over";
  return different_bits(train_for(2, false).second, kept);
}

// A model with a part that the loss does not use.
struct WithUnused : Module {
  explicit WithUnused(const Sequential& used) : unused((adopt(used), child("unused")), 3, 2) {}
  Linear unused;
};

// What the loss does not use stays as it is; what it uses is trained as without it.
Difference unused(const Spec& spec) {
  const Trained plain = train(spec);
  const std::unique_ptr<Problem> problem = build(spec);
  const WithUnused model(problem->model);
  const std::size_t used = problem->model.parameters().size();
  problem->optimizer = build_optimizer(spec.at("optimizer"), model.parameters());
  const Tensor before = model.unused.weight().value();
  Trainer trainer(model, problem->loss, *problem->optimizer);
  std::vector<double> losses;
  for (std::int64_t step = 0; step < problem->steps; ++step) {
    losses.push_back(trainer.step(problem->batch(step)));
  }
  if (!bitwise_equal(before, model.unused.weight().value())) return "an unused weight changes";
  if (model.parameters().size() != used + 2) return "parameters are lost";
  return different_bits(plain, outcome(*problem, trainer, losses));
}

// Examples under names of their own are those of features and labels.
Difference parts(const Spec& spec) {
  const std::unique_ptr<Problem> problem = build(spec);
  const LossFunction loss = [&](const BatchValues& batch) {
    if (!batch.contains("given")) return problem->loss(batch);  // the evaluation at the end
    return problem->loss(BatchValues({{"features", batch["given"]}, {"labels", batch["wanted"]}}));
  };
  Trainer trainer(problem->model, loss, *problem->optimizer);
  std::vector<double> losses;
  for (std::int64_t step = 0; step < problem->steps; ++step) {
    const data::Dataset batch = problem->batch(step);
    losses.push_back(
        trainer.step({.parts = {{"given", batch.features}, {"wanted", batch.labels}}}));
  }
  return different_bits(train(spec), outcome(*problem, trainer, losses));
}

// No rows: a prediction of none; a sum of 0 and a step that changes nothing.
Difference empty(const Spec& spec) {
  Spec sum = spec;
  sum["loss"]["reduction"] = "sum";
  sum["optimizer"] = {{"kind", "sgd"}, {"learning_rate", 0.1}};
  const std::unique_ptr<Problem> problem = build(sum);
  const data::Dataset none{problem->batches[0].features.slice(0, 0, 0),
                           problem->batches[0].labels.slice(0, 0, 0)};
  const Tensor predicted = Predictor(problem->predict, 4)(none.features);
  if (predicted.shape()[0] != 0) return "predictions for no examples: " + to_string(predicted);
  const NamedTensors before = values_of(problem->model.state());
  Trainer trainer(problem->model, problem->loss, *problem->optimizer);
  if (const double loss = trainer.step(none); loss != 0) {
    return fmt::format("the sum over no examples is {}", loss);
  }
  return different_bits({before}, {values_of(problem->model.state())});
}

}  // namespace

std::vector<Property> fitting_properties() {
  const Wanted plain{.only_plain_means = true};
  const Wanted separate{.batch_statistics = false};
  return {{"fit-again", {}, fit_again},
          {"nan-is-no-best", plain, nan_is_no_best},
          {"divergence", plain, divergence},
          {"unused", {}, unused},
          {"parts", {}, parts},
          {"empty", separate, empty}};
}

}  // namespace aclgrad::training
