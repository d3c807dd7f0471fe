// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/results.h"

#include <aclgrad/aclgrad.h>
#include <aclgrad/file.h>
#include <aclgrad/format.h>
#include <aclgrad/report.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <system_error>

#include "examples/classifier/pictures.h"

namespace {

using namespace aclgrad;

void write_run(const TrainingRun& run, const data::Dataset& test, std::int64_t side,
               const TrainingOptions& options, RunReport& report) {
  const auto path = [&](const char* kind, const char* extension) {
    return options.out / fmt::format("{}_{}.{}", kind, run.activation, extension);
  };
  const std::string confusion = confusion_picture(run, test);
  const std::string mistakes = mistakes_picture(run, test, side);
  write_file_atomically(path("confusion", "svg"), confusion);
  write_file_atomically(path("mistakes", "svg"), mistakes);
  report.picture("Confusion of the test digits", confusion);
  report.picture("Mistakes", mistakes);
  report.finish();
  write_file_atomically(path("graph", "dot"), run.graph_dot);
  save_safetensors(path("weights", "safetensors"), run.weights,
                   {{"activation", run.activation}, {"seed", std::to_string(options.seed)}});
}

std::string summary(const std::vector<TrainingRun>& runs) {
  report::Table table({"activation", "parameters", "epochs", "train s", "s/epoch", "steps/s",
                       "train acc", "test acc"});
  for (const TrainingRun& run : runs) {
    const auto epochs = static_cast<double>(run.epochs.size());
    const bool ran = run.steps > 0;  // a run that had ended before has nothing left to do
    const double rate = ran ? static_cast<double>(run.steps) / run.seconds : 0;
    table.add_row({run.activation, std::to_string(run.parameters), fmt::format("{}", epochs),
                   fmt::format("{:.2f}", run.seconds), fmt::format("{:.3f}", run.seconds / epochs),
                   fmt::format("{:.0f}", rate),
                   fmt::format("{:.2f}%", 100 * run.epochs.back().train_accuracy),
                   fmt::format("{:.2f}%", 100 * run.epochs.back().test_accuracy)});
  }
  return table.to_string();
}

void make_folder(const std::filesystem::path& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (problem) {
    throw IoError(fmt::format("{}: cannot make this folder: {}", path.string(), problem.message()));
  }
}

}  // namespace

void train_all(const Widths& widths, const data::Split& examples, std::int64_t side,
               const TrainingOptions& options, const Communicator& communicator) {
  set_num_threads(options.threads);
  if (examples.train.size() < options.batch) {
    throw ValueError(fmt::format("there are {} digits to train on, fewer than a batch of {}",
                                 examples.train.size(), options.batch));
  }
  if (!communicator.is_first()) {
    for (const std::string& activation : options.activations) {
      train(activation, widths, examples, options, communicator, nullptr);
    }
    return;
  }
  make_folder(options.out);
  fmt::print("{} digits to train on, {} to test\n", examples.train.size(), examples.test.size());
  std::vector<TrainingRun> runs;
  std::vector<RunRecord> records;
  for (const std::string& activation : options.activations) {
    RunReport report(options.out / fmt::format("report_{}.html", activation),
                     {.title = activation});
    runs.push_back(train(activation, widths, examples, options, communicator, &report));
    write_run(runs.back(), examples.test, side, options, report);
    records.push_back(report.record());
  }
  write_file_atomically(options.out / "report.html", compare_runs("Activations compared", records));
  write_file_atomically(options.out / "loss.svg", loss_curves(runs));
  write_file_atomically(options.out / "accuracy.svg", accuracy_curves(runs));
  fmt::print("\n{}\nThe report is {}; pictures, weights and graphs lie beside it\n", summary(runs),
             (options.out / "report.html").string());
  flush_output();
}

void flush_output() {
  if (std::fflush(stdout) == 0) return;
  throw IoError("standard output: cannot write: " + std::generic_category().message(errno));
}

int exit_status_for(const std::string& program, const std::exception& error) {
  const bool no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  fmt::print(stderr, "{}: {}\n", program, no_memory ? "out of memory" : error.what());
  const bool on_the_way = no_memory || dynamic_cast<const StatusError*>(&error) != nullptr ||
                          dynamic_cast<const Diverged*>(&error) != nullptr;
  return on_the_way ? 1 : 2;
}
