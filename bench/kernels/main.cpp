// SPDX-License-Identifier: Apache-2.0
// Our operators beside other libraries and the memory's limit, all in one run.
//
//   bench_kernels --filter 'GeluBackward' --elements 1048576 --threads 1
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>

#include "aclgrad/file.h"
#include "aclgrad/report.h"
#include "bench/kernels/agreement.h"
#include "bench/kernels/ours.h"
#include "bench/kernels/report.h"
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
  std::string markdown;
  std::string csv;
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
  app.add_option("--markdown", options.markdown,
                 "write a report, and beside it its chart (.svg) and a folder of tables (.csv)")
      ->check(in_existing_folder());
  app.add_option("--csv", options.csv, "write all times")->check(in_existing_folder());
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

constexpr size_t kCellsBetweenLaunches = 250;
constexpr double kNotTimed = std::numeric_limits<double>::infinity();

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

Report measure(const std::vector<Cell>& cells, const Options& options, int argc, char** argv) {
  Measurement measurement(options.effort, start_worker(argc, argv));
  Report report{.results = {},
                .levels = {},
                .launch = {.phase_one = kNotTimed, .phase_two = kNotTimed},
                .effort = options.effort,
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
        report.launch = fastest(report.launch, launch);
      }
      Result result = measurement.run(cells[i], i);
      if (pass == 0) {
        report.results.push_back(std::move(result));
      } else {
        report.results[i].keep_faster(result);
      }
      report.threads = std::max(report.threads, cells[i].threads);
    }
  }
  progress.update(count * passes);
  progress.finish();
  report.levels = measure_data(options.selection, measurement.stream());
  return report;
}

void write(const Report& report, const Options& options) {
  if (!options.markdown.empty()) {
    const std::filesystem::path text = options.markdown;
    const std::filesystem::path chart = std::filesystem::path(text).replace_extension(".svg");
    aclgrad::write_file_atomically(text, markdown(report, chart.filename().string()));
    aclgrad::write_file_atomically(chart, chart_svg(report));
    const std::filesystem::path folder = std::filesystem::path(text).replace_extension();
    std::filesystem::create_directories(folder);
    for (const auto& [name, table] : csv_tables(report)) {
      aclgrad::write_file_atomically(folder / name, table);
    }
  }
  if (!options.csv.empty()) aclgrad::write_file_atomically(options.csv, csv(report));
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
    std::cout << terminal_levels(measure_data(options.selection, device.stream()));
    return 0;
  }
  if (torch() == nullptr) std::cerr << kNoTorch << '\n';
  const Report report = measure(cells, options, argc, argv);
  std::cout << terminal_text(report);
  fmt::print("Kernels for {}.\n", report.instruction_set);
  write(report, options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return aclgrad::bench::run_program(run, argc, argv); }
