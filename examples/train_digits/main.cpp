// SPDX-License-Identifier: Apache-2.0
// Trains on handwritten digits; see train_digits --help.
#include <aclgrad/data.h>
#include <aclgrad/error.h>
#include <fmt/format.h>

#include "examples/classifier/perceptron.h"

using namespace aclgrad;

namespace {

constexpr std::int64_t kPixels = 64, kClasses = 10, kInk = 16;

// Features [n, 64] scaled to [0, 1], and the digits. Throws IoError, naming the file and the line,
// for anything that is not 64 whole pixels from 0 to 16 and a digit.
data::Dataset load_digits(const std::string& path) {
  const Tensor table = data::read_csv(path, {.dtype = DType::int64});
  if (table.shape()[1] != kPixels + 1) {
    throw IoError(fmt::format("{}: {} columns, but a digit has {} pixels and a label", path,
                              table.shape()[1], kPixels));
  }
  for (std::int64_t i = 0; const std::int64_t value : table.data<std::int64_t>()) {
    const std::int64_t line = i / (kPixels + 1) + 1, column = i % (kPixels + 1);
    const bool is_label = column == kPixels;
    const std::int64_t limit = is_label ? kClasses - 1 : kInk;
    if (value < 0 || value > limit) {
      throw IoError(fmt::format("{}, line {}: {} is {}, but must be from 0 to {}", path, line,
                                is_label ? "the label" : fmt::format("pixel {}", column), value,
                                limit));
    }
    ++i;
  }
  data::Dataset digits = data::from_table(table);
  digits.features = data::rescale(digits.features, 1.0 / kInk);
  return digits;
}

}  // namespace

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
  declare_ranks(app, options.program);
  app.add_option("--hidden", hidden, "units of each of the two hidden layers")
      ->check(CLI::Range(1, 65536));
  app.add_option("--data", options.data, "CSV file: 64 pixels from 0 to 16, then the digit")
      ->default_str("the digits that come with aclgrad");
  return run_program("train_digits", app, argc, argv, options.program, [&] {
    // SELU needs mean 0 and standard deviation 1, and all four then learn at the same rate.
    const data::Split digits =
        data::standardized(data::split(load_digits(options.data), 0.8, options.program.seed));
    train_perceptrons({kPixels, hidden, hidden, kClasses}, digits, options);
  });
}
