// SPDX-License-Identifier: Apache-2.0
// Fits y = 2 x - 1 and says so; nothing but the installed headers and the standard library.
#include <aclgrad/aclgrad.h>

#include <cmath>
#include <cstdio>

int main() {
  using namespace aclgrad;
  Graph graph;
  const Value x = graph.input("x", {4, 1});
  const Value target = graph.input("target", {4, 1});
  const Value w = graph.parameter("w", Tensor::from({1, 1}, {0}));
  const Value b = graph.parameter("b", Tensor::from({1}, {0}));
  const Value loss = mse_loss(add(matmul(x, w), b), target);
  Sgd optimizer({.learning_rate = 0.1});
  const Update update = optimizer.step(graph, backward(loss, {w, b}));
  Session session(graph, {loss, update});
  double last = 0;
  for (int step = 0; step < 400; ++step) {
    last = session
               .run({{x, Tensor::from({4, 1}, {-1, 0, 1, 2})},
                     {target, Tensor::from({4, 1}, {-3, -1, 1, 3})}})[loss]
               .item();
  }
  std::printf("loss %.3g\n", last);
  return std::abs(last) < 1e-6 ? 0 : 1;
}
