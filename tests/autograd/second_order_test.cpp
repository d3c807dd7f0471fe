// SPDX-License-Identifier: Apache-2.0
// Gradients of gradients of the activations, against derivatives of the recorded gradients.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

using Activation = std::function<Value(const Value&)>;

// The gradient of activation(x) weighted by g is a function of x and g; its own gradients are
// checked.
gradcheck::Report check_second(const Activation& activation, const Tensor& at) {
  Graph graph;
  const Value x = graph.input("x", at.shape());
  const Value y = activation(x);
  const Value g = graph.input("g", y.shape());
  const Value gradient = backward(y, {x}, {.seed = g})[x];
  return check_gradients(gradient, {}, {{x, at}, {g, init::normal(y.shape(), 7)}});
}

void expect_right(const Activation& activation, const Tensor& at) {
  const gradcheck::Report report = check_second(activation, at);
  EXPECT_TRUE(report.passed()) << report.to_string();
  ASSERT_EQ(report.gradients.size(), 2u);
  for (const gradcheck::Gradient& gradient : report.gradients) EXPECT_GT(gradient.largest, 1e-3);
}

Tensor points() {
  return Tensor::from({3, 4}, {-7, -3.5, -2.9, -1.5, -0.75, -0.1, 0.2, 0.9, 1.7, 2.8, 3.3, 5});
}

TEST(SecondOrder, Selu) {
  expect_right([](const Value& x) { return selu(x); }, points());
}

TEST(SecondOrder, EluFromInputAndFromResult) {
  for (const BackwardFrom from : {BackwardFrom::input, BackwardFrom::result}) {
    expect_right([&](const Value& x) { return elu(x, 1.25, 0.75, 1.5, from); }, points());
    expect_right([&](const Value& x) { return elu(x, 1, 1, 1, from); }, points());
    // The operator takes its attributes as floats, which these are not.
    expect_right([&](const Value& x) { return elu(x, 1.3, 0.9, 1.1, from); }, points());
  }
}

TEST(SecondOrder, HardswishWithEitherSlopeAtItsCorners) {
  expect_right([](const Value& x) { return hardswish(x); }, points());
  for (const CornerSlope corners : {CornerSlope::outside, CornerSlope::inside}) {
    Graph graph;
    const Value x = graph.input("x", {3, 4}), g = graph.input("g", {3, 4});
    const gradcheck::Report report = check_gradients(hardswish_backward(g, x, corners), {},
                                                     {{x, points()}, {g, init::normal({3, 4}, 7)}});
    EXPECT_TRUE(report.passed()) << report.to_string();
  }
}

TEST(SecondOrder, GeluBothForms) {
  for (const Approximate form : {Approximate::none, Approximate::tanh}) {
    expect_right([&](const Value& x) { return gelu(x, form); }, points());
  }
}

TEST(SecondOrder, GegluEveryForm) {
  for (const std::int64_t dim : {0, 1, -1}) {
    for (const Approximate form : {Approximate::none, Approximate::tanh}) {
      for (const bool left : {false, true}) {
        expect_right([&](const Value& x) { return geglu(x, dim, form, left); },
                     init::normal({2, 4, 2}, 5, 1.5));
      }
    }
  }
}

TEST(SecondOrder, LogSoftmaxAlongEveryDimension) {
  for (const std::int64_t dim : {0, -1}) {
    expect_right([&](const Value& x) { return log_softmax(x, dim); }, points());
  }
}

TEST(SecondOrder, SoftmaxAlongEveryDimension) {
  for (const std::int64_t dim : {0, -1}) {
    expect_right([&](const Value& x) { return softmax(x, dim); }, points());
  }
}

TEST(SecondOrder, MseLossEveryReduction) {
  for (const Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum}) {
    Graph graph;
    const Value x = graph.input("x", {3, 4});
    const Value t = graph.input("t", {3, 4});
    const Value loss = mse_loss(x, t, reduction);
    const Value g = graph.input("g", loss.shape());
    const Value gradient = backward(loss, {x}, {.seed = g})[x];
    const gradcheck::Report report = check_gradients(
        gradient, {},
        {{x, points()}, {t, init::normal({3, 4}, 2)}, {g, init::normal(loss.shape(), 3)}});
    EXPECT_TRUE(report.passed()) << report.to_string();
    EXPECT_EQ(report.gradients.size(), 3u);
  }
}

Tensor positive_points() {
  return Tensor::from({3, 4}, {0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5});
}

TEST(SecondOrder, FunctionsMadeOfThemselves) {
  expect_right([](const Value& x) { return exp(x); }, points());
  expect_right([](const Value& x) { return log(x); }, positive_points());
  expect_right([](const Value& x) { return sqrt(x); }, positive_points());
  expect_right([](const Value& x) { return rsqrt(x); }, positive_points());
  expect_right([](const Value& x) { return reciprocal(x); }, points());
  expect_right([](const Value& x) { return sin(x); }, points());
  expect_right([](const Value& x) { return cos(x); }, points());
  expect_right([](const Value& x) { return erf(x); }, points());
}

TEST(SecondOrder, FunctionsWithABackwardOperator) {
  expect_right([](const Value& x) { return tanh(x); }, points());
  expect_right([](const Value& x) { return sigmoid(x); }, points());
  expect_right([](const Value& x) { return silu(x); }, points());
  expect_right([](const Value& x) { return softplus(x); }, points());
  // The threshold lies among the points, and neither number is a float.
  expect_right([](const Value& x) { return softplus(x, 1.3, 1.1); }, points());
  expect_right([](const Value& x) { return softplus(x, 0.7, -1.3); }, points());
}

TEST(SecondOrder, ActivationsOfOneFormula) {
  expect_right([](const Value& x) { return mul(x, hardtanh(x, -0.7, 1.1)); }, points());
  expect_right([](const Value& x) { return mul(x, hardshrink(x, 0.3)); }, points());
  expect_right([](const Value& x) { return mul(x, softshrink(x, 0.3)); }, points());
  expect_right([](const Value& x) { return mul(x, hardsigmoid(x)); }, points());
  expect_right([](const Value& x) { return mul(x, threshold(x, 0.1, -2)); }, points());
  expect_right([](const Value& x) { return mish(x); }, points());
  expect_right([](const Value& x) { return celu(x); }, points());
  expect_right([](const Value& x) { return celu(x, 1.3); }, points());
  expect_right([](const Value& x) { return celu(x, -0.5); }, points());
  expect_right([](const Value& x) { return fast_gelu(x); }, points());
  expect_right([](const Value& x) { return log_sigmoid(x); }, points());
  expect_right([](const Value& x) { return logit(mul(sigmoid(x), 0.5)); }, points());
  expect_right([](const Value& x) { return logit(mul(sigmoid(x), 0.5), 0.3); }, points());
  for (const std::int64_t dim : {0, 1}) {
    const auto joined = [dim](const Value& x) { return cat({x, sin(x)}, dim); };
    expect_right([&](const Value& x) { return glu(joined(x), dim); }, points());
    expect_right([&](const Value& x) { return swiglu(joined(x), dim); }, points());
  }
  // With respect to x, to the weight, and across.
  expect_right([](const Value& x) { return prelu(x, reduce_sum(mul(x, x), {0})); }, points());
}

TEST(SecondOrder, LossesOfProbabilitiesAndMargins) {
  for (const Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum}) {
    expect_right(
        [=](const Value& x) {
          const Value target = x.graph().constant(init::uniform(x.shape(), 5, 0, 1));
          return add(binary_cross_entropy(sigmoid(x), target, {.reduction = reduction}),
                     soft_margin_loss(x, target, reduction));
        },
        points());
  }
}

TEST(SecondOrder, ElementsByTheirNumbers) {
  const auto rows = [](const Value& x) {
    return x.graph().constant(Tensor::from({3}, {2, 0, 2}, DType::int64));
  };
  // Of squares, so that the second derivative is not 0.
  expect_right([&](const Value& x) { return index_add(x, 0, rows(x), mul(x, x)); }, points());
  expect_right([&](const Value& x) { return index(mul(x, x), {rows(x), rows(x)}); }, points());
  expect_right(
      [&](const Value& x) {
        return index_put(x, {rows(x), rows(x)}, reshape(slice(mul(x, x), 1, 0, 1), {3}), true);
      },
      points());
  expect_right([](const Value& x) { return repeat_interleave(mul(x, x), 2, 1); }, points());
  expect_right([&](const Value& x) { return repeat_interleave(mul(x, x), rows(x), 4, 0); },
               points());
}

TEST(SecondOrder, BagsAndNorms) {
  const auto numbers = [](const Value& x, std::initializer_list<double> list) {
    return x.graph().constant(
        Tensor::from({static_cast<std::int64_t>(list.size())}, list, DType::int64));
  };
  for (const BagMode mode : {BagMode::sum, BagMode::mean, BagMode::max}) {
    expect_right(
        [&](const Value& x) {
          return embedding_bag(mul(x, x), numbers(x, {1, 0, 1}), numbers(x, {0, 0, 2}),
                               {.mode = mode});
        },
        points());
  }
  expect_right([](const Value& x) { return renorm(x, 2, 0, 1); }, points());
}

TEST(SecondOrder, Reductions) {
  expect_right([](const Value& x) { return var(x, {1}); }, points());
  expect_right([](const Value& x) { return stddev(x, {1}); }, points());
  expect_right([](const Value& x) { return logsumexp(x, {1}); }, points());
  expect_right([](const Value& x) { return cumprod(x, 1); }, points());
  expect_right([](const Value& x) { return mul(flip(x, {1}), roll(x, {1}, {1})); }, points());
  expect_right([](const Value& x) { return norm(x, {1}); }, points());
}

// Normalizations of x [4, 6, 3] with a weight and a bias, differentiated by all, one or two of
// them, so that some of what a backward makes is not there. The sum of these gradients, each times
// some numbers, is a function of everything, whose own gradients are checked.
void expect_second_of_normalization(
    const Shape& per_weight,
    const std::function<Value(const Value& x, const Value& weight, const Value& bias)>& normalize,
    bool has_bias = true, bool follows_x = true) {
  const std::vector<std::vector<std::size_t>> choices = {{0, 1, 2}, {0}, {1}, {0, 2}};
  for (const std::vector<std::size_t>& chosen : choices) {
    Graph graph;
    const Value x = graph.input("x", {4, 6, 3});
    const Value weight = graph.input("weight", per_weight), bias = graph.input("bias", per_weight);
    const Value y = normalize(x, weight, bias);
    const Value seed = graph.input("seed", y.shape());
    const std::vector<Value> inputs = {x, weight, bias};
    std::vector<Value> wrt;
    for (const std::size_t i : chosen) {
      if (i < 2 || has_bias) wrt.push_back(inputs[i]);
    }
    Value sum = graph.constant(Tensor::scalar(0));
    for (const auto& [value, gradient] : backward(y, wrt, {.seed = seed})) {
      const Value numbers = graph.constant(init::normal(gradient.shape(), 11));
      sum = add(sum, reduce_sum(mul(gradient, numbers)));
    }
    std::vector<Feed> feeds;
    for (const Value& input : Session(graph, {sum}).inputs()) {
      feeds.emplace_back(input, init::normal(input.shape(), 5 + feeds.size()));
    }
    const gradcheck::Report report = check_gradients(sum, {}, feeds);
    EXPECT_TRUE(report.passed()) << report.to_string();
    for (const gradcheck::Gradient& tensor : report.gradients) {
      SCOPED_TRACE(tensor.of);
      // The bias shifts y, the weight does not matter to its own gradient, the running statistics
      // not to that of the batch, and x, where statistics do not follow it, only to the weight's.
      const bool by_weight = std::ranges::count(chosen, 1u) > 0;
      const bool matters = tensor.of == "seed" || (tensor.of == "x" && (follows_x || by_weight)) ||
                           (tensor.of == "weight" && chosen[0] == 0);
      EXPECT_EQ(tensor.largest > 1e-3, matters);
    }
  }
}

TEST(SecondOrder, LayerNorm) {
  for (const Shape& row : {Shape{3}, Shape{6, 3}}) {
    expect_second_of_normalization(row, [](const Value& x, const Value& weight, const Value& bias) {
      return layer_norm(x, weight, bias);
    });
  }
}

TEST(SecondOrder, RmsNorm) {
  for (const Shape& row : {Shape{3}, Shape{6, 3}}) {
    expect_second_of_normalization(
        row, [](const Value& x, const Value& weight, const Value&) { return rms_norm(x, weight); },
        /*has_bias=*/false);
  }
}

TEST(SecondOrder, BatchNormByTheBatchAndByRunningStatistics) {
  for (const bool training : {true, false}) {
    SCOPED_TRACE(training);
    const Tensor means = init::normal({6}, 1), variances = init::uniform({6}, 2, 0.5, 2);
    expect_second_of_normalization(
        {6},
        [&](const Value& x, const Value& weight, const Value& bias) {
          Graph graph = x.graph();
          const auto statistics = [&](const char* name, const Tensor& values) {
            return training ? graph.parameter(Variable(name, values)) : graph.constant(values);
          };
          const Value mean = statistics("mean", means),
                      variance = statistics("variance", variances);
          return batch_norm(x, weight, bias, mean, variance, {.training = training});
        },
        /*has_bias=*/true, /*follows_x=*/training);
  }
}

TEST(SecondOrder, GroupNorm) {
  for (const std::int64_t groups : {1, 2, 6}) {
    expect_second_of_normalization({6},
                                   [&](const Value& x, const Value& weight, const Value& bias) {
                                     return group_norm(x, groups, weight, bias);
                                   });
  }
}

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

TEST(SecondOrder, PiecewiseLinearFunctionsHaveNoCurvature) {
  for (const Activation& activation :
       {Activation([](const Value& x) { return relu(x); }),
        Activation([](const Value& x) { return leaky_relu(x, 0.3); })}) {
    const gradcheck::Report report = check_second(activation, points());
    EXPECT_TRUE(report.passed()) << report.to_string();
    ASSERT_EQ(report.gradients.size(), 2u);
    EXPECT_EQ(report.gradients[0].largest, 0);
    EXPECT_GT(report.gradients[1].largest, 0.1);
  }
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

TEST(SecondOrder, EmbeddingThroughItsBackward) {
  expect_right(
      [](const Value& x) {
        const Value rows =
            embedding(x, x.graph().constant(Tensor::from({4}, {2, 0, 2, 1}, DType::int64)));
        return mul(rows, rows);
      },
      points());
}

TEST(SecondOrder, JoinsAndCuts) {
  expect_right(
      [](const Value& x) {
        const Value squares = mul(x, x);
        return cat({slice(squares, 1, 0, 4, 3), pad(repeat(squares, {1, 2}), {-3, 0}, 2)}, 1);
      },
      points());
}

TEST(SecondOrder, NllLoss) {
  for (const Reduction reduction : {Reduction::none, Reduction::mean, Reduction::sum}) {
    Graph graph;
    const Value p = graph.input("p", {3, 4});
    const Value weight = graph.constant(Tensor::from({4}, {1, 0.5, 2, 0.25}));
    const Value target = graph.constant(Tensor::from({3}, {2, 0, 3}, DType::int64));
    const Value loss = nll_loss(p, target, {.weight = weight, .reduction = reduction});
    const Value g = graph.input("g", loss.shape());
    const Value gradient = backward(loss, {p}, {.seed = g})[p];
    const gradcheck::Report report =
        check_gradients(gradient, {}, {{p, points()}, {g, init::normal(loss.shape(), 3)}});
    EXPECT_TRUE(report.passed()) << report.to_string();
    ASSERT_EQ(report.gradients.size(), 2u);
    EXPECT_EQ(report.gradients[0].largest, 0) << "the log-probabilities do not matter";
    EXPECT_GT(report.gradients[1].largest, 0.1);
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
  EXPECT_FALSE(check_second([](const Value& x) { return selu(x); }, points()).passed());
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
