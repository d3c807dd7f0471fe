// SPDX-License-Identifier: Apache-2.0
// A small MobileNetV3 with Hardswish, beside the same with ReLU, on Fashion-MNIST: pictures of
// clothes in the format of MNIST. `./dev mobilenet` fetches them.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "examples/classifier/classifier.h"
#include "examples/classifier/mnist.h"
#include "examples/mobilenet/model.h"

using namespace aclgrad;

namespace {

struct Options {
  ProgramOptions program{.out = "out/mobilenet"};
  std::filesystem::path data = "out/fashion-mnist-data";
  std::vector<std::string> activations = {"hardswish", "relu"};
  std::int64_t epochs = 8, batch = 128;
};

// As images with mean 0 and standard deviation 1.
data::Dataset images_of(const data::Dataset& examples) {
  const Shape shape{examples.size(), 1, mnist::kSide, mnist::kSide};
  return {data::rescale(examples.features, 1 / 0.353, -0.286 / 0.353).reshape(shape),
          examples.labels};
}

Classified train(const std::string& activation, const data::Split& images, const Options& options,
                 const Communicator& communicator) {
  const mobilenet::MobileNet model({}, activation, options.program.seed);
  const data::Batches batches(
      images.train, {.batch_size = options.batch,
                     .drop_last = true,
                     .seed = options.program.seed,
                     .transform = [](data::Dataset batch, const Random& random) {
                       batch.features =
                           data::random_flip(data::random_shift(batch.features, 1, random), random);
                       return batch;
                     }});
  const std::int64_t steps = options.epochs * batches.batches_per_epoch();
  AdamW optimizer(
      {.learning_rate = schedule::cosine(4e-3, std::min<std::int64_t>(100, steps), steps)},
      decay_matrices(model.parameters(), 0.05));
  Classified made = train_classifier({.name = activation,
                                      .model = model,
                                      .scores = model,
                                      .optimizer = optimizer,
                                      .batches = batches,
                                      .test = images.test,
                                      .epochs = options.epochs,
                                      .prefetch = true},
                                     options.program, communicator);
  if (communicator.is_first()) {
    write_file_atomically(options.program.out / "model.txt", model.summary());
  }
  return made;
}

void run(const Options& options) {
  const data::Split read = mnist::load(options.data, "`./dev mobilenet` fetches them.");
  const data::Split images{images_of(read.train), images_of(read.test)};
  on_ranks(options.program, [&](const Communicator& communicator) {
    compare_classifiers("A small MobileNetV3 tells clothes apart", options.activations,
                        options.program, communicator, [&](const std::string& activation) {
                          return train(activation, images, options, communicator);
                        });
  });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a small MobileNetV3 on Fashion-MNIST");
  app.option_defaults()->always_capture_default();
  app.add_option("--data", options.data, "folder with four files in the format of MNIST");
  app.add_option("--activation", options.activations, "one or both")
      ->check(CLI::IsMember({"hardswish", "relu"}));
  app.add_option("--epochs", options.epochs, "passes over the pictures")
      ->check(CLI::Range(1, 100000));
  app.add_option("--batch", options.batch, "pictures of a step")->check(CLI::Range(1, 60000));
  declare_program_options(app, options.program, "folder for weights, pictures, pages, checkpoints");
  declare_dtype(app, options.program);
  declare_resume(app, options.program);
  declare_ranks(app, options.program);
  return run_program("mobilenet", app, argc, argv, options.program, [&] { run(options); });
}
