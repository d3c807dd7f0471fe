// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/perceptron.h"

#include <aclgrad/format.h>

#include <cmath>
#include <map>

#include "examples/classifier/classifier.h"

using namespace aclgrad;

namespace {

// CLI11's own check of positive numbers lets NaN through.
std::string learning_rate_complaint(const std::string& text) {
  double rate = 0;
  const bool right = CLI::detail::lexical_cast(text, rate) && rate > 0 && std::isfinite(rate);
  return right ? "" : text + " is not a number above 0";
}

struct Kind {
  Activation gain;        // of the initial weights
  std::int64_t widening;  // of the layer before
  Value (*call)(const Value&);
};

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> all = {
      {"selu", {Activation::selu, 1, [](const Value& x) { return Selu{}(x); }}},
      {"elu", {Activation::elu, 1, [](const Value& x) { return Elu{}(x); }}},
      {"hardswish", {Activation::hardswish, 1, [](const Value& x) { return Hardswish{}(x); }}},
      {"geglu", {Activation::geglu, 2, [](const Value& x) { return Geglu{}(x); }}}};
  return all;
}

// SELU's own dropout keeps the mean and the variance that SELU works for (Klambauer et al. 2017).
Sequential make_network(const Kind& kind, const std::vector<std::int64_t>& widths,
                        const PerceptronOptions& options) {
  const std::uint64_t seed = options.program.seed;
  Sequential network;
  const std::size_t last = widths.size() - 1;
  for (std::size_t i = 1; i < last; ++i) {
    network.add(Linear(fmt::format("hidden{}", i), widths[i - 1], kind.widening * widths[i],
                       {.init_for = kind.gain, .seed = seed * 10 + i}));
    network.add(kind.call);
    if (options.dropout == 0) continue;
    const std::string name = fmt::format("dropout{}", i);
    if (kind.gain == Activation::selu) {
      network.add(AlphaDropout(name, options.dropout, seed * 10 + i));
    } else {
      network.add(Dropout(name, options.dropout, seed * 10 + i));
    }
  }
  return network.add(Linear("output", widths[last - 1], widths[last], {.seed = seed * 10 + last}));
}

LearningRate learning_rate(const PerceptronOptions& options, std::int64_t steps) {
  const double rate = options.learning_rate;
  if (options.schedule == "constant") return rate;
  return schedule::cosine(rate, steps / 20, steps, rate / 100);
}

Classified train(const std::string& activation, const std::vector<std::int64_t>& widths,
                 const data::Split& examples, const PerceptronOptions& options,
                 const Communicator& communicator) {
  const Sequential model = make_network(kinds().at(activation), widths, options);
  const data::Batches batches(
      examples.train,
      {.batch_size = options.batch, .drop_last = true, .seed = options.program.seed});
  AdamW optimizer(
      {.learning_rate = learning_rate(options, options.epochs * batches.batches_per_epoch()),
       .weight_decay = 0.05});
  const std::string rate = fmt::format("{} ({})", options.learning_rate, options.schedule);
  try {
    return train_classifier({.name = activation,
                             .model = model,
                             .scores = model,
                             .optimizer = optimizer,
                             .batches = batches,
                             .test = examples.test,
                             .epochs = options.epochs,
                             .train = &examples.train,
                             .checkpoint_every = options.checkpoint_every,
                             .made_with = fmt::format(", {} epochs, learning rate {}, dropout {}",
                                                      options.epochs, rate, options.dropout),
                             .settings = {{"layers", fmt::format("{}", fmt::join(widths, "-"))},
                                          {"epochs", std::to_string(options.epochs)},
                                          {"learning rate", rate},
                                          {"dropout", fmt::format("{}", options.dropout)}}},
                            options.program, communicator);
  } catch (const Diverged& error) {
    throw Diverged(fmt::format("{}: {}; here that is a smaller --lr", activation, error.what()));
  }
}

// A line of the table.
std::vector<std::string> summary(const std::string& activation, const Classified& run) {
  const History& history = run.history;
  const auto epochs = static_cast<double>(history.evaluations.size());
  const bool ran = history.steps > 0;  // a run that had ended before has nothing left to do
  const double rate = ran ? static_cast<double>(history.steps) / history.step_seconds : 0;
  const std::vector<double>& percent = history.evaluations.back().metrics;
  return {activation,
          std::to_string(run.parameters),
          fmt::format("{}", epochs),
          fmt::format("{:.2f}", history.step_seconds),
          fmt::format("{:.3f}", history.step_seconds / epochs),
          fmt::format("{:.0f}", rate),
          fmt::format("{:.2f}%", percent[1]),
          fmt::format("{:.2f}%", percent[0])};
}

}  // namespace

void declare_perceptron_options(CLI::App& app, PerceptronOptions& options) {
  app.option_defaults()->always_capture_default();
  app.add_option("--activation", options.activations, "selu, elu, hardswish, geglu or all")
      ->check(CLI::IsMember({"selu", "elu", "hardswish", "geglu", "all"}))
      ->expected(1)
      ->type_name("NAME")
      ->default_str("all");
  app.add_option("--epochs", options.epochs, "passes over the digits")
      ->check(CLI::Range(1, 100000))
      ->type_name("N");
  app.add_option("--batch", options.batch, "digits per step")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  app.add_option("--lr", options.learning_rate, "learning rate of AdamW")
      ->check(learning_rate_complaint)
      ->type_name("X");
  app.add_option("--schedule", options.schedule,
                 "learning rate over the steps: constant, or cosine after a warm-up")
      ->check(CLI::IsMember({"constant", "cosine"}))
      ->type_name("NAME");
  app.add_option("--dropout", options.dropout, "part of each hidden layer that a step leaves out")
      ->check(CLI::Range(0.0, 0.9))
      ->type_name("X");
  declare_dtype(app, options.program);
  declare_program_options(app, options.program, "folder for the results");
  app.add_option("--checkpoint-every", options.checkpoint_every,
                 "steps after which a checkpoint is written to --out; 0: never")
      ->check(CLI::Range(0, 1000000000))
      ->type_name("N");
  declare_resume(app, options.program);
}

void train_perceptrons(const std::vector<std::int64_t>& widths, const data::Split& examples,
                       const PerceptronOptions& options, const Communicator& communicator) {
  std::vector<std::string> activations = options.activations;
  if (activations.front() == "all") activations = {"selu", "elu", "hardswish", "geglu"};
  report::Table table({"activation", "parameters", "epochs", "train s", "s/epoch", "steps/s",
                       "train acc", "test acc"});
  report::LineChart losses{.title = "Training loss",
                           .x_label = "epoch",
                           .y_label = "mean cross-entropy of the epoch",
                           .log_y = true};
  report::LineChart accuracies{
      .title = "Accuracy on the test digits", .x_label = "epoch", .y_label = "percent correct"};
  std::vector<RunRecord> records;
  for (const std::string& activation : activations) {
    const Classified run = train(activation, widths, examples, options, communicator);
    if (!communicator.is_first()) continue;
    table.add_row(summary(activation, run));
    losses.series.push_back(run.history.curve(activation, &Evaluation::loss));
    accuracies.series.push_back(run.accuracy);
    records.push_back(run.record);
  }
  if (!communicator.is_first()) return;
  const std::filesystem::path& out = options.program.out;
  write_file_atomically(out / "report.html", compare_runs("Activations compared", records));
  write_file_atomically(out / "loss.svg", losses.svg());
  write_file_atomically(out / "accuracy.svg", accuracies.svg());
  fmt::print("{} digits to train on, {} to test\n\n{}\n", examples.train.size(),
             examples.test.size(), table.to_string());
  fmt::print("The report is {}; pictures, weights and graphs lie beside it\n",
             (out / "report.html").string());
}
