// SPDX-License-Identifier: Apache-2.0
// Taylor remainders of whole models.
#include "aclgrad/gradcheck/model.h"

#include <gmock/gmock.h>

#include <cmath>

#include "aclgrad/aclgrad.h"

namespace aclgrad {
namespace {

using gradcheck::Verdict;
using testing::HasSubstr;

// Labels 0, 1, ... of `classes`.
Tensor labels(const Shape& shape, std::int64_t classes) {
  Tensor tensor = Tensor::zeros(shape, DType::int64);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    tensor.set(i, static_cast<double>(i * 7 % classes));
  }
  return tensor;
}

void expect_rates(const ModelReport& report) {
  EXPECT_TRUE(report.passed()) << report.to_string();
  const std::size_t orders = report.without_second_order.empty() ? 2 : 1;
  for (const TaylorDirection& direction : report.directions) {
    ASSERT_EQ(direction.rates.size(), orders) << report.to_string();
    for (const TaylorRate& rate : direction.rates) {
      EXPECT_NEAR(rate.rate, rate.order, 0.2) << report.to_string();
    }
  }
}

// A smooth network, all of whose operators have a second order.
struct Smooth {
  Graph graph;
  Value x = graph.input("x", {5, 4});
  Value y = graph.input("y", {5, 2});
  Value w = graph.parameter("w", init::normal({4, 6}, 1));
  Value v = graph.parameter("v", init::normal({6, 2}, 2));
  Value loss = mse_loss(matmul(tanh(matmul(x, w)), v), y);
  Tensor inputs = init::normal({5, 4}, 3), targets = init::normal({5, 2}, 4);

  ModelReport check(const ModelCheckOptions& options = {}) const {
    return check_model(loss, {}, {{x, inputs}, {y, targets}}, options);
  }
};

TEST(CheckModel, ASmoothNetworkHasBothRates) {
  const ModelReport report = Smooth().check();
  EXPECT_EQ(report.without_second_order, "");
  expect_rates(report);
  EXPECT_EQ(report.elements, 20 + 10 + 24 + 12);
  EXPECT_THAT(report.to_string(), HasSubstr("directions: passed"));
  const ModelReport first = Smooth().check({.directions = 1, .second_order = false});
  EXPECT_EQ(first.directions.size(), 1u);
  EXPECT_NE(first.without_second_order, "");
  expect_rates(first);
}

TEST(CheckModel, AGradientThatIsATenthOfAPercentOffHasRateOne) {
  const ScopedRule<TanhOp> wrong([](const TanhOp&, const RuleCall& call) {
    return InputGradients{mul(tanh_backward(call.gradient(), call.output()), 1.001)};
  });
  const ModelReport report = Smooth().check();
  EXPECT_EQ(report.verdict(), Verdict::wrong);
  for (const TaylorDirection& direction : report.directions) {
    EXPECT_NEAR(direction.rates[0].rate, 1, 0.2) << report.to_string();
  }
  EXPECT_THAT(report.to_string(), HasSubstr("FAILED"));
}

// x = 1 beside corners so near that hardly a remainder of order 3 lies between them and rounding.
ModelReport beside_corners() {
  Graph graph;
  const Value x = graph.parameter("x", Tensor::from({1}, {1}));
  const Value corners = add(relu(add(x, -1.00005)), relu(sub(full(graph, {1}, 0.99995), x)));
  return check_model(reduce_sum(add(tanh(x), corners)), {}, std::initializer_list<Feed>{});
}

TEST(CheckModel, CornersCloseByLeaveTheSecondOrderToItsSize) {
  const ModelReport right = beside_corners();
  EXPECT_TRUE(right.passed()) << right.to_string();
  EXPECT_THAT(right.to_string(), HasSubstr("too few for a rate"));
  const ScopedRule<TanhBackwardOp> wrong([](const TanhBackwardOp&, const RuleCall& call) {
    const Value& y = call.input(1);
    const Value product = mul(call.input(0), call.gradient());
    return InputGradients{tanh_backward(call.gradient(), y), mul(product, mul(y, -2.02))};
  });
  EXPECT_FALSE(beside_corners().passed());
}

TEST(CheckModel, AWrongSecondOrderShowsThereOnly) {
  const ScopedRule<TanhBackwardOp> wrong([](const TanhBackwardOp&, const RuleCall& call) {
    const Value& y = call.input(1);
    const Value product = mul(call.input(0), call.gradient());
    return InputGradients{tanh_backward(call.gradient(), y), mul(product, mul(y, -1))};
  });
  const ModelReport report = Smooth().check();
  for (const TaylorDirection& direction : report.directions) {
    EXPECT_EQ(direction.rates[0].verdict, Verdict::right) << report.to_string();
    EXPECT_EQ(direction.rates[1].verdict, Verdict::wrong) << report.to_string();
    EXPECT_NEAR(direction.rates[1].rate, 2, 0.2) << report.to_string();
  }
}

TEST(CheckModel, ATransformer) {
  constexpr std::int64_t kLetters = 7, kContext = 5, kWidth = 8;
  const Embedding letters("letters", kLetters, kWidth, 1), places("places", kContext, kWidth, 2);
  const Sequential blocks(TransformerBlock("block", kWidth, 2, 12, {.causal = true, .seed = 3}),
                          LayerNorm("norm", kWidth), Linear("next", kWidth, kLetters, {.seed = 5}));
  Graph graph;
  const Value text = graph.input("text", {2, kContext}, DType::int64);
  const Value next = graph.input("next", {2, kContext}, DType::int64);
  const Value place = graph.constant(Tensor::arange(kContext, 0, 1, DType::int64));
  const Value loss = cross_entropy(blocks(letters(text) + places(place)), next);
  const Shape shape{2, kContext};
  const ModelReport report =
      check_model(loss, {}, {{text, labels(shape, kLetters)}, {next, labels(shape, 5)}});
  expect_rates(report);
}

TEST(CheckModel, SaysWhichOperatorHasNoSecondOrder) {
  Graph graph;
  const Value x = graph.input("x", {4, 3});
  const Value points = graph.constant(init::normal({2, 3}, 2, 4));
  const Value loss = reduce_sum(tanh(cdist(x, points)));
  const ModelReport report = check_model(loss, {}, {{x, init::normal({4, 3}, 1)}});
  EXPECT_THAT(report.without_second_order, HasSubstr("cdist_backward"));
  EXPECT_TRUE(report.passed()) << report.to_string();
  EXPECT_THAT(report.to_string(), HasSubstr("second order is not checked: "));
}

TEST(CheckModel, IsInconclusiveAtACorner) {
  Graph graph;
  const Value x = graph.input("x", {3});
  const Value loss = reduce_sum(relu(x)) + reduce_sum(mul(x, mul(x, x)));
  const ModelReport report = check_model(loss, {}, {{x, Tensor::from({3}, {0, 0.5, -1})}});
  EXPECT_EQ(report.verdict(), Verdict::inconclusive) << report.to_string();
  EXPECT_THAT(report.directions[0].rates[0].reason, HasSubstr("a corner"));
  EXPECT_FALSE(report.passed());
}

// The curvature jumps where x is 0: no second order there, but a gradient.
TEST(CheckModel, IsInconclusiveWhereTheCurvatureJumps) {
  Graph graph;
  const Value x = graph.input("x", {3});
  const ModelReport report =
      check_model(reduce_sum(elu(x)), {}, {{x, Tensor::from({3}, {0, 0.5, -1})}});
  EXPECT_EQ(report.verdict(), Verdict::inconclusive) << report.to_string();
  EXPECT_EQ(report.directions[0].rates[0].verdict, Verdict::right) << report.to_string();
  EXPECT_THAT(report.directions[0].rates[1].reason, HasSubstr("the curvatures on both sides"));
}

TEST(CheckModel, IsInconclusiveWhereRoundingHidesTheRemainders) {
  Graph graph;
  const Value x = graph.input("x", {3});
  const Value loss = reduce_sum(tanh(x)) + 1e14;
  const ModelReport report =
      check_model(loss, {}, {{x, init::normal({3}, 1)}}, {.directions = 1, .largest_step = 0.01});
  EXPECT_EQ(report.verdict(), Verdict::inconclusive) << report.to_string();
  EXPECT_THAT(report.to_string(), HasSubstr("rounding"));
}

TEST(CheckModel, ALinearLossLeavesNoRemainder) {
  Graph graph;
  const Value x = graph.input("x", {3});
  const Value loss = reduce_sum(mul(x, 1.5));
  const ModelReport report = check_model(loss, {}, {{x, init::normal({3}, 1)}});
  EXPECT_TRUE(report.passed()) << report.to_string();
  const ScopedRule<MulNumberOp> wrong(
      [](const MulNumberOp&, const RuleCall& call) { return InputGradients{call.gradient()}; });
  EXPECT_EQ(check_model(loss, {}, {{x, init::normal({3}, 1)}}).verdict(), Verdict::wrong);
}

TEST(CheckModel, RefusesWhatItCannotCheck) {
  Graph graph;
  const Value x = graph.input("x", {3});
  const Tensor at = init::normal({3}, 1);
  EXPECT_THROW(check_model(tanh(x), {}, {{x, at}}), ShapeError);
  const Value loss = reduce_sum(tanh(x));
  EXPECT_THROW(check_model(loss, {}, {}), ValueError);
}

}  // namespace
}  // namespace aclgrad
