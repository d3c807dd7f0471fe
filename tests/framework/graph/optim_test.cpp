// SPDX-License-Identifier: Apache-2.0
// Steps of optimizers: clipping, groups, graphs, and what is refused. optim_options_test.cpp has
// their formulas.
#include "aclgrad/optim.h"

#include <gmock/gmock.h>

#include <cmath>

#include "aclgrad/aclgrad.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

// A variable p = [1, -2] whose gradient is fed.
struct Fixture {
  Fixture() {
    p = graph.parameter("p", Tensor::from({2}, {1, -2}));
    gradient = graph.input("gradient", {2});
    gradients = Gradients({{p, gradient}});
    variable = *p.variable();
  }
  void run(Update update, const std::vector<std::vector<double>>& steps) {
    Session session(graph, {std::move(update)});
    for (const auto& step : steps) {
      session.run({{gradient, Tensor::from({2}, std::span<const double>(step))}});
    }
  }
  void expect(double first, double second) const {
    EXPECT_NEAR(variable->value().get(0), first, 2e-6);
    EXPECT_NEAR(variable->value().get(1), second, 2e-6);
  }
  Graph graph;
  Value p, gradient;
  Gradients gradients;
  std::optional<Variable> variable;
};

TEST(ClipGradients, ToANormOfAllTogether) {
  Graph graph;
  const Value a = graph.parameter("a", Tensor::zeros({2}));
  const Value b = graph.parameter("b", Tensor::zeros({}));
  const Value ga = graph.input("ga", {2}), gb = graph.input("gb", {});
  const ClippedGradients clipped = clip_gradients(Gradients({{a, ga}, {b, gb}}), 1.5);
  Session session(graph, {clipped.norm, clipped.gradients[a], clipped.gradients[b]});
  Results long_ones = session.run({{ga, Tensor::from({2}, {3, 4})}, {gb, Tensor::scalar(12)}});
  EXPECT_NEAR(long_ones[clipped.norm].item(), 13, 1e-5);
  EXPECT_NEAR(long_ones[clipped.gradients[a]].get(1), 4 * 1.5 / 13, 1e-6);
  EXPECT_NEAR(long_ones[clipped.gradients[b]].item(), 12 * 1.5 / 13, 1e-6);
  Results short_ones = session.run({{ga, Tensor::from({2}, {0.3, 0.4})}, {gb, Tensor::scalar(1)}});
  EXPECT_EQ(short_ones[clipped.gradients[b]].item(), 1) << "short ones stay as they are";
  EXPECT_THROW(clip_gradients(Gradients({{a, ga}}), 0), ValueError);
  EXPECT_THROW(clip_gradients(Gradients(), 1), ValueError);
}

TEST(Optimizers, ClipWhatTheyAreGiven) {
  Fixture f;
  Sgd sgd({.learning_rate = 1, .clip_norm = 1});
  f.run(sgd.step(f.graph, f.gradients), {{3, 4}});
  f.expect(1 - 0.6, -2 - 0.8);
}

TEST(Optimizers, UpdateGroupsInTheirOwnWay) {
  const Variable weight("weight", Tensor::full({1, 1}, 1)), bias("bias", Tensor::full({1}, 1)),
      other("other", Tensor::full({1}, 1));
  std::vector<ParameterGroup> groups = decay_matrices({weight, bias}, 0.5);
  groups[1].learning_rate_factor = 10;
  Sgd sgd({.learning_rate = 0.1}, groups);
  Graph graph;
  const Value w = graph.parameter(weight), b = graph.parameter(bias);
  const Gradients gradients(
      {{w, graph.constant(Tensor::full({1, 1}, 2))}, {b, graph.constant(Tensor::full({1}, 2))}});
  Session(graph, {sgd.step(graph, gradients)}).run();
  EXPECT_NEAR(weight.value().item(), 1 - 0.1 * (2 + 0.5), 1e-6);
  EXPECT_NEAR(bias.value().item(), 1 - 10 * 0.1 * 2, 1e-6);
  const Value o = graph.parameter(other);
  EXPECT_THAT(message_of<ValueError>([&] {
                return sgd.step(graph, Gradients({{o, o}}));
              }),
              testing::HasSubstr("`other` is in no group"));
}

TEST(Optimizers, StateIsSharedByAllGraphs) {
  const Variable p("p", Tensor::from({1}, {0}));
  Sgd sgd({.learning_rate = 1, .momentum = 0.5});
  auto step_with = [&](double gradient) {
    Graph graph;
    const Value value = graph.parameter(p);
    const Value g = graph.constant(Tensor::from({1}, {gradient}));
    Session(graph, {sgd.step(graph, Gradients({{value, g}}))}).run();
  };
  step_with(1);  // v = 1, p = -1
  step_with(1);  // v = 1.5, p = -2.5
  EXPECT_EQ(p.value().item(), -2.5);
  EXPECT_EQ(sgd.state().size(), 1u);
}

TEST(Optimizers, NodesBelongToTheUpdatePass) {
  Fixture f;
  AdamW adam;
  const Update update = adam.step(f.graph, f.gradients);
  EXPECT_EQ(update.values.size(), 2u) << "the parameter and the step counter";
  for (const Value& value : update.values) EXPECT_EQ(value.node().pass, Pass::update);
  EXPECT_EQ(f.p.node().pass, Pass::forward);
  EXPECT_EQ(update.values[0].node().op->name(), "apply_adam_w");
}

TEST(Optimizers, OnlyVariablesCanBeUpdated) {
  Fixture f;
  Sgd sgd;
  EXPECT_THROW(static_cast<void>(sgd.step(f.graph, Gradients({{f.gradient, f.gradient}}))),
               ValueError);
  Graph other;
  EXPECT_THROW(static_cast<void>(sgd.step(other, f.gradients)), ValueError);
}

// Of the two parameters of a product, given in any order.
struct Product {
  explicit Product(const Variable& first, const Variable& second)
      : a(graph.parameter(first)),
        b(graph.parameter(second)),
        gradients(backward(mul(a, b), {a, b})) {}
  Gradients of(const std::vector<Value>& values) const {
    std::vector<Gradients::Pair> pairs;
    for (const Value& value : values) pairs.push_back({value, gradients[value]});
    return Gradients(std::move(pairs));
  }
  Graph graph;
  Value a, b;
  Gradients gradients;
};

// A parameter's first step must not be corrected as a later one.
TEST(Optimizers, AdamWTakesTheParametersOfItsFirstStepInEveryStep) {
  const Variable a("a", Tensor::scalar(1)), b("b", Tensor::scalar(1));
  const std::string advice = "give each set of parameters an optimizer of its own name";
  for (const bool same_graph : {true, false}) {
    SCOPED_TRACE(same_graph);
    Product first(a, b), other(a, b);
    Product& second = same_graph ? first : other;
    AdamW more, fewer;
    static_cast<void>(more.step(first.graph, first.of({first.a})));
    static_cast<void>(fewer.step(other.graph, other.of({other.b, other.a})));
    for (const std::vector<Value>& values :
         {std::vector<Value>{second.b}, std::vector<Value>{second.a, second.b}}) {
      EXPECT_THAT(
          message_of<ValueError>([&] { return more.step(second.graph, second.of(values)); }),
          AllOf(testing::StartsWith("`b` was not among the parameters of the first step()"),
                testing::HasSubstr(advice)));
    }
    Product third(a, b);
    EXPECT_THAT(
        message_of<ValueError>([&] { return fewer.step(third.graph, third.of({third.b})); }),
        AllOf(testing::StartsWith("there is no gradient of `a`, which the first step()"),
              testing::HasSubstr(advice)));
    EXPECT_EQ(fewer.step(third.graph, third.of({third.a, third.b})).values.size(), 3U);
  }
  AdamW other({.name = "other"});
  EXPECT_EQ(other.state().front().name(), "@other.steps");
}

// What was refused leaves the optimizer as it was.
TEST(Optimizers, AStepThatFailsIsNotTheFirst) {
  Fixture f;
  AdamW optimizer;
  const Value other = f.graph.parameter("q", Tensor::zeros({2}));
  EXPECT_THROW(static_cast<void>(optimizer.step(
                   f.graph, Gradients({{f.p, f.gradient}, {f.gradient, f.gradient}}))),
               ValueError);
  EXPECT_NO_THROW(static_cast<void>(optimizer.step(f.graph, Gradients({{other, f.gradient}}))));
}

TEST(Optimizers, AdamWSaysWhichUpdateASecondStepWithTheSameValuesForgets) {
  for (const bool scheduled : {false, true}) {
    Fixture f;
    AdamW optimizer({.learning_rate = scheduled ? LearningRate(schedule::constant(1e-3)) : 1e-3});
    static_cast<void>(optimizer.step(f.graph, f.gradients));
    EXPECT_THAT(message_of<ValueError>([&] { return optimizer.step(f.graph, f.gradients); }),
                AllOf(testing::HasSubstr("`p` is node 0 `variable`"),
                      testing::HasSubstr("use the value that the update returned")));
  }
}

TEST(Optimizers, AdamWTakesTwoStepsInOneGraph) {
  Graph once, twice;
  AdamW a, b;
  const Variable x("x", Tensor::scalar(1)), y("y", Tensor::scalar(1));
  const auto step = [](Graph& graph, AdamW& optimizer, const Variable& variable) {
    const Value value = graph.parameter(variable);
    return optimizer.step(graph, backward(mul(value, value), {value}));
  };
  Session first(once, {step(once, a, x)});
  first.run();
  first.run();
  const Update one = step(twice, b, y);
  Session both(twice, {one, step(twice, b, y)});
  both.run();
  EXPECT_TRUE(bitwise_equal(x.value(), y.value())) << x.value() << ' ' << y.value();
}

}  // namespace
}  // namespace aclgrad
