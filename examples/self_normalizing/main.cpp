// SPDX-License-Identifier: Apache-2.0
// Self-normalizing networks (Klambauer et al. 2017): the authors' network with SELU and alpha
// dropout on MNIST, beside ReLU with dropout; and how deep each can be without normalization, on
// small digits. `./dev self_normalizing` fetches MNIST for it.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "examples/classifier/classifier.h"
#include "examples/classifier/mnist.h"
#include "examples/self_normalizing/model.h"

using namespace aclgrad;
using self_normalizing::network;

namespace {

struct Options {
  ProgramOptions program{.out = "out/self_normalizing"};
  std::string data = "mnist";
  std::int64_t epochs = 20, deep_epochs = 40;
  bool only_deep = false;
};

const std::vector<std::string> kActivations = {"selu", "relu"};

// The accuracy on unseen examples, in percent, after every epoch.
report::Series learning_curve(const std::string& name, const Sequential& model,
                              const data::Split& examples, std::int64_t epochs,
                              double learning_rate, const Options& options) {
  const Training it =
      classifier({.name = name,
                  .model = model,
                  .optimizer = std::make_shared<Sgd>(SgdOptions{.learning_rate = learning_rate}),
                  .batches = {examples.train, {.batch_size = 128, .seed = options.program.seed}},
                  .fit = {.epochs = epochs}},
                 model, options.program, examples.test);
  return accuracy_of(name, train(it, options.program, Communicator()));
}

data::Split by_column(const data::Split& examples) {
  const data::Standardizer standardize(examples.train.features);
  return {{standardize(examples.train.features), examples.train.labels},
          {standardize(examples.test.features), examples.test.labels}};
}

data::Split digits() {
  const Tensor table = data::read_csv(ACLGRAD_EXAMPLE_DATA "/digits.csv");
  return by_column(data::split(data::from_table(table), 0.8, 1));
}

// The standard deviation of what each hidden layer returns.
report::Series deviations(const std::string& name, const Sequential& model, const Tensor& x) {
  report::Series series{.name = name};
  for (const auto& [layer, values] : intermediate_values(model, x, [](const std::string& value) {
         return value.find("(hidden") != std::string::npos;
       })) {
    series.x.push_back(static_cast<double>(series.x.size() + 1));
    series.y.push_back(summarize_activations(values, 0).stddev);
  }
  return series;
}

void depth(const Options& options) {
  const data::Split examples = digits();
  report::Table table({"hidden layers", "selu, % right", "relu, % right"});
  report::LineChart chart{.title = "Activations of 32 layers, before and after training",
                          .x_label = "layer",
                          .y_label = "standard deviation",
                          .log_y = true};
  for (const std::int64_t layers : {8, 16, 32}) {
    std::vector<std::int64_t> widths(static_cast<std::size_t>(layers) + 2, 64);
    widths.back() = 10;
    std::vector<std::string> row = {std::to_string(layers)};
    for (const std::string& activation : kActivations) {
      const Sequential model = network(activation, widths, 0, options.program.seed);
      const auto look = [&](const char* when) {
        if (layers != 32) return;
        chart.series.push_back(
            deviations(fmt::format("{} {}", activation, when), model, examples.test.features));
      };
      look("before");
      const report::Series curve =
          learning_curve(fmt::format("{}_{}_layers", activation, layers), model, examples,
                         options.deep_epochs, 1e-2, options);
      look("after");
      row.push_back(fmt::format("{:.1f}", curve.y.back()));
    }
    table.add_row(row);
  }
  fmt::print("Digits of 8 x 8, SGD, no normalization\n{}\n", table.to_string());
  write_file_atomically(options.program.out / "activations.svg", chart.svg());
}

void on_mnist(const Options& options) {
  const data::Split examples = by_column(mnist::load(options.data));
  report::Table table({"activation", "dropout", "% right"});
  report::LineChart chart{.title = "784-512-256-10 on MNIST, SGD with a learning rate of 0.001",
                          .x_label = "epoch",
                          .y_label = "% right"};
  // SELU with the authors' dropout; ReLU with the same, and with what is usual for it.
  const std::vector<std::pair<std::string, double>> networks = {
      {"selu", 0.05}, {"relu", 0.05}, {"relu", 0.5}};
  for (const auto& [activation, dropout] : networks) {
    const std::string name = fmt::format("{}_dropout_{}", activation, dropout);
    const Sequential model =
        network(activation, {784, 512, 256, 10}, dropout, options.program.seed);
    report::Series curve = learning_curve(name, model, examples, options.epochs, 1e-3, options);
    table.add_row({activation, fmt::format("{}", dropout), fmt::format("{:.2f}", curve.y.back())});
    chart.series.push_back(std::move(curve));
  }
  fmt::print("{}\n{}\n", chart.title, table.to_string());
  write_file_atomically(options.program.out / "mnist.svg", chart.svg());
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains self-normalizing networks, and the same with ReLU");
  app.option_defaults()->always_capture_default();
  app.add_option("--data", options.data, "mnist, or a folder with files like its");
  app.add_option("--epochs", options.epochs, "on MNIST")->check(CLI::Range(1, 100000));
  app.add_option("--deep-epochs", options.deep_epochs, "on digits, of deep networks")
      ->check(CLI::Range(1, 100000));
  declare_program_options(app, options.program, "folder for pictures and pages");
  app.add_flag("--only-deep", options.only_deep, "leave MNIST out");
  return run_program("self_normalizing", app, argc, argv, options.program, [&] {
    depth(options);
    if (!options.only_deep) on_mnist(options);
  });
}
