// SPDX-License-Identifier: Apache-2.0
// The command line of an example that trains classifiers.
#ifndef ACLGRAD_EXAMPLES_CLASSIFIER_OPTIONS_H_
#define ACLGRAD_EXAMPLES_CLASSIFIER_OPTIONS_H_

#include <aclgrad/dtype.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

struct TrainingOptions {
  std::vector<std::string> activations = {};  // "selu", "elu", "hardswish", "geglu"
  std::int64_t epochs = 40;
  std::int64_t batch = 64;
  double learning_rate = 5e-3;
  std::string schedule = "constant";               // or "cosine"
  aclgrad::DType dtype = aclgrad::DType::float32;  // of the activations
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all cores
  std::filesystem::path out = {};
  bool resume = false;                // go on from the checkpoints in `out`
  std::int64_t checkpoint_every = 0;  // steps; 0: never
  std::int64_t micro_batches = 0;     // into which a batch is cut; 0: one for each rank
  bool sharded = false;               // each rank keeps its share of the optimizer's state only
};

// Declares the options that all such programs have, with the values there are as defaults.
void declare_training_options(CLI::App& app, TrainingOptions& options, const std::string& examples);

// Parses. False when the program should end at once with `exit_status`: after --help (0), or after
// a line about what is wrong with the options (2).
bool parse_training_options(CLI::App& app, int argc, char** argv, TrainingOptions& options,
                            int& exit_status);

#endif  // ACLGRAD_EXAMPLES_CLASSIFIER_OPTIONS_H_
