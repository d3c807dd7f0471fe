// SPDX-License-Identifier: Apache-2.0
// Listings and drawings of a graph.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

TEST(Describe, TableHasALineForEveryNode) {
  Graph graph;
  const int line = __LINE__ + 1;
  const Value x = graph.input("x", {4, 2});
  const Value w = graph.parameter("w", Tensor::zeros({2, 6}));
  const Value y = geglu(matmul(x, w)).named("y");
  const Value loss = mean(mul(y, y));
  const Gradients gradients = backward(loss, {w});
  Sgd sgd;
  static_cast<void>(sgd.step(graph, gradients));
  const std::string table = graph.to_string();
  EXPECT_EQ(static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')),
            graph.size() + 1);
  EXPECT_THAT(table, HasSubstr(fmt::format("describe_test.cpp:{}", line)));
  EXPECT_THAT(table, testing::ContainsRegex(
                         "\n3  +geglu\\(dim=-1, approximate=none, activate_left=false\\) +"
                         "aclnnGeGluV3 +%2 +%3 y: float32 \\[4, 3\\], %4: float32 \\[4, 3\\] +"
                         "forward +graph/describe_test.cpp:[0-9]+\n"));
  EXPECT_THAT(table, testing::ContainsRegex("aclnnGeGluV3Backward .* backward "));
  EXPECT_THAT(table, testing::ContainsRegex("%[0-9]+ d w: float32 \\[2, 6\\] +backward"));
  EXPECT_THAT(table, testing::ContainsRegex("inplace_add\\(alpha=-0.01\\) +aclnnInplaceAdd .* "
                                            "update "));
}

TEST(Describe, Dot) {
  Graph graph;
  const Value x = graph.input("x \"quoted\"", {4, 2});
  const Value loss = reduce_sum(selu(transpose(x, 0, 1)));
  static_cast<void>(backward(loss, {x}));
  const std::string dot = to_dot(graph);
  EXPECT_THAT(dot, testing::StartsWith("digraph aclgrad {\n"));
  EXPECT_THAT(dot, testing::EndsWith("}\n"));
  EXPECT_THAT(dot, HasSubstr("n0 [label=\"input\\nx \\\"quoted\\\"\\nfloat32 [4, 2]\", "
                             "shape=ellipse, style=filled, fillcolor=\"#cfe2f3\"];"));
  EXPECT_THAT(dot, HasSubstr("n1 [label=\"permute\\n[1, 0]\\nfloat32 [2, 4]\", shape=box, "
                             "style=\"filled,dashed\""));
  EXPECT_THAT(dot, HasSubstr("n1 -> n2 [label=\"float32 [2, 4]\"];"));
  EXPECT_THAT(dot, testing::ContainsRegex("label=\"selu_backward\\\\naclnnSeluBackward\\\\nfloat32 "
                                          "\\[2, 4\\]\", shape=box, style=filled, "
                                          "fillcolor=\"#fce5cd\""));
}

TEST(Describe, DotOfNamesThatAreNoText) {
  Graph graph;
  const Value x = graph.input("a\xFF\nb\x1B\u202E\"", {1});
  static_cast<void>(x);
  EXPECT_THAT(to_dot(graph), HasSubstr("input\\na\uFFFD b \uFFFD\\\"\\nfloat32"));
}

TEST(Describe, Passes) {
  EXPECT_EQ(to_string(Pass::forward), "forward");
  EXPECT_EQ(to_string(Pass::backward), "backward");
  EXPECT_EQ(to_string(Pass::update), "update");
}

}  // namespace
}  // namespace aclgrad
