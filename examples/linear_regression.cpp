// SPDX-License-Identifier: Apache-2.0
// A straight line through noisy points by gradient descent, beside the line that the textbook's
// formula gives. Both must be the same. Writes out/linear_regression/line.svg.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <cmath>
#include <filesystem>

using namespace aclgrad;

int main() {
  constexpr std::int64_t kPoints = 100;
  const Tensor xs = init::uniform({kPoints, 1}, /*seed=*/1);
  const Tensor noise = init::normal({kPoints, 1}, /*seed=*/2, /*stddev=*/0.4);
  Tensor ys = Tensor::zeros({kPoints, 1});
  for (std::int64_t i = 0; i < kPoints; ++i) ys.set(i, 3 * xs.get(i) - 2 + noise.get(i));

  Graph graph;
  const Value x = graph.input("x", {kPoints, 1});
  const Value y = graph.input("y", {kPoints, 1});
  const Value slope = graph.parameter("slope", Tensor::zeros({1, 1}));
  const Value intercept = graph.parameter("intercept", Tensor::zeros({1}));
  const Value loss = mse_loss(linear(x, slope, intercept), y);
  Sgd optimizer({.learning_rate = 0.5});
  Session session(graph, {loss, optimizer.step(graph, backward(loss, {slope, intercept}))});
  for (int step = 0; step <= 100; ++step) {
    const Results results = session.run({{x, xs}, {y, ys}});
    if (step % 20 == 0) fmt::print("step {:>3}  loss {:.6f}\n", step, results[loss].item());
  }

  // slope = cov(x, y) / var(x), intercept = mean(y) - slope mean(x).
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (std::int64_t i = 0; i < kPoints; ++i) {
    sum_x += xs.get(i);
    sum_y += ys.get(i);
    sum_xx += xs.get(i) * xs.get(i);
    sum_xy += xs.get(i) * ys.get(i);
  }
  const double best = (kPoints * sum_xy - sum_x * sum_y) / (kPoints * sum_xx - sum_x * sum_x);
  const double found[] = {slope.variable()->value().item(), intercept.variable()->value().item()};
  const double exact[] = {best, (sum_y - best * sum_x) / kPoints};
  fmt::print("found    y = {:.5f} x {:+.5f}\nformula  y = {:.5f} x {:+.5f}\n", found[0], found[1],
             exact[0], exact[1]);
  const bool same = std::abs(found[0] - exact[0]) < 1e-5 && std::abs(found[1] - exact[1]) < 1e-5;
  fmt::print("{}\n", same ? "The same line." : "Not the same line!");

  report::DecisionMap picture{.title = "The line that was found", .y_range = {-6, 2}};
  picture.points = {{.name = "line"}, {.name = "points"}};
  for (std::int64_t i = 0; i < kPoints; ++i) {
    const double at = 2 * static_cast<double>(i) / (kPoints - 1) - 1;
    picture.points[0].x.push_back(at);
    picture.points[0].y.push_back(found[0] * at + found[1]);
    picture.points[1].x.push_back(xs.get(i));
    picture.points[1].y.push_back(ys.get(i));
  }
  std::filesystem::create_directories("out/linear_regression");
  write_file_atomically("out/linear_regression/line.svg", picture.svg());
  return same ? 0 : 1;
}
