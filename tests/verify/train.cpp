// SPDX-License-Identifier: Apache-2.0
// A small training run with a record, and the faults that verification is to find: another seed or
// rate, a rate that changes on the way, a bit of the data, another operator.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cfenv>
#include <exception>

#include "aclgrad/aclgrad.h"

using namespace aclgrad;

namespace {

struct Arguments {
  std::string record, checkpoint, rounding;
  std::uint64_t seed = 1;
  double rate = 0.01, next_rate = 0, elu = 1;
  std::int64_t steps = 12, changes_at = 0, flipped = -1, every = 0, micro_batches = 0;
  bool resume = false;
};

// 60 examples in batches of 16: an epoch has four steps, the last one of 12 examples.
data::Dataset examples(std::int64_t flipped) {
  Tensor features = init::normal({60, 8}, 5);
  if (flipped >= 0) {
    features.bytes()[4 * 8 * static_cast<std::size_t>(flipped)] ^= std::byte{1};
  }
  Tensor labels = Tensor::zeros({60}, DType::int64);
  for (std::int64_t i = 0; i < 60; ++i) labels.set({i}, static_cast<double>(i % 3));
  return {std::move(features), std::move(labels)};
}

void train(const Arguments& arguments) {
  const Sequential model(
      Linear("hidden", 8, 16), [&](Operand x) { return elu(x, arguments.elu); },
      Dropout("dropout", 0.2), Linear("out", 16, 3));
  seed_parameters(model, arguments.seed);
  const auto loss = [&](const Value& x, const Value& t) { return cross_entropy(model(x), t); };
  Adam adam({.learning_rate = schedule::constant(arguments.rate)});
  Trainer trainer(model, loss, adam, {.micro_batches = arguments.micro_batches});
  const data::Batches batches(examples(arguments.flipped), {.batch_size = 16, .seed = 3});
  const Callback change{.before_step = [&](FitRun& run) {
    if (run.done() == arguments.changes_at) run.set_learning_rate(arguments.next_rate);
  }};
  FitOptions options{.steps = arguments.steps,
                     .evaluate_every = 6,
                     .validation = examples(-1),
                     .checkpoint = arguments.checkpoint,
                     .resume = arguments.resume,
                     .record_every = arguments.every,
                     .progress = report::ProgressMode::off};
  if (!arguments.record.empty()) options.record = arguments.record;
  if (arguments.changes_at > 0) options.callbacks.push_back(change);
  if (arguments.rounding == "up") std::fesetround(FE_UPWARD);
  if (arguments.rounding == "zero") std::fesetround(FE_TOWARDZERO);
  fit(trainer, batches, options);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app;
  app.add_option("--record", arguments.record);
  app.add_option("--checkpoint", arguments.checkpoint);
  app.add_option("--seed", arguments.seed);
  app.add_option("--rate", arguments.rate);
  app.add_option("--next-rate", arguments.next_rate);
  app.add_option("--changes-at", arguments.changes_at);
  app.add_option("--elu", arguments.elu);
  app.add_option("--steps", arguments.steps);
  app.add_option("--flipped", arguments.flipped);
  app.add_option("--every", arguments.every);
  app.add_option("--micro-batches", arguments.micro_batches);
  app.add_option("--rounding", arguments.rounding, "that fit() is called in: up or zero");
  app.add_flag("--resume", arguments.resume);
  CLI11_PARSE(app, argc, argv);
  provide_step_pages();
  try {
    train(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
