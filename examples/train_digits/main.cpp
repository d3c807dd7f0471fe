// SPDX-License-Identifier: Apache-2.0
// Trains on handwritten digits; see train_digits --help.
#include <aclgrad/aclgrad.h>
#include <aclgrad/file.h>
#include <aclgrad/report.h>
#include <aclgrad/safetensors.h>

#include <filesystem>

#include "digits.h"
#include "options.h"
#include "pictures.h"
#include "training.h"

namespace {

using namespace aclgrad;

void write_run(const TrainingRun& run, const data::Dataset& test, const Options& options) {
  const auto path = [&](const char* kind, const char* extension) {
    return options.out / fmt::format("{}_{}.{}", kind, run.activation, extension);
  };
  write_file_atomically(path("confusion", "svg"), confusion_picture(run, test));
  write_file_atomically(path("mistakes", "svg"), mistakes_picture(run, test));
  write_file_atomically(path("graph", "dot"), run.graph_dot);
  save_safetensors(path("weights", "safetensors"), run.weights,
                   {{"activation", run.activation}, {"seed", std::to_string(options.seed)}});
}

std::string summary(const std::vector<TrainingRun>& runs) {
  report::Table table(
      {"activation", "parameters", "epochs", "train s", "steps/s", "train acc", "test acc"});
  for (const TrainingRun& run : runs) {
    table.add_row({run.activation, std::to_string(run.parameters),
                   std::to_string(run.epochs.size()), fmt::format("{:.2f}", run.seconds),
                   fmt::format("{:.0f}", run.steps_per_second),
                   fmt::format("{:.2f}%", 100 * run.epochs.back().train_accuracy),
                   fmt::format("{:.2f}%", 100 * run.epochs.back().test_accuracy)});
  }
  return table.to_string();
}

void run(const Options& options) {
  set_num_threads(options.threads);
  std::error_code problem;
  std::filesystem::create_directories(options.out, problem);
  if (problem) {
    throw IoError(
        fmt::format("{}: cannot make this folder: {}", options.out.string(), problem.message()));
  }
  const data::Split digits = data::split(load_digits(options.data), 0.8, options.seed);
  if (digits.train.size() < options.batch) {
    throw ValueError(fmt::format("{} has {} digits to train on, fewer than a batch of {}",
                                 options.data.string(), digits.train.size(), options.batch));
  }
  fmt::print("{} digits to train on, {} to test\n", digits.train.size(), digits.test.size());

  std::vector<TrainingRun> runs;
  for (const std::string& activation : options.activations) {
    runs.push_back(train(activation, digits, options));
    write_run(runs.back(), digits.test, options);
  }
  write_file_atomically(options.out / "loss.svg", loss_curves(runs));
  write_file_atomically(options.out / "accuracy.svg", accuracy_curves(runs));
  fmt::print("\n{}\nPictures, weights and graphs are in {}\n", summary(runs), options.out.string());
}

}  // namespace

int main(int argc, char** argv) {
  int exit_status = 0;
  const std::optional<Options> options = parse_options(argc, argv, exit_status);
  if (!options) return exit_status;
  try {
    run(*options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "train_digits: {}\n", error.what());
    // 2: options or files are at fault; 1: something went wrong on the way.
    const bool on_the_way = dynamic_cast<const StatusError*>(&error) != nullptr ||
                            dynamic_cast<const Diverged*>(&error) != nullptr;
    return on_the_way ? 1 : 2;
  }
}
