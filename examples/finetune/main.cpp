// SPDX-License-Identifier: Apache-2.0
// Takes a network as ONNX, replaces its head, trains that and the last layers on other pictures,
// and writes ONNX. Without --model it first trains a small convolutional network on MNIST, and
// takes what that was saved as. `./dev finetune` fetches MNIST and Fashion-MNIST.
#include <aclgrad/aclgrad.h>
#include <aclgrad/onnx.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "examples/classifier/classifier.h"
#include "examples/classifier/mnist.h"
#include "examples/convolution/model.h"
#include "examples/finetune/model.h"

using namespace aclgrad;

namespace {

struct Options {
  ProgramOptions program = {.out = "out/finetune"};
  std::filesystem::path model = {};
  std::string data = "fashion", first_data = "mnist";
  std::int64_t layers = 2, epochs = 2, batch = 128;
};

double percent_right(const std::function<Value(const Value&)>& network, const data::Dataset& test) {
  Predictor predict(network, 500);
  return 100 * data::accuracy(data::argmax(predict(test.features)), test.labels);
}

// A network of other pictures, as a file.
std::filesystem::path made_here(const Options& options) {
  const data::Split images = mnist::load_images(options.first_data);
  const convolution::Network network({.first = 16, .second = 32}, Activation::elu,
                                     options.program.seed);
  const data::Batches batches(images.train,
                              {.batch_size = std::min(options.batch, images.train.size()),
                               .drop_last = true,
                               .seed = options.program.seed});
  Adam optimizer({.learning_rate = schedule::cosine(2e-3, 20, batches.batches_per_epoch())});
  Trainer trainer(
      network, [&](const Value& x, const Value& t) { return cross_entropy(network(x), t); },
      optimizer);
  fit(trainer, batches, {.epochs = 1});
  const std::filesystem::path path = options.program.out / "made_here.onnx";
  onnx::save(path, network, onnx::Example("pictures", {1, 1, mnist::kSide, mnist::kSide}));
  fmt::print("{}: {} parameters, {:.2f} % of {} right\n", path.string(), network.parameter_count(),
             percent_right(network, images.test), options.first_data);
  return path;
}

// Pictures as the network takes them: of its size, grey ones in all of its channels.
data::Dataset adapted(data::Dataset pictures, const Dims& wanted) {
  Tensor& x = pictures.features;
  if (wanted[2] > 0 && wanted[3] > 0 && (x.shape()[2] != wanted[2] || x.shape()[3] != wanted[3])) {
    x = data::resize(x, wanted[2], wanted[3]);
  }
  if (x.shape()[1] == 1 && wanted[1] > 1) {
    x = cat(std::vector<Tensor>(static_cast<std::size_t>(wanted[1]), x), 1);
  }
  return pictures;
}

// MNIST's format, or a folder for each class.
data::Split pictures_of(const std::string& name, std::uint64_t seed) {
  const std::filesystem::path folder(name);
  if (!std::filesystem::is_directory(folder) ||
      std::filesystem::exists(folder / "train-images-idx3-ubyte")) {
    return mnist::load_images(name);
  }
  return data::split(data::image_folder(folder).images, 0.8, seed);
}

void tune(const Options& options) {
  const onnx::Model network =
      onnx::load(options.model.empty() ? made_here(options) : options.model);
  if (network.inputs().size() != 1 || !network.inputs()[0].dims ||
      network.inputs()[0].dims->size() != 4) {
    throw ValueError("a network of one input, pictures [N, C, H, W], is wanted");
  }
  const Dims wanted = *network.inputs()[0].dims;
  data::Split images = pictures_of(options.data, options.program.seed);
  images = {adapted(images.train, wanted), adapted(images.test, wanted)};
  std::int64_t classes = 0;
  for (const std::int64_t label : images.train.labels.data<std::int64_t>()) {
    classes = std::max(classes, label + 1);
  }
  const Graph graph(Mode::evaluation);
  const Dims& dims = images.train.features.shape().dims();
  const Value one = graph.input("x", {1, dims[1], dims[2], dims[3]});
  const std::int64_t width = finetune::FineTuned::features(network, one).shape()[1];
  const finetune::FineTuned tuned(network, {width, classes, options.layers}, options.program.seed);
  std::int64_t trained = 0;
  for (const Variable& variable : tuned.trained_parameters()) trained += variable.shape().numel();
  fmt::print("{} features, {} classes; {} of {} parameters are trained\n", width, classes, trained,
             tuned.parameter_count());

  const data::Batches batches(images.train,
                              {.batch_size = std::min(options.batch, images.train.size()),
                               .drop_last = true,
                               .seed = options.program.seed});
  const std::int64_t steps = options.epochs * batches.batches_per_epoch();
  Adam optimizer(
      {.learning_rate = schedule::cosine(2e-3, std::min<std::int64_t>(20, steps), steps)});
  Trainer trainer(
      tuned, [&](const Value& x, const Value& t) { return cross_entropy(tuned(x), t); }, optimizer);
  fmt::print("before: {:.2f} % right\n", percent_right(tuned, images.test));
  fit(trainer, batches, {.epochs = options.epochs});
  fmt::print("after:  {:.2f} % right\n", percent_right(tuned, images.test));

  const std::filesystem::path path = options.program.out / "finetuned.onnx";
  onnx::save(path, tuned, onnx::Example("pictures", {1, dims[1], dims[2], dims[3]}));
  const onnx::Model again = onnx::load(path);
  fmt::print("{}: {:.2f} % right when it is read back\n", path.string(),
             percent_right(again, images.test));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Fine-tunes a network that came as ONNX");
  app.option_defaults()->always_capture_default();
  app.add_option("--model", options.model, "an ONNX file; without one, a network is made here");
  app.add_option("--data", options.data,
                 "mnist, fashion, a folder with files like theirs, or one with a folder of PNG "
                 "files for each class");
  app.add_option("--first-data", options.first_data, "what a network made here is trained on");
  app.add_option("--layers", options.layers, "the last ones that are trained beside the new head")
      ->check(CLI::Range(0, 1000000));
  app.add_option("--epochs", options.epochs)->check(CLI::Range(1, 1000000));
  app.add_option("--batch", options.batch)->check(CLI::Range(1, 1000000));
  declare_program_options(app, options.program, "folder for the ONNX files");
  return run_program("finetune", app, argc, argv, options.program, [&] {
    std::filesystem::create_directories(options.program.out);
    tune(options);
  });
}
