// SPDX-License-Identifier: Apache-2.0
// Two intertwined spirals, a task that no straight line solves: trains a small network and draws
// where it decides for which spiral. Writes out/two_spirals/decision.svg.
#include <aclgrad/aclgrad.h>
#include <aclgrad/file.h>
#include <aclgrad/format.h>
#include <aclgrad/random.h>
#include <aclgrad/report.h>

#include <cmath>
#include <filesystem>
#include <numbers>

using namespace aclgrad;

namespace {

constexpr std::int64_t kPoints = 400;  // half of them on each spiral
constexpr std::int64_t kCells = 80;    // of the picture, along each side
constexpr double kReach = 1.2;

struct Points {
  Tensor positions = Tensor::zeros({kPoints, 2});
  Tensor spiral = Tensor::zeros({kPoints}, DType::int64);
};

Points make_spirals() {
  Points points;
  const auto noise = [random = Random(7)](std::int64_t index) {
    return 0.01 * random.normal(static_cast<std::uint64_t>(index));
  };
  for (std::int64_t i = 0; i < kPoints; ++i) {
    const double along = std::sqrt(static_cast<double>(i / 2) / (kPoints / 2.0 - 1));
    const double angle = 3.5 * std::numbers::pi * along + (i % 2 == 0 ? 0 : std::numbers::pi);
    points.positions.set(2 * i, along * std::cos(angle) + noise(2 * i));
    points.positions.set(2 * i + 1, along * std::sin(angle) + noise(2 * i + 1));
    points.spiral.set(i, static_cast<double>(i % 2));
  }
  return points;
}

// The centres of a grid of cells over [-kReach, kReach] in both directions, row by row from below.
Tensor make_grid() {
  Tensor grid = Tensor::zeros({kCells * kCells, 2});
  const auto centre = [](std::int64_t cell) {
    return kReach * (2 * (static_cast<double>(cell) + 0.5) / kCells - 1);
  };
  for (std::int64_t i = 0; i < kCells * kCells; ++i) {
    grid.set(2 * i, centre(i % kCells));
    grid.set(2 * i + 1, centre(i / kCells));
  }
  return grid;
}

// The probability of the second spiral, from the logits of both.
double probability(const Tensor& logits, std::int64_t row) {
  return 1 / (1 + std::exp(logits.get(2 * row) - logits.get(2 * row + 1)));
}

}  // namespace

int main() {
  const Points points = make_spirals();
  const Sequential network(Linear("hidden1", 2, 64, {.activation = Activation::geglu, .seed = 1}),
                           Geglu{},
                           Linear("hidden2", 32, 64, {.activation = Activation::geglu, .seed = 2}),
                           Geglu{}, Linear("output", 32, 2, {.seed = 3}));

  Graph graph;
  const Value x = graph.input("x", points.positions.shape());
  const Value spiral = graph.input("spiral", {kPoints}, DType::int64);
  const Value logits = network(x);
  const Value loss = cross_entropy(logits, spiral);
  AdamW optimizer({.learning_rate = 1e-2});
  Session training(
      graph, {loss, logits, optimizer.step(graph, backward(loss, network.parameters(graph)))});
  for (int step = 0; step <= 600; ++step) {
    const Results results = training.run({{x, points.positions}, {spiral, points.spiral}});
    if (step % 100 != 0) continue;
    const Tensor scores = results[logits];
    int right = 0;
    for (std::int64_t i = 0; i < kPoints; ++i) {
      right += (probability(scores, i) > 0.5) == (points.spiral.get(i) > 0.5) ? 1 : 0;
    }
    fmt::print("step {:>3}  loss {:.5f}  {:>5.1f} % right\n", step, results[loss].item(),
               100.0 * right / kPoints);
  }

  // The same network over a grid of points, in a graph of its own.
  Graph plane;
  const Tensor grid = make_grid();
  const Value cells = plane.input("cells", grid.shape());
  const Value answers = network(cells);
  const Tensor scores = Session(plane, {answers}).run({{cells, grid}})[answers];
  report::DecisionMap map{.title = "Two spirals, and where the network draws the line",
                          .x_range = {-kReach, kReach},
                          .y_range = {-kReach, kReach},
                          .field = Tensor::zeros({kCells, kCells})};
  for (std::int64_t i = 0; i < kCells * kCells; ++i) map.field.set(i, probability(scores, i));
  map.points = {{.name = "first spiral", .y = {}}, {.name = "second spiral", .y = {}}};
  for (std::int64_t i = 0; i < kPoints; ++i) {
    report::Series& cloud = map.points[static_cast<size_t>(points.spiral.get(i))];
    cloud.x.push_back(points.positions.get(2 * i));
    cloud.y.push_back(points.positions.get(2 * i + 1));
  }
  std::filesystem::create_directories("out/two_spirals");
  write_file_atomically("out/two_spirals/decision.svg", map.svg());
  fmt::print("The picture is out/two_spirals/decision.svg\n");
}
