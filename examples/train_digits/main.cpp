// SPDX-License-Identifier: Apache-2.0
// Trains on handwritten digits; see train_digits --help.
#include "digits.h"
#include "examples/classifier/perceptron.h"

namespace {

// Mean 0 and standard deviation 1 over all pixels, by those of the training digits. SELU needs it,
// and it lets all four learn at the same rate.
void standardize(aclgrad::data::Split& digits) {
  const auto column = [](const aclgrad::Tensor& x) { return x.reshape({x.numel(), 1}); };
  const aclgrad::data::Standardizer pixels(column(digits.train.features));
  for (aclgrad::Tensor* x : {&digits.train.features, &digits.test.features}) {
    *x = pixels(column(*x)).reshape(x->shape());
  }
}

}  // namespace

int main(int argc, char** argv) {
  PerceptronOptions options{.program = {.out = "out/digits"}, .schedule = "cosine", .dropout = 0.1};
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
    aclgrad::data::Split digits =
        aclgrad::data::split(load_digits(data), 0.8, options.program.seed);
    standardize(digits);
    train_perceptrons({kPixels, hidden, hidden, kClasses}, digits, options,
                      aclgrad::Communicator());
  });
}
