// SPDX-License-Identifier: Apache-2.0
// Training on several ranks of this machine, and the model of more of them; see bench_scale --help.
#include <aclgrad/file.h>
#include <aclgrad/report.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "bench/program.h"
#include "bench/scale/report.h"

namespace {

using namespace aclgrad::bench;

constexpr const char* kNoMpi =
    "MPI was not found: ranks are threads only, and nothing is predicted; install libopenmpi-dev "
    "and openmpi-bin, then build again";

struct Options {
  std::vector<std::string> workloads = {"W2", "W3"};
  std::vector<int> ranks = {2, 4};
  Effort effort;
  bool quick = false;
  std::filesystem::path markdown;
};

void declare(CLI::App& app, Options& options) {
  app.add_option("--workloads", options.workloads, "W2, W3")->check(CLI::IsMember({"W2", "W3"}));
  app.add_option("--ranks", options.ranks, "numbers of ranks, beside one")
      ->check(CLI::Range(2, 16));
  app.add_option("--passes", options.effort.passes, "of which the least disturbed counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seconds", options.effort.seconds, "about the time of the steps of each kind")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--timelines", options.effort.timelines, "of a rank, of which the median is taken")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--rounds", options.effort.rounds, "of messages, of which the median is taken")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--quick", options.quick,
               "a few steps with small batches: the figures mean nothing");
  app.add_option("--markdown", options.markdown, "write a report, and its chart beside it")
      ->check(in_existing_folder());
}

int run(int argc, char** argv) {
  CLI::App app(
      "Times training steps on several ranks of this machine, and sums beside MPI's own; fits a\n"
      "model to that, and predicts more ranks.");
  Options options;
  declare(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.quick) {
    options.effort = {.passes = 1,
                      .seconds = 1e-6,
                      .timelines = 3,
                      .rounds = 1,
                      .largest = 1 << 20,
                      .divisor = 16};
  }
  std::unique_ptr<aclgrad::report::ProgressBar> bar;
  const Measurement measurement =
      measure(options.workloads, options.ranks, options.effort,
              [&](std::int64_t done, std::int64_t total, const std::string& next) {
                if (!bar) {
                  bar = std::make_unique<aclgrad::report::ProgressBar>(
                      total, aclgrad::report::ProgressOptions{.title = "scaling"});
                }
                bar->update(done, next);
              });
  if (bar) bar->finish();
  if (!measurement.has_processes) std::cerr << kNoMpi << '\n';
  const Study found = study(measurement);
  std::cout << terminal_text(measurement, found);
  if (!options.markdown.empty()) {
    const std::filesystem::path chart =
        std::filesystem::path(options.markdown).replace_extension(".svg");
    aclgrad::write_file_atomically(chart, chart_svg(measurement, found));
    aclgrad::write_file_atomically(
        options.markdown, markdown(measurement, found, options.effort, chart.filename().string()));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return aclgrad::bench::run_program(run, argc, argv); }
