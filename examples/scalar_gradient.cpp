// SPDX-License-Identifier: Apache-2.0
// A function of one number, its derivative, and the derivative of that: backward() appends nodes to
// the graph, and they can be differentiated again. Writes out/scalar_gradient/curves.svg.
#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace aclgrad;

int main() {
  constexpr std::int64_t kPoints = 121;
  const Tensor points = Tensor::arange(kPoints, -2, 4.0 / (kPoints - 1));

  // f(x) = x^3 - 2x at many points at once. Element i of f depends on element i of x alone, so the
  // gradient of the sum holds f'(x_i) at i.
  Graph graph;
  const Value x = graph.input("x", {kPoints});
  const Value f = x * x * x - 2.0 * x;
  const Value slope = backward(reduce_sum(f), {x})[x];
  const Value curvature = backward(reduce_sum(slope), {x})[x];
  const Results results = Session(graph, {f, slope, curvature}).run({{x, points}});

  report::LineChart chart{.title = "f(x) = x³ - 2x", .x_label = "x"};
  chart.series = {{.name = "f"}, {.name = "f'"}, {.name = "f''"}};
  double largest = 0;
  fmt::print("     x      f(x)     f'(x)  3x^2 - 2    f''(x)        6x\n");
  for (std::int64_t i = 0; i < kPoints; ++i) {
    const double at = points.get(i);
    const double found[] = {results[f].get(i), results[slope].get(i), results[curvature].get(i)};
    const double by_hand[] = {at * at * at - 2 * at, 3 * at * at - 2, 6 * at};
    for (std::size_t curve = 0; curve < 3; ++curve) {
      chart.series[curve].x.push_back(at);
      chart.series[curve].y.push_back(found[curve]);
      largest = std::max(largest, std::abs(found[curve] - by_hand[curve]));
    }
    if (i % 15 != 0) continue;
    fmt::print("{:>6.2f}{:>10.5f}{:>10.5f}{:>10.5f}{:>10.5f}{:>10.5f}\n", at, found[0], found[1],
               by_hand[1], found[2], by_hand[2]);
  }
  fmt::print("All {} points: off by {:.1e} at most\n", kPoints, largest);
  std::filesystem::create_directories("out/scalar_gradient");
  write_file_atomically("out/scalar_gradient/curves.svg", chart.svg());
  return largest < 1e-5 ? 0 : 1;
}
