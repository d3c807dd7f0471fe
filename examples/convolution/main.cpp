// SPDX-License-Identifier: Apache-2.0
// A convolutional network with ELU, beside the same with ReLU, on MNIST or Fashion-MNIST.
// `./dev convolution` fetches them.
#include <aclgrad/aclgrad.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "examples/classifier/classifier.h"
#include "examples/classifier/mnist.h"
#include "examples/convolution/model.h"

using namespace aclgrad;

namespace {

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

Training make(const std::string& activation, const data::Split& images,
              const ClassifierOptions& options) {
  const convolution::Network model({}, activation_named(activation), options.program.seed);
  const bool clothes = options.data == "fashion";  // with the recipe of mobilenet
  data::BatchOptions order{.batch_size = std::min(options.batch, images.train.size()),
                           .drop_last = true,
                           .seed = options.program.seed};
  if (clothes) order.transform = mnist::shift_and_flip;
  const data::Batches batches(images.train, order);
  const std::int64_t steps = options.epochs * batches.batches_per_epoch();
  const std::int64_t warm_up = std::min<std::int64_t>(100, steps);
  const AdamW optimizer({.learning_rate = schedule::cosine(clothes ? 4e-3 : 2e-3, warm_up, steps)},
                        decay_matrices(model.parameters(), clothes ? 0.05 : 0));
  const auto filters = [=] { return Pictures{{"filters", filters_picture(model, activation)}}; };
  return classifier({.name = activation,
                     .model = model,
                     .optimizer = std::make_shared<AdamW>(optimizer),
                     .batches = batches,
                     .pictures = filters},
                    model, options.program, images.test);
}

}  // namespace

int main(int argc, char** argv) {
  ClassifierOptions options{.data = "mnist", .activations = {"elu", "relu"}};
  CLI::App app("Trains a convolutional network with ELU, and with ReLU, on MNIST or Fashion-MNIST");
  app.option_defaults()->always_capture_default();
  app.add_option("--data", options.data, "mnist, fashion, or a folder with files like theirs");
  declare_classifier_options(app, options);
  declare_ranks(app, options.program);
  return run_program("convolution", app, argc, argv, options.program, [&] {
    if (options.program.out.empty()) {
      const std::filesystem::path data(options.data);
      options.program.out = "out/convolution" / data.filename();
    }
    const data::Split images = mnist::load_images(options.data);
    compare_classifiers(options, images,
                        [&](const std::string& name) { return make(name, images, options); });
  });
}
