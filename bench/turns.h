// SPDX-License-Identifier: Apache-2.0
// Layers that several compute, by turns in one run: a line of text for each, and a cell of the page
// that bench/kernels draws.
#pragma once

#include <aclgrad/aclgrad.h>
#include <fmt/format.h>
#include <time.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "aclgrad/io/file.h"
#include "bench/median.h"
#ifdef ACLGRAD_HAS_TORCH
#include "bench/peers/torch_layers.h"
#endif

namespace aclgrad::bench {

// Who computes it, and the seconds of each turn. The first one of a cell is ours.
struct Turn {
  std::string name;
  std::function<void()> run;
  std::vector<double> times = {};
};

// What is computed, and how much of it.
struct Layer {
  std::string operation;  // "lstm forward"
  std::string size;       // "64x32x128 to 128"
  std::int64_t elements;  // of the result
  DType dtype = DType::float32;
};

class Turns {
 public:
  Turns(int argc, char** argv, const std::string& what) {
    CLI::App app(what);
    app.add_option("rounds", rounds_, "turns of the longest; the others have more")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--threads", threads_, "numbers of threads (1 and all)")
        ->check(CLI::PositiveNumber);
    app.add_option("--filter", words_, "only those whose name contains one of these texts");
    app.add_option("--json", json_, "write all times into this file, too");
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      std::exit(app.exit(error));
    }
    if (threads_.empty()) {
      threads_ = {1};
      if (num_threads() > 1) threads_.push_back(num_threads());
    }
  }

  // `make` is called for each number of threads and makes the contenders. `more`: times as many
  // turns.
  void measure(const Layer& layer, int more, const std::function<std::vector<Turn>()>& make) {
    const std::string dtype = layer.dtype == DType::bfloat16 ? "BFLOAT16" : "FLOAT";
    for (const int threads : threads_) {
      const std::string name = fmt::format("{} {} {} contiguous threads={}", layer.operation, dtype,
                                           layer.size, threads);
      if (!is_wanted(name)) continue;
      set_num_threads(threads);
#ifdef ACLGRAD_HAS_TORCH
      set_torch_threads(threads);
#endif
      std::vector<Turn> all = make();
      for (int i = -2; i < rounds_ * more; ++i) {
        for (Turn& each : all) take(each, threads, i >= 0);
      }
      fmt::print("{}:", name);
      nlohmann::ordered_json seconds;
      for (const Turn& each : all) {
        const double middle = median(each.times);
        seconds[each.name] = middle;
        fmt::print(" {} {:.3f} ms{}", each.name, middle * 1e3, &each == &all.back() ? "\n" : ",");
      }
      std::fflush(stdout);
      cells_.push_back({{"operation", layer.operation},
                        {"group", "layer"},
                        {"dtype", dtype},
                        {"size", layer.size},
                        {"elements", layer.elements},
                        {"layout", "contiguous"},
                        {"threads", threads},
                        {"seconds", seconds}});
    }
  }

  void finish() const {
    if (json_.empty()) return;
    nlohmann::ordered_json peers = nlohmann::ordered_json::array();
#ifdef ACLGRAD_HAS_TORCH
    peers.push_back(torch_version());
#endif
    write_file_atomically(
        json_,
        nlohmann::ordered_json{{"benchmark", "kernels"}, {"layer_peers", peers}, {"cells", cells_}}
            .dump());
  }

 private:
  // On one thread of processor time, which other programs hardly change.
  static double now(int threads) {
    timespec now{};
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  static void take(Turn& each, int threads, bool counts) {
    // OpenMP's threads spin for a while after their work: the next one would have a core less.
    if (threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(8));
    const double begin = now(threads);
    each.run();
    if (counts) each.times.push_back(now(threads) - begin);
  }

  bool is_wanted(const std::string& name) const {
    return words_.empty() || std::ranges::any_of(words_, [&](const std::string& word) {
             return name.find(word) != std::string::npos;
           });
  }

  int rounds_ = 30;
  std::vector<int> threads_;
  std::vector<std::string> words_;
  std::string json_;
  nlohmann::ordered_json cells_ = nlohmann::ordered_json::array();
};

}  // namespace aclgrad::bench
