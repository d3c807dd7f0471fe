// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>

#include "tests/autograd/pytorch/numbers.h"

namespace aclgrad::pytorch {
namespace {

Value constant(const Value& beside, const Tensor& tensor) {
  return beside.graph().constant(tensor);
}

const Tensor kWeight = Tensor::from({4}, {0.5, 2, 0, 1.5}, DType::float64);
const Tensor kClasses = Tensor::from({2, 3}, {0, 2, 1, 3, -100, 2}, DType::int64);

TEST(LossesBesidePyTorch, AreAsItsAre) {
  for (const Reduction how : {Reduction::none, Reduction::mean, Reduction::sum}) {
    const std::string name = to_string(how);
    for (const bool weighted : {false, true}) {
      for (const bool smooth : {false, true}) {
        const std::string options =
            std::string(weighted ? " weight" : "") + (smooth ? " smooth " : " ") + name;
        const auto record = [&](const Value& x, const Value& t) -> Values {
          return {cross_entropy(x, t,
                                {.weight = weighted ? constant(x, kWeight) : Value(),
                                 .label_smoothing = smooth ? 0.3 : 0,
                                 .reduction = how})};
        };
        expect_as_in_pytorch("cross_entropy" + options, [&](const Values& x) {
          return record(x[0], constant(x[0], kClasses));
        });
        expect_as_in_pytorch("cross_entropy soft" + options,
                             [&](const Values& x) { return record(x[0], x[1]); });
      }
    }
    expect_as_in_pytorch("nll " + name, [&](const Values& x) -> Values {
      return {nll_loss(x[0], constant(x[0], kClasses),
                       {.weight = constant(x[0], kWeight), .reduction = how})};
    });
    expect_as_in_pytorch("huber " + name, [&](const Values& x) -> Values {
      return {huber_loss(x[0], x[1], {.delta = 0.7, .reduction = how})};
    });
    expect_as_in_pytorch("smooth_l1 " + name, [&](const Values& x) -> Values {
      return {smooth_l1_loss(x[0], x[1], {.beta = 0.3, .reduction = how})};
    });
    const Tensor chances =
        Tensor::from({3, 4}, {0, 1, 0.25, 0.5, 1, 0, 0.75, 1, 0.5, 1, 1, 0}, DType::float64);
    expect_as_in_pytorch("binary_cross_entropy " + name, [&](const Values& x) -> Values {
      return {binary_cross_entropy(x[0], constant(x[0], chances),
                                   {.weight = constant(x[0], kWeight), .reduction = how})};
    });
    expect_as_in_pytorch("soft_margin " + name, [&](const Values& x) -> Values {
      return {soft_margin_loss(x[0], constant(x[0], chances) * 2 - 1, how)};
    });
    expect_as_in_pytorch("kl_div " + name, [&](const Values& x) -> Values {
      const Value target = constant(x[0], tensor_of(numbers_of("probabilities")));
      return {kl_div(x[0], target, {.reduction = how})};
    });
    expect_as_in_pytorch("kl_div log " + name, [&](const Values& x) -> Values {
      return {kl_div(x[0], x[1], {.log_target = true, .reduction = how})};
    });
    expect_as_in_pytorch("cosine_embedding " + name, [&](const Values& x) -> Values {
      const Value alike = constant(x[0], Tensor::from({4}, {1, -1, 1, -1}, DType::int64));
      return {cosine_embedding_loss(x[0], x[1], alike, {.margin = -0.6, .reduction = how})};
    });
    for (const bool swap : {false, true}) {
      expect_as_in_pytorch(
          "triplet_margin " + std::string(swap ? "swap " : "") + name,
          [&](const Values& x) -> Values {
            return {triplet_margin_loss(x[0], x[1], x[2],
                                        {.margin = 1.5, .p = 3, .swap = swap, .reduction = how})};
          });
    }
  }
}

TEST(LossesBesidePyTorch, OfSequencesAndSeveralClasses) {
  const auto sequence = [](const std::string& name, Tensor targets, std::vector<std::int64_t> steps,
                           std::vector<std::int64_t> labels, const CtcOptions& options) {
    expect_as_in_pytorch("ctc " + name, [&](const Values& x) -> Values {
      return {ctc_loss(log_softmax(x[0], -1), constant(x[0], targets), steps, labels, options)};
    });
  };
  const Tensor rows = Tensor::from({2, 3}, {1, 2, 2, 3, 1, 0}, DType::int64);
  const Tensor marked = Tensor::from({3, 4}, {3, 0, -1, 1, 1, -1, 2, 3, 2, 2, 0, -1}, DType::int64);
  for (const Reduction how : {Reduction::none, Reduction::mean, Reduction::sum}) {
    const std::string name = to_string(how);
    sequence(name, rows, {6, 5}, {3, 2}, {.reduction = how});
    sequence("impossible " + name, Tensor::from({2, 3}, {1, 2, 2, 1, 1, 0}, DType::int32), {6, 2},
             {3, 2}, {.reduction = how, .zero_infinity = true});
    expect_as_in_pytorch("multilabel_margin " + name, [&](const Values& x) -> Values {
      return {multilabel_margin_loss(x[0], constant(x[0], marked), how)};
    });
  }
  sequence("line", Tensor::from({5}, {0, 1, 1, 2, 0}, DType::int64), {6, 4}, {3, 2},
           {.blank = 3, .reduction = Reduction::sum});
  sequence("without labels", rows, {6, 5}, {0, 2}, {});
  sequence("one", Tensor::from({2}, {2, 1}, DType::int64), {5}, {2}, {});
  expect_as_in_pytorch("multilabel_margin row", [&](const Values& x) -> Values {
    return {multilabel_margin_loss(x[0],
                                   constant(x[0], Tensor::from({4}, {2, 0, -1, 1}, DType::int64)))};
  });
}

// Where PyTorch has NaN: a class that cannot be, and is not wanted.
TEST(LossesBesidePyTorch, AtAnInfinityHaveTheirLimit) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
    Graph graph;
    const Value x = graph.parameter("x", Tensor::from({1, 3}, {1, 1, kNever}, dtype));
    const Value never = graph.constant(Tensor::from({1, 3}, {0.5, 0.5, 0}, dtype));
    const Value once = graph.constant(Tensor::from({1, 3}, {0.5, 0.25, 0.25}, dtype));
    const Value soft = cross_entropy(x, never);
    const Value divergence = kl_div(log_softmax(x), never, {.reduction = Reduction::sum});
    const Value infinite = cross_entropy(x, once);
    const Value gradient = backward(soft + divergence, {x})[x];
    const Results results =
        Session(graph, {soft, divergence, infinite, gradient}).run(std::vector<Feed>{});
    EXPECT_NEAR(results[soft].item(), std::log(2.0), 4e-3);
    EXPECT_NEAR(results[divergence].item(), 0, 4e-3);
    EXPECT_EQ(results[infinite].item(), std::numeric_limits<double>::infinity());
    for (std::int64_t i = 0; i < 3; ++i) EXPECT_NEAR(results[gradient].get(i), 0, 4e-3);
  }
}

// Options and tensors out of their range are named, and leave no node behind.
TEST(LossesBesidePyTorch, SayWhatDoesNotFit) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  Graph graph;
  const Value x = graph.input("x", {2, 3});
  const Value classes = graph.input("classes", {2}, DType::int64);
  const Value soft = graph.input("soft", {2, 3}, DType::float16);
  const Value narrow = graph.input("narrow", {2}, DType::uint8);
  const Value weight = graph.input("weight", {2});
  const auto names = [](const char* what) {
    return testing::ThrowsMessage<ValueError>(testing::HasSubstr(what));
  };
  const std::size_t before = graph.size();
  for (const double bad : {-0.1, 1.1, kNaN}) {
    EXPECT_THAT([&] { cross_entropy(x, classes, {.label_smoothing = bad}); },
                names("label_smoothing must be in [0, 1]"));
  }
  EXPECT_THAT([&] { cross_entropy(x, x, {.ignore_index = 1}); }, names("ignore_index is a class"));
  EXPECT_THROW(cross_entropy(x, soft), DTypeError);
  EXPECT_THROW(cross_entropy(x, classes, {.weight = weight}), ShapeError);
  for (const double bad : {0.0, -1.0, kNaN}) {
    EXPECT_THAT([&] { huber_loss(x, x, {.delta = bad}); }, names("delta must be above 0"));
    EXPECT_THAT([&] { triplet_margin_loss(x, x, x, {.margin = bad}); },
                names("margin must be above 0"));
    EXPECT_THAT([&] { triplet_margin_loss(x, x, x, {.p = bad}); }, names("p must be above 0"));
  }
  EXPECT_THAT([&] { smooth_l1_loss(x, x, {.beta = kNaN}); }, names("beta must not be negative"));
  EXPECT_THAT([&] { triplet_margin_loss(x, x, x, {.eps = -1}); }, names("eps"));
  EXPECT_THAT([&] { cosine_embedding_loss(x, x, classes, {.margin = kNaN}); },
              names("margin must be finite"));
  EXPECT_THROW(cosine_embedding_loss(x, x, narrow), DTypeError);
  EXPECT_THROW(cosine_embedding_loss(x, x, x), ShapeError);
  EXPECT_THROW(kl_div(x, weight), ShapeError);
  EXPECT_EQ(graph.size(), before);
}

}  // namespace
}  // namespace aclgrad::pytorch
