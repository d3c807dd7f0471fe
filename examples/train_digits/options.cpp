// SPDX-License-Identifier: Apache-2.0
#include "options.h"

std::optional<Options> parse_options(int argc, char** argv, int& exit_status) {
  Options options;
  options.training.out = "out/digits";
  options.data = ACLGRAD_EXAMPLE_DATA "/digits.csv";
  CLI::App app(
      "Trains a small network on 1,797 handwritten digits (8x8 pixels), once for each activation, "
      "and\n"
      "writes learning curves, confusion matrices, misclassified digits, weights and graphs.",
      "train_digits");
  declare_training_options(app, options.training, "digits");
  app.add_option("--hidden", options.hidden, "units of each of the two hidden layers")
      ->check(CLI::Range(1, 65536))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--data", options.data, "CSV file: 64 pixels from 0 to 16, then the digit")
      ->type_name("FILE")
      ->default_str("the digits that come with aclgrad");
  if (!parse_training_options(app, argc, argv, options.training, exit_status)) return std::nullopt;
  return options;
}
