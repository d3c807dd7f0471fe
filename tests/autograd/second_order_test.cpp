// SPDX-License-Identifier: Apache-2.0
// What gradients of gradients are made of, and where there are none; that they are derivatives is
// tested with the rules.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/run.h"

namespace aclgrad {
namespace {

using Activation = std::function<Value(const Value&)>;

TEST(SecondOrder, ANormalizationByOtherStatisticsHasNone) {
  Graph graph;
  const Value x = graph.input("x", {4, 3}), g = graph.input("g", {4, 3});
  const Value weight = graph.constant(Tensor::full({3}, 1));
  const Value other = graph.constant(Tensor::full({4, 1}, 1));
  const Value gradient = layer_norm_backward(g, x, other, other, weight, {true, false, false})[0];
  EXPECT_THROW(static_cast<void>(backward(mean(gradient), {x})), ValueError);

  const Value running = graph.parameter("running", Tensor::full({3}, 1));
  const Value by_running =
      batch_norm_backward(g, x, running, running, weight, {false, 1e-5, {true, false, false}})[0];
  EXPECT_NO_THROW(static_cast<void>(backward(mean(by_running), {g})));
  EXPECT_THROW(static_cast<void>(backward(mean(by_running), {running})), ValueError);
}

// What a mask hides from all does not matter to them either.
TEST(SecondOrder, OfAttentionDoesNotSeeWhatIsHidden) {
  std::vector<Tensor> expected;
  for (const double hidden : {1.0, std::nan(""), -HUGE_VAL}) {
    Graph graph;
    const Shape shape{1, 2, 4, 3};
    std::vector<Value> x;
    std::vector<Feed> feeds;
    for (const char* name : {"q", "k", "v", "seed"}) {
      Tensor numbers = init::normal(shape, feeds.size() + 1);
      for (std::int64_t i = 0; i < numbers.numel(); ++i) {
        const bool is_key = feeds.size() == 1 || feeds.size() == 2;
        if (is_key && i / 3 % 4 == 3) numbers.set(i, hidden);
      }
      x.push_back(graph.input(name, shape));
      feeds.emplace_back(x.back(), std::move(numbers));
    }
    const Value seen = graph.constant(Tensor::from({4}, {1, 1, 1, 0}).to(DType::boolean));
    const Value y = scaled_dot_product_attention(x[0], x[1], x[2], seen);
    const Gradients first = backward(y, {x[0], x[1], x[2]}, {.seed = x[3]});
    Value sum;
    for (std::size_t k = 0; k < 3; ++k) {
      const Value squares = reduce_sum(first[x[k]] * first[x[k]]);
      sum = sum ? sum + squares : squares;
    }
    std::vector<Tensor> found = computed(with_gradients(sum, x), feeds);
    found.erase(found.begin());  // the sum, of what is hidden too
    if (expected.empty()) expected = found;
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::int64_t i = 0; i < found[k].numel(); ++i) {
        EXPECT_EQ(found[k].get(i), expected[k].get(i)) << hidden << " " << k << " " << i;
      }
    }
  }
}

// The output and the numbers of rows say what the shares are; other ones say something else.
TEST(SecondOrder, AttentionByOtherStatisticsHasNone) {
  Graph graph;
  const Value x = graph.input("x", {1, 1, 2, 2}), rows = graph.input("rows", {1, 1, 2, 8});
  const Value dq = scaled_dot_product_attention_backward(x, {x, x, x}, {x, rows, rows}, {})[0];
  EXPECT_THROW((void)backward(reduce_sum(dq), {x}), ValueError);
}

// The gradient of the gradient of geglu(x) by x, for g and c that arrive: at x, at g.
Tensor geglu_second(bool left, const Tensor& c, const char* by) {
  Graph graph;
  const Value x = graph.input("x", {1, 4});
  const Value g = graph.input("g", {1, 2});
  const Value gradient = backward(geglu(x, -1, Approximate::none, left), {x}, {.seed = g})[x];
  const Value wanted = *by == 'x' ? x : g;
  const Value second = backward(gradient, {wanted}, {.seed = graph.constant(c)})[wanted];
  Session session(graph, {second});
  std::vector<Feed> feeds;
  const Tensor at = Tensor::from({1, 4}, {0.5, -1, 2, 0.25});
  const Tensor upstream = Tensor::from({1, 2}, {3, -2});
  for (const Value& input : session.inputs()) feeds.emplace_back(input, input == x ? at : upstream);
  return session.run(feeds)[second];
}

TEST(SecondOrder, AnInfinityStaysInItsHalf) {
  // Of four elements the last alone is not finite: the pair without it stays finite.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const bool left : {false, true}) {
    const Tensor c = Tensor::from({1, 4}, {1, 2, 0.5, kInfinity});
    const Tensor by_g = geglu_second(left, c, "g");
    EXPECT_TRUE(std::isfinite(by_g.get(0))) << left;
    EXPECT_FALSE(std::isfinite(by_g.get(1))) << left;
    const Tensor by_x = geglu_second(left, c, "x");
    for (const std::int64_t i : {0, 2}) EXPECT_TRUE(std::isfinite(by_x.get(i))) << left << " " << i;
    // What multiplies the infinity: of the half that it arrived at, and the gate of the other.
    EXPECT_TRUE(std::isinf(by_x.get(1))) << left;
    EXPECT_FALSE(std::isnan(by_x.get(3))) << left;
  }
}

// Compilers choose the order of arguments; nodes stand in the order of the source with all of them.
TEST(SecondOrder, NodesStandInTheOrderOfTheSource) {
  const auto nodes_of = [](const Activation& activation) {
    Graph graph;
    const Value x = graph.input("x", {2, 2});
    const Value y = activation(x);
    const Value g = graph.input("g", y.shape());
    const Value gradient = backward(y, {x}, {.seed = g})[x];
    const std::size_t first = graph.size() + 1;  // after the seed
    static_cast<void>(backward(gradient, {x}, {.seed = graph.constant(Tensor::full({2, 2}, 1))}));
    std::string names;
    for (std::size_t id = first; id < graph.size(); ++id) {
      names += std::string(graph.node(static_cast<NodeId>(id)).op->name()) + " ";
    }
    return names;
  };
  EXPECT_EQ(nodes_of([](const Value& x) { return hardswish(x); }),
            "mul adds muls adds threshold_backward threshold_backward muls ");
  EXPECT_EQ(nodes_of([](const Value& x) { return elu(x); }),
            "mul threshold_backward elu_backward muls sub muls ");
  EXPECT_EQ(nodes_of([](const Value& x) { return gelu(x); }),
            "mul mul muls adds muls mul muls exp mul ");
  EXPECT_EQ(nodes_of([](const Value& x) { return geglu(x); }),
            "slice slice slice slice mul gelu_backward mul "  // by the gelu that is kept
            "mul muls adds muls mul muls exp mul cat "        // by x
            "mul slice gelu_backward pad add ");              // through the gelu that is kept
}

// What moves elements is no arithmetic: no bit of them can change on the way.
TEST(SecondOrder, TheGradientOfTopkAddsUpWhereGatherReads) {
  const auto calls_of = [](const Activation& choose) {
    Graph graph;
    const Value x = graph.input("x", {2, 4});
    const Value y = choose(x);
    const std::size_t first = graph.size() + 1;  // after the seed
    static_cast<void>(backward(y, {x}, {.seed = graph.input("g", y.shape())}));
    std::string names;
    for (std::size_t id = first; id < graph.size(); ++id) {
      if (const CallOp* call = graph.node(static_cast<NodeId>(id)).op->as_call()) {
        names += std::string(call->call_name()) + " ";
      }
    }
    return names;
  };
  const std::string expected = "aclnnScatterAdd ";
  EXPECT_EQ(calls_of([](const Value& x) { return topk(x, 2).values; }), expected);
  EXPECT_EQ(calls_of([](const Value& x) { return max(x, 0).values; }), expected);
}

TEST(SecondOrder, GegluWithoutElements) {
  for (const bool left : {false, true}) {
    Graph graph;
    const Value x = graph.input("x", {0, 4});
    const Value gradient = backward(geglu(x, -1, Approximate::none, left), {x},
                                    {.seed = graph.constant(Tensor::zeros({0, 2}))})[x];
    const Value second =
        backward(gradient, {x}, {.seed = graph.constant(Tensor::zeros({0, 4}))})[x];
    EXPECT_EQ(Session(graph, {second}).run({{x, Tensor::zeros({0, 4})}})[second].shape(),
              (Shape{0, 4}));
  }
}

// The rule divides by the weight of the targets, whatever total weight the backward was given.
TEST(SecondOrder, NllLossWithAnotherTotalWeightHasNone) {
  Graph graph;
  const Value p = graph.input("p", {3, 4});
  const Value weight = graph.constant(Tensor::from({4}, {1, 0.5, 2, 0.25}));
  const Value target = graph.constant(Tensor::from({3}, {2, 0, 3}, DType::int64));
  const Value g = graph.input("g", Shape{});
  const Value total = graph.constant(Tensor::scalar(2));
  for (const Reduction reduction : {Reduction::mean, Reduction::sum}) {
    const Value gradient = nll_loss_backward(g, p, target, weight, total, reduction, kIgnoreIndex);
    const auto differentiate = [&] { return backward(mean(gradient), {g}); };
    if (reduction == Reduction::mean) {
      EXPECT_THROW(static_cast<void>(differentiate()), Error);
    } else {
      EXPECT_NO_THROW(static_cast<void>(differentiate()));
    }
  }
}

TEST(SecondOrder, AWrongRuleIsCaught) {
  const ScopedRule<SeluBackwardOp> wrong([](const SeluBackwardOp&, const RuleCall& call) {
    return InputGradients{selu_backward(call.gradient(), call.input(1)), Value()};
  });
  Graph graph;
  const Value x = graph.input("x", {3}), g = graph.input("g", {3});
  const Value gradient = backward(selu(x), {x}, {.seed = g})[x];
  EXPECT_FALSE(check_gradients(gradient, {}, {{x, init::normal({3}, 1)}, {g, init::normal({3}, 7)}})
                   .passed());
}

TEST(SecondOrder, AGradientPenaltyTrains) {
  // The gradient of a squared gradient norm reaches the parameters.
  Graph graph;
  const Value x = graph.input("x", {2, 3});
  const Value w = graph.parameter("w", init::normal({3, 4}, 3));
  const Value y = gelu(matmul(x, w), Approximate::tanh);
  const Value ones = graph.constant(Tensor::full({2, 4}, 1));
  const Value dx = backward(y, {x}, {.seed = ones})[x];
  const gradcheck::Report report =
      check_gradients(mean(mul(dx, dx)), {w}, {{x, init::normal({2, 3}, 4)}});
  EXPECT_TRUE(report.passed()) << report.to_string();
}

}  // namespace
}  // namespace aclgrad
