// SPDX-License-Identifier: Apache-2.0
// What a gate is good for: the feed-forward block of Shazeer (2020), Linear, GEGLU, Linear, learns
// a product of its inputs, beside an ELU network of as many parameters. Writes
// out/geglu_feed_forward/loss.svg.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <filesystem>

using namespace aclgrad;

namespace {

constexpr std::int64_t kPoints = 512;

// Returns the loss of every tenth step.
report::Series train(const char* name, const Sequential& network, const Tensor& xs,
                     const Tensor& ys) {
  Graph graph;
  const Value x = graph.input("x", xs.shape());
  const Value y = graph.input("y", ys.shape());
  const Value loss = mse_loss(network(x), y);
  AdamW optimizer({.learning_rate = 1e-2, .weight_decay = 0});
  Session session(graph, {loss, optimizer.step(graph, backward(loss, network.parameters(graph)))});
  report::Series series{.name = name};
  for (int step = 0; step <= 1000; ++step) {
    const Results results = session.run({{x, xs}, {y, ys}});
    if (step % 10 != 0) continue;
    series.x.push_back(step);
    series.y.push_back(results[loss].item());
  }
  fmt::print("{:<6} {} parameters, loss {:.2e}\n", name, network.parameter_count(),
             series.y.back());
  return series;
}

}  // namespace

int main() {
  const Tensor xs = init::uniform({kPoints, 4}, /*seed=*/1);
  Tensor ys = Tensor::zeros({kPoints, 1});
  for (std::int64_t i = 0; i < kPoints; ++i) {
    ys.set(i, xs.get(4 * i) * xs.get(4 * i + 1) + xs.get(4 * i + 2) * xs.get(4 * i + 3));
  }
  // 4 -> 2 x 16 -> 1 has 177 parameters, 4 -> 29 -> 1 has 175.
  const Sequential gated(GegluFeedForward("ffn", 4, 16, 1, /*seed=*/3));
  const Sequential plain(Linear("up", 4, 29, {.init_for = Activation::elu, .seed = 3}), Elu{},
                         Linear("down", 29, 1, {.seed = 4}));
  report::LineChart chart{.title = "Learning x0 x1 + x2 x3",
                          .x_label = "step",
                          .y_label = "mean squared error",
                          .log_y = true};
  chart.series = {train("GEGLU", gated, xs, ys), train("ELU", plain, xs, ys)};
  fmt::print("GEGLU's error is {:.0f} times smaller\n",
             chart.series[1].y.back() / chart.series[0].y.back());
  std::filesystem::create_directories("out/geglu_feed_forward");
  write_file_atomically("out/geglu_feed_forward/loss.svg", chart.svg());
}
