// SPDX-License-Identifier: Apache-2.0
// Large graphs: recording, backward and planning grow with the number of nodes and no faster.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

struct Cost {
  double seconds;  // of processor time
  std::size_t nodes;
};

// Recording, differentiating and planning a chain with so many forward nodes.
Cost cost_of(int length) {
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
  return {static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, session.schedule().size()};
}

TEST(Scale, TimeIsLinear) {
  const auto fastest = [](int length) {
    return std::min(cost_of(length).seconds, cost_of(length).seconds);
  };
  const double small = fastest(10'000);
  const double large = fastest(80'000);
  EXPECT_LT(large, 16 * small) << "8 times the nodes, for which 9 to 11 times the time is usual: "
                                  "caches. Quadratic would be 64 times";
}

// Training steps of so many parameters, whose gradients are clipped and whose optimizer has groups;
// twice, as for two shapes of batches.
double seconds_with_parameters(int count) {
  const std::clock_t start = std::clock();
  std::vector<Variable> parameters;
  for (int i = 0; i < count; ++i) {
    parameters.emplace_back("p" + std::to_string(i), Tensor::full({2}, 1));
  }
  AdamW optimizer({.clip_norm = 1}, {{.parameters = parameters}});
  for (int graphs = 0; graphs < 2; ++graphs) {
    Graph graph;
    std::vector<Value> values;
    for (const Variable& parameter : parameters) values.push_back(graph.parameter(parameter));
    const Value loss = reduce_sum(stack(values)) + reduce_sum(cat(values));
    Session session(graph, {loss, optimizer.step(graph, backward(loss, values))});
    session.run();
  }
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(Scale, TimeIsLinearInTheNumberOfParameters) {
  const auto fastest = [](int count) {
    return std::min(seconds_with_parameters(count), seconds_with_parameters(count));
  };
  const double small = fastest(500);
  const double large = fastest(4'000);
  EXPECT_LT(large, 20 * small) << "8 times the parameters; quadratic would be 64 times";
}

// More nodes than a runtime has events for.
TEST(Scale, TimelinesShowEveryNode) {
  Graph graph;
  const Value x = graph.input("x", {4});
  Value h = x;
  for (int i = 0; i < 40'000; ++i) h = h + x;
  Session session(graph, {h});
  const Profile profile = session.timeline({{x, Tensor::full({4}, 1)}});
  const std::vector<NodeId> schedule = session.schedule();
  ASSERT_EQ(profile.nodes.size(), 40'000U);
  double end = 0;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    ASSERT_EQ(profile.nodes[i].node, schedule[i]);
    ASSERT_GE(profile.nodes[i].start_us, end) << "node " << i;
    end = profile.nodes[i].start_us + profile.nodes[i].duration_us;
  }
  EXPECT_GT(end, 0);
}

TEST(Scale, MemoryIsLittle) {
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const std::size_t nodes = cost_of(100'000).nodes;
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  // A million nodes must fit 4 GB. The peak of earlier tests only helps.
  const double bytes = 1024.0 * static_cast<double>(after.ru_maxrss - before.ru_maxrss);
  EXPECT_LT(bytes / static_cast<double>(nodes), 4000) << nodes << " nodes";
}

}  // namespace
}  // namespace aclgrad
