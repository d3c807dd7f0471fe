// SPDX-License-Identifier: Apache-2.0
// Trains on handwritten digits; see train_digits --help.
#include "digits.h"
#include "examples/classifier/perceptron.h"

int main(int argc, char** argv) {
  PerceptronOptions options{.program = {.out = "out/digits"}};
  std::int64_t hidden = 128;
  std::filesystem::path data = ACLGRAD_EXAMPLE_DATA "/digits.csv";
  CLI::App app(
      "Trains a small network on 1,797 handwritten digits (8x8 pixels), once for each activation, "
      "and\n"
      "writes learning curves, confusion matrices, misclassified digits, weights and graphs.");
  declare_perceptron_options(app, options);
  app.add_option("--hidden", hidden, "units of each of the two hidden layers")
      ->check(CLI::Range(1, 65536))
      ->type_name("N");
  app.add_option("--data", data, "CSV file: 64 pixels from 0 to 16, then the digit")
      ->type_name("FILE")
      ->default_str("the digits that come with aclgrad");
  return run_program("train_digits", app, argc, argv, options.program, [&] {
    train_perceptrons({kPixels, hidden, hidden, kClasses},
                      aclgrad::data::split(load_digits(data), 0.8, options.program.seed), options,
                      aclgrad::Communicator());
  });
}
