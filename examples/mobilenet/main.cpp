// SPDX-License-Identifier: Apache-2.0
// A small MobileNetV3 with Hardswish, beside the same with ReLU, on Fashion-MNIST: pictures of
// clothes in the format of MNIST. `./dev mobilenet` fetches them.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "examples/classifier/mnist.h"
#include "examples/classifier/results.h"
#include "examples/mobilenet/model.h"

using namespace aclgrad;

namespace {

struct Options {
  std::filesystem::path data = "out/fashion-mnist-data", out = "out/mobilenet";
  std::vector<std::string> activations = {"hardswish", "relu"};
  std::int64_t epochs = 8, batch = 128;
  std::uint64_t seed = 1;
  int threads = 0;
  bool resume = false;
};

// As images with mean 0 and deviation 1.
data::Dataset images_of(const data::Dataset& examples) {
  const Shape shape{examples.size(), 1, mnist::kSide, mnist::kSide};
  return {data::rescale(examples.features, 1 / 0.353, -0.286 / 0.353).reshape(shape),
          examples.labels};
}

report::Series train(const std::string& activation, const data::Split& images,
                     const Options& options) {
  const mobilenet::MobileNet model({}, activation, options.seed);
  const data::Batches batches(
      images.train, {.batch_size = options.batch,
                     .drop_last = true,
                     .seed = options.seed,
                     .transform = [](data::Dataset batch, const Random& random) {
                       batch.features =
                           data::random_flip(data::random_shift(batch.features, 1, random), random);
                       return batch;
                     }});
  const std::int64_t steps = options.epochs * batches.batches_per_epoch();
  AdamW optimizer(
      {.learning_rate = schedule::cosine(4e-3, std::min<std::int64_t>(100, steps), steps)},
      decay_matrices(model.parameters(), 0.05));
  Trainer trainer(
      model, [&](const Value& x, const Value& t) { return cross_entropy(model(x), t); }, optimizer);
  Predictor predictor(model);
  const Metric accuracy{"% right", [&] {
                          return 100 * data::accuracy(data::argmax(predictor(images.test.features)),
                                                      images.test.labels);
                        }};
  const History history = fit(trainer, batches,
                              {.epochs = options.epochs,
                               .metrics = {accuracy},
                               .checkpoint = options.out / ("checkpoint_" + activation),
                               .resume = options.resume,
                               .report = options.out / ("report_" + activation + ".html"),
                               .title = activation,
                               .prefetch = true});
  fmt::print("{}, {:.0f} s\n{}\n", activation, history.seconds, history.to_string({accuracy}));
  model.save(options.out / ("weights_" + activation + ".safetensors"));
  write_file_atomically(options.out / "model.txt", model.summary());
  report::Series curve{.name = activation, .y = {}};
  for (const Evaluation& evaluation : history.evaluations) {
    curve.x.push_back(static_cast<double>(curve.x.size() + 1));
    curve.y.push_back(evaluation.metrics[0]);
  }
  return curve;
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
  app.add_option("--seed", options.seed, "the same seed gives the same bits");
  app.add_option("--threads", options.threads, "0: all cores")->check(CLI::Range(0, 1024));
  app.add_option("--out", options.out, "folder for weights, pictures, pages, checkpoints");
  app.add_flag("--resume", options.resume, "go on from the checkpoints in --out");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    if (options.threads > 0) set_num_threads(options.threads);
    const data::Split read = mnist::load(options.data);
    const data::Split images{images_of(read.train), images_of(read.test)};
    std::filesystem::create_directories(options.out);
    report::Table table({"activation", "% right"});
    report::LineChart chart{.title = "A small MobileNetV3 tells clothes apart",
                            .x_label = "epoch",
                            .y_label = "% right"};
    for (const std::string& activation : options.activations) {
      chart.series.push_back(train(activation, images, options));
      table.add_row({activation, fmt::format("{:.2f}", chart.series.back().y.back())});
    }
    write_file_atomically(options.out / "learning.svg", chart.svg());
    fmt::print("{}", table.to_string());
    flush_output();
    return 0;
  } catch (const std::exception& error) {
    return exit_status_for("mobilenet", error);
  }
}
