// SPDX-License-Identifier: Apache-2.0
// Gradcheck itself: it must catch wrong rules, pass right ones, and leave no trace.
#include "aclgrad/gradcheck.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "aclgrad/aclgrad.h"
#include "aclgrad_ext.h"
#include "tests/support/allocations.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

constexpr double kLambda = 1.0507009873554805;

TEST(Gradcheck, CatchesSeluWithoutLambda) {
  Graph graph;
  const Value x = graph.input("x", {4});
  const Value loss = reduce_sum(selu(x));
  const Tensor at = Tensor::from({4}, {-2, -0.5, 0.5, 2});
  EXPECT_TRUE(check_gradients(loss, {}, {{x, at}}).passed());

  ScopedRule<SeluOp> wrong([](const SeluOp&, const RuleCall& call) {
    return InputGradients{mul(selu_backward(call.gradient(), call.output()), 1 / kLambda)};
  });
  const gradcheck::Report report = check_gradients(loss, {}, {{x, at}});
  EXPECT_FALSE(report.passed());
  ASSERT_EQ(report.gradients.size(), 1u);
  const gradcheck::Gradient& found = report.gradients[0];
  EXPECT_EQ(found.wrong, 4);
  EXPECT_NEAR(found.max_rel_error, 1 - 1 / kLambda, 1e-8);
  EXPECT_NEAR(static_cast<double>(found.worst.low / found.worst.analytic), kLambda, 1e-8);
  EXPECT_THAT(report.to_string(), HasSubstr("gradcheck: WRONG. 0 elements right, 4 wrong"));
  EXPECT_THAT(report.to_string(), HasSubstr("WRONG"));
}

// Probabilities add up to 1, whatever they are of; so do squares of what is normalized.
TEST(Gradcheck, OfAGradientThatIs0IsVacuousAndNotInconclusive) {
  Graph graph;
  const Value x = graph.input("x", {3, 4});
  const Tensor at = Tensor::from({3, 4}, {-2, -0.5, 0.5, 2, 30, 1, 7, -20, 0.1, 0.2, 0.3, 3000});
  for (const Value& loss : {reduce_sum(softmax(x, -1)), reduce_sum(sub(x, x))}) {
    const gradcheck::Report report = check_gradients(loss, {}, {{x, at}});
    EXPECT_EQ(report.exit_status(), 5) << report.to_string();
    EXPECT_EQ(report.right, 12);
    EXPECT_EQ(report.gradients.at(0).verdict(), gradcheck::Verdict::vacuous);
    EXPECT_THAT(report.to_string(), HasSubstr("being right there proves nothing"));
  }
}

TEST(Gradcheck, RowsAreInexactWhereTheReportIs) {
  const gradcheck::Gradient row{.compared = 3, .right = 2, .inexact = 1, .largest = 1};
  EXPECT_EQ(row.verdict(), gradcheck::Verdict::inexact);
}

TEST(Gradcheck, ReportsForPeopleMachinesAndPages) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value w = graph.parameter("w", Tensor::from({2}, {3, 4}));
  ScopedRule<SeluOp> wrong([](const SeluOp&, const RuleCall& call) {
    return InputGradients{mul(selu_backward(call.gradient(), call.output()), 2)};
  });
  const gradcheck::Report report =
      check_gradients(reduce_sum(mul(selu(x), w)), {}, {{x, Tensor::from({2}, {-1, 1})}});
  EXPECT_EQ(report.exit_status(), 1);
  EXPECT_THAT(report.to_string(), HasSubstr("2 of 2 elements of the gradient of x are not"));
  const gradcheck::Report along = check_gradients(
      reduce_sum(mul(selu(x), w)), {}, {{x, Tensor::from({2}, {-1, 1})}}, {.projections = 3});
  EXPECT_THAT(along.to_string(), HasSubstr("3 of 3 directions of the gradient of x are not"));
  EXPECT_THAT(along.to_string(), testing::ContainsRegex("direction [012] of the gradient of x: "));
  const auto json = nlohmann::json::parse(report.to_json());
  EXPECT_EQ(json["status"], 1);
  EXPECT_EQ(json["gradients"][0]["of"], "x");
  EXPECT_EQ(json["gradients"][0]["elements"]["wrong"], 2);
  EXPECT_EQ(json["gradients"][1]["verdict"], "right");
  EXPECT_EQ(json["findings"][0]["element"]["gradient_of"], "x");
  EXPECT_THAT(report.to_markdown(), HasSubstr("| w | 2 | 4 |"));
  EXPECT_THAT(report.to_markdown(), HasSubstr("| x of node"));
}

TEST(Gradcheck, CatchesAnErrorInTheSixthDigit) {
  Graph graph;
  const Value x = graph.input("x", {3});
  ScopedRule<SeluOp> wrong([](const SeluOp&, const RuleCall& call) {
    return InputGradients{mul(selu_backward(call.gradient(), call.output()), 1 + 5e-6)};
  });
  EXPECT_FALSE(check_gradients(selu(x), {}, {{x, Tensor::from({3}, {-1, 1, 2})}}).passed());
}

// The derivative is 0, and what is seen of it the rounding of sums.
TEST(Gradcheck, KnowsRoundingFromASlope) {
  for (const std::int64_t n : {7, 11, 23}) {
    Graph graph;
    const Value x = graph.input("x", {n});
    const gradcheck::Report report =
        check_gradients(reduce_sum(sub(x, mean(x))), {}, {{x, init::normal({n}, 1)}});
    EXPECT_TRUE(report.passed()) << report.to_string();
  }
}

TEST(Gradcheck, WhatIsRightBesideACornerIsNotBlamed) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = graph.input("y", {2});
  const Value curved = add(mul(elu(x), 1e-3), sigmoid(mul(x, 1.7)));
  EXPECT_TRUE(check_gradients(curved, {}, {{x, Tensor::from({2}, {-1e-6, 1e-6})}}).passed());
  const Value clamped = clamp(mul(x, y), {.min = -1, .max = 1});
  const gradcheck::Report report = check_gradients(
      clamped, {}, {{x, Tensor::from({2}, {0.25, -0.75})}, {y, Tensor::from({2}, {-3.6, -1.332})}});
  EXPECT_TRUE(report.passed()) << report.to_string();
}

TEST(Gradcheck, TakesInputsOfAnyName) {
  Graph graph;
  const Value a = graph.input("1", {2});
  const Value b = graph.input("0", {2});
  const Value c = graph.input("gradient", {2});
  const Tensor ones = Tensor::full({2}, 1);
  EXPECT_TRUE(check_gradients(mul(mul(a, b), c), {}, {{a, ones}, {b, ones}, {c, ones}}).passed());
}

TEST(Gradcheck, CatchesOneWrongElement) {
  Graph graph;
  const Value x = graph.input("x", {2, 3});
  ScopedRule<SeluOp> wrong([](const SeluOp&, const RuleCall& call) {
    Graph here = call.input().graph();
    Tensor mask = Tensor::full({2, 3}, 1, call.input().dtype());
    mask.set(4, 0);
    return InputGradients{mul(selu_backward(call.gradient(), call.output()), here.constant(mask))};
  });
  const gradcheck::Report report =
      check_gradients(selu(x), {}, {{x, Tensor::from({2, 3}, {1, 2, 3, -1, -2, -3})}});
  ASSERT_EQ(report.gradients.size(), 1u);
  EXPECT_EQ(report.gradients[0].wrong, 1);
  EXPECT_EQ(report.gradients[0].worst.index, 4);
  EXPECT_EQ(report.gradients[0].worst.analytic, 0);
}

TEST(Gradcheck, CatchesAMissingGradient) {
  Graph graph;
  const Value x = graph.input("x", {2});
  ScopedRule<SeluOp> wrong([](const SeluOp&, const RuleCall&) { return InputGradients{Value()}; });
  EXPECT_FALSE(check_gradients(selu(x), {}, {{x, Tensor::from({2}, {-1, 1})}}).passed());
}

TEST(Gradcheck, NanIsNeverRight) {
  Graph graph;
  const Value x = graph.input("x", {1});
  const Tensor nan = Tensor::full({1}, std::nan(""));
  const gradcheck::Report report = check_gradients(selu(x), {}, {{x, nan}});
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.gradients[0].inconclusive, 1);
  EXPECT_THAT(report.gradients[0].worst.reason, HasSubstr("no finite value"));
}

TEST(Gradcheck, ChecksWhatItIsAskedFor) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value w = graph.parameter("w", Tensor::from({2}, {3, 4}));
  const Value loss = reduce_sum(mul(selu(x), w));
  const Tensor at = Tensor::from({2}, {-1, 1});
  const gradcheck::Report all = check_gradients(loss, {}, {{x, at}});
  ASSERT_EQ(all.gradients.size(), 2u);
  EXPECT_EQ(all.gradients[0].of, "x");
  EXPECT_EQ(all.gradients[1].of, "w");
  const gradcheck::Report one = check_gradients(loss, {w}, {{x, at}});
  ASSERT_EQ(one.gradients.size(), 1u);
  EXPECT_EQ(one.gradients[0].of, "w");
  EXPECT_THROW(check_gradients(loss, {selu(x)}, {{x, at}}), ValueError);
}

TEST(Gradcheck, FeedsAreChecked) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = graph.input("y", {2});
  const Value loss = selu(x);
  const Tensor at = Tensor::from({2}, {-1, 1});
  EXPECT_THROW(check_gradients(loss, {}, std::initializer_list<Feed>{}), ValueError);
  EXPECT_THROW(check_gradients(loss, {}, {{x, at}, {y, at}}), ValueError);
  EXPECT_THROW(check_gradients(loss, {}, {{x, Tensor::zeros({3})}}), ShapeError);
  EXPECT_THROW(check_gradients(loss, {}, {{x, Tensor::zeros({2}, DType::float16)}}), DTypeError);
  EXPECT_TRUE(check_gradients(loss, {}, {{x, at.to(DType::float64)}}).passed());
}

TEST(Gradcheck, LeavesNoTrace) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value w = graph.parameter("w", Tensor::from({2}, {3, 4}));
  const Value loss = reduce_sum(mul(selu(x), w));
  const std::size_t nodes = graph.size();
  ASSERT_EQ(aclgradGetAcceptDouble(), 0);
  check_gradients(loss, {}, {{x, Tensor::from({2}, {-1, 1})}});
  EXPECT_EQ(aclgradGetAcceptDouble(), 0);
  EXPECT_EQ(graph.size(), nodes);
  EXPECT_EQ(w.variable()->version(), 0u);
  EXPECT_EQ(w.dtype(), DType::float32);
  EXPECT_THROW(check_gradients(loss, {}, std::initializer_list<Feed>{}), ValueError);
  EXPECT_EQ(aclgradGetAcceptDouble(), 0) << "restored after a failure too";
  aclgradSetAcceptDouble(1);
  check_gradients(loss, {}, {{x, Tensor::from({2}, {-1, 1})}});
  EXPECT_EQ(aclgradGetAcceptDouble(), 1);
  aclgradSetAcceptDouble(0);
}

TEST(Gradcheck, RefusesUpdatedVariables) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::zeros({1}));
  const Value loss = selu(inplace_add(w, w));
  try {
    check_gradients(loss, {}, std::initializer_list<Feed>{});
    FAIL() << "nothing was thrown";
  } catch (const ValueError& error) {
    EXPECT_THAT(error.what(), HasSubstr("`inplace_add`"));
    EXPECT_THAT(error.what(), HasSubstr("updates a variable"));
  }
}

TEST(Gradcheck, LowPrecisionGraphsAreCheckedInDouble) {
  Graph graph;
  const Value x = graph.input("x", {4}, DType::float16);
  const gradcheck::Report report = check_gradients(
      elu(x, 1.3), {}, {{x, Tensor::from({4}, {-2, -0.5, 0.5, 2}, DType::float16)}});
  EXPECT_TRUE(report.passed()) << report.to_string();
  EXPECT_LT(report.gradients[0].max_abs_error, 1e-9);
}

TEST(Gradcheck, NeedsNoMemoryForEveryPairOfElements) {
  Graph graph;
  const Value x = graph.input("x", {20, 20});
  const Tensor at = init::normal({20, 20}, 1);
  const PeakMemory peak;
  EXPECT_TRUE(check_gradients(mul(x, x), {}, {{x, at}}).passed());
  EXPECT_LT(peak.bytes(), 8 << 20) << "160,000 pairs";
}

TEST(Threads, CountCanBeSet) {
  EXPECT_TRUE(set_num_threads(1));
  EXPECT_EQ(aclgradGetNumThreads(), 1);
  EXPECT_TRUE(set_num_threads(0));
  EXPECT_THROW(set_num_threads(-1), StatusError);
}

}  // namespace
}  // namespace aclgrad
