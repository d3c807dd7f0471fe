// SPDX-License-Identifier: Apache-2.0
// Trains on handwritten digits; see train_digits --help.
#include "digits.h"
#include "examples/classifier/results.h"
#include "options.h"

int main(int argc, char** argv) {
  try {
    int exit_status = 0;
    const std::optional<Options> options = parse_options(argc, argv, exit_status);
    if (!options) {
      flush_output();
      return exit_status;
    }
    const aclgrad::data::Split digits =
        aclgrad::data::split(load_digits(options->data), 0.8, options->training.seed);
    train_all({kPixels, options->hidden, options->hidden, kClasses}, digits, kSide,
              options->training);
  } catch (const std::exception& error) {
    return exit_status_for("train_digits", error);
  }
}
