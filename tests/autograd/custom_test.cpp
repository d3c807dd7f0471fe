// SPDX-License-Identifier: Apache-2.0
// Functions of one's own: two lambdas over numbers, and another gradient for what is made of
// others.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "aclgrad/aclgrad.h"
#include "aclgrad/format.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

CustomElementwise make_mish() {
  return custom_elementwise(
      "mish", [](auto x) { return x * std::tanh(std::log1p(std::exp(x))); },
      [](auto gradient, auto x) {
        const auto t = std::tanh(std::log1p(std::exp(x)));
        return gradient * (t + x * (1 - t * t) / (1 + std::exp(-x)));
      });
}

// In double whatever the tensors are.
CustomElementwise make_square(double factor = 2) {
  return custom_elementwise(
      "square", [](double x) { return x * x; },
      [factor](double gradient, double x) { return gradient * factor * x; });
}

Tensor ramp(const Shape& shape, DType dtype) {
  return Tensor::arange(shape.numel(), -3, 0.125, DType::float32).reshape(shape).to(dtype);
}

TEST(CustomElementwise, IsCheckedInOneCall) {
  const gradcheck::Report right = gradcheck::check_elementwise(make_square());
  EXPECT_TRUE(right.passed()) << right.to_string();
  const gradcheck::Report wrong = gradcheck::check_elementwise(make_square(1.999));
  EXPECT_FALSE(wrong.passed());
  EXPECT_THAT(wrong.to_string(), testing::HasSubstr("square"));
}

// Of a mistake that is too small for 16 bits far out, only its middle is seen: no branch.
TEST(CustomElementwise, ABranchIsNamedWhereThereIsOne) {
  const auto slope_with = [](double power, double x) {
    const double t = std::tanh(std::log1p(std::exp(x)));
    return t + x * (1 - std::pow(t, power)) / (1 + std::exp(-x));
  };
  const auto check = [](auto slope) {
    return gradcheck::check_elementwise(
               custom_elementwise(
                   "mish", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); },
                   [slope](double gradient, double x) { return gradient * slope(x); }))
        .to_string();
  };
  const std::string fades = check([&](double x) { return slope_with(1, x); });
  EXPECT_THAT(fades, testing::HasSubstr("WRONG  mish, float32"));
  EXPECT_THAT(fades, testing::Not(testing::HasSubstr("a branch")));
  const std::string jumps = check([&](double x) { return x > 5 ? 1 : slope_with(2, x); });
  EXPECT_THAT(jumps, testing::HasSubstr("between 5.0"));
  EXPECT_THAT(jumps, testing::HasSubstr("a branch"));
}

// The same formula by the library's functions, forward and backward, in every dtype.
TEST(CustomElementwise, IsItsFormulaInEveryDtypeAndLayout) {
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    const CustomElementwise square = make_square();
    Graph graph;
    const Value x = graph.input("x", {3, 700}, dtype);
    const Value turned = transpose(slice(x, 1, 1), 0, 1);
    const Value mine = square(turned), library = mul(turned, turned);
    EXPECT_EQ(mine.dtype(), dtype);
    const Value gradient = backward(reduce_sum(mine * 3), {x})[x];
    const Value wanted = backward(reduce_sum(library * 3), {x})[x];
    for (const SessionOptions& options :
         {SessionOptions{}, {.eager = true}, {.replay = false}, {.poison = true}}) {
      Session session(graph, {mine, library, gradient, wanted}, options);
      const Tensor fed = ramp({3, 700}, dtype);
      const Results results = session.run({{x, fed}});
      EXPECT_TRUE(bitwise_equal(results[mine], results[library])) << fmt::format("{}", dtype);
      EXPECT_TRUE(bitwise_equal(results[gradient], results[wanted])) << fmt::format("{}", dtype);
    }
  }
}

TEST(CustomElementwise, ThreadsChangeNoBits) {
  const CustomElementwise mish = make_mish();
  Graph graph;
  const Value x = graph.input("x", {257, 1031});
  const Value y = mish(x);
  Session session(graph, {y});
  const Tensor fed = init::normal({257, 1031}, 1, 3);
  set_num_threads(1);
  const Tensor one = session.run({{x, fed}})[y];
  set_num_threads(4);
  const Tensor four = session.run({{x, fed}})[y];
  set_num_threads(0);
  EXPECT_TRUE(bitwise_equal(one, four));
}

TEST(CustomElementwise, IsALayerThatTrainsAndMayBeEmpty) {
  const CustomElementwise mish = make_mish();
  const Sequential network(Linear("hidden", 2, 8), mish, Linear("out", 8, 1));
  Adam adam({.learning_rate = 0.05});
  Trainer trainer(network, mse_of(network), adam, {.micro_batches = 2});
  const data::Dataset xor_of_two{Tensor::from({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}),
                                 Tensor::from({4, 1}, {0, 1, 1, 0})};
  double loss = 1;
  for (int step = 0; step < 300; ++step) loss = trainer.step(xor_of_two);
  EXPECT_LT(loss, 1e-2);
  Graph graph;
  const Value x = graph.input("x", {0, 3});
  const Value y = mish(x);
  const Value gradient = backward(reduce_sum(y), {x})[x];
  const Results results = Session(graph, {y, gradient}).run({{x, Tensor::zeros({0, 3})}});
  EXPECT_EQ(results[gradient].shape(), (Shape{0, 3}));
  EXPECT_THAT(graph.to_string(), testing::HasSubstr("mish_backward"));
}

TEST(CustomElementwise, SaysWhatDoesNotFit) {
  EXPECT_THROW(custom_elementwise(
                   "", [](double x) { return x; }, [](double g, double) { return g; }),
               ValueError);
  const CustomElementwise square = make_square();
  Graph graph;
  EXPECT_THROW(square(graph.input("n", {2}, DType::int64)), DTypeError);
  const Value x = graph.input("x", {2});
  const Value slope = backward(reduce_sum(square(x)), {x})[x];
  EXPECT_THAT([&] { static_cast<void>(backward(reduce_sum(slope), {x})); },
              testing::ThrowsMessage<ValueError>(testing::HasSubstr("`square_backward`")));
}

// The run fails, with what the function said, and the process goes on.
TEST(CustomElementwise, ThatThrowsFailsTheRun) {
  const CustomElementwise strict = custom_elementwise(
      "strict",
      [](double x) {
        if (x < 0) throw std::domain_error("no number below 0");
        return std::sqrt(x);
      },
      [](double gradient, double x) { return gradient / (2 * std::sqrt(x)); });
  for (const std::int64_t count : {3, 100000}) {
    Graph graph;
    const Value x = graph.input("x", {count});
    const Value y = strict(x);
    for (const bool eager : {false, true}) {
      Session session(graph, {y}, {.eager = eager});
      const Tensor good = Tensor::full({count}, 4);
      Tensor bad = good;
      bad.set(count - 1, -1);
      EXPECT_THAT(
          [&] {
            session.run({{x, bad}});
          },
          testing::ThrowsMessage<StatusError>(testing::AllOf(
              testing::HasSubstr("`strict`"), testing::HasSubstr("no number below 0"))));
      EXPECT_EQ(session.run({{x, good}})[y].get(count - 1), 2);
    }
  }
}

// Rounding, whose gradient passes straight through.
CustomGradient make_rounding() {
  return custom_gradient(
      "round", [](const auto& x) { return cast(cast(x[0], DType::int32), x[0].dtype()); },
      [](const Value& gradient, const auto&, const Value&) { return std::vector{gradient}; });
}

TEST(CustomGradient, StandsForThatOfWhatItIsMadeOf) {
  const CustomGradient round = make_rounding();
  Graph graph;
  const Value x = graph.input("x", {3});
  const Value y = round({x * 2.0});
  const Value gradient = backward(reduce_sum(y * y), {x})[x];
  const Results results =
      Session(graph, {y, gradient}).run({{x, Tensor::from({3}, {0.6, 1.2, -2.9})}});
  EXPECT_THAT(results[y].data<float>(), testing::ElementsAre(1, 2, -5));
  EXPECT_THAT(results[gradient].data<float>(), testing::ElementsAre(4, 8, -20));
}

// A rule that is the derivative passes gradcheck, one that is not does not: with two inputs, one of
// which broadcasts, and with the result.
TEST(CustomGradient, IsCheckedAsAnyOther) {
  for (const double factor : {1.0, 1.5}) {
    const CustomGradient scaled_exp = custom_gradient(
        "scaled_exp", [](const auto& x) { return exp(x[0]) * x[1]; },
        [factor](const Value& gradient, const std::vector<Value>& x, const Value& y) {
          return std::vector{gradient * y * factor, gradient * exp(x[0])};
        });
    Graph graph;
    const Value x = graph.input("x", {2, 3}), scale = graph.input("scale", {3});
    const Tensor first = init::normal({2, 3}, 1), second = init::normal({3}, 2);
    const gradcheck::Report report = check_gradients(
        scaled_exp({x, scale}) + scaled_exp({x, scale}), {}, {{x, first}, {scale, second}});
    EXPECT_EQ(report.passed(), factor == 1.0) << report.to_string();
  }
}

// Parts of a batch are copies of the graph: the rule goes with them.
TEST(CustomGradient, TrainsInMicroBatches) {
  std::vector<double> losses;
  for (const std::int64_t parts : {1, 3}) {
    const Linear linear("linear", 3, 2, {.seed = 1});
    const CustomGradient round = make_rounding();
    Sgd sgd({.learning_rate = 0.01});
    Trainer trainer(
        linear,
        [&](const Value& x, const Value& t) { return mse_loss(round({linear(x) * 4.0}), t); }, sgd,
        {.micro_batches = parts});
    const data::Dataset examples{init::normal({6, 3}, 1), init::normal({6, 2}, 2)};
    double loss = 0;
    for (int step = 0; step < 5; ++step) loss = trainer.step(examples);
    losses.push_back(loss);
  }
  EXPECT_NEAR(losses[0], losses[1], 1e-5);
}

TEST(CustomGradient, SaysWhatDoesNotFit) {
  const auto same = [](const std::vector<Value>& x) { return x[0]; };
  const auto none = [](const Value&, const std::vector<Value>&, const Value&) {
    return std::vector<Value>{};
  };
  EXPECT_THROW(custom_gradient("", same, none), ValueError);
  EXPECT_THROW(custom_gradient("same", nullptr, none), ValueError);
  EXPECT_THROW(custom_gradient("same", same, nullptr), ValueError);
  Graph graph;
  const Value x = graph.input("x", {2});
  const CustomGradient nothing = custom_gradient(
      "nothing", [](const auto&) { return Value(); }, none);
  EXPECT_THAT([&] { nothing({x}); },
              testing::ThrowsMessage<ValueError>(testing::HasSubstr("returned an empty Value")));
  EXPECT_THROW(nothing(std::vector<Value>{}), ValueError);
  const Value y = custom_gradient("same", same, none)({x});
  EXPECT_THAT(
      [&] { static_cast<void>(backward(reduce_sum(y), {x})); },
      testing::ThrowsMessage<ValueError>(testing::AllOf(
          testing::HasSubstr("`same`"), testing::HasSubstr("returned 0 gradients for 1 inputs"))));
}

}  // namespace
}  // namespace aclgrad
