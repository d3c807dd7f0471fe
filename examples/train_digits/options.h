// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_EXAMPLES_TRAIN_DIGITS_OPTIONS_H_
#define ACLGRAD_EXAMPLES_TRAIN_DIGITS_OPTIONS_H_

#include <filesystem>
#include <optional>

#include "examples/classifier/options.h"

struct Options {
  TrainingOptions training;
  std::int64_t hidden = 128;
  std::filesystem::path data;
};

// The options of the command line. Nothing when the program should end at once with `exit_status`.
std::optional<Options> parse_options(int argc, char** argv, int& exit_status);

#endif  // ACLGRAD_EXAMPLES_TRAIN_DIGITS_OPTIONS_H_
