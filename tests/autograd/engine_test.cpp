// SPDX-License-Identifier: Apache-2.0
// What backward() appends to a graph, and what it refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The names of the nodes from `first` on.
std::vector<std::string> nodes_from(const Graph& graph, std::size_t first) {
  std::vector<std::string> names;
  for (std::size_t id = first; id < graph.size(); ++id) {
    names.emplace_back(graph.node(static_cast<NodeId>(id)).op->name());
  }
  return names;
}

TEST(Backward, AppendsTheOperatorsOfTheRules) {
  Graph graph;
  const Value x = graph.input("x", {4, 2});
  const Value w = graph.parameter("w", init::normal({2, 6}, 1));
  const Value y = geglu(matmul(x, w));
  const int loss_line = __LINE__ + 1;
  const Value loss = mean(mul(y, y));
  const std::size_t forward = graph.size();
  const Gradients gradients = backward(loss, {w});
  EXPECT_THAT(nodes_from(graph, forward),
              ElementsAre("constant", "muls", "reshape", "expand", "mul", "mul", "add",
                          "geglu_backward", "permute", "matmul"));
  for (std::size_t id = forward; id < graph.size(); ++id) {
    EXPECT_EQ(graph.node(static_cast<NodeId>(id)).pass, Pass::backward);
  }
  EXPECT_EQ(static_cast<int>(graph.node(static_cast<NodeId>(forward + 4)).where.line()), loss_line)
      << "a gradient node belongs to the line of its forward node";
  EXPECT_EQ(gradients[w].shape(), w.shape());
  EXPECT_EQ(gradients[w].name(), "d w");
  EXPECT_TRUE(gradients.contains(w));
  EXPECT_FALSE(gradients.contains(x));
  EXPECT_EQ(message_of<ValueError>([&] { gradients[x]; }),
            "backward was not asked for the gradient of `x`");
}

TEST(Backward, EluRuleFollowsBackwardFrom) {
  for (const BackwardFrom from : {BackwardFrom::input, BackwardFrom::result}) {
    Graph graph;
    const Value x = graph.input("x", {1});
    const Value y = elu(x, 1, 1, 1, from);
    const Gradients gradients = backward(y, {x});
    const Node& node = gradients[x].node();
    EXPECT_EQ(node.op->name(), "elu_backward");
    EXPECT_EQ(node.inputs[1], from == BackwardFrom::input ? x.id() : y.id());
  }
}

TEST(Backward, HardswishHasTheSlopeOutsideAtItsCorners) {
  Graph graph;
  const Value x = graph.input("x", {1});
  const Gradients gradients = backward(hardswish(x), {x});
  const auto& op = dynamic_cast<const AclnnOp&>(*gradients[x].node().op);
  EXPECT_EQ(op.call_name(), "aclnnHardswishBackwardV2");
  EXPECT_EQ(computed(gradients[x], {{x, Tensor::full({1}, 3)}}).item(), 1);
  const Value one = graph.constant(Tensor::full({1}, 1));
  const Value inside = hardswish_backward(one, x, CornerSlope::inside);
  EXPECT_EQ(inside.node().op->as_call()->call_name(), "aclnnHardswishBackward");
  EXPECT_EQ(computed(inside, {{x, Tensor::full({1}, 3)}}).item(), 1.5);
}

TEST(Backward, UsesAddUp) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = x * 3;
  const Value loss = reduce_sum(mul(y, y) + y + add(x, y, 5));  // 9x^2 + 3x + x + 15x
  const Gradients gradients = backward(loss, {x, y});
  const Tensor at = Tensor::from({2}, {1, -2});
  EXPECT_TRUE(bitwise_equal(computed(gradients[x], {{x, at}}), Tensor::from({2}, {37, -17})));
  EXPECT_TRUE(bitwise_equal(computed(gradients[y], {{x, at}}), Tensor::from({2}, {12, -6})))
      << "the gradient of a value in the middle: 2y + 1 + 5";
}

TEST(Backward, EveryGradientIsAValueOfItsOwn) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = graph.input("y", {2});
  const Value seed = graph.constant(Tensor::from({2}, {3, 4}));
  const Gradients gradients = backward(x + y, {x, y}, {.seed = seed});
  EXPECT_EQ(seed.name(), "") << "the caller's";
  EXPECT_FALSE(gradients[x] == gradients[y]);
  EXPECT_FALSE(gradients[x] == seed);
  EXPECT_EQ(gradients[x].name(), "d x");
  EXPECT_EQ(gradients[y].name(), "d y");
  for (const Value& value : {x, y}) {
    EXPECT_TRUE(bitwise_equal(computed(gradients[value]), Tensor::from({2}, {3, 4})));
  }
  // Through an optimizer, too, and where the gradient is expanded.
  const Value v = graph.parameter("v", Tensor::zeros({2}));
  const Value w = graph.parameter("w", Tensor::zeros({2}));
  Sgd optimizer({.learning_rate = 1});
  Session step(graph, {optimizer.step(graph, backward(reduce_sum(v + w), {v, w}))});
  step.run();
  for (const Value& value : {v, w}) {
    EXPECT_TRUE(bitwise_equal(value.variable()->value(), Tensor::full({2}, -1)));
  }
}

TEST(Backward, ManyUsesOfOneValue) {
  Graph graph;
  const Value x = graph.input("x", {1});
  Value sum = x;
  for (int i = 0; i < 1000; ++i) sum = add(sum, x);
  const Gradients gradients = backward(sum, {x});
  EXPECT_EQ(computed(gradients[x]).item(), 1001);
}

// Steps of a sequence: with a padded gradient for each, backward would be quadratic in their
// number.
TEST(Backward, SlicesOfOneValueAreJoinedAtOnce) {
  Graph graph;
  const Value x = graph.input("x", {6, 2});
  Value sum = slice(x, 0, 5, 6);
  for (std::int64_t t = 0; t < 5; ++t) sum = tanh(sum * slice(x, 0, t, t + 1));
  const std::size_t forward = graph.size();
  static_cast<void>(backward(mean(sum), {x}));
  const std::vector<std::string> nodes = nodes_from(graph, forward);
  EXPECT_EQ(std::ranges::count(nodes, "cat"), 1);
  EXPECT_EQ(std::ranges::count(nodes, "pad") + std::ranges::count(nodes, "add"), 0);
}

// What lies between the slices is 0; what several of them cover is added up.
TEST(Backward, SlicesMayLeaveGapsAndOverlap) {
  Graph graph;
  const Value x = graph.input("x", {8});
  const auto part = [&](std::int64_t begin, std::int64_t end, double factor,
                        std::int64_t step = 1) {
    return reduce_sum(slice(x, 0, begin, end, step), {0}) * factor;
  };
  const Value gaps = part(5, 7, 2) + part(1, 3, 3);
  EXPECT_TRUE(
      bitwise_equal(computed(backward(gaps, {x})[x]), Tensor::from({8}, {0, 3, 3, 0, 0, 2, 2, 0})));
  const Value overlap = part(0, 3, 1) + part(2, 5, 10) + part(3, 8, 100) + part(2, 5, 0.5) +
                        part(1, 8, 1000, 3) + part(4, 4, 7) + reduce_sum(x, {0}) * 0.25;
  EXPECT_TRUE(bitwise_equal(
      computed(backward(overlap, {x})[x]),
      Tensor::from({8}, {1.25, 1001.25, 11.75, 110.75, 1110.75, 100.25, 100.25, 1100.25})));
  const Value nothing = part(4, 4, 7) + part(1, 1, 7);
  EXPECT_TRUE(bitwise_equal(computed(backward(nothing, {x})[x]), Tensor::zeros({8})));
}

TEST(Backward, DeepGraphsNeedNoRecursion) {
  Graph graph;
  const Value x = graph.input("x", {1});
  Value y = x;
  for (int i = 0; i < 200000; ++i) y = mul(y, 1.0);
  const std::size_t forward = graph.size();
  static_cast<void>(backward(y, {x}));
  EXPECT_EQ(graph.size(), 2 * forward) << "one node for each, and the seed";
}

TEST(Backward, WhatNeedsNoGradientGetsNoNode) {
  Graph graph;
  const Value x = graph.input("x", {2, 2});
  const Value w = graph.parameter("w", Tensor::zeros({2, 2}));
  const Value v = graph.parameter("v", Tensor::zeros({2, 2}));
  const Value loss = reduce_sum(matmul(selu(matmul(x, v)), w));
  const std::size_t forward = graph.size();
  static_cast<void>(backward(loss, {w}));
  EXPECT_THAT(nodes_from(graph, forward),
              ElementsAre("constant", "reshape", "expand", "permute", "matmul"))
      << "nothing for x, v and the selu";
}

TEST(Backward, UnusedValues) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value w = graph.parameter("w", Tensor::zeros({3}));
  const int line = __LINE__ + 1;
  const Value loss = reduce_sum(x);
  EXPECT_EQ(message_of<ValueError>([&] {
              return backward(loss, {x, w});
            }),
            fmt::format("node 2 `reduce_sum` (autograd/engine_test.cpp:{}) does not depend on `w` "
                        "(set allow_unused for a gradient of zeros)",
                        line));
  const Gradients gradients = backward(loss, {w, x}, {.allow_unused = true});
  EXPECT_TRUE(bitwise_equal(computed(gradients[w]), Tensor::zeros({3})));
  EXPECT_TRUE(bitwise_equal(computed(gradients[x]), Tensor::full({2}, 1)));
}

TEST(Backward, LossMustBeOneElementUnlessSeeded) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = x * 2;
  EXPECT_THAT(message_of<ShapeError>([&] { return backward(y, {x}); }),
              HasSubstr("has shape [2]; a loss must have one element, or a seed be given"));
  const Value seed = graph.constant(Tensor::from({2}, {10, 20}));
  const Gradients gradients = backward(y, {x}, {.seed = seed});
  EXPECT_TRUE(bitwise_equal(computed(gradients[x]), Tensor::from({2}, {20, 40})));
  EXPECT_THROW(static_cast<void>(backward(y, {x}, {.seed = graph.constant(Tensor::zeros({3}))})),
               ShapeError);
  EXPECT_THROW(static_cast<void>(
                   backward(y, {x}, {.seed = graph.constant(Tensor::zeros({2}, DType::float16))})),
               DTypeError);
}

TEST(Backward, IntegersHaveNoGradient) {
  Graph graph;
  const Value n = graph.input("n", {1}, DType::int32);
  const Value x = graph.input("x", {1});
  EXPECT_EQ(message_of<DTypeError>([&] { return backward(x * 1, {n}); }),
            "`n` is int32, there is no gradient with respect to it");
  EXPECT_THROW(static_cast<void>(backward(n * 2, {x})), DTypeError);
  // Through an integer nothing passes.
  const Value y = cast(cast(x, DType::int32), DType::float32);
  EXPECT_THROW(static_cast<void>(backward(y, {x})), ValueError);
}

TEST(Backward, MissingRuleNamesTheNode) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::zeros({1}));
  const int line = __LINE__ + 1;
  const Value y = inplace_add(w, w * 1);
  EXPECT_EQ(message_of<ValueError>([&] { return backward(y * 1, {w}); }),
            fmt::format("node 2 `inplace_add` (autograd/engine_test.cpp:{}): the operator has no "
                        "gradient rule",
                        line));
}

TEST(Backward, AStaleForwardIsRefused) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::zeros({1}));
  const Value loss = mul(w, w);
  inplace_add(w, w);
  EXPECT_THAT(message_of<ValueError>([&] { return backward(loss, {w}); }),
              HasSubstr("as it was before node 2 `inplace_add`"));
}

TEST(Backward, MixedDtypesAreCastBack) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value h = graph.input("h", {2}, DType::bfloat16);
  const Gradients gradients = backward(reduce_sum(mul(x, h)), {x, h});
  EXPECT_EQ(gradients[h].dtype(), DType::bfloat16);
  EXPECT_EQ(gradients[x].dtype(), DType::float32);
  const Tensor three = Tensor::full({2}, 3);
  const Tensor two = Tensor::full({2}, 2, DType::bfloat16);
  EXPECT_EQ(computed(gradients[h], {{x, three}}).get(0), 3);
  EXPECT_EQ(computed(gradients[x], {{h, two}}).get(0), 2);
}

TEST(Backward, TheWeightsOfALossHaveNoGradient) {
  Graph graph;
  const Value p = graph.input("p", {2, 3});
  const Value weight = graph.input("weight", {3});
  const Value target = graph.input("t", {2}, DType::int64);
  const Value loss = nll_loss(p, target, {.weight = weight});
  EXPECT_THAT(message_of<ValueError>([&] { return backward(loss, {weight}); }),
              HasSubstr("`nll_loss`"));
  EXPECT_THAT(message_of<ValueError>([&] { return backward(loss, {weight}); }),
              HasSubstr("there is no gradient for the class weights"));
}

// What is constant wherever it is smooth has a gradient of 0, not none.
TEST(Backward, OfWhatIsConstantAlmostEverywhereIsZero) {
  using Function = std::function<Value(const Value&)>;
  for (const Function& apply :
       std::vector<Function>{[](const Value& x) { return norm(x, {}, {.p = 0}); },
                             [](const Value& x) { return foreach_norm({x}, 0)[0]; },
                             [](const Value& x) { return reduce_sum(pow(x, 0)); },
                             [](const Value& x) { return reduce_sum(sign(x)); }}) {
    Graph graph;
    const Value x = graph.parameter("x", Tensor::from({3}, {-1, 0, 2}));
    const Tensor gradient = computed(backward(apply(x), {x})[x]);
    EXPECT_TRUE(bitwise_equal(gradient, Tensor::zeros({3}))) << gradient;
  }
}

// An operator of our own: 2x through aclnnMuls, with a rule of its own.
struct TwiceOp final : AclnnOp {
  MulNumberOp inner{{2}};
  std::string_view name() const override { return "twice"; }
  std::string_view call_name() const override { return "aclnnMuls"; }
  aclnnStatus phase_one(AclnnCall& call, std::uint64_t* size,
                        aclOpExecutor** executor) const override {
    return inner.phase_one(call, size, executor);
  }
  PhaseTwo phase_two() const override { return inner.phase_two(); }
};

Value twice(Operand x) {
  return Recorder("twice", {x}, x.where)
      .add(std::make_shared<TwiceOp>(), TensorSpec{x.shape(), x.dtype()});
}

TEST(Rule, AnOperatorFromOutside) {
  Graph graph;
  const Value x = graph.input("x", {1});
  const Value y = twice(x);
  EXPECT_THAT(message_of<ValueError>([&] { return backward(y, {x}); }),
              HasSubstr("no gradient rule"));
  {
    ScopedRule<TwiceOp> rule([](const TwiceOp&, const RuleCall& call) {
      return InputGradients{twice(call.gradient())};
    });
    const Gradients gradients = backward(y, {x});
    EXPECT_EQ(computed(gradients[x]).item(), 2);
  }
  EXPECT_THROW(static_cast<void>(backward(y, {x})), ValueError)
      << "the scope must have removed the rule";
}

TEST(Rule, WrongAnswersOfRulesAreNamed) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value loss = reduce_sum(twice(x));
  {
    ScopedRule<TwiceOp> none([](const TwiceOp&, const RuleCall&) { return InputGradients{}; });
    EXPECT_THAT(message_of<ValueError>([&] { return backward(loss, {x}); }),
                HasSubstr("its gradient rule returned 0 gradients for 1 inputs"));
  }
  Graph elsewhere;
  {
    ScopedRule<TwiceOp> other([&](const TwiceOp&, const RuleCall&) {
      return InputGradients{elsewhere.constant(Tensor::zeros({2}))};
    });
    EXPECT_THAT(message_of<ValueError>([&] { return backward(loss, {x}); }),
                HasSubstr("its gradient rule returned a value of another graph for input 0"));
  }
  const Value seed = elsewhere.constant(Tensor::scalar(1));
  EXPECT_THAT(message_of<ValueError>([&] { return backward(loss, {x}, {.seed = seed}); }),
              HasSubstr("the seed belongs to another graph than"));
  ScopedRule<TwiceOp> shape([](const TwiceOp&, const RuleCall& call) {
    Graph here = call.input().graph();
    return InputGradients{here.constant(Tensor::zeros({3}))};
  });
  EXPECT_THAT(message_of<ShapeError>([&] { return backward(loss, {x}); }),
              HasSubstr("its gradient rule returned shape [3] for input 0 of shape [2]"));
}

TEST(StopGradient, PassesValuesButNoGradient) {
  Graph graph;
  const Value x = graph.parameter("x", Tensor::from({2}, {3, 4}));
  const Value y = mul(x, stop_gradient(x));
  const Value gradient = backward(reduce_sum(y), {x})[x];
  Session session(graph, {y, gradient});
  const Results results = session.run();
  EXPECT_TRUE(bitwise_equal(results[y], Tensor::from({2}, {9, 16})));
  EXPECT_TRUE(bitwise_equal(results[gradient], Tensor::from({2}, {3, 4}))) << "not 2 x";
}

TEST(StopGradient, WhatLeadsToItIsNotDifferentiated) {
  Graph graph;
  const Value x = graph.parameter("x", Tensor::from({2}, {3, 4}));
  const Value w = graph.parameter("w", Tensor::from({2}, {1, 2}));
  const Value loss =
      reduce_sum(mul(stop_gradient(transpose(exp(reshape(x, {1, 2})), 0, 1)), reshape(w, {2, 1})));
  const std::size_t nodes = graph.size();
  EXPECT_THROW(static_cast<void>(backward(loss, {x})), ValueError);
  const Value of_x = backward(loss, {w, x}, {.allow_unused = true})[x];
  for (std::size_t id = nodes; id < graph.size(); ++id) {
    EXPECT_NE(graph.node(static_cast<NodeId>(id)).op->name(), "permute");
  }
  Session session(graph, {of_x});
  EXPECT_TRUE(bitwise_equal(session.run()[of_x], Tensor::zeros({2})));
}

}  // namespace
}  // namespace aclgrad
