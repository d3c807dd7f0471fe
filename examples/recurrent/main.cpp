// SPDX-License-Identifier: Apache-2.0
// A gated recurrent unit in two tasks. The adding problem (Hochreiter, Schmidhuber 1997): it reads
// a sequence of numbers, two of which are marked, and learns to return the sum of those two.
// A network that forgets the first answers 1 at best, with a mean squared error of 1/6. And it
// guesses the next character of a text, as the transformer does. `./dev recurrent` fetches Moby
// Dick for it.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "examples/program/characters.h"
#include "examples/recurrent/model.h"

using namespace aclgrad;

namespace {

struct Options : CharacterOptions {
  std::vector<std::string> tasks = {"adding", "characters"};
  std::int64_t length = 100, adding_steps = 6000;
  double enough = 0.002;
};

// Sequences [n, length, 2] of numbers in [0, 1) and marks, and the sums [n, 1]; the same for the
// same numbers of the examples.
data::Dataset sequences(std::span<const std::int64_t> numbers, std::int64_t length,
                        std::uint64_t seed) {
  const auto n = std::ssize(numbers);
  data::Dataset made{Tensor::zeros({n, length, 2}), Tensor::zeros({n, 1})};
  const auto half = static_cast<std::uint64_t>(length / 2);
  for (std::int64_t i = 0; i < n; ++i) {
    const Random random(seed, static_cast<std::uint64_t>(numbers[static_cast<std::size_t>(i)]));
    const auto draw = static_cast<std::uint64_t>(length);
    const auto first = static_cast<std::int64_t>(random.below(draw, half));
    const auto second = static_cast<std::int64_t>(
        half + random.below(draw + 1, static_cast<std::uint64_t>(length) - half));
    for (std::int64_t t = 0; t < length; ++t) {
      const double number = random.uniform(static_cast<std::uint64_t>(t));
      made.features.set((i * length + t) * 2, number);
      if (t != first && t != second) continue;
      made.features.set((i * length + t) * 2 + 1, 1);
      made.labels.set(i, made.labels.get(i) + number);
    }
  }
  return made;
}

void add(const Options& options) {
  const std::uint64_t seed = options.program.seed;
  const auto make = [&](std::span<const std::int64_t> numbers) {
    return sequences(numbers, options.length, seed);
  };
  const data::Batches batches(std::int64_t{1} << 40, make,
                              {.batch_size = 64, .shuffle = false, .seed = seed});
  const data::Dataset unseen = sequences(random_permutation(500, seed), options.length, seed + 1);

  const recurrent::Adder model;
  const AdamWOptions recipe{.learning_rate = 3e-3, .weight_decay = 0, .clip_norm = 1};
  const auto loss = [&](const Value& x, const Value& sum) { return mse_loss(model(x), sum); };
  const History history = train({.name = "adding",
                                 .model = model,
                                 .loss = loss,
                                 .optimizer = std::make_shared<AdamW>(recipe),
                                 .batches = batches,
                                 .fit = {.steps = options.adding_steps,
                                         .evaluate_every = 100,
                                         .validation = unseen,
                                         .target_loss = options.enough}},
                                options.program, Communicator());
  report::Series learning{.name = "gated recurrent unit"};
  for (const Evaluation& evaluation : history.evaluations) {
    learning.x.push_back(static_cast<double>(evaluation.step));
    learning.y.push_back(evaluation.validation_loss);
  }
  report::LineChart chart{.title = fmt::format("Two numbers of {} are to be added", options.length),
                          .x_label = "step",
                          .y_label = "mean squared error",
                          .log_y = true};
  chart.series = {learning,
                  {.name = "always 1", .x = {0, learning.x.back()}, .y = {1.0 / 6, 1.0 / 6}}};
  write_file_atomically(options.program.out / "learning.svg", chart.svg());
  fmt::print("length {}: mean squared error {:.5f} on {} unseen sequences after {} steps\n",
             options.length, learning.y.back(), unseen.size(), learning.x.back());
  const data::Dataset shown = data::take(unseen, {{0, 1, 2}});
  const Tensor sums = predict(model, shown.features);
  for (std::int64_t i = 0; i < 3; ++i) {
    fmt::print("{:.3f} for {:.3f}\n", sums.get(i), shown.labels.get(i));
  }
}

void read(const Options& options) {
  const Text text(options.data);
  on_ranks(options.program, [&](const Communicator& communicator) {
    const recurrent::CharacterModel model(text.characters(), {}, options.program.dtype,
                                          options.program.seed);
    train_characters({"gru", model, model}, text, options, communicator);
  });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.program.out = "out/recurrent";
  CLI::App app("A gated recurrent unit adds two marked numbers of a sequence, and learns a text");
  app.option_defaults()->always_capture_default();
  app.add_option("--task", options.tasks, "adding, characters, or both")
      ->check(CLI::IsMember({"adding", "characters"}));
  app.add_option("--length", options.length, "of the sequences to add in")
      ->check(CLI::Range(2, 10000));
  app.add_option("--adding-steps", options.adding_steps, "at most, of 64 sequences")
      ->check(CLI::Range(1, 100000000));
  app.add_option("--enough", options.enough, "the mean squared error at which adding stops");
  declare_character_options(app, options);
  return run_program("recurrent", app, argc, argv, options.program, [&] {
    for (const std::string& task : options.tasks) task == "adding" ? add(options) : read(options);
  });
}
