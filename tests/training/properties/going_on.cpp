// SPDX-License-Identifier: Apache-2.0
// What a run goes on from: after an exception in any event of fit(), and with any names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "aclgrad/distributed.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/training/models/draw.h"
#include "tests/training/properties/properties.h"

namespace aclgrad::training {
namespace {

struct Thrown {};

// What an event of fit() throws, at any of its calls, leaves the steps and the place where they
// are: the rest of the run ends with the bits of one that nothing broke off.
Difference failures(const Spec& spec) {
  constexpr std::array kEvents = {&Callback::begin,      &Callback::before_step,
                                  &Callback::after_step, &Callback::after_epoch,
                                  &Callback::progress,   &Callback::after_evaluation,
                                  &Callback::finish};
  const std::int64_t steps = spec.at("steps");
  // The number of the call that throws, counted from 1; 0 for none.
  const auto run = [&](Callback::Event Callback::*event, std::int64_t call) {
    const std::unique_ptr<Problem> problem = build(spec);
    Trainer trainer(problem->model, problem->loss, *problem->optimizer);
    const data::Batches batches(problem->examples, shuffled(*problem));
    FitOptions options = quietly(steps);
    options.evaluate_every = 2;
    Callback throwing;
    std::int64_t calls = 0;
    throwing.*event = [&](FitRun&) {
      if (++calls == call) throw Thrown();
    };
    options.callbacks = {throwing};
    try {
      fit(trainer, batches, options);
    } catch (const Thrown&) {
      fit(trainer, batches, quietly(steps - trainer.steps()));
    }
    return outcome(*problem, trainer, {});
  };
  Trained whole;
  try {
    whole = run(&Callback::begin, 0);
  } catch (const Diverged&) {
    return {};  // a batch none of whose targets count
  }
  Draw draw(spec.at("seed").get<std::uint64_t>());
  for (std::size_t i = 0; i < kEvents.size(); ++i) {
    const std::int64_t call = draw.whole(1, steps);
    if (const Difference wrong = different_bits(whole, run(kEvents.at(i), call))) {
      return fmt::format("broken off in event {}, call {}, {}", i, call, *wrong);
    }
  }
  return {};
}

// A part of any name for each of its parameters.
struct Named : Module {
  explicit Named(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const auto own = static_cast<double>(parts.size());
      parts.push_back(parameter(name, Tensor::from({2, 1}, {0.1 * own, 0.3 - 0.2 * own})));
    }
  }
  Value operator()(const Value& x) const {
    Value sum;
    for (const Variable& part : parts) {
      const Value one = matmul(sum ? x + sum : x, x.graph().parameter(part));
      sum = sum ? sum + one : one;
    }
    return sum;
  }
  std::vector<Variable> parts;
};

const std::vector<std::string> kWords = {
    "best",      "shard0",       "average",       "average_updates", "weight",        "w",
    "adamw",     "sgd",          "loss_scaler",   "scale",           "good_steps",    "steps",
    "step",      "first_moment", "second_moment", "velocity",        "learning_rate", "plateau",
    "direction", "inverse",      "gradient",      "progress",        "shard1",        "checksum"};

// Made of the words that we use ourselves, one to three of them.
std::vector<std::string> draw_names(Draw& draw) {
  std::set<std::string> names;
  while (names.size() < 6) {
    std::string name;
    for (std::int64_t i = draw.whole(1, 3); i > 0; --i) {
      name += (name.empty() ? "" : ".") + kWords[static_cast<std::size_t>(draw.whole(
                                              0, static_cast<std::int64_t>(kWords.size()) - 1))];
    }
    names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::unique_ptr<Optimizer> draw_optimizer(Draw& draw) {
  const bool adam = draw.chance(0.5);
  const std::string name = kWords[static_cast<std::size_t>(draw.whole(0, 23))];
  const LearningRate rate = draw.chance(0.5)
                                ? LearningRate(0.03)
                                : schedule::plateau(0.03, {.factor = 0.5, .patience = 0});
  if (adam) return std::make_unique<AdamW>(AdamWOptions{.learning_rate = rate, .name = name});
  return std::make_unique<Sgd>(SgdOptions{.learning_rate = rate, .momentum = 0.9, .name = name});
}

// Whatever parts and optimizers are called, of all words that we add to a file: stopped, saved and
// resumed, on one rank or on two that share the update, a run ends with the bits that it has under
// other names.
Difference names(const Spec& spec) {
  const std::uint64_t seed = spec.at("seed");
  constexpr std::int64_t kSteps = 6;
  const auto run = [&](const std::vector<std::string>& names, Ranks* ranks,
                       const FitOptions& options) {
    Draw draw(seed);
    draw_names(draw);
    const std::unique_ptr<Optimizer> optimizer = draw_optimizer(draw);
    const Named model(names);
    WeightAverage average(model, {.decay = 0.5});
    TrainerOptions parts{.micro_batches = 2, .ranks = ranks, .average = &average};
    if (draw.chance(0.5)) parts.loss_scaling = LossScalerOptions{.scale = 8, .growth_interval = 2};
    Trainer trainer(
        model, [&](const Value& x, const Value& t) { return mse_loss(model(x), t); }, *optimizer,
        parts);
    const data::Dataset rows{Tensor::arange(24, -1, 0.07).reshape({12, 2}),
                             Tensor::arange(12, 1, -0.2).reshape({12, 1})};
    fit(trainer, data::Batches(rows, {.batch_size = 4, .seed = seed}), options);
    Trained trained;
    for (std::size_t i = 0; i < names.size(); ++i) {
      trained.tensors.emplace_back(fmt::format("part {}", i), model.parts[i].value());
      trained.tensors.emplace_back(fmt::format("average {}", i), average.values()[names[i]]);
    }
    return trained;
  };
  const auto until = [&](std::int64_t steps, const std::filesystem::path& checkpoint) {
    FitOptions options = quietly(steps);
    options.evaluate_every = 1;
    options.metrics = {{.name = "best", .measure = [] { return 1.0; }}};
    options.validation = data::Dataset{Tensor::full({3, 2}, 0.5), Tensor::full({3, 1}, 0.1)};
    options.keep_best = true;
    options.checkpoint = checkpoint;
    options.resume = !checkpoint.empty();
    return options;
  };
  Draw draw(seed);
  const std::vector<std::string> odd = draw_names(draw);
  const std::int64_t stop = 1 + static_cast<std::int64_t>(seed % (kSteps - 1));
  const Trained whole = run({"p0", "p1", "p2", "p3", "p4", "p5"}, nullptr, until(kSteps, {}));
  const auto named = [&] { return fmt::format("`{}`", fmt::join(odd, "`, `")); };
  const TemporaryFolder folder;
  run(odd, nullptr, until(stop, folder.path() / "one"));
  if (const Difference wrong =
          different_bits(whole, run(odd, nullptr, until(kSteps, folder.path() / "one")))) {
    return fmt::format("with the names {} {}", named(), *wrong);
  }
  Trained shared;
  run_ranks(2,
            [&](const Communicator& communicator) {
              for (const std::int64_t steps : {stop, kSteps}) {
                ShardedUpdate ranks(communicator);
                Trained trained = run(odd, &ranks, until(steps, folder.path() / "two"));
                if (communicator.is_first()) shared = std::move(trained);
              }
            },
            {.timeout_seconds = 60});
  const Difference wrong = different_bits(whole, shared);
  return wrong ? fmt::format("on two ranks, with the names {} {}", named(), *wrong) : wrong;
}

}  // namespace

std::vector<Property> going_on_properties() {
  return {{"failures", {}, failures}, {"names", {}, names}};
}

}  // namespace aclgrad::training
