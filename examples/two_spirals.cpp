// SPDX-License-Identifier: Apache-2.0
// Two intertwined spirals, a task that no straight line solves: trains a small network and draws
// where it decides for which spiral, into out/two_spirals/decision.svg.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <cmath>
#include <filesystem>
#include <numbers>

using namespace aclgrad;

namespace {

constexpr std::int64_t kPoints = 400;  // half of them on each spiral
constexpr std::int64_t kCells = 80;    // of the picture, along each side
constexpr double kReach = 1.2;

// Even points lie on the first spiral, odd ones on the second.
data::Dataset make_spirals() {
  data::Dataset points{init::normal({kPoints, 2}, /*seed=*/7, /*stddev=*/0.01),
                       Tensor::zeros({kPoints}, DType::int64)};
  for (std::int64_t i = 0; i < kPoints; ++i) {
    const double along = std::sqrt(static_cast<double>(i / 2) / (kPoints / 2.0 - 1));
    const double angle = std::numbers::pi * (3.5 * along + static_cast<double>(i % 2));
    points.features.set(2 * i, points.features.get(2 * i) + along * std::cos(angle));
    points.features.set(2 * i + 1, points.features.get(2 * i + 1) + along * std::sin(angle));
    points.labels.set(i, static_cast<double>(i % 2));
  }
  return points;
}

// By how much the logit of the second spiral is above that of the first.
Tensor decide(const Sequential& network, const Tensor& points) {
  const auto difference = [&](const Value& x) {
    return matmul(network(x), x.graph().constant(Tensor::from({2, 1}, {-1, 1})));
  };
  return predict(difference, points);
}

}  // namespace

int main() {
  const data::Dataset points = make_spirals();
  const Sequential network(Linear("hidden1", 2, 64, {.init_for = Activation::geglu, .seed = 1}),
                           Geglu{},
                           Linear("hidden2", 32, 64, {.init_for = Activation::geglu, .seed = 2}),
                           Geglu{}, Linear("output", 32, 2, {.seed = 3}));
  Graph graph;
  const Value x = graph.input("x", points.features.shape());
  const Value spiral = graph.input("spiral", {kPoints}, DType::int64);
  const Value loss = cross_entropy(network(x), spiral);
  AdamW optimizer({.learning_rate = 1e-2});
  Session training(graph, {loss, optimizer.step(graph, backward(loss, network.parameters(graph)))});
  for (int step = 0; step <= 600; ++step) {
    const Results results = training.run({{x, points.features}, {spiral, points.labels}});
    if (step % 100 != 0) continue;
    const Tensor scores = decide(network, points.features);
    int right = 0;
    for (std::int64_t i = 0; i < kPoints; ++i) right += (scores.get(i) > 0) == (i % 2 == 1);
    fmt::print("step {:>3}  loss {:.5f}  {:>5.1f} % right\n", step, results[loss].item(),
               100.0 * right / kPoints);
  }

  Tensor grid = Tensor::zeros({kCells * kCells, 2});  // the centres of the picture's cells
  for (std::int64_t i = 0; i < grid.numel(); ++i) {
    const std::int64_t cell = i % 2 == 0 ? i / 2 % kCells : i / 2 / kCells;
    grid.set(i, kReach * (2 * (static_cast<double>(cell) + 0.5) / kCells - 1));
  }
  report::DecisionMap map{.title = "Two spirals, and where the network draws the line",
                          .x_range = {-kReach, kReach},
                          .y_range = {-kReach, kReach},
                          .field = decide(network, grid).reshape({kCells, kCells}),
                          .field_range = {-4, 4},
                          .points = {{.name = "first spiral"}, {.name = "second spiral"}}};
  for (std::int64_t i = 0; i < kPoints; ++i) {
    map.points[static_cast<std::size_t>(i % 2)].x.push_back(points.features.get(2 * i));
    map.points[static_cast<std::size_t>(i % 2)].y.push_back(points.features.get(2 * i + 1));
  }
  std::filesystem::create_directories("out/two_spirals");
  write_file_atomically("out/two_spirals/decision.svg", map.svg());
}
