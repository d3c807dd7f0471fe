// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_EXAMPLES_TRAIN_DIGITS_OPTIONS_H_
#define ACLGRAD_EXAMPLES_TRAIN_DIGITS_OPTIONS_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

struct Options {
  std::vector<std::string> activations;  // "selu", "elu", "hardswish", "geglu"
  std::int64_t epochs = 40;
  std::int64_t batch = 64;
  std::int64_t hidden = 128;
  double learning_rate = 5e-3;
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all cores
  std::filesystem::path out = "out/digits";
  std::filesystem::path data;
};

// The options of the command line. Nothing when the program should end at once with `exit_status`:
// after --help (0), or after a line about what is wrong with the options (2).
std::optional<Options> parse_options(int argc, char** argv, int& exit_status);

#endif  // ACLGRAD_EXAMPLES_TRAIN_DIGITS_OPTIONS_H_
