// SPDX-License-Identifier: Apache-2.0
// A small MobileNetV3 with Hardswish, beside the same with ReLU, on Fashion-MNIST: pictures of
// clothes in the format of MNIST. `./dev mobilenet` fetches them.
#include <aclgrad/aclgrad.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "examples/classifier/classifier.h"
#include "examples/classifier/mnist.h"
#include "examples/mobilenet/model.h"

using namespace aclgrad;

namespace {

Training make(const std::string& activation, const data::Split& images,
              const ClassifierOptions& options) {
  const mobilenet::MobileNet model({}, activation_named(activation), options.program.seed);
  const data::Batches batches(images.train, {.batch_size = options.batch,
                                             .drop_last = true,
                                             .seed = options.program.seed,
                                             .transform = mnist::shift_and_flip});
  const std::int64_t steps = options.epochs * batches.batches_per_epoch();
  const AdamW optimizer(
      {.learning_rate = schedule::cosine(4e-3, std::min<std::int64_t>(100, steps), steps)},
      decay_matrices(model.parameters(), 0.05));
  return classifier({.name = activation,
                     .model = model,
                     .optimizer = std::make_shared<AdamW>(optimizer),
                     .batches = batches},
                    model, options.program, images.test);
}

}  // namespace

int main(int argc, char** argv) {
  ClassifierOptions options{.program = {.out = "out/mobilenet"},
                            .data = "fashion",
                            .activations = {"hardswish", "relu"},
                            .epochs = 8};
  CLI::App app("Trains a small MobileNetV3 on Fashion-MNIST");
  app.option_defaults()->always_capture_default();
  app.add_option("--data", options.data, "mnist, fashion, or a folder with files like theirs");
  declare_classifier_options(app, options);
  declare_ranks(app, options.program);
  return run_program("mobilenet", app, argc, argv, options.program, [&] {
    const data::Split images = mnist::load_images(options.data);
    compare_classifiers(options, images,
                        [&](const std::string& name) { return make(name, images, options); });
  });
}
