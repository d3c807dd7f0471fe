// SPDX-License-Identifier: Apache-2.0
// XOR, the smallest task that no straight line solves: a hidden layer of eight units learns it.
// Draws the network's answer over the whole plane into out/xor/decision.svg.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <filesystem>

using namespace aclgrad;

int main() {
  const Tensor corners = Tensor::from({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1});
  const Tensor wanted = Tensor::from({4, 1}, {0, 1, 1, 0});
  const Sequential network(Linear("hidden", 2, 8, {.init_for = Activation::selu, .seed = 1}),
                           Selu{}, Linear("output", 8, 1, {.seed = 2}));

  Graph graph;
  const Value x = graph.input("x", {4, 2});
  const Value y = graph.input("y", {4, 1});
  const Value answer = network(x);
  const Value loss = mse_loss(answer, y);
  AdamW optimizer({.learning_rate = 0.02, .weight_decay = 0});
  Session session(graph,
                  {loss, answer, optimizer.step(graph, backward(loss, network.parameters(graph)))});
  for (int step = 0; step < 400; ++step) session.run({{x, corners}, {y, wanted}});

  const Results last = session.run({{x, corners}, {y, wanted}});
  for (std::int64_t i = 0; i < 4; ++i) {
    fmt::print("{} xor {} = {:.3f}\n", corners.get(2 * i), corners.get(2 * i + 1),
               last[answer].get(i));
  }
  fmt::print("loss {:.1e}\n", last[loss].item());

  // The same network over a grid of 40 x 40 points from -0.5 to 1.5.
  constexpr std::int64_t kCells = 40;
  const auto centre = [](std::int64_t cell) {
    return 2 * (static_cast<double>(cell) + 0.5) / kCells - 0.5;
  };
  Tensor grid = Tensor::zeros({kCells * kCells, 2});
  for (std::int64_t i = 0; i < kCells * kCells; ++i) {
    grid.set(2 * i, centre(i % kCells));
    grid.set(2 * i + 1, centre(i / kCells));
  }
  report::DecisionMap map{.title = "XOR: the answer between the four corners",
                          .x_range = {-0.5, 1.5},
                          .y_range = {-0.5, 1.5}};
  map.field = predict(network, grid).reshape({kCells, kCells});
  map.points = {{.name = "xor is 0", .x = {0, 1}, .y = {0, 1}},
                {.name = "xor is 1", .x = {0, 1}, .y = {1, 0}}};
  std::filesystem::create_directories("out/xor");
  write_file_atomically("out/xor/decision.svg", map.svg());
}
