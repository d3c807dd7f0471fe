// SPDX-License-Identifier: Apache-2.0
// Trees of modules: names, what is trained and what is kept, files.
#include "aclgrad/module.h"

#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> module_names(const std::vector<Variable>& variables) {
  std::vector<std::string> result;
  for (const Variable& variable : variables) result.push_back(variable.name());
  return result;
}

struct Block : Module {
  using Module::Module;
  LayerNorm norm{child("norm"), 3};
  Linear inner{child("inner"), 3, 3, {.bias = false}};
  Value operator()(const Value& x) const { return x + inner(norm(x)); }
};

struct Tower : Module {
  std::vector<Block> blocks;
  Dropout drop{child("drop"), 0.5};
  Linear out{child("out"), 3, 2};
  Tower() {
    for (int i = 0; i < 2; ++i) blocks.emplace_back(child("blocks." + std::to_string(i)));
  }
  Value operator()(const Value& x) const {
    Value y = x;
    for (const Block& block : blocks) y = block(y);
    return out(drop(y));
  }
};

TEST(Module, NamesVariablesByTheirWayThroughTheTree) {
  const Tower network;
  EXPECT_THAT(module_names(network.parameters()),
              ElementsAre("out.weight", "out.bias", "blocks.0.norm.weight", "blocks.0.norm.bias",
                          "blocks.0.inner.weight", "blocks.1.norm.weight", "blocks.1.norm.bias",
                          "blocks.1.inner.weight"));
  EXPECT_THAT(module_names(network.buffers()), ElementsAre("drop.draws"));
  EXPECT_EQ(network.state().size(), 9u);
  EXPECT_EQ(network.blocks[1].inner.path(), "blocks.1.inner");
  Graph graph;
  EXPECT_EQ(network(graph.input("x", {4, 3})).shape(), (Shape{4, 2}));
  EXPECT_EQ(network.parameters(graph).size(), 8u);
}

TEST(Module, CopiesShareTheirVariables) {
  const Tower network;
  const Tower copy = network;
  network.out.bias()->assign(Tensor::from({2}, {3, 4}));
  EXPECT_EQ(copy.out.bias()->value().get(1), 4);
  EXPECT_TRUE(copy.parameters()[0] == network.parameters()[0]);
}

TEST(Module, APartMadeElsewhereTakesThePathOfWhatItIsPutInto) {
  struct Net : Module {
    Sequential body{child("body"), Linear("first", 2, 3), Selu{},
                    Residual(Linear("second", 3, 3, {.bias = false}))};
    Value operator()(const Value& x) const { return body(x); }
  };
  EXPECT_THAT(module_names(Net().parameters()),
              ElementsAre("body.first.weight", "body.first.bias", "body.second.weight"));
  const Linear shared("shared", 2, 2);
  EXPECT_THAT(module_names(Sequential("one", shared).parameters()),
              ElementsAre("one.shared.weight", "one.shared.bias"));
  EXPECT_THAT(module_names(Sequential("two", shared).parameters()),
              ElementsAre("one.shared.weight", "one.shared.bias"))
      << "what belongs to one module keeps its name in another";
}

TEST(Module, NamesAreGivenOnce) {
  struct Net : Module {
    Linear a{child("a"), 2, 2}, b{child("a"), 2, 2};
  };
  EXPECT_EQ(message_of<ValueError>([] { return Net(); }), "two modules are called `a`");
}

TEST(Module, ACopyOfASequentialIsNoSequentialOfOne) {
  Residual residual(Linear("l", 2, 2));
  Residual copy(residual);  // NOLINT: the copy is the point
  Graph graph;
  const Value x = graph.input("x", {1, 2});
  copy(x);
  const std::size_t once = graph.size();
  Graph other;
  residual(other.input("x", {1, 2}));
  EXPECT_EQ(once, other.size());
}

TEST(Module, AFunctionIsALayer) {
  const Sequential net([](const Value& x) { return x * 2; }, Relu{},
                       [](const Value& x, SourceLocation where) { return neg(x, where); });
  EXPECT_TRUE(
      bitwise_equal(predict(net, Tensor::from({2}, {-1, 3})), Tensor::from({2}, {-0.0, -6})));
  static_assert(!Layer<int>);
  static_assert(Layer<Tower>);
}

TEST(Module, LoadsWhatItSaved) {
  const TemporaryFolder folder;
  const Tower a, b;
  a.out.bias()->assign(Tensor::from({2}, {3, 4}));
  b.blocks[0].inner.weight().assign(Tensor::zeros({3, 3}));
  a.save(folder.path() / "a.safetensors");
  const LoadReport report = b.load(folder.path() / "a.safetensors");
  EXPECT_THAT(report.missing, IsEmpty());
  EXPECT_THAT(report.unexpected, IsEmpty());
  for (std::size_t i = 0; i < a.state().size(); ++i) {
    EXPECT_TRUE(bitwise_equal(a.state()[i].value(), b.state()[i].value())) << a.state()[i].name();
  }
}

TEST(Module, LoadsTheWeightsOutOfACheckpointWithAnOptimizersState) {
  const TemporaryFolder folder;
  const Linear layer("l", 2, 1);
  Graph graph;
  const Value x = graph.input("x", {1, 2});
  AdamW optimizer;
  const Update update = optimizer.step(graph, backward(mean(layer(x)), layer.parameters(graph)));
  Session(graph, {update}).run({{x, Tensor::from({1, 2}, {1, 2})}});
  std::vector<Variable> state = layer.state();
  for (const Variable& variable : optimizer.state()) state.push_back(variable);
  save_checkpoint(folder.path() / "run", {.step = 1, .tensors = values_of(state)});
  const Linear other("l", 2, 1, {.seed = 5});
  EXPECT_EQ(other.load(folder.path() / "run").unexpected.size(), 5u);
  EXPECT_TRUE(bitwise_equal(other.weight().value(), layer.weight().value()));
}

TEST(Module, SaysWhatDoesNotFit) {
  const Linear layer("l", 2, 1);
  const Tensor weight = Tensor::from({2, 1}, {5, 6});
  EXPECT_THAT(message_of<ValueError>([&] {
                return layer.load(NamedTensors{{"l.weight", weight}, {"k.bias", weight}});
              }),
              AllOf(HasSubstr("no tensor for `l.bias`"), HasSubstr("no variable for `k.bias`")));
  EXPECT_NE(layer.weight().value().get(0), 5) << "nothing may be assigned";
  const LoadReport report =
      layer.load(NamedTensors{{"l.weight", weight}, {"k.bias", weight}}, {.strict = false});
  EXPECT_THAT(report.missing, ElementsAre("l.bias"));
  EXPECT_THAT(report.unexpected, ElementsAre("k.bias"));
  EXPECT_EQ(layer.weight().value().get(1), 6);
  EXPECT_THROW(layer.load(NamedTensors{{"l.weight", Tensor::zeros({3, 1})}}, {.strict = false}),
               ShapeError);
}

TEST(Module, ReadsPyTorchsLayoutsAndNames) {
  struct Net : Module {
    Linear fc{child("fc"), 2, 3};
    Conv2d conv{child("conv"), 1, 2, 1, {.bias = false}};
    BatchNorm2d norm{child("norm"), 2};
    Dropout drop{child("drop"), 0.1};
  };
  const Net net;
  const NamedTensors file = {
      {"model.fc.weight", Tensor::from({3, 2}, {1, 2, 3, 4, 5, 6}, DType::float16)},
      {"model.fc.bias", Tensor::from({3}, {7, 8, 9})},
      {"model.conv.weight", Tensor::from({2, 1, 1, 1}, {1, 2})},
      {"model.norm.weight", Tensor::from({2}, {1, 2})},
      {"model.norm.bias", Tensor::from({2}, {1, 2})},
      {"model.norm.running_mean", Tensor::from({2}, {1, 2})},
      {"model.norm.running_var", Tensor::from({2}, {3, 4})},
      {"model.norm.num_batches_tracked", Tensor::scalar(9, DType::int64)}};
  net.load(file, {.from_pytorch = true, .rename = [](const std::string& name) {
                    return name.substr(std::string("model.").size());
                  }});
  EXPECT_TRUE(bitwise_equal(net.fc.weight().value(), Tensor::from({2, 3}, {1, 3, 5, 2, 4, 6})));
  EXPECT_EQ(net.norm.buffers()[1].value().get(1), 4);
}

TEST(Module, SumsUpWhatItIsMadeOf) {
  const Tower network;
  Graph graph;
  network(graph.input("x", {4, 3}));
  const std::string text = network.summary(graph);
  EXPECT_THAT(text, AllOf(HasSubstr("out"), HasSubstr("Linear 3 to 2"), HasSubstr("[4, 2]"),
                          HasSubstr("blocks.1.norm"), HasSubstr("LayerNorm 3")));
  EXPECT_THAT(network.summary(), AllOf(HasSubstr("38"), testing::Not(HasSubstr("[4, 2]"))))
      << "8 numbers in out, 2 (9 + 6) in the blocks";
}

}  // namespace
}  // namespace aclgrad
