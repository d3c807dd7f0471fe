// SPDX-License-Identifier: Apache-2.0
// ./dev test-training: asks the promises of training of random problems, for as long as its options
// say.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "tests/training/properties/properties.h"

namespace aclgrad::training {
namespace {

using std::chrono::steady_clock;

struct Options {
  std::int64_t seconds = 60;
  std::optional<std::uint64_t> seed;
  std::string property;
  std::string spec;
  int count = 1;
};

struct Sums {
  std::int64_t problems = 0, findings = 0;
  std::map<std::string, int> refused;
};

void search_with(const Property& property, std::uint64_t seed, Sums& sums) {
  ++sums.problems;
  for (const Finding& finding : search(property, seed, 1, sums.refused)) {
    fmt::print("{}", finding.to_string());
    ++sums.findings;
  }
  std::fflush(stdout);
}

// The properties in turn, each of the next problem.
void search_until(steady_clock::time_point end, std::uint64_t seed,
                  const std::vector<Property>& asked, Sums& sums) {
  auto shown = steady_clock::now();
  for (std::uint64_t i = 0; steady_clock::now() < end; ++i) {
    search_with(asked[i % asked.size()], seed + i / asked.size(), sums);
    if (steady_clock::now() - shown < std::chrono::seconds(30)) continue;
    shown = steady_clock::now();
    fmt::print("{} problems, {} findings\n", sums.problems, sums.findings);
    std::fflush(stdout);
  }
}

int report(const Sums& sums, std::size_t asked) {
  std::int64_t refused = 0;
  for (const auto& [reason, times] : sums.refused) {
    fmt::print("refused {} times: {}\n", times, reason);
    refused += times;
  }
  fmt::print("{} problems, {} properties: {} findings, {} problems refused\n", sums.problems, asked,
             sums.findings, refused);
  return sums.findings == 0 ? 0 : 1;
}

int run(const Options& options) {
  std::vector<Property> asked = properties();
  if (!options.property.empty()) asked = {property_named(options.property)};
  if (!options.spec.empty()) {
    for (const Property& property : asked) {
      const Result result = ask(property, Json::parse(options.spec));
      fmt::print("{}: {} {}\n", property.name,
                 result.answer == Answer::holds     ? "holds"
                 : result.answer == Answer::refused ? "refused"
                                                    : "fails",
                 result.text);
    }
    return 0;
  }
  Sums sums;
  if (options.seed) {
    for (int i = 0; i < options.count; ++i) {
      for (const Property& property : asked)
        search_with(property, *options.seed + static_cast<std::uint64_t>(i), sums);
    }
  } else {
    const std::uint64_t seed = std::random_device()() % 1000000000;
    search_until(steady_clock::now() + std::chrono::seconds(options.seconds), seed, asked, sums);
  }
  return report(sums, asked.size());
}

}  // namespace
}  // namespace aclgrad::training

int main(int argc, char** argv) {
  setenv("ACLGRAD_DEVICE_COUNT", "2", /*replace=*/1);
  aclgrad::training::Options options;
  CLI::App app{"Asks the promises of docs/guide/training.md of random problems."};
  app.add_option("--seconds", options.seconds, "how long, from a fresh seed")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the problem, instead");
  app.add_option("--count", options.count, "so many problems from that seed on");
  app.add_option("--property", options.property, "only this one");
  app.add_option("--spec", options.spec, "ask of this problem, as JSON");
  CLI11_PARSE(app, argc, argv);
  try {
    return aclgrad::training::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "test-training: {}\n", error.what());
    return 2;
  }
}
