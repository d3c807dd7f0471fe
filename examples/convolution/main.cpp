// SPDX-License-Identifier: Apache-2.0
// A convolutional network with ELU, beside the same with ReLU, on MNIST or Fashion-MNIST.
// `./dev convolution` fetches them.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "examples/classifier/classifier.h"
#include "examples/classifier/mnist.h"
#include "examples/convolution/model.h"

using namespace aclgrad;

namespace {

struct Options {
  ProgramOptions program;
  std::string data = "mnist";
  std::vector<std::string> activations = {"elu", "relu"};
  std::int64_t epochs = 5, stop_after = 1000000;
};

// As images, moved to mean 0 and standard deviation 1 by what all pixels to train on have.
data::Split standardized_images(const data::Split& read) {
  double sum = 0, squares = 0;
  for (const double pixel : read.train.features.data<float>()) {
    sum += pixel;
    squares += pixel * pixel;
  }
  const auto count = static_cast<double>(read.train.features.numel());
  const double mean = sum / count;
  const double stddev = std::sqrt(std::max(squares / count - mean * mean, 1e-12));
  const auto images = [&](const data::Dataset& part) -> data::Dataset {
    return {data::rescale(part.features, 1 / stddev, -mean / stddev)
                .reshape({part.size(), 1, mnist::kSide, mnist::kSide}),
            part.labels};
  };
  return {images(read.train), images(read.test)};
}

// White is the least weight, black the greatest.
std::string filters_picture(const convolution::Network& model, const std::string& activation) {
  const Tensor weight = model.parameters().front().value();  // [out, 1, 5, 5]
  const auto all = weight.data<float>();
  const auto [least, greatest] = std::ranges::minmax(all);
  report::ImageGrid grid{
      .title = "The first layer's kernels, " + activation, .light = least, .dark = greatest};
  for (std::size_t at = 0; at < all.size(); at += 25) {
    grid.images.push_back({.pixels = Tensor::from({5, 5}, all.subspan(at, 25))});
  }
  return grid.svg();
}

Classified train(const std::string& activation, const data::Split& images, const Options& options,
                 const Communicator& communicator) {
  const convolution::Network model({}, activation, options.program.seed);
  const data::Batches batches(images.train,
                              {.batch_size = std::min<std::int64_t>(128, images.train.size()),
                               .drop_last = true,
                               .seed = options.program.seed});
  const std::int64_t steps = options.epochs * batches.batches_per_epoch();
  Adam optimizer(
      {.learning_rate = schedule::cosine(2e-3, std::min<std::int64_t>(100, steps), steps)});
  Classified made = train_classifier({.name = activation,
                                      .model = model,
                                      .scores = model,
                                      .optimizer = optimizer,
                                      .batches = batches,
                                      .test = images.test,
                                      .epochs = std::min(options.stop_after, options.epochs)},
                                     options.program, communicator);
  if (communicator.is_first()) {
    write_file_atomically(options.program.out / ("filters_" + activation + ".svg"),
                          filters_picture(model, activation));
  }
  return made;
}

void run(Options& options) {
  std::filesystem::path folder = options.data;
  if (options.data == "mnist") folder = "out/mnist-data";
  if (options.data == "fashion") folder = "out/fashion-mnist-data";
  const data::Split images = standardized_images(
      mnist::load(folder, "`./dev convolution` fetches MNIST, with --data fashion Fashion-MNIST."));
  if (options.program.out.empty()) {
    options.program.out =
        std::filesystem::path("out/convolution") / std::filesystem::path(options.data).filename();
  }
  on_ranks(options.program, [&](const Communicator& communicator) {
    compare_classifiers("Test pictures that a convolutional network tells apart",
                        options.activations, options.program, communicator,
                        [&](const std::string& activation) {
                          return train(activation, images, options, communicator);
                        });
  });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a convolutional network with ELU, and with ReLU, on MNIST or Fashion-MNIST");
  app.option_defaults()->always_capture_default();
  app.add_option("--data", options.data, "mnist, fashion, or a folder with files like theirs");
  app.add_option("--activation", options.activations, "one or both")
      ->check(CLI::IsMember({"elu", "relu"}));
  app.add_option("--epochs", options.epochs, "passes over the pictures")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--stop-after", options.stop_after, "epochs; the rest is for --resume")
      ->check(CLI::Range(1, 1000000));
  declare_dtype(app, options.program);
  declare_program_options(app, options.program,
                          "folder for weights, pictures, pages, checkpoints; out/convolution/DATA "
                          "where none is named");
  declare_resume(app, options.program);
  declare_ranks(app, options.program);
  return run_program("convolution", app, argc, argv, options.program, [&] { run(options); });
}
