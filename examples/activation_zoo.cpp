// SPDX-License-Identifier: Apache-2.0
// Fifty layers deep without normalisation: weights of standard deviation 1 / sqrt(width), no
// training. SELU brings the activations of every layer back to mean 0 and standard deviation 1
// (Klambauer et al. 2017); with ReLU, Hardswish and GELU they fade, with ELU they stay too small.
// Writes out/activation_zoo/stddev.svg.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <filesystem>
#include <functional>

using namespace aclgrad;

namespace {

constexpr std::int64_t kRows = 256;
constexpr std::int64_t kWidth = 256;
constexpr int kLayers = 50;

}  // namespace

int main() {
  const std::vector<std::pair<const char*, std::function<Value(const Value&)>>> zoo = {
      {"SELU", [](const Value& x) { return selu(x); }},
      {"ELU", [](const Value& x) { return elu(x); }},
      {"ReLU", [](const Value& x) { return elu(x, /*alpha=*/0); }},  // ELU with alpha 0
      {"Hardswish", [](const Value& x) { return hardswish(x); }},
      {"GELU", [](const Value& x) { return gelu(x); }}};
  report::LineChart chart{.title = "Deviation of the activations, layer by layer",
                          .x_label = "layer",
                          .y_label = "standard deviation",
                          .log_y = true};
  fmt::print("{:<10} {:>18} {:>18} {:>18} {:>18}\n", "mean, std", "layer 1", "layer 5", "layer 20",
             "layer 50");
  for (const auto& [name, activation] : zoo) {
    Graph graph;
    const Value input = graph.input("x", {kRows, kWidth});
    std::vector<Value> layers;
    for (Value x = input; layers.size() < kLayers; layers.push_back(x)) {
      x = activation(
          matmul(x, graph.constant(init::lecun_normal({kWidth, kWidth}, layers.size()))));
    }
    const Results results = Session(graph, {layers.begin(), layers.end()})
                                .run({{input, init::normal({kRows, kWidth}, 1000)}});
    report::Series stddev{.name = name};
    fmt::print("{:<10}", name);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const ActivationSummary moments = summarize_activations(results[layers[i]], 0);
      stddev.x.push_back(static_cast<double>(i + 1));
      stddev.y.push_back(moments.stddev);
      if (i == 0 || i == 4 || i == 19 || i == 49) {
        fmt::print("  {:>8.1e} {:>8.1e}", moments.mean, moments.stddev);
      }
    }
    fmt::print("\n");
    chart.series.push_back(stddev);
  }
  std::filesystem::create_directories("out/activation_zoo");
  write_file_atomically("out/activation_zoo/stddev.svg", chart.svg());
}
