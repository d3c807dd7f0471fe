// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "aclgrad/report.h"
#include "bench/machine.h"
#include "bench/train/bars.h"
#include "bench/train/report.h"

namespace aclgrad::bench {
namespace {

// Rows of: workload, threads, contender, µs a step, fastest repetition, times ours, MB.
std::vector<std::vector<std::string>> rows(const std::vector<Result>& results) {
  std::vector<std::vector<std::string>> list;
  for (const Result& result : results) {
    std::vector<std::pair<std::string, Figures>> sorted(result.figures.begin(),
                                                        result.figures.end());
    std::ranges::stable_sort(sorted, {}, [](const auto& entry) { return entry.second.seconds; });
    for (const auto& [name, figures] : sorted) {
      list.push_back({result.workload, std::to_string(result.threads), name,
                      fmt::format("{:.2f}", figures.seconds * 1e6),
                      fmt::format("{:.2f}", figures.least * 1e6),
                      fmt::format("{:.2f}", times_as_long(figures, result.ours())),
                      fmt::format("{:.1f}", figures.peak / 1e6)});
    }
  }
  return list;
}

const std::vector<std::string> kHeads = {"workload", "threads",    "who",    "µs a step",
                                         "fastest",  "times ours", "peak MB"};

std::string versions(const std::vector<Result>& results) {
  std::set<std::string> all;
  for (const Result& result : results) {
    for (const auto& [name, figures] : result.figures) {
      if (name != kOurs) all.insert(figures.version);
    }
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

constexpr const char* kHow = R"(
* One step is forward, loss, backward and update in float32. All start with the same weights
  and the same batch; the losses of step {} agree within 1e-4. In W4b and W5b activations and products
  are in bfloat16 and the rest as before; libtorch does so by autocast, and losses agree within 2 %.
* When this began, {:.1f} programs wanted a core on average: above 0.1 the machine was shared, and
  times are too long. Ratios suffer less.
* Ours is one run of a session, which is fed the batch and its labels anew in every step. libtorch is
  its C++ interface, eager, with its own modules and optimizers; its batch stands in its memory
  already. "avx512" is ATEN_CPU_CAPABILITY=avx512; after the comma stands the BLAS library put in the
  place of the system's (OPENBLAS_CORETYPE makes OpenBLAS use AVX-512). The best of these is what a promise compares with.
* "Bare products" are the matrix products and convolutions of the step and nothing else, by oneDNN's
  primitives, made beforehand and executed bare; images and weights lie in memory as each of its
  convolutions likes them best.
* Each candidate is a process of its own, on the same cores, one for each thread; they take turns, in a new
  order each time. Given are the median of {} repetitions, each of at least {} ms, and the fastest of
  them. A repetition during which the host of a virtual machine took time from its cores (/proc/stat) is
  tried again, six times in all; if it always did, the one that lost least counts. Who takes how many
  times as long is the median of the quotients of each repetition: machines change their speed, and these
  runs were soon after each other. Peak MB (10^6 bytes) is what was resident at most in a process that
  has only trained this workload.

)";

}  // namespace

std::string terminal_text(const std::vector<Result>& results) {
  aclgrad::report::Table table(kHeads);
  for (const auto& row : rows(results)) table.add_row(row);
  aclgrad::report::Table promises({"", "promise", "measured"});
  for (const Bar& bar : bars(results)) promises.add_row({verdict(bar), bar.promise, bar.measured});
  return table.to_string() + "\n" + promises.to_string();
}

std::string markdown(const std::vector<Result>& results, const Effort& effort, double load) {
  const std::time_t now = std::time(nullptr);
  std::string text = fmt::format(
      "# Performance of training\n\nWritten by `./dev bench train` on {:%Y-%m-%d}; nothing here is "
      "typed by hand.\n\n## How it was measured\n\n* Machine: {}. Compiler: g++ {}. Beside: {}.",
      fmt::gmtime(now), processor(), __VERSION__, versions(results));
  text += fmt::format(kHow, kCompared, load, effort.repetitions, effort.seconds * 1e3);
  text += "| workload | what |\n|---|---|\n";
  for (const Workload& workload : workloads()) {
    text += fmt::format("| {} | {} |\n", workload.name, workload.what);
  }
  text +=
      "\nPromises are for processors with AVX-512: shorter vectors lengthen what a step has beside "
      "its products.\n\n" +
      promises(bars(results));
  text += fmt::format("\n## All times\n\n| {} |\n|---|---:|---|---:|---:|---:|---:|\n",
                      fmt::join(kHeads, " | "));
  for (const auto& row : rows(results)) text += fmt::format("| {} |\n", fmt::join(row, " | "));
  return text;
}

}  // namespace aclgrad::bench
