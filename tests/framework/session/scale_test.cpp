// SPDX-License-Identifier: Apache-2.0
// Large graphs: recording, backward and planning grow with the number of nodes and no faster.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

// Seconds of processor time to record, differentiate and plan a chain with so many forward nodes.
double seconds_for(int length) {
  const std::clock_t start = std::clock();
  Graph graph;
  const Value x = graph.input("x", {4});
  const Value w = graph.parameter("w", Tensor::full({4}, 0.5));
  Value h = x;
  for (int i = 0; i < length; ++i) h = i % 2 == 0 ? mul(h, w) : selu(h);
  const Value loss = mean(h);
  const Gradients gradients = backward(loss, {w});
  Session session(graph, {loss, gradients[w]});
  EXPECT_GT(session.schedule().size(), static_cast<std::size_t>(2 * length));
  EXPECT_LE(session.memory_report().arena_bytes, session.memory_report().lower_bound * 105 / 100);
  session.run({{x, Tensor::full({4}, 1)}});
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(Scale, TimeIsLinear) {
  seconds_for(1000);
  const double small = seconds_for(10'000);
  const double large = seconds_for(80'000);
  EXPECT_LT(large, 20 * small + 1) << "8 times the nodes; quadratic would be 64 times the time";
}

TEST(Scale, MemoryIsLittle) {
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  seconds_for(100'000);
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  // About 230,000 nodes; a million must fit 4 GB. The peak of earlier tests only helps.
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 920'000) << "KiB";
}

}  // namespace
}  // namespace aclgrad
