// SPDX-License-Identifier: Apache-2.0
// Options of optimizers: what they do, against numbers of PyTorch's optimizers in float64; their
// ranges; parameters of 16 bits.
#include <gmock/gmock.h>

#include <cmath>
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

// Each with the learning rate as a number and as a function.
template <class OptimizerType, class Options>
void expect_trained(Options options, const std::vector<double>& right) {
  for (const bool scheduled : {false, true}) {
    SCOPED_TRACE(scheduled);
    if (scheduled) options.learning_rate = schedule::constant(0.1);
    OptimizerType optimizer(options);
    expect_near(trained(optimizer, {fresh()}), right);
  }
}

TEST(OptimizerOptions, AreThoseOfPyTorch) {
  expect_trained<Sgd>(
      SgdOptions{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.1, .maximize = true},
      {2.513332567, -1.956432370});
  expect_trained<Sgd>(
      SgdOptions{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.1, .dampening = 0.5},
      {-0.117289554, -2.130893325});
  expect_trained<Sgd>(SgdOptions{.learning_rate = 0.1,
                                 .momentum = 0.9,
                                 .nesterov = true,
                                 .weight_decay = 0.1,
                                 .maximize = true},
                      {2.809697025, -2.162328343});
  expect_trained<Adam>(AdamOptions{.learning_rate = 0.1, .weight_decay = 0.1, .maximize = true},
                       {1.373143953, -1.857498871});
  expect_trained<Adam>(
      AdamOptions{
          .learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.6, .weight_decay = 0.1, .amsgrad = true},
      {0.665455865, -1.970093294});
  expect_trained<AdamW>(AdamWOptions{.learning_rate = 0.1,
                                     .beta1 = 0.5,
                                     .beta2 = 0.6,
                                     .weight_decay = 0.1,
                                     .maximize = true,
                                     .amsgrad = true},
                        {1.270295874, -1.898983673});
  expect_trained<RmsProp>(RmsPropOptions{.learning_rate = 0.1,
                                         .alpha = 0.9,
                                         .epsilon = 1e-3,
                                         .weight_decay = 0.1,
                                         .momentum = 0.5,
                                         .centered = true},
                          {-0.455114229, -1.781567080});
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

// The decay shrinks the weight, whatever the gradient's sign means.
TEST(OptimizerOptions, MaximizeDoesNotTurnTheDecayRound) {
  const auto after = [](Optimizer&& optimizer) {
    Graph graph;
    const Value p = graph.parameter("p", Tensor::from({1}, {1}));
    Session(graph, {optimizer.step(graph, Gradients({{p, graph.constant(Tensor::zeros({1}))}}))})
        .run();
    return p.variable()->value().item();
  };
  for (const bool maximize : {false, true}) {
    EXPECT_NEAR(after(Adam({.learning_rate = 0.1, .weight_decay = 0.1, .maximize = maximize})), 0.9,
                1e-6);
    EXPECT_NEAR(after(AdamW({.learning_rate = 0.1, .weight_decay = 0.1, .maximize = maximize})),
                0.99, 1e-6);
    EXPECT_NEAR(after(Sgd({.learning_rate = 0.1, .weight_decay = 0.1, .maximize = maximize})), 0.99,
                1e-6);
  }
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

TEST(OptimizerCounts, OfEachParameterForSetsInTurn) {
  const Variable a("a", Tensor::scalar(1)), b("b", Tensor::scalar(1));
  const Variable lone("lone", Tensor::scalar(1));
  AdamW turns({.learning_rate = 0.1}), one({.learning_rate = 0.1});
  turns.count_each_parameter();
  const auto session_of = [](AdamW& optimizer, const Variable& variable) {
    auto graph = std::make_shared<Graph>();
    const Value value = graph->parameter(variable);
    const Update update = optimizer.step(*graph, backward(mul(value, value), {value}));
    return std::pair(graph, std::make_shared<Session>(*graph, std::vector<Fetch>{update}));
  };
  const auto of_a = session_of(turns, a), of_b = session_of(turns, b),
             of_one = session_of(one, lone);
  for (int i = 0; i < 4; ++i) {
    of_a.second->run();
    of_b.second->run();
    of_b.second->run();
    of_one.second->run();
  }
  EXPECT_TRUE(bitwise_equal(a.value(), lone.value()));
}

}  // namespace
}  // namespace aclgrad
