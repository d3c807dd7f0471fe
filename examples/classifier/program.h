// SPDX-License-Identifier: Apache-2.0
// What programs that train a network have in common: options, what becomes of errors, and the
// training of a classifier.
#ifndef ACLGRAD_EXAMPLES_CLASSIFIER_PROGRAM_H_
#define ACLGRAD_EXAMPLES_CLASSIFIER_PROGRAM_H_

#include <aclgrad/aclgrad.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

struct ProgramOptions {
  std::filesystem::path out = {};
  std::uint64_t seed = 1;
  int threads = 0;
  bool resume = false;
};

// --seed, --threads, --out, for which the program says what goes there.
void declare_program_options(CLI::App& app, ProgramOptions& options, const std::string& out);
void declare_resume(CLI::App& app, ProgramOptions& options);

// Parses, runs `body` and returns the exit status: 2 when options or files are at fault, 1 when
// something went wrong on the way. `advice` goes after what is wrong with a file.
int run_program(const std::string& name, CLI::App& app, int argc, char** argv,
                const ProgramOptions& options, const std::function<void()>& body,
                const std::string& advice = {});

// The first metric of every evaluation, numbered from 1.
aclgrad::report::Series curve_of(const std::string& name, const aclgrad::History& history);

// A network that scores classes, and what it is trained with.
struct Classification {
  std::string name;
  aclgrad::Module model;
  std::function<aclgrad::Value(const aclgrad::Value&)> scores;
  aclgrad::Optimizer& optimizer;
  const aclgrad::data::Batches& batches;
  const aclgrad::data::Dataset& test;
};

// Trains with a page and checkpoints in options.out, prints the table of epochs, saves the weights
// there; returns how many test examples were right after each epoch, in percent.
aclgrad::report::Series train_classifier(const Classification& it, std::int64_t epochs,
                                         bool prefetch, const ProgramOptions& options);

#endif  // ACLGRAD_EXAMPLES_CLASSIFIER_PROGRAM_H_
