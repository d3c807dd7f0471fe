// SPDX-License-Identifier: Apache-2.0
// usage: train_worker_... WORKLOAD THREADS [--profile] | --about
// With --about it prints what workloads there are, as JSON; with --profile where the time of a step
// goes. Else it trains as asked on standard input until that ends, one answer a line:
//   version    the library's
//   run N      seconds that N steps took
//   loss       of the latest step, or none
//   peak       most memory that was ever resident, in KiB
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "bench/train/trainer.h"

namespace {

// Of this program's own memory: ru_maxrss would count what the process held before it became this
// program.
long peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  }
  return 0;
}

void serve(aclgrad::bench::Trainer& trainer) {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb;
    long count = 0;
    words >> verb >> count;
    if (verb == "run") {
      const auto start = std::chrono::steady_clock::now();
      for (long i = 0; i < count; ++i) trainer.step();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      std::printf("%.9e\n", taken.count());
    } else if (verb == "loss") {
      const std::optional<double> loss = trainer.loss();
      if (loss) {
        std::printf("%.17g\n", *loss);
      } else {
        std::puts("none");
      }
    } else if (verb == "peak") {
      std::printf("%ld\n", peak_kib());
    } else {
      std::printf("%s\n", aclgrad::bench::trainer_version().c_str());
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string(argv[1]) == "--about") {
      std::cout << "{\"workloads\": " << aclgrad::bench::workloads_as_json() << "}\n";
      return 0;
    }
    const bool profile = argc == 4 && std::string(argv[3]) == "--profile";
    if (argc != 3 && !profile) throw std::runtime_error("usage: WORKLOAD THREADS [--profile]");
    const auto trainer =
        aclgrad::bench::make_trainer(aclgrad::bench::workload(argv[1]), std::stoi(argv[2]));
    if (profile) {
      std::cout << trainer->profile();
    } else {
      serve(*trainer);
    }
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << '\n';
    return 1;
  }
}
