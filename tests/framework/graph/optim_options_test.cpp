// SPDX-License-Identifier: Apache-2.0
// Optimizers beside PyTorch's formulas in double, with all their options; their ranges; parameters
// of 16 bits.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>

#include "aclgrad/aclgrad.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

// p = [1, -2] after these five gradients.
const std::vector<std::vector<double>> kGradients = {
    {1, 2}, {3, 0}, {-0.5, -1}, {2, -4}, {0, 0.25}};

std::vector<double> trained(Optimizer& optimizer, const std::vector<Variable>& variables,
                            DType dtype = DType::float32) {
  Graph graph;
  const Value fed = graph.input("gradient", {2}, dtype);
  std::vector<Gradients::Pair> pairs;
  for (const Variable& variable : variables) pairs.push_back({graph.parameter(variable), fed});
  Session session(graph, {optimizer.step(graph, Gradients(std::move(pairs)))});
  for (std::size_t i = 0; i < kGradients.size(); ++i) {
    optimizer.set_step(static_cast<std::int64_t>(i));
    session.run({{fed, Tensor::from({2}, std::span<const double>(kGradients[i]), dtype)}});
  }
  std::vector<double> all;
  for (const Variable& variable : variables) {
    for (std::int64_t i = 0; i < 2; ++i) all.push_back(variable.value().get(i));
  }
  return all;
}

Variable fresh(DType dtype = DType::float32) {
  return Variable("p", Tensor::from({2}, {1, -2}, dtype));
}

void expect_near(const std::vector<double>& got, const std::vector<double>& right) {
  ASSERT_EQ(got.size(), right.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], right[i], 3e-6) << i;
}

// An element of a parameter, and what an optimizer keeps for it.
struct Element {
  double p, m = 0, v = 0, largest = 0, mean = 0;
};

// A step of one element as PyTorch makes it; `t` counts from 1.
using Formula = std::function<void(Element&, double gradient, double rate, int t)>;

Formula formula_of(const SgdOptions& o) {
  return [o](Element& e, double g, double rate, int t) {
    g = (o.maximize ? -g : g) + o.weight_decay * e.p;
    e.m = t == 1 || o.momentum == 0 ? g : o.momentum * e.m + (1 - o.dampening) * g;
    e.p -= rate * (o.nesterov ? g + o.momentum * e.m : e.m);
  };
}

// The decay of AdamW shrinks the parameter, that of Adam is part of the gradient.
template <class Options>
Formula formula_of(const Options& o) requires std::same_as<Options, AdamOptions> ||
    std::same_as<Options, AdamWOptions> {
  return [o](Element& e, double g, double rate, int t) {
    if (o.maximize) g = -g;
    if (std::same_as<Options, AdamWOptions>) {
      e.p *= 1 - rate * o.weight_decay;
    } else {
      g += o.weight_decay * e.p;
    }
    e.m = o.beta1 * e.m + (1 - o.beta1) * g;
    e.v = o.beta2 * e.v + (1 - o.beta2) * g * g;
    e.largest = std::max(e.largest, e.v);
    const double v = (o.amsgrad ? e.largest : e.v) / (1 - std::pow(o.beta2, t));
    e.p -= rate * e.m / (1 - std::pow(o.beta1, t)) / (std::sqrt(v) + o.epsilon);
  };
}

Formula formula_of(const RmsPropOptions& o) {
  return [o](Element& e, double g, double rate, int) {
    g += o.weight_decay * e.p;
    e.v = o.alpha * e.v + (1 - o.alpha) * g * g;
    e.mean = o.alpha * e.mean + (1 - o.alpha) * g;
    const double square = e.v - (o.centered ? e.mean * e.mean : 0);
    e.m = o.momentum * e.m + g / (std::sqrt(square) + o.epsilon);
    e.p -= rate * e.m;
  };
}

Formula formula_of(const LionOptions& o) {
  return [o](Element& e, double g, double rate, int) {
    const double mixed = o.beta1 * e.m + (1 - o.beta1) * g;
    e.p -= rate * ((mixed > 0) - (mixed < 0) + o.weight_decay * e.p);
    e.m = o.beta2 * e.m + (1 - o.beta2) * g;
  };
}

// With the learning rate as a number, as a function, and one that changes between the steps; in
// float32 and in float64, in which the optimizer then keeps its state, too.
template <class OptimizerType, class Options>
void expect_formula(Options options) {
  const Formula formula = formula_of(options);
  const std::vector<double> changing = {0.1, 0.05, 0, 0.2, 0.15}, constant(5, 0.1);
  for (const int way : {0, 1, 2}) {
    SCOPED_TRACE(way);
    const std::vector<double>& rates = way == 2 ? changing : constant;
    options.learning_rate = 0.1;
    if (way > 0) {
      options.learning_rate = [&rates](std::int64_t step) {
        return rates.at(static_cast<std::size_t>(step));
      };
    }
    std::vector<double> right;
    for (const std::size_t i : {0, 1}) {
      Element element{.p = i == 0 ? 1.0 : -2.0};
      for (std::size_t t = 0; t < kGradients.size(); ++t) {
        formula(element, kGradients[t][i], rates[t], static_cast<int>(t) + 1);
      }
      right.push_back(element.p);
    }
    for (const DType dtype : {DType::float32, DType::float64}) {
      OptimizerType optimizer(options);
      expect_near(trained(optimizer, {fresh(dtype)}, dtype), right);
      for (const Variable& state : optimizer.state()) {
        if (state.shape() != Shape{2}) continue;  // a count, or the learning rate
        EXPECT_EQ(state.dtype(), dtype) << state.name();
      }
    }
  }
}

TEST(OptimizerOptions, AreThoseOfPyTorch) {
  expect_formula<Sgd>(SgdOptions{});
  expect_formula<Sgd>(SgdOptions{.weight_decay = 0.1, .maximize = true});
  for (const double dampening : {0.0, 0.5}) {
    expect_formula<Sgd>(SgdOptions{.momentum = 0.9, .weight_decay = 0.1, .dampening = dampening});
  }
  for (const bool maximize : {false, true}) {
    expect_formula<Sgd>(
        SgdOptions{.momentum = 0.9, .nesterov = true, .weight_decay = 0.1, .maximize = maximize});
    for (const bool amsgrad : {false, true}) {
      expect_formula<Adam>(AdamOptions{.maximize = maximize, .amsgrad = amsgrad});
      expect_formula<Adam>(AdamOptions{.beta1 = 0.5,
                                       .beta2 = 0.6,
                                       .weight_decay = 0.1,
                                       .epsilon = 1e-3,
                                       .maximize = maximize,
                                       .amsgrad = amsgrad});
      expect_formula<AdamW>(AdamWOptions{.maximize = maximize, .amsgrad = amsgrad});
      expect_formula<AdamW>(AdamWOptions{.beta1 = 0.5,
                                         .beta2 = 0.6,
                                         .weight_decay = 0.1,
                                         .maximize = maximize,
                                         .amsgrad = amsgrad});
    }
  }
  expect_formula<RmsProp>(RmsPropOptions{});
  expect_formula<RmsProp>(RmsPropOptions{
      .alpha = 0.9, .epsilon = 1e-3, .weight_decay = 0.1, .momentum = 0.5, .centered = true});
  expect_formula<Lion>(LionOptions{});
  expect_formula<Lion>(LionOptions{.beta1 = 0.7, .weight_decay = 0.2});
}

TEST(OptimizerOptions, OfGroupsAreThoseOfPyTorch) {
  const auto groups = [](ParameterGroup first, ParameterGroup second) {
    first.parameters = {fresh()};
    second.parameters = {Variable("q", Tensor::from({2}, {1, -2}))};
    return std::vector<ParameterGroup>{first, second};
  };
  const auto train = [](auto make, const std::vector<ParameterGroup>& all) {
    auto optimizer = make(all);
    return trained(optimizer, {all[0].parameters[0], all[1].parameters[0]});
  };
  expect_near(
      train([](const auto& all) { return AdamW({.learning_rate = 0.1, .weight_decay = 0.1}, all); },
            groups({.parameters = {}, .beta1 = 0.5, .beta2 = 0.6, .epsilon = 0.1},
                   {.parameters = {}, .learning_rate_factor = 3})),
      {0.621716232, -1.899514460, -0.222829831, -1.987870934});
  expect_near(
      train([](const auto& all) { return Sgd({.learning_rate = 0.1, .momentum = 0.9}, all); },
            groups({.parameters = {}, .momentum = 0.5}, {.parameters = {}, .weight_decay = 0.2})),
      {0.031250000, -1.637500000, -0.849075443, -1.260013658});
  expect_near(
      train([](const auto& all) { return RmsProp({.learning_rate = 0.1, .alpha = 0.9}, all); },
            groups({.parameters = {}, .momentum = 0.5}, {.parameters = {}, .epsilon = 0.1})),
      {-0.357719796, -1.936395422, 0.367306173, -1.892007204});
}

TEST(OptimizerState, IsFloat32ForParametersOf16Bits) {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    for (const bool scheduled : {false, true}) {
      const LearningRate rate = scheduled ? LearningRate(schedule::constant(0.01)) : 0.01;
      std::vector<std::unique_ptr<Optimizer>> all;
      all.push_back(std::make_unique<Sgd>(SgdOptions{.learning_rate = rate, .momentum = 0.9}));
      all.push_back(std::make_unique<Sgd>(SgdOptions{.learning_rate = rate}));
      all.push_back(std::make_unique<AdamW>(AdamWOptions{.learning_rate = rate}));
      all.push_back(std::make_unique<Adam>(
          AdamOptions{.learning_rate = rate, .weight_decay = 0.1, .amsgrad = true}));
      all.push_back(std::make_unique<RmsProp>(
          RmsPropOptions{.learning_rate = rate, .momentum = 0.5, .centered = true}));
      all.push_back(std::make_unique<Lion>(LionOptions{.learning_rate = rate}));
      all.push_back(std::make_unique<Sgd>(SgdOptions{.learning_rate = rate, .clip_norm = 1}));
      for (const auto& optimizer : all) {
        const Variable parameter = fresh(dtype);
        trained(*optimizer, {parameter}, dtype);
        EXPECT_EQ(parameter.dtype(), dtype);
        for (const Variable& variable : optimizer->state()) {
          const bool counts = variable.dtype() == DType::int64;
          EXPECT_TRUE(counts || variable.dtype() == DType::float32) << variable.name();
        }
      }
    }
  }
}

// In 16 bits the second moment of this gradient is 0: the step was infinite.
TEST(OptimizerState, KeepsSmallSecondMomentsOfFloat16) {
  for (const DType dtype : {DType::float32, DType::float16}) {
    Graph graph;
    const Value p = graph.parameter("p", Tensor::zeros({1}, dtype));
    const Value g = graph.constant(Tensor::full({1}, 1e-3, dtype));
    AdamW adam({.learning_rate = 1e-3, .weight_decay = 0});
    Session session(graph, {adam.step(graph, Gradients({{p, g}}))});
    for (int i = 0; i < 100; ++i) session.run();
    EXPECT_NEAR(p.variable()->value().item(), -0.1, 2e-3);
  }
}

template <class Make>
std::string refused(const Make& make) {
  return message_of<ValueError>([&] { make(); });
}

TEST(OptimizerRanges, AreChecked) {
  for (const double rate : {kNaN, kInf, -0.1, 1e39}) {
    EXPECT_THAT(refused([&] { Sgd({.learning_rate = rate}); }),
                HasSubstr("Sgd: learning_rate must be in [0, 3.4e+38], got"));
    EXPECT_THAT(refused([&] { Lion({.learning_rate = [=](std::int64_t) { return rate; }}); }),
                HasSubstr("Lion: learning_rate must be"));
  }
  EXPECT_THAT(refused([] { Sgd({.learning_rate = Schedule{}}); }), HasSubstr("empty function"));
  for (const double momentum : {kNaN, 2.0, -1.0}) {
    EXPECT_THAT(refused([&] { Sgd({.momentum = momentum}); }), HasSubstr("Sgd: momentum"));
    EXPECT_THAT(refused([&] { Sgd({.dampening = momentum}); }), HasSubstr("Sgd: dampening"));
    EXPECT_THAT(refused([&] { RmsProp({.momentum = momentum}); }), HasSubstr("RmsProp: momentum"));
  }
  EXPECT_THAT(refused([] { Sgd({.nesterov = true}); }), HasSubstr("nesterov needs a momentum"));
  EXPECT_THAT(refused([] { Sgd({.momentum = 0.9, .nesterov = true, .dampening = 0.1}); }),
              HasSubstr("dampening of 0"));
  for (const double number : {kNaN, kInf, -1.0}) {
    EXPECT_THAT(refused([&] { Sgd({.weight_decay = number}); }), HasSubstr("Sgd: weight_decay"));
    EXPECT_THAT(refused([&] { AdamW({.epsilon = number}); }), HasSubstr("AdamW: epsilon"));
    EXPECT_THAT(refused([&] { Adam({.epsilon = number}); }), HasSubstr("Adam: epsilon"));
    EXPECT_THAT(refused([&] { RmsProp({.epsilon = number}); }), HasSubstr("RmsProp: epsilon"));
    EXPECT_THAT(refused([&] { Lion({.clip_norm = number}); }), HasSubstr("Lion: clip_norm"));
  }
  EXPECT_THAT(refused([] { Lion({.clip_norm = 0}); }), HasSubstr("clip_norm must be in (0, "));
  for (const double beta : {kNaN, 1.0, 1.5, -0.1}) {
    EXPECT_THAT(refused([&] { AdamW({.beta1 = beta}); }),
                HasSubstr("AdamW: beta1 must be in [0, 1), got"));
    EXPECT_THAT(refused([&] { Adam({.beta2 = beta}); }), HasSubstr("Adam: beta2"));
    EXPECT_THAT(refused([&] { Lion({.beta1 = beta}); }), HasSubstr("Lion: beta1"));
    EXPECT_THAT(refused([&] { Lion({.beta2 = beta}); }), HasSubstr("Lion: beta2"));
    EXPECT_THAT(refused([&] { RmsProp({.alpha = beta}); }), HasSubstr("RmsProp: alpha"));
  }
}

TEST(OptimizerRanges, OfASchedulesStepAreCheckedAtThatStep) {
  const Sgd sgd({.learning_rate = [](std::int64_t step) { return step < 3 ? 0.1 : kNaN; }});
  EXPECT_NO_THROW(sgd.set_step(2));
  EXPECT_THAT(refused([&] { sgd.set_step(3); }), HasSubstr("the learning rate of step 3"));
  EXPECT_THAT(refused([&] { sgd.set_learning_rate(-1); }), HasSubstr("got -1"));
}

TEST(OptimizerRanges, OfGroups) {
  const Variable w("w", Tensor::full({1}, 1)), v("v", Tensor::full({1}, 1));
  const auto sgd = [](const std::vector<ParameterGroup>& groups) {
    return refused([&] { Sgd({.momentum = 0.9}, groups); });
  };
  EXPECT_THAT(sgd({{.parameters = {w}}, {.parameters = {v, w}}}),
              HasSubstr("`w` is in two groups"));
  EXPECT_THAT(sgd({{.parameters = {w, w}}}), HasSubstr("twice in one"));
  EXPECT_THAT(sgd({{.parameters = {w}}, {.parameters = {}}}), HasSubstr("no parameters"));
  EXPECT_THAT(sgd({{.parameters = {w}, .learning_rate_factor = -1}}),
              HasSubstr("learning_rate_factor of a group"));
  EXPECT_THAT(sgd({{.parameters = {w}, .weight_decay = kNaN}}), HasSubstr("weight_decay"));
  EXPECT_THAT(sgd({{.parameters = {w}, .momentum = 2}}), HasSubstr("momentum of a group"));
  EXPECT_THAT(sgd({{.parameters = {w}, .beta1 = 0.5}}), HasSubstr("sets beta1, which it does not"));
  EXPECT_EQ(decay_matrices({w, v}, 0.1).size(), 1u) << "an empty group is left out";
}

TEST(Optimizers, TakeGradientsOfTheirVariablesShape) {
  Graph graph;
  const Value p = graph.parameter("p", Tensor::zeros({2}));
  const Value whole = graph.parameter("whole", Tensor::zeros({2}, DType::int64));
  Sgd sgd;
  EXPECT_THAT(message_of<ShapeError>([&] {
                return sgd.step(graph, Gradients({{p, graph.constant(Tensor::zeros({1}))}}));
              }),
              HasSubstr("has shape [1], not [2]"));
  EXPECT_THROW(static_cast<void>(sgd.step(graph, Gradients({{whole, p}}))), DTypeError);
}

TEST(ScheduleRanges, AreChecked) {
  for (const double rate : {kNaN, kInf, -1.0}) {
    EXPECT_THAT(refused([&] { schedule::constant(rate); }), HasSubstr("constant: rate"));
    EXPECT_THAT(refused([&] { schedule::step_decay(rate, 1, 1); }), HasSubstr("step_decay: rate"));
    EXPECT_THAT(refused([&] { schedule::step_decay(1, rate, 1); }), HasSubstr("factor"));
    EXPECT_THAT(refused([&] { schedule::cosine(rate, 1, 2); }), HasSubstr("cosine: rate"));
    EXPECT_THAT(refused([&] { schedule::cosine(1, 1, 2, rate); }), HasSubstr("min_lr"));
  }
}

TEST(LossScalerRanges, AreThoseOfFloat32) {
  for (const double number : {kNaN, kInf, 0.0, 1e300}) {
    EXPECT_THROW(LossScaler({.scale = number, .max_scale = number}), ValueError);
    EXPECT_THROW(LossScaler({.growth_factor = number == 1e300 ? kNaN : number}), ValueError);
    EXPECT_THROW(LossScaler({.backoff_factor = number}), ValueError);
  }
  EXPECT_THROW(LossScaler({.min_scale = 1e-300}), ValueError);
}

TEST(InitRanges, AreChecked) {
  for (const double number : {kNaN, kInf, -1.0}) {
    EXPECT_THROW(init::normal({2}, 1, number), ValueError);
    EXPECT_THROW(init::xavier_normal({2, 2}, 1, number), ValueError);
    EXPECT_THROW(init::xavier_uniform({2, 2}, 1, number), ValueError);
  }
  EXPECT_THROW(init::uniform({2}, 1, kNaN, 1), ValueError);
  EXPECT_THROW(init::uniform({2}, 1, 1, 0), ValueError);
  EXPECT_THROW(init::uniform({2}, 1, -kInf, kInf), ValueError);
  EXPECT_THROW(init::normal({2}, 1, 1, DType::int64), DTypeError);
  EXPECT_NO_THROW(init::uniform({0}, 1, 1, 1));
}

}  // namespace
}  // namespace aclgrad
