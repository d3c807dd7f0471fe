// SPDX-License-Identifier: Apache-2.0
// The adding problem (Hochreiter, Schmidhuber 1997): a gated recurrent unit reads a sequence of
// numbers, two of which are marked, and learns to return the sum of those two. A network that
// forgets the first answers 1 at best, with a mean squared error of 1/6. Draws the error into
// out/recurrent/learning.svg.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "examples/recurrent/model.h"

using namespace aclgrad;

namespace {

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

}  // namespace

int main(int argc, char** argv) {
  std::int64_t length = 100, steps = 6000;
  std::uint64_t seed = 1;
  double enough = 0.002;
  CLI::App app("A gated recurrent unit learns to add two marked numbers of a sequence");
  app.option_defaults()->always_capture_default();
  app.add_option("--length", length, "of the sequences")->check(CLI::Range(2, 10000));
  app.add_option("--steps", steps, "at most, of 64 sequences")->check(CLI::Range(1, 100000000));
  app.add_option("--enough", enough, "the mean squared error at which it stops");
  app.add_option("--seed", seed, "of the sequences");
  CLI11_PARSE(app, argc, argv);

  const data::Batches batches(
      std::int64_t{1} << 40,
      [&](std::span<const std::int64_t> numbers) { return sequences(numbers, length, seed); },
      {.batch_size = 64, .shuffle = false});
  const std::vector<std::int64_t> numbers = random_permutation(500, seed);
  const data::Dataset unseen = sequences(numbers, length, seed + 1);

  const recurrent::Adder model;
  AdamW optimizer({.learning_rate = 3e-3, .weight_decay = 0, .clip_norm = 1});
  Trainer trainer(
      model, [&](const Value& x, const Value& sum) { return mse_loss(model(x), sum); }, optimizer);
  report::Series learning{.name = "gated recurrent unit", .y = {}};
  report::ProgressBar progress(steps, {.title = "adding"});
  double error = 1;
  while (trainer.steps() < steps && error > enough) {
    trainer.step(batches.batch({0, trainer.steps()}));
    if (trainer.steps() % 100 != 0) continue;
    error = trainer.evaluate(unseen);
    learning.x.push_back(static_cast<double>(trainer.steps()));
    learning.y.push_back(error);
    progress.update(trainer.steps(), fmt::format("error {:.5f}", error));
  }
  progress.finish();
  report::LineChart chart{.title = fmt::format("Two numbers of {} are to be added", length),
                          .x_label = "step",
                          .y_label = "mean squared error",
                          .log_y = true};
  chart.series = {learning,
                  {.name = "always 1",
                   .x = {0, static_cast<double>(trainer.steps())},
                   .y = {1.0 / 6, 1.0 / 6}}};
  std::filesystem::create_directories("out/recurrent");
  write_file_atomically("out/recurrent/learning.svg", chart.svg());
  fmt::print("length {}: mean squared error {:.5f} on {} unseen sequences after {} steps\n", length,
             error, unseen.size(), trainer.steps());
  const data::Dataset shown = data::take(unseen, {{0, 1, 2}});
  const Tensor sums = predict(model, shown.features);
  for (std::int64_t i = 0; i < 3; ++i) {
    fmt::print("{:.3f} for {:.3f}\n", sums.get(i), shown.labels.get(i));
  }
  return error < 0.01 ? 0 : 1;
}
