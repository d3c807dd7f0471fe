// SPDX-License-Identifier: Apache-2.0
// float64 trains, as float32 does: every layer and every optimizer, without a word about the
// operator library's switch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <thread>

#include "aclgrad/aclgrad.h"
#include "aclgrad_ext.h"

namespace aclgrad::float64_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Case {
  std::string name;
  std::function<Sequential(DType)> make;
  Shape input;
  bool of_indices = false;
};

// A layer that reads its own input as memory.
template <class Layer>
struct OfItself : Module {
  explicit OfItself(const Layer& given) : layer(given) { adopt(layer); }
  Value operator()(const Value& x) const { return layer(x, x); }
  Layer layer;
};

Sequential attending(DType dtype) {
  Sequential network(SelfAttention("attention", 4, 2, {.causal = true, .seed = 3, .dtype = dtype}));
  return network;
}

std::vector<Case> layers() {
  using D = DType;
  return {
      {"Linear",
       [](D d) { return Sequential(Linear("a", 4, 3, {.seed = 1, .dtype = d})); },
       {3, 4}},
      {"Linear without bias",
       [](D d) { return Sequential(Linear("a", 4, 3, {.seed = 1, .bias = false, .dtype = d})); },
       {2, 3, 4}},
      {"activations",
       [](D d) {
         return Sequential(Linear("a", 4, 6, {.seed = 1, .dtype = d}), Selu{}, Elu{}, Hardswish{},
                           Gelu{}, Gelu{Approximate::tanh}, Relu{}, Tanh{}, Sigmoid{}, Silu{},
                           LeakyRelu{}, Softplus{}, Mish{}, Prelu("b", {.channels = 6, .dtype = d}),
                           Geglu{});
       },
       {3, 4}},
      {"convolution",
       [](D d) {
         return Sequential(Conv2d("a", 2, 4, 3, {.padding = 1, .groups = 2, .seed = 2, .dtype = d}),
                           BatchNorm2d("b", 4, {.dtype = d}), MaxPool2d{2},
                           GroupNorm("c", 2, 4, 1e-5, d), AvgPool2d{2, {.stride = 1}},
                           AdaptiveAvgPool2d{2}, Flatten{},
                           Linear("d", 16, 2, {.seed = 3, .dtype = d}));
       },
       {3, 2, 6, 6}},
      {"other convolutions",
       [](D d) {
         return Sequential(
             ConvTranspose2d("a", 2, 4, 3, {.stride = 2, .bias = false, .seed = 2, .dtype = d}),
             InstanceNorm("b", 4, {.affine = true, .dtype = d}), Upsample{{1, 2}},
             Conv2d("c", 4, 2, 3, {.stride = 2, .seed = 3, .dtype = d}));
       },
       {2, 2, 3, 3}},
      {"decoder",
       [](D d) {
         Sequential network(SinusoidalPositions{});
         const TransformerDecoderBlock block(
             "a", 4, 2, 3, {.causal = true, .seed = 1, .dtype = d, .rotary = true});
         network.add(OfItself<TransformerDecoderBlock>(block));
         return network;
       },
       {2, 3, 4}},
      {"recurrent ones",
       [](D d) {
         return Sequential(
             Lstm("a", 4, 3, {.num_layers = 2, .bidirectional = true, .seed = 7, .dtype = d}));
       },
       {2, 3, 4}},
      {"norms",
       [](D d) { return Sequential(LayerNorm("a", 5, 1e-5, d), Tanh{}, RmsNorm("b", 5, 1e-6, d)); },
       {4, 5}},
      {"dropout",
       [](D d) {
         return Sequential(Dropout("a", 0.25, 1), AlphaDropout("b", 0.25, 2),
                           Linear("c", 4, 2, {.seed = 3, .dtype = d}));
       },
       {5, 4}},
      {"feed forward",
       [](D d) { return Sequential(Residual(GegluFeedForward("a", 4, 3, 4, 1, {}, d))); },
       {3, 4}},
      {"attention", attending, {2, 3, 4}},
      {"transformer",
       [](D d) { return Sequential(TransformerBlock("a", 4, 2, 3, {.seed = 1, .dtype = d})); },
       {2, 3, 4}},
      {"recurrent",
       [](D d) { return Sequential(Gru("a", 4, 3, {.seed = 7, .dtype = d})); },
       {2, 3, 4}},
      {"embedding",
       [](D d) { return Sequential(Embedding("a", 5, 3, {.seed = 1, .dtype = d}), Tanh{}); },
       {2, 4},
       true},
      {"bags",
       [](D d) { return Sequential(EmbeddingBag("a", 5, 3, {.seed = 1, .dtype = d}), Tanh{}); },
       {2, 4},
       true},
  };
}

Tensor input_of(const Case& test, DType dtype) {
  if (!test.of_indices) return init::normal(test.input, 11, 1, DType::float64).to(dtype);
  return Tensor::arange(test.input.numel(), 0, 0.5, DType::float64)
      .to(DType::int64)
      .reshape(test.input);
}

// Three steps; the losses, then all of the state.
std::vector<double> trained(const Sequential& network, const Tensor& input, DType dtype,
                            Optimizer& optimizer) {
  Graph graph;
  const Value x = graph.input("x", input.shape(), input.dtype());
  const Value y = network(x);
  EXPECT_EQ(y.dtype(), dtype);
  const Value target = graph.constant(Tensor::full(y.shape(), 0.25, dtype));
  const Value loss = mse_loss(y, target) + smooth_l1_loss(y, target) + l1_loss(y, target) +
                     bce_with_logits(y, target) * 0.5;
  EXPECT_EQ(loss.dtype(), dtype);
  const Gradients gradients = backward(loss, network.parameters(graph));
  for (const auto& [value, gradient] : gradients) EXPECT_EQ(gradient.dtype(), dtype);
  Session session(graph, {loss, optimizer.step(graph, gradients)});
  std::vector<double> numbers;
  for (int step = 0; step < 3; ++step) {
    numbers.push_back(session.run({{x, input}})[loss].item());
  }
  for (const Variable& variable : network.state()) {
    const Tensor value = variable.value();
    for (std::int64_t i = 0; i < value.numel(); ++i) numbers.push_back(value.get(i));
  }
  return numbers;
}

void expect_close(const std::vector<double>& wide, const std::vector<double>& narrow,
                  const std::string& name, double tolerance) {
  ASSERT_EQ(wide.size(), narrow.size());
  bool same = true;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    EXPECT_NEAR(wide[i], narrow[i], tolerance * (1 + std::abs(wide[i])))
        << name << ", number " << i;
    same = same && wide[i] == narrow[i];
  }
  EXPECT_FALSE(same) << name << " has float32's numbers: it was not computed in float64";
}

TEST(Float64, EveryLayerTrainsAndAgreesWithFloat32WithinItsRounding) {
  for (const Case& test : layers()) {
    Sgd wide({.learning_rate = 0.05, .momentum = 0.9});
    Sgd narrow({.learning_rate = 0.05, .momentum = 0.9});
    expect_close(
        trained(test.make(DType::float64), input_of(test, DType::float64), DType::float64, wide),
        trained(test.make(DType::float32), input_of(test, DType::float32), DType::float32, narrow),
        test.name, 2e-5);
    for (const Variable& state : wide.state()) EXPECT_EQ(state.dtype(), DType::float64);
  }
  EXPECT_EQ(aclgradGetAcceptDouble(), 0);
}

TEST(Float64, EveryLayersGradientIsRight) {
  for (const Case& test : layers()) {
    const Sequential network = test.make(DType::float64);
    Graph graph;
    const Tensor input = input_of(test, DType::float64);
    const Value x = graph.input("x", input.shape(), input.dtype());
    const Value y = network(x);
    std::vector<Value> weights = network.parameters(graph);
    // Softmax takes away what all keys have in common: a gradient of 0, which no error bar decides.
    std::erase_if(weights, [](const Value& it) { return it.name().ends_with("key.bias"); });
    const gradcheck::Report report = check_gradients(y, weights, std::vector<Feed>{{x, input}});
    EXPECT_TRUE(report.passed()) << test.name << "\n" << report.to_string();
  }
}

TEST(Float64, EveryOptimizerKeepsItsStateInIt) {
  using Make = std::function<std::unique_ptr<Optimizer>()>;
  const std::vector<Make> optimizers = {
      [] { return std::make_unique<Sgd>(SgdOptions{.momentum = 0.9, .nesterov = true}); },
      [] { return std::make_unique<Sgd>(SgdOptions{.weight_decay = 0.1, .clip_norm = 0.5}); },
      [] { return std::make_unique<AdamW>(AdamWOptions{.learning_rate = 0.01}); },
      [] {
        return std::make_unique<AdamW>(AdamWOptions{.learning_rate = schedule::constant(0.01)});
      },
      [] { return std::make_unique<Adam>(AdamOptions{.weight_decay = 0.1}); },
      [] { return std::make_unique<RmsProp>(RmsPropOptions{.momentum = 0.5}); },
      [] { return std::make_unique<Sgd>(SgdOptions{.momentum = 0.9, .dampening = 0.1}); },
      [] { return std::make_unique<Sgd>(SgdOptions{.learning_rate = 1e-3, .maximize = true}); },
      [] { return std::make_unique<Adam>(AdamOptions{.amsgrad = true}); },
      [] { return std::make_unique<RmsProp>(RmsPropOptions{.centered = true}); },
      [] { return std::make_unique<Lion>(LionOptions{.learning_rate = 0.01}); }};
  const Case test = layers().front();
  for (const Make& make : optimizers) {
    const auto wide = make(), narrow = make();
    expect_close(
        trained(test.make(DType::float64), input_of(test, DType::float64), DType::float64, *wide),
        trained(test.make(DType::float32), input_of(test, DType::float32), DType::float32, *narrow),
        "an optimizer", 2e-5);
    for (const Variable& state : wide->state()) {
      // But for the learning rate.
      if (state.shape().rank() > 0 && is_floating(state.dtype())) {
        EXPECT_EQ(state.dtype(), DType::float64) << state.name();
      }
    }
  }
}

TEST(Float64, ATrainerTrainsPredictsEvaluatesAndGoesOnFromACheckpoint) {
  const data::Dataset data{init::normal({8, 2}, 1, 1, DType::float64),
                           init::normal({8, 1}, 2, 1, DType::float64)};
  NamedTensors saved;
  std::vector<double> losses[2];
  for (const bool resumes : {false, true}) {
    Sequential model(Linear("a", 2, 4, {.dtype = DType::float64}), Tanh{},
                     Linear("b", 4, 1, {.dtype = DType::float64}));
    AdamW optimizer;
    Trainer trainer(
        model, [&](const Value& x, const Value& t) { return mse_loss(model(x), t); }, optimizer);
    if (resumes) {
      trainer.restore({.step = 1, .tensors = saved}, data);
    } else {
      trainer.step(data);
      saved = trainer.tensors();
      for (const auto& [name, tensor] : saved) {
        EXPECT_EQ(tensor.dtype(), name == "@adamw.steps" ? DType::int64 : DType::float64) << name;
      }
    }
    for (int step = 0; step < 3; ++step) losses[resumes].push_back(trainer.step(data));
    EXPECT_EQ(predict(model, data.features).dtype(), DType::float64);
    const double evaluated = trainer.evaluate(data);
    EXPECT_NEAR(evaluated, trainer.step(data), 1e-12);
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST(Float64, ToConvertsAWholeNetwork) {
  const auto network = [](DType dtype) {
    return Sequential(Conv2d("conv", 1, 2, 3, {.seed = 1, .dtype = dtype}),
                      BatchNorm2d("norm", 2, {.dtype = dtype}), Dropout("drop", 0.5, 1), Flatten{},
                      Linear("out", 8, 2, {.seed = 2, .dtype = dtype}));
  };
  const Sequential converted = network(DType::float32);
  converted.to(DType::float64);
  for (const Variable& variable : converted.parameters()) {
    EXPECT_EQ(variable.dtype(), DType::float64);
  }
  for (const Variable& variable : converted.buffers()) {
    EXPECT_EQ(variable.dtype(), variable.name() == "drop.draws" ? DType::int64 : DType::float64);
  }
  // What was rounded to float32 stays so; the network computes in float64 from there.
  const Tensor images = init::normal({3, 1, 4, 4}, 5, 1, DType::float64);
  EXPECT_TRUE(allclose(predict(converted, images), predict(network(DType::float64), images), 1e-5));
  converted.to(DType::float16);
  EXPECT_EQ(converted.parameters()[0].dtype(), DType::float16);
  EXPECT_EQ(converted.buffers()[0].dtype(), DType::float32) << "running statistics";
  EXPECT_THAT([&] { converted.to(DType::int8); },
              ThrowsMessage<DTypeError>("to() converts to a floating dtype, got int8"));
}

// The addresses that a session planned with are gone.
TEST(Float64, ASessionOfBeforeAConversionRefusesToRun) {
  const Linear layer("layer", 2, 1);
  Graph graph;
  const Value x = graph.input("x", {1, 2});
  const Value y = layer(x);
  const Value parameter = graph.parameter(layer.weight());
  Session session(graph, {y, parameter});
  const Tensor input = Tensor::full({1, 2}, 1);
  const Results results = session.run({{x, input}});
  layer.to(DType::float64);
  const auto refused = ThrowsMessage<ValueError>(
      AllOf(HasSubstr("`layer.weight` was converted to float64"), HasSubstr("record and plan")));
  EXPECT_THAT([&] { session.run({{x, input}}); }, refused);
  EXPECT_THAT([&] { Session(graph, {y}); }, refused);
  EXPECT_THROW(results[parameter], ValueError);
  layer.to(DType::float32);
  EXPECT_EQ(layer.weight().dtype(), DType::float32);
}

TEST(Float64, MixedWithAnotherDtypeNamesBothAndTheCure) {
  Graph graph;
  const Value x = graph.input("x", {1, 2});
  const Value wide = graph.input("wide", {1, 2}, DType::float64);
  const Value images = graph.input("images", {2, 2, 3, 3}, DType::float64);
  const Linear layer("layer", 2, 1, {.dtype = DType::float64});
  const Linear narrow("narrow", 2, 1);
  EXPECT_THAT([&] { layer(x); },
              ThrowsMessage<DTypeError>(
                  "`layer.weight` is float64, the layer's input `x` is float32: cast() the input "
                  "to float64, or convert the network with to(float32)"));
  EXPECT_THAT([&] { narrow(wide); },
              ThrowsMessage<DTypeError>(
                  AllOf(HasSubstr("`narrow.weight` is float32"), HasSubstr("`wide` is float64"))));
  EXPECT_THROW(BatchNorm2d("norm", 2)(images), DTypeError);
  EXPECT_THROW(Conv2d("conv", 2, 1, 1)(images), DTypeError);
  EXPECT_THAT(
      [&] {
        narrow(graph.input("whole", {1, 2}, DType::int64));
      },
      ThrowsMessage<DTypeError>(HasSubstr("takes a floating input")));
}

// The switch belongs to the process: threads that plan at the same time do not turn it off for each
// other, and leave it as it was.
TEST(Float64, ThreadsPlanAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([] {
      for (int repetition = 0; repetition < 50; ++repetition) {
        Graph graph;
        const Value x = graph.input("x", {2, 3}, DType::float64);
        const Value y = softplus(tanh(relu(silu(x))));
        Session session(graph, {y});
        EXPECT_EQ(session.run({{x, Tensor::zeros({2, 3}, DType::float64)}})[y].shape(),
                  (Shape{2, 3}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(aclgradGetAcceptDouble(), 0);
}

}  // namespace
}  // namespace aclgrad::float64_test
