// SPDX-License-Identifier: Apache-2.0
// Training steps beside libtorch and beside the bare products and convolutions; see bench_train
// --help.
#include <aclgrad/file.h>
#include <aclgrad/report.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "bench/machine.h"
#include "bench/program.h"
#include "bench/train/bars.h"
#include "bench/train/measure.h"
#include "bench/train/report.h"

namespace {

using namespace aclgrad::bench;

constexpr const char* kNoTorch =
    "libtorch was not found: install libtorch-dev to compare with it, then build again";
constexpr const char* kNoBlas =
    "libtorch is measured with the system's BLAS only; install libopenblas0-openmp to compare with "
    "that too";

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const Workload& workload : workloads()) list.push_back(workload.name);
  return list;
}

struct Options {
  std::vector<std::string> workloads = names();
  std::vector<int> threads = {1, 2};
  std::vector<std::filesystem::path> blas = installed_blas();
  Effort effort;
  bool quick = false;
  std::string markdown;
};

void declare(CLI::App& app, Options& options) {
  app.add_option("--workloads", options.workloads, "which to time")
      ->check(CLI::IsMember(names()))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "numbers of threads")->check(CLI::PositiveNumber);
  app.add_option("--blas", options.blas, "folders with a libblas.so.3 to try under libtorch")
      ->check(CLI::ExistingDirectory);
  app.add_option("--repetitions", options.effort.repetitions, "of which the median is taken")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seconds", options.effort.seconds, "least time of a repetition")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--quick", options.quick,
               "one short repetition of everything, with the system's BLAS");
  app.add_option("--markdown", options.markdown, "write a report")->check(in_existing_folder());
}

int run(int argc, char** argv) {
  CLI::App app("Times training steps: ours, libtorch's, and the bare products and convolutions.");
  Options options;
  declare(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.quick) {
    options.effort = {.seconds = 1e-6, .repetitions = 1};
    options.blas.clear();
  }
  const std::vector<Contender> contenders = find_contenders(options.blas);
  if (contenders.back().name == kFloor) {
    std::cerr << kNoTorch << '\n';
  } else if (options.blas.empty() && !options.quick) {
    std::cerr << kNoBlas << '\n';
  }
  const double load = load_average();
  std::vector<Result> results;
  const size_t repetitions =
      options.workloads.size() * static_cast<size_t>(options.effort.repetitions);
  aclgrad::report::ProgressBar progress(static_cast<int64_t>(repetitions), {.title = "training"});
  int64_t done = 0;
  for (const std::string& name : options.workloads) {
    progress.update(done, name);
    const std::vector<Result> added =
        measure(workload(name), options.threads, contenders, options.effort,
                [&] { progress.update(++done, name); });
    results.insert(results.end(), added.begin(), added.end());
  }
  progress.finish();
  std::cout << terminal_text(results);
  const std::vector<std::string> different = disagreements(results);
  for (const std::string& line : different) std::cout << line << '\n';
  if (!options.markdown.empty()) {
    aclgrad::write_file_atomically(options.markdown, markdown(results, options.effort, load));
  }
  return different.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return aclgrad::bench::run_program(run, argc, argv); }
