// SPDX-License-Identifier: Apache-2.0
// Recomputation: the bits of training without it, in less memory.
#include "aclgrad/graph/checkpointed.h"

#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

// Calls a layer as it is or checkpointed.
template <class Layer>
Value call(bool again, const Layer& layer, const Value& x) {
  return again ? checkpointed(layer)(x) : layer(x);
}

// A loss, the gradients of its variables and what running it leaves in all variables.
std::vector<Tensor> outcome(const std::function<Value(const Graph&)>& record,
                            const Module& model = Module()) {
  const Graph graph;
  const Value loss = record(graph);
  std::vector<Fetch> fetches{loss};
  std::vector<Value> wanted;
  for (const Variable& variable : graph.variables()) {
    if (is_floating(variable.dtype()) && !variable.name().ends_with("running_mean") &&
        !variable.name().ends_with("running_var")) {
      wanted.push_back(graph.parameter(variable));
    }
  }
  if (model.frozen_parameters().size() > 0) wanted = model.parameters(graph);
  for (const auto& pair : backward(loss, wanted, {.omit_unused = true})) {
    fetches.emplace_back(pair.gradient);
  }
  for (const Variable& variable : graph.variables()) {
    if (!is_floating(variable.dtype()) || variable.name().find("running") != std::string::npos) {
      fetches.emplace_back(graph.parameter(variable));
    }
  }
  Session session(graph, fetches);
  std::vector<Tensor> all;
  for (int run = 0; run < 2; ++run) {  // masks differ from run to run
    const Results results = session.run();
    for (std::size_t i = 0; i < fetches.size(); ++i) all.push_back(results[i]);
  }
  return all;
}

// Of layers made anew for both ways, which begin alike.
template <class Make>
void expect_unchanged(const Make& make, const Shape& shape, DType dtype = DType::float32,
                      const std::function<void(const Module&)>& prepare = {}) {
  std::vector<std::vector<Tensor>> found;
  for (const bool again : {false, true}) {
    const auto layer = make();
    if (prepare) prepare(layer);
    found.push_back(outcome(
        [&](const Graph& graph) {
          const Value x = graph.parameter("x", init::normal(shape, 5).to(dtype));
          const Value y = call(again, layer, x);
          EXPECT_EQ(recomputed_nodes(graph).empty(), !again);
          return mean(mul(y, y));
        },
        layer));
  }
  expect_same_bits(found[0], found[1]);
}

Sequential convolutions() {
  return Sequential(Conv2d("c", 2, 4, 3, {.padding = 1}), BatchNorm2d("n", 4), Gelu{},
                    Dropout("d", 0.3), MaxPool2d{2}, Flatten{}, Linear("l", 64, 3), Tanh{});
}

TEST(Checkpointed, ChangesNoBit) {
  expect_unchanged(convolutions, {3, 2, 8, 8});
  expect_unchanged([] { return TransformerBlock("t", 8, 2, 12, {.causal = true}); }, {2, 5, 8});
  expect_unchanged([] { return Gru("g", 4, 6, {.num_layers = 2, .bidirectional = true}); },
                   {2, 5, 4});
  expect_unchanged([] { return Sequential(Linear("a", 4, 4), AlphaDropout("d", 0.2), Selu{}); },
                   {6, 4});
}

TEST(Checkpointed, WorksInEveryDtype) {
  const auto make = [] {
    return Sequential(Linear("a", 4, 8), LayerNorm("n", 8), Geglu{}, Linear("b", 4, 2));
  };
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    expect_unchanged(make, {5, 4}, dtype);  // the weights are cast within
  }
  expect_unchanged(make, {5, 4}, DType::float64, [](const Module& it) { it.to(DType::float64); });
}

TEST(Checkpointed, LeavesWhatIsFrozenFrozen) {
  const auto make = [] {
    struct Pair : Module {
      Pair() : Module("pair") {}
      Linear a{child("a"), 3, 3}, b{child("b"), 3, 3};
      Dropout drop{child("drop"), 0.5};
      Value operator()(const Value& x) const { return b(drop(tanh(a(x)))); }
    };
    return Pair();
  };
  expect_unchanged(make, {4, 3}, DType::float32,
                   [&](const Module& it) { static_cast<const decltype(make())&>(it).a.freeze(); });
}

// An inner block is computed again for the outer one, and once more for its own gradient.
TEST(Checkpointed, Nests) {
  std::vector<std::vector<Tensor>> found;
  for (const int levels : {0, 1, 2, 3}) {
    const Linear a("a", 4, 4), b("b", 4, 4);
    const Dropout drop("d", 0.4);
    const auto inner = [&](const Value& x) { return tanh(drop(b(x))); };
    const auto middle = [&](const Value& x) { return mul(call(levels > 1, inner, sin(a(x))), x); };
    const auto outer = [&](const Value& x) { return call(levels > 2, middle, middle(x)); };
    found.push_back(outcome([&](const Graph& graph) {
      const Value x = graph.parameter("x", init::normal({3, 4}, 5));
      return mean(call(levels > 0, outer, x));
    }));
  }
  for (std::size_t i = 1; i < found.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same_bits(found[0], found[i]);
  }
}

// Everything of a block, its name and its variables, is there; so is a call with several values.
TEST(Checkpointed, IsTheBlock) {
  const Sequential net(checkpointed(Linear("a", 4, 4)), checkpointed(Tanh{}), Linear("b", 4, 2));
  EXPECT_EQ(net.parameters().size(), 4u);
  EXPECT_EQ(net.parameters()[0].name(), "a.weight");
  EXPECT_TRUE(checkpointed(Linear("c", 2, 2)).bias().has_value());
  const Graph graph;
  const Value x = graph.input("x", {2, 4, 8});
  const MultiheadAttention attention("m", 8, 2);
  EXPECT_EQ(checkpointed(attention)(x, x, x).shape(), x.shape());
  Value (*function)(Operand) = [](Operand of) { return exp(of); };
  EXPECT_EQ(checkpointed(function)(x).shape(), x.shape());
  EXPECT_EQ(recomputed_nodes(graph).size(), 2u);
  EXPECT_THAT(message_of<ValueError>([] { checkpointed(Tanh{})(Value()); }), HasSubstr("tanh"));
}

TEST(Checkpointed, GoesWithSecondDerivativesAndCustomGradients) {
  const CustomGradient twice = custom_gradient(
      "twice", [](const std::vector<Value>& x) { return x[0] * 2; },
      [](const Value& gradient, const std::vector<Value>& x, const Value& y) {
        return std::vector<Value>{gradient * 3 + y * 0 + x[0] * 0};
      });
  std::vector<std::vector<Tensor>> found;
  for (const bool again : {false, true}) {
    const auto block = [&](const Value& x) { return tanh(twice({sigmoid(x)})) * x; };
    found.push_back(outcome([&](const Graph& graph) {
      const Value x = graph.parameter("x", init::normal({4}, 1));
      const Value y = reduce_sum(call(again, block, x), {0});
      const Value slope = backward(y, {x})[x];
      return mean(slope * slope);
    }));
  }
  expect_same_bits(found[0], found[1]);
}

// Counts in its input, and makes something of it.
struct CountAndMake final : StreamOp {
  std::string_view name() const override { return "count_and_make"; }
  std::string_view call_name() const override { return "none"; }
  std::optional<std::size_t> updated_input(std::size_t output) const override {
    return output == 1 ? std::optional<std::size_t>(0) : std::nullopt;
  }
  void queue(const StreamCall&, aclrtStream) const override {}
};

// What only updates is done once. What makes something on the way cannot be done twice.
TEST(Checkpointed, SaysWhatCannotBeComputedAgain) {
  const Graph graph;
  const Variable count("count", Tensor::zeros({3}));
  const Value x = graph.parameter("x", Tensor::full({3}, 1));
  const auto adds = [&](const Value& of) {
    return sin(of * inplace_add(graph.parameter(count), stop_gradient(of), 1));
  };
  EXPECT_EQ(backward(mean(checkpointed(adds)(x)), {x}).size(), 1u);
  const auto counts = [&](const Value& of) {
    Recorder record("count_and_make", {graph.parameter(count)}, std::source_location::current());
    const std::vector<TensorSpec> specs(2, {Shape{3}, DType::float32});
    return sin(of * record.add(std::make_shared<CountAndMake>(), specs)[0]);
  };
  const Value loss = mean(checkpointed(counts)(x));
  EXPECT_THAT(message_of<ValueError>([&] { static_cast<void>(backward(loss, {x})); }),
              testing::AllOf(HasSubstr("`count_and_make`"), HasSubstr("checkpointed()")));
}

// ---- Memory -------------------------------------------------------------------------------------

MemoryReport memory_of(bool again, int blocks) {
  const Graph graph;
  Value h = graph.input("x", {8, 16, 32});
  std::vector<TransformerBlock> made;
  Sequential all;
  for (int i = 0; i < blocks; ++i) {
    const TransformerBlock block(std::to_string(i), 32, 4, 64);
    all.add(block);
    h = call(again, block, h);
  }
  Adam adam({.learning_rate = 1e-3});
  const Value loss = mean(h * h);
  const Session session(graph, {loss, adam.step(graph, backward(loss, all.parameters(graph)))});
  return session.memory_report();
}

TEST(Checkpointed, TakesLessMemory) {
  const MemoryReport whole = memory_of(false, 12), again = memory_of(true, 12);
  EXPECT_LT(again.arena_bytes, whole.arena_bytes / 4);
  EXPECT_LT(static_cast<std::size_t>(whole.nodes), static_cast<std::size_t>(again.nodes));
  // What one more block adds are its input and its gradients.
  const std::size_t of_a_block = (whole.arena_bytes - memory_of(false, 6).arena_bytes) / 6;
  const std::size_t kept = (again.arena_bytes - memory_of(true, 6).arena_bytes) / 6;
  EXPECT_LT(kept, of_a_block / 6);
}

// ---- Training -----------------------------------------------------------------------------------

data::Dataset digits() {
  return {init::normal({12, 2, 8, 8}, 3), Tensor::zeros({12}, DType::int64)};
}

// Steps of a Trainer, whole and in micro-batches, which share the running statistics and the draws.
TEST(Checkpointed, TrainsToTheSameBits) {
  for (const std::int64_t parts : {1, 3}) {
    std::vector<std::vector<Tensor>> found;
    for (const bool again : {false, true}) {
      const Sequential net = convolutions();
      AdamW adam({.learning_rate = 0.01, .clip_norm = 1});
      Trainer trainer(
          net,
          [&](const Value& x, const Value& t) { return cross_entropy(call(again, net, x), t); },
          adam, {.micro_batches = parts});
      std::vector<Tensor> all;
      for (int step = 0; step < 3; ++step) all.push_back(Tensor::scalar(trainer.step(digits())));
      all.push_back(Tensor::scalar(trainer.evaluate(digits())));
      for (const Variable& variable : trainer.state()) all.push_back(variable.value());
      found.push_back(std::move(all));
    }
    SCOPED_TRACE(parts);
    expect_same_bits(found[0], found[1]);
  }
}

TEST(Checkpointed, IsObservedOnce) {
  struct Log : TrainingLog {
    void point(const std::string&, const std::string&, double, double) override {}
    void activations(const std::string& name, std::int64_t, const Tensor&) override {
      names.push_back(name);
    }
    std::vector<std::string> names;
  } log;
  const Sequential net(Linear("a", 4, 4), Relu{}, Linear("b", 4, 2));
  Sgd sgd({.learning_rate = 0.1});
  Trainer trainer(
      net, [&](const Value& x, const Value& t) { return mse_loss(checkpointed(net)(x), t); }, sgd);
  trainer.observe({init::normal({4, 4}, 1), Tensor::zeros({4, 2})}, log);
  EXPECT_THAT(log.names, testing::ElementsAre("relu(a)"));
}

}  // namespace
}  // namespace aclgrad
