// SPDX-License-Identifier: Apache-2.0
#include "bench/train/measure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>

#include "bench/cores.h"
#include "bench/median.h"
#include "bench/process.h"
#include "bench/stolen.h"

namespace aclgrad::bench {
namespace {

namespace fs = std::filesystem;

// A libtorch that needs longer than this for its first step is passed over: there are others of it,
// upon better BLAS.
constexpr double kSlow = 2;
// How often a repetition is tried of which the machine's host takes some.
constexpr int kTries = 6;

bool has_avx512() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

// A contender at work.
class Runner {
 public:
  Runner(const Contender& contender, const Workload& workload, int threads, const cpu_set_t& cores)
      : process_({contender.program.string(), workload.name, std::to_string(threads)},
                 contender.variables),
        cores_(cores) {
    times_.push_back(run(1));
    skipped_ = contender.name.starts_with(kTorch) && times_.front() > kSlow;
    if (!skipped_) {
      times_.clear();
      run(kCompared - 1);
      const std::string loss = process_.ask("loss");
      if (loss != "none") figures_.loss = std::stod(loss);
    }
    figures_.peak = std::stod(process_.ask("peak")) * 1024;
    figures_.version = process_.ask("version");
  }

  // Finds out how many steps a repetition takes.
  void calibrate(double seconds) {
    while (!skipped_) {
      const double taken = run(steps_);
      if (taken >= seconds) break;
      const double wanted = taken > 0 ? 1.2 * seconds / taken : 10;
      steps_ =
          static_cast<long>(std::ceil(static_cast<double>(steps_) * std::clamp(wanted, 1.1, 10.0)));
    }
  }

  void repeat() {
    if (skipped_) return;
    const double seconds = least_disturbed(kTries, [&]() -> Measured {
      const double before = stolen_seconds(cores_);
      const double taken = run(steps_);
      return {.seconds = taken, .disturbance = stolen_seconds(cores_) - before};
    });
    times_.push_back(seconds / static_cast<double>(steps_));
  }

  Figures figures() {
    figures_.times = times_;
    figures_.seconds = median(times_);
    figures_.least = *std::ranges::min_element(times_);
    return figures_;
  }

 private:
  double run(long steps) { return std::stod(process_.ask("run " + std::to_string(steps))); }

  Process process_;
  cpu_set_t cores_;
  bool skipped_ = false;
  long steps_ = 1;
  std::vector<double> times_;
  Figures figures_;
};

}  // namespace

std::vector<fs::path> installed_blas() {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& folder : fs::directory_iterator("/usr/lib", ignored)) {
    for (const char* variant : {"openblas-openmp", "openblas-pthread"}) {
      const fs::path path = folder.path() / variant;
      if (fs::exists(path / "libblas.so.3", ignored)) found.push_back(path);
    }
  }
  return found;
}

std::vector<Contender> find_contenders(const std::vector<fs::path>& blas) {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  std::vector<Contender> list = {{kOurs, here / "train_worker_ours", {}},
                                 {kFloor, here / "train_worker_floor", {}}};
  const fs::path torch = here / "train_worker_torch";
  if (!fs::exists(torch)) return list;
  std::vector<fs::path> folders = {""};
  folders.insert(folders.end(), blas.begin(), blas.end());
  for (const fs::path& folder : folders) {
    for (const bool avx512 : {false, true}) {
      if (avx512 && !has_avx512()) continue;
      Contender contender{kTorch, torch, {}};
      // OpenBLAS does not know newer processors and takes its oldest code for them.
      if (has_avx512()) contender.variables.push_back("OPENBLAS_CORETYPE=SkylakeX");
      if (avx512) {
        contender.name += " avx512";
        contender.variables.push_back("ATEN_CPU_CAPABILITY=avx512");
      }
      if (!folder.empty()) {
        contender.name += ", " + folder.filename().string();
        contender.variables.push_back("LD_LIBRARY_PATH=" + folder.string());
      }
      list.push_back(contender);
    }
  }
  return list;
}

const std::pair<const std::string, Figures>* Result::torch() const {
  const std::pair<const std::string, Figures>* best = nullptr;
  for (const auto& entry : figures) {
    if (!entry.first.starts_with(kTorch)) continue;
    if (best == nullptr || entry.second.seconds < best->second.seconds) best = &entry;
  }
  return best;
}

double times_as_long(const Figures& contender, const Figures& other) {
  // Who was passed over has one time only.
  if (contender.times.size() != other.times.size()) return contender.seconds / other.seconds;
  std::vector<double> ratios;
  for (size_t i = 0; i < contender.times.size(); ++i) {
    ratios.push_back(contender.times[i] / other.times[i]);
  }
  return median(ratios);
}

std::vector<Result> measure(const Workload& workload, const std::vector<int>& threads,
                            const std::vector<Contender>& contenders, const Effort& effort,
                            const std::function<void()>& after_repetition) {
  struct Entry {
    size_t result;
    std::string name;
    std::unique_ptr<Runner> runner;
  };
  std::vector<Result> results;
  // What is compared most closely has its turns close together.
  std::array<std::vector<Entry>, 2> groups;
  for (const int count : threads) {
    const cpu_set_t cores = last_cores(count);
    const OnlyCores only(cores);
    for (const Contender& contender : contenders) {
      // oneDNN has no products of bfloat16 for shorter vectors.
      if (workload.bfloat16 && contender.name == kFloor && !has_avx512()) continue;
      auto runner = std::make_unique<Runner>(contender, workload, count, cores);
      let_threads_sleep();
      runner->calibrate(effort.seconds);
      groups[contender.name.starts_with(kTorch) ? 1 : 0].push_back(
          {results.size(), contender.name, std::move(runner)});
    }
    results.push_back({.workload = workload.name, .threads = count, .figures = {}});
  }
  std::mt19937 random(1);
  for (int repetition = 0; repetition < effort.repetitions; ++repetition) {
    for (std::vector<Entry>& group : groups) {
      std::ranges::shuffle(group, random);
      for (const Entry& entry : group) {
        let_threads_sleep();
        entry.runner->repeat();
      }
    }
    after_repetition();
  }
  for (const std::vector<Entry>& group : groups) {
    for (const Entry& entry : group) {
      results[entry.result].figures[entry.name] = entry.runner->figures();
    }
  }
  return results;
}

}  // namespace aclgrad::bench
