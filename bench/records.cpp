// SPDX-License-Identifier: Apache-2.0
// What records cost. Of calls: programs of three kinds run by turns, alone and under
// aclgrad-record, each in a process of its own, from its start to its end. Of runs: fit() by turns,
// with a run.json and without.
#include <aclgrad/aclgrad.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>

#include "acl/acl.h"
#include "aclnnop/aclnn_mul.h"
#include "bench/median.h"
#include "examples/transformer/model.h"

namespace {

using namespace aclgrad;
namespace fs = std::filesystem;

// The transformer as the example trains it, with batches of 16.
struct Writer {
  static constexpr std::int64_t kCharacters = 80;
  transformer::Sizes sizes;
  transformer::Transformer model{kCharacters, sizes, Activation::geglu, DType::float32, 7};
  AdamW optimizer;
  Trainer trainer{
      model, [this](const Value& x, const Value& next) { return cross_entropy(model(x), next); },
      optimizer};

  data::Dataset examples(std::int64_t count) const {
    const Shape shape{count, sizes.context};
    data::Dataset made{Tensor::zeros(shape, DType::int64), Tensor::zeros(shape, DType::int64)};
    for (std::int64_t i = 0; i < made.features.numel(); ++i) {
      made.features.data<std::int64_t>()[static_cast<std::size_t>(i)] = i * 7 % kCharacters;
      made.labels.data<std::int64_t>()[static_cast<std::size_t>(i)] = (i + 1) * 7 % kCharacters;
    }
    return made;
  }
};

void transformer_steps(int steps) {
  Writer writer;
  const data::Dataset batch = writer.examples(16);
  for (int i = 0; i < steps; ++i) writer.trainer.step(batch);
}

// The demo's network: 26,122 parameters, 1,437 digits in batches of 64.
struct Classifier {
  Sequential model{Linear("hidden1", 64, 128), Activate{Activation::elu},
                   Linear("hidden2", 128, 128), Activate{Activation::elu},
                   Linear("output", 128, 10)};
  AdamW optimizer;
  Trainer trainer{model,
                  [this](const Value& x, const Value& t) { return cross_entropy(model(x), t); },
                  optimizer};

  static data::Dataset examples(std::int64_t count) {
    data::Dataset made{init::normal({count, 64}, 5), Tensor::zeros({count}, DType::int64)};
    for (std::int64_t i = 0; i < count; ++i) made.labels.set(i, static_cast<double>(i % 10));
    return made;
  }
};

// Processor seconds, which a busy machine tells, too, of so many steps, and of an evaluation after
// each `every`, with a record of the run or without.
template <class Network>
double seconds_of_fit(std::int64_t batch_size, std::int64_t examples, std::int64_t steps,
                      std::int64_t every, const std::string& record) {
  Network network;
  const data::Batches batches(network.examples(examples), {.batch_size = batch_size, .seed = 3});
  const FitOptions options{.steps = steps,
                           .evaluate_every = every,
                           .validation = network.examples(batch_size),
                           .record = record,
                           .progress = report::ProgressMode::off};
  const std::clock_t before = std::clock();
  fit(network.trainer, batches, options);
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

void measure_fit(const std::string& name, int rounds, const std::string& file,
                 const std::function<double(const std::string& record)>& seconds) {
  std::vector<double> without, with;
  for (int i = 0; i < rounds; ++i) {
    without.push_back(seconds(""));
    with.push_back(seconds(file));
    fs::remove(file);
  }
  const double before = bench::median(without), after = bench::median(with);
  fmt::print("{}: {:.3f} processor seconds, with run.json {:.3f}, {:+.1f} %\n", name, before, after,
             100 * (after / before - 1));
  std::fflush(stdout);
}

void check(int status) {
  if (status != 0) throw std::runtime_error(fmt::format("status {}", status));
}

// x <- x * x of so many numbers, so often; a program of the C interface, which waits at its end.
void squares(std::int64_t elements, int calls) {
  check(aclInit(nullptr));
  check(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  check(aclrtCreateStream(&stream));
  std::vector<float> numbers(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = 1 + static_cast<float>(i % 1000) * 1e-6f;
  const std::size_t bytes = numbers.size() * sizeof(float);
  void* memory = nullptr;
  check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  check(aclrtMemcpy(memory, bytes, numbers.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  aclTensor* const x =
      aclCreateTensor(&elements, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &elements, 1, memory);
  for (int i = 0; i < calls; ++i) {
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    check(aclnnMulGetWorkspaceSize(x, x, x, &size, &executor));
    check(aclnnMul(nullptr, size, executor, stream));
  }
  check(aclrtSynchronizeStream(stream));
  check(aclDestroyTensor(x));
  check(aclrtFree(memory));
  check(aclrtDestroyStream(stream));
}

const std::map<std::string, std::function<void()>> kPrograms = {
    {"6 steps of the transformer", [] { transformer_steps(6); }},
    {"20000 calls of 16 numbers", [] { squares(16, 20000); }},
    {"10 calls of 16 million numbers", [] { squares(16 << 20, 10); }},
};

double seconds_of(const std::string& command) {
  const auto start = std::chrono::steady_clock::now();
  if (std::system(command.c_str()) != 0) throw std::runtime_error(command + " failed");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure(const std::string& name, int rounds, const std::string& folder) {
  const fs::path self = fs::read_symlink("/proc/self/exe");
  const std::string run = fmt::format("ACLGRAD_SESSION=eager '{}' --run '{}'", self.string(), name);
  struct Way {
    const char* name;
    const char* option;
    std::vector<double> seconds = {};
    std::uintmax_t bytes = 0;  // of the record
  };
  std::vector<double> alone;
  Way ways[] = {{"recorded", ""}, {"hashes alone", "--size 0"}};
  for (int i = 0; i < rounds; ++i) {
    alone.push_back(seconds_of(run));
    for (Way& way : ways) {
      way.seconds.push_back(
          seconds_of(fmt::format("'{}/aclgrad-record' {} '{}' env {}", self.parent_path().string(),
                                 way.option, folder, run)));
      way.bytes = fs::file_size(folder + "/contents.bin") + fs::file_size(folder + "/calls.jsonl");
      fs::remove_all(folder);
    }
  }
  const double before = bench::median(alone);
  fmt::print("{}: {:.2f} s", name, before);
  for (const Way& way : ways) {
    const double after = bench::median(way.seconds);
    fmt::print("; {} {:.2f} s, {:.1f} times, {:.1f} MB", way.name, after, after / before,
               static_cast<double>(way.bytes) / 1e6);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("What records of calls and of runs cost, by turns with and without them.");
  int rounds = 7;
  std::string folder = fs::temp_directory_path() / fmt::format("bench_records.{}", getpid());
  std::string word, run;
  app.add_option("rounds", rounds, "turns of each program")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--folder", folder, "where the records are written, and removed again");
  app.add_option("--filter", word, "only what has this in its name");
  app.add_option("--run", run, "run this program, measure nothing");
  CLI11_PARSE(app, argc, argv);
  if (!run.empty()) {
    kPrograms.at(run)();
    return 0;
  }
  for (const auto& [name, program] : kPrograms) {
    if (name.find(word) != std::string::npos) measure(name, rounds, folder);
  }
  for (const std::int64_t every : {23, 230}) {
    const std::string name = fmt::format("2300 steps of the demo, evaluated after each {}", every);
    if (name.find(word) == std::string::npos) continue;
    measure_fit(name, rounds, folder + ".json", [&](const std::string& record) {
      return seconds_of_fit<Classifier>(64, 1437, 2300, every, record);
    });
  }
  if (const std::string name = "20 steps of the transformer, evaluated after each 5";
      name.find(word) != std::string::npos) {
    measure_fit(name, rounds, folder + ".json", [&](const std::string& record) {
      return seconds_of_fit<Writer>(16, 320, 20, 5, record);
    });
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
