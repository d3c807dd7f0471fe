// SPDX-License-Identifier: Apache-2.0
// kernel_times: our operators beside other libraries and the memory's limit, all in one run, as
// JSON for page.py.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "aclgrad/io/file.h"
#include "aclgrad/report.h"
#include "bench/kernels/agreement.h"
#include "bench/kernels/ours.h"
#include "bench/kernels/times.h"
#include "bench/peers/peers.h"
#include "bench/program.h"
#include "hwy/targets.h"
#include "ops/engine/instruction_set.h"

namespace {

using namespace aclgrad::bench;

struct Options {
  Selection selection;
  Effort effort;
  bool quick = false;
  bool list = false;
  bool check = false;
  bool data = false;
  bool worker = false;
  std::string json;
};

void declare(CLI::App& app, Options& options) {
  app.add_option("--filter", options.selection.words,
                 "only cells whose name (see --list) contains one of these texts");
  app.add_option("--elements", options.selection.elements,
                 "only these sizes of elementwise operators: 1024, 65536, 1048576, 16777216");
  app.add_option("--threads", options.selection.threads, "these numbers of threads (1 and all)")
      ->check(CLI::PositiveNumber);
  app.add_option("--repetitions", options.effort.repetitions, "of which the median is taken")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seconds", options.effort.least_seconds, "least time of a repetition")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option(
         "--passes", options.effort.passes,
         "over all cells, of which each contender's fastest counts; for machines that others "
         "use as well")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--quick", options.quick,
               "a look at everything: 1024 elements, one short repetition");
  app.add_flag("--list", options.list, "print the names of the cells, measure nothing");
  app.add_flag("--check", options.check, "see that all compute the same, measure nothing");
  app.add_flag(
      "--data", options.data,
      "only our operators, on data of other kinds than normal(0, 1): tails, huge, tiny, NaN");
  app.add_option("--json", options.json,
                 "write all times into this file, and not to standard output");
  app.add_flag("--worker", options.worker)->group("");  // see worker.h
}

std::unique_ptr<Worker> start_worker(int argc, char** argv) {
  const std::optional<std::string> setting = torch_setting();
  if (!setting) return nullptr;
  std::vector<std::string> arguments = {"/proc/self/exe"};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  arguments.push_back("--worker");
  return std::make_unique<Worker>(arguments, *setting);
}

// Where there is no libtorch to compare with: how to get it.
constexpr const char* kNoTorch =
    "libtorch was not found: install libtorch-dev to compare with it, then build again";

constexpr size_t kCellsBetweenLaunches = 250;

LaunchTimes fastest(const LaunchTimes& a, const LaunchTimes& b) {
  return {.phase_one = std::min(a.phase_one, b.phase_one),
          .phase_two = std::min(a.phase_two, b.phase_two)};
}

std::vector<Level> measure_data(const Selection& selection, aclrtStream stream) {
  const std::vector<Cell> cells = data_cells(selection);
  aclgrad::report::ProgressBar progress(static_cast<int64_t>(cells.size()), {.title = "data"});
  int64_t done = 0;
  std::vector<Level> levels =
      measure_level(cells, stream, [&](const Cell& cell) { progress.update(done++, cell.name()); });
  progress.update(done);
  progress.finish();
  return levels;
}

Times measure(const std::vector<Cell>& cells, const Options& options, int argc, char** argv) {
  Measurement measurement(options.effort, start_worker(argc, argv));
  Times times{.effort = options.effort,
              .peers = measurement.peers(),
              .instruction_set = hwy::TargetName(aclgrad::ops::chosen_instruction_set()),
              .threads = 1};
  const auto count = static_cast<int64_t>(cells.size());
  const int passes = options.effort.passes;
  aclgrad::report::ProgressBar progress(count * passes, {.title = "kernels"});
  for (int pass = 0; pass < passes; ++pass) {
    for (size_t i = 0; i < cells.size(); ++i) {
      progress.update(pass * count + static_cast<int64_t>(i), cells[i].name());
      // Again and again, as other programs slow a machine down for minutes.
      if (i % kCellsBetweenLaunches == 0) {
        const LaunchTimes launch = {
            .phase_one = measurement.time(phase_one_call()),
            .phase_two = measurement.time(phase_two_call(measurement.stream()))};
        times.launch = fastest(times.launch, launch);
      }
      Result result = measurement.run(cells[i], i);
      if (pass == 0) {
        times.results.push_back(std::move(result));
      } else {
        times.results[i].keep_faster(result);
      }
      times.threads = std::max(times.threads, cells[i].threads);
    }
  }
  progress.update(count * passes);
  progress.finish();
  times.levels = measure_data(options.selection, measurement.stream());
  return times;
}

void write(const Times& times, const Options& options) {
  if (options.json.empty()) {
    std::cout << to_json(times) << '\n';
  } else {
    aclgrad::write_file_atomically(options.json, to_json(times));
  }
}

int run(int argc, char** argv) {
  CLI::App app("Measures the operators beside oneDNN, libtorch and the memory's limit.");
  Options options;
  declare(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.quick) {
    options.effort.least_seconds = 1e-6;
    options.effort.repetitions = 1;
    options.selection.elements = {1024};
    options.selection.smallest = true;
  }
  const std::vector<Cell> cells = select_cells(options.selection);
  if (options.worker) {
    serve(cells);
    return 0;
  }
  if (cells.empty()) {
    std::cerr << "No cell is named like that; --list prints their names.\n";
    return 2;
  }
  if (options.list) {
    for (const Cell& cell : cells) std::cout << cell.name() << '\n';
    return 0;
  }
  if (options.check) {
    const std::vector<std::string> found = disagreements(cells);
    for (const std::string& line : found) std::cout << line << '\n';
    return found.empty() ? 0 : 1;
  }
  if (options.data) {
    const Measurement device(options.effort, nullptr);
    write({.levels = measure_data(options.selection, device.stream()), .effort = options.effort},
          options);
    return 0;
  }
  if (torch() == nullptr) std::cerr << kNoTorch << '\n';
  write(measure(cells, options, argc, argv), options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return aclgrad::bench::run_program(run, argc, argv); }
