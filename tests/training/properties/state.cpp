// SPDX-License-Identifier: Apache-2.0
// What is kept in files and names, and what follows from a seed.
#include <fmt/format.h>

#include "tests/framework/base/temporary_folder.h"
#include "tests/training/properties/properties.h"

namespace aclgrad::training {
namespace {

Trained fit_to(const Problem& problem, const FitOptions& options) {
  Trainer trainer(problem.model, problem.loss, *problem.optimizer);
  const data::Batches batches(problem.examples, shuffled(problem));
  fit(trainer, batches, options);
  return outcome(problem, trainer, {});
}

// Of a run that fits to what the options say, on so many threads where it has any.
template <class Run>
Difference resumed_at_any_step(std::int64_t steps, const Run& run) {
  Trained whole;
  try {
    whole = run(quietly(steps), 0);
  } catch (const Diverged&) {
    return {};  // a batch none of whose targets count
  }
  for (std::int64_t stop = 1; stop < steps; ++stop) {
    const TemporaryFolder folder;
    FitOptions options = quietly(stop);
    options.checkpoint = folder.path() / "run";
    options.checkpoint_every = 1;
    options.resume = true;
    run(options, 3);
    options.steps = steps;
    if (const Difference wrong = different_bits(whole, run(options, stop))) {
      return fmt::format("stopped after step {} {}", stop, *wrong);
    }
  }
  return {};
}

// Stopped after any step and taken up again, a run ends with the bits of one that never stopped.
Difference resume(const Spec& spec) {
  return resumed_at_any_step(spec.at("steps"), [&](const FitOptions& options, std::int64_t) {
    return fit_to(*build(spec), options);
  });
}

// Likewise with a rate that goes by evaluations, averaged weights, activations that are computed
// again, and examples that are drawn by weights, on any number of threads.
Difference resume_with_options(const Spec& spec) {
  const auto run = [&](FitOptions options, std::int64_t workers) {
    const std::unique_ptr<Problem> problem = build(spec);
    problem->optimizer = std::make_unique<Sgd>(
        SgdOptions{.learning_rate = schedule::plateau(0.02, {.factor = 0.5, .patience = 0})});
    WeightAverage average(problem->model, {.decay = 0.5});
    const LossFunction loss = [model = checkpointed(problem->model),
                               of = build_loss(spec.at("loss"))](const Value& x, const Value& t) {
      return of(model(x), t);
    };
    Trainer trainer(problem->model, loss, *problem->optimizer, {.average = &average});
    data::BatchOptions drawn = shuffled(*problem);
    for (std::int64_t i = 0; i < problem->examples.size(); ++i) {
      drawn.weights.push_back(0.5 + static_cast<double>(i % 3));
    }
    drawn.workers = workers;
    options.evaluate_every = 1;
    options.validation = problem->evaluation;
    fit(trainer, data::Batches(problem->examples, drawn), options);
    Trained trained = outcome(*problem, trainer, {});
    for (auto& [name, tensor] : average.values()) {
      trained.tensors.emplace_back("average." + name, tensor);
    }
    return trained;
  };
  return resumed_at_any_step(spec.at("steps"), run);
}

// A model and its optimizer that are saved before any step go on as they are.
Difference saving(const Spec& spec) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "model.safetensors";
  build(spec)->model.save(file);
  Spec other = spec;
  other["seed"] = spec.at("seed").get<std::uint64_t>() + 1;
  Parts parts;
  const Trained whole = train(spec);
  const Trained loaded = train(spec, {.prepare = [&](Problem& problem) {
                                 const Sequential another =
                                     build(other, {})->model;  // other numbers
                                 problem.model.load(values_of(another.state()));
                                 problem.model.load(file);
                               }});
  return different_bits(whole, loaded);
}

const std::string kOther = "an.other.";

void rename_layers(Json& layers) {
  for (Json& layer : layers) {
    if (layer.contains("name")) layer["name"] = kOther + layer["name"].get<std::string>();
    if (layer.contains("layers")) rename_layers(layer["layers"]);
  }
}

// What layers are called says where they begin and nothing else.
Difference renaming(const Spec& spec) {
  const TemporaryFolder folder;
  const std::unique_ptr<Problem> first = build(spec);
  first->model.save(folder.path() / "model.safetensors");
  Spec renamed = spec;
  rename_layers(renamed["layers"]);
  if (spec.contains("frozen")) {
    for (Json& name : renamed["frozen"]) name = kOther + name.get<std::string>();
  }
  const Trained before = train(spec);
  const Trained after = train(
      renamed, {.prepare = [&](Problem& problem) {
        const std::vector<Variable> theirs = first->model.state(), ours = problem.model.state();
        problem.model.load(folder.path() / "model.safetensors",
                           {.rename = [&](const std::string& name) {
                             for (std::size_t i = 0; i < theirs.size(); ++i) {
                               if (theirs[i].name() == name) return ours.at(i).name();
                             }
                             return name;
                           }});
      }});
  for (std::size_t i = 0; i < before.tensors.size(); ++i) {
    if (!bitwise_equal(before.tensors[i].second, after.tensors[i].second)) {
      return fmt::format("`{}` has other bits under the name `{}`", before.tensors[i].first,
                         after.tensors[i].first);
    }
  }
  return {};
}

// The same seed, here the names: the same bits. Different names: different weights.
Difference seeds(const Spec& spec) {
  Parts parts, again;
  const std::vector<Variable> state = build_model(spec, parts).state();
  const std::vector<Variable> same = build_model(spec, again).state();
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (!bitwise_equal(state[i].value(), same[i].value())) {
      return fmt::format("`{}` begins with other bits when made again", state[i].name());
    }
    for (std::size_t j = 0; j < i; ++j) {
      const bool drawn = state[i].shape().rank() >= 2 && state[i].shape().numel() > 1;
      if (drawn && bitwise_equal(state[i].value(), state[j].value())) {
        return fmt::format("`{}` and `{}` begin alike", state[i].name(), state[j].name());
      }
    }
  }
  return {};
}

}  // namespace

std::vector<Property> state_properties() {
  return {{"resume", {}, resume},
          {"resume-with-options", {}, resume_with_options},
          {"saving", {}, saving},
          {"renaming", {}, renaming},
          {"seeds", {}, seeds}};
}

}  // namespace aclgrad::training
