// SPDX-License-Identifier: Apache-2.0
// Trains on handwritten digits; see train_digits --help.
#include "digits.h"
#include "examples/classifier/perceptron.h"

int main(int argc, char** argv) {
  PerceptronOptions options;
  options.program.out = "out/digits";
  options.data = ACLGRAD_EXAMPLE_DATA "/digits.csv";
  options.epochs = 40;
  options.batch = 64;
  options.dropout = 0.1;
  std::int64_t hidden = 128;
  CLI::App app(
      "Trains a small network on 1,797 handwritten digits (8x8 pixels), once for each activation, "
      "and\n"
      "writes learning curves, confusion matrices, misclassified digits, weights and graphs.");
  declare_perceptron_options(app, options);
  app.add_option("--hidden", hidden, "units of each of the two hidden layers")
      ->check(CLI::Range(1, 65536));
  app.add_option("--data", options.data, "CSV file: 64 pixels from 0 to 16, then the digit")
      ->default_str("the digits that come with aclgrad");
  return run_program("train_digits", app, argc, argv, options.program, [&] {
    // SELU needs mean 0 and standard deviation 1, and all four then learn at the same rate.
    const aclgrad::data::Split digits = aclgrad::data::standardized(
        aclgrad::data::split(load_digits(options.data), 0.8, options.program.seed));
    train_perceptrons({kPixels, hidden, hidden, kClasses}, digits, options);
  });
}
