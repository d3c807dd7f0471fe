// SPDX-License-Identifier: Apache-2.0
// Trees of modules: names, what is trained and what is kept, files.
#include "aclgrad/nn/module.h"

#include <gmock/gmock.h>

#include <cmath>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

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
  EXPECT_THAT(names_in(network.parameters()),
              ElementsAre("out.weight", "out.bias", "blocks.0.norm.weight", "blocks.0.norm.bias",
                          "blocks.0.inner.weight", "blocks.1.norm.weight", "blocks.1.norm.bias",
                          "blocks.1.inner.weight"));
  EXPECT_THAT(names_in(network.buffers()), ElementsAre("drop.draws"));
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

// By the copy constructor, whatever a network keeps its layers in; names, contents, what is frozen
// and the sequence of masks are the original's, and none of it is shared.
TEST(Module, ACloneSharesNothing) {
  const Tower network;
  network.blocks[0].freeze();
  network.drop.eval();
  const Tower copy = clone(network);
  EXPECT_EQ(names_in(copy.state()), names_in(network.state()));
  const Tensor x = init::normal({4, 3}, 1);
  const Tensor before = predict(network, x);
  EXPECT_TRUE(bitwise_equal(predict(copy, x), before));
  for (const Variable& own : copy.state()) {
    for (const Variable& other : network.state()) EXPECT_FALSE(own == other) << own.name();
  }
  EXPECT_TRUE(copy.blocks[0].inner.is_frozen());
  EXPECT_FALSE(copy.drop.is_training(Graph(Mode::training)));
  EXPECT_TRUE(copy.out.weight() == copy.parameters()[0]) << "the member is the tree's";
  copy.out.bias()->assign(Tensor::from({2}, {3, 4}));
  copy.unfreeze();
  copy.drop.train();
  copy.blocks[1].inner.weight().assign(Tensor::zeros({3, 3}));
  EXPECT_TRUE(bitwise_equal(predict(network, x), before));
  EXPECT_TRUE(network.blocks[0].is_frozen());
  EXPECT_FALSE(network.drop.is_training(Graph(Mode::training)));
  EXPECT_FALSE(bitwise_equal(predict(copy, x), before));
}

TEST(Module, AClonesMasksAreItsOwn) {
  const Sequential network(Dropout("drop", 0.5, 3), Linear("out", 4, 4));
  const Sequential copy = clone(network), third = clone(copy);
  const auto masked = [](const Sequential& of) {
    Graph graph;
    const Value x = graph.constant(Tensor::full({3, 4}, 1));
    const Value y = of(x);
    return Session(graph, {y}).run()[y];
  };
  const Tensor first = masked(network);
  EXPECT_FALSE(bitwise_equal(masked(network), first)) << "the second mask";
  EXPECT_TRUE(bitwise_equal(masked(copy), first)) << "its first one";
  seed_parameters(copy, 9);
  EXPECT_TRUE(bitwise_equal(masked(third), first)) << "of the seed that it had";
}

// A part of a network alone: it keeps its names, and may be put into another network.
TEST(Module, ACloneOfAPartStandsAlone) {
  const Tower network;
  const Block part = clone(network.blocks[1]);
  EXPECT_EQ(names_in(part.parameters()), names_in(network.blocks[1].parameters()));
  part.inner.weight().assign(Tensor::zeros({3, 3}));
  EXPECT_NE(network.blocks[1].inner.weight().value().get(0), 0);
  const Sequential other(Module::Name("net"), part, Linear("out", 3, 1));
  EXPECT_EQ(other.parameters()[0].name(), "net.blocks.1.norm.weight");
  EXPECT_EQ(network.blocks[1].norm.parameters()[0].name(), "blocks.1.norm.weight");
  const Sequential twice = clone(clone(other));
  EXPECT_EQ(names_in(twice.state()), names_in(other.state()));
}

// A part that occurs twice is one part of the clone, too.
TEST(Module, ACloneSharesWithinWhatTheOriginalShares) {
  const Linear tied("tied", 3, 3);
  const Sequential network(tied, Tanh{}, tied);
  const Sequential copy = clone(network);
  EXPECT_EQ(copy.parameters().size(), 2u);
  copy.parameters()[0].assign(Tensor::zeros({3, 3}));
  EXPECT_NE(tied.weight().value().get(0), 0);
}

TEST(Module, APartMadeElsewhereTakesThePathOfWhatItIsPutInto) {
  struct Net : Module {
    Sequential body{child("body"), Linear("first", 2, 3), Selu{},
                    Residual(Linear("second", 3, 3, {.bias = false}))};
    Value operator()(const Value& x) const { return body(x); }
  };
  EXPECT_THAT(names_in(Net().parameters()),
              ElementsAre("body.first.weight", "body.first.bias", "body.second.weight"));
  const Linear shared("shared", 2, 2);
  EXPECT_THAT(names_in(Sequential("one", shared).parameters()),
              ElementsAre("one.shared.weight", "one.shared.bias"));
  EXPECT_THAT(names_in(Sequential("two", shared).parameters()),
              ElementsAre("one.shared.weight", "one.shared.bias"))
      << "what belongs to one module keeps its name in another";
}

TEST(Module, NamesAreGivenOnce) {
  struct Net : Module {
    Linear a{child("a"), 2, 2}, b{child("a"), 2, 2};
  };
  EXPECT_THAT(
      message_of<ValueError>([] { return Net(); }),
      testing::MatchesRegex("two modules are called `a` \\(graph/module_test.cpp:[0-9]+ and "
                            "graph/module_test.cpp:[0-9]+\\): give each its own name"));
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
                       [](Operand x) { return neg(x); });
  EXPECT_TRUE(
      bitwise_equal(predict(net, Tensor::from({2}, {-1, 3})), Tensor::from({2}, {-0.0, -6})));
  static_assert(!Layer<int>);
  static_assert(Layer<Tower>);
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
  EXPECT_THAT(message_of<ShapeError>([&] {
                layer.load(NamedTensors{{"l.weight", Tensor::zeros({3, 1})}}, {.strict = false});
              }),
              HasSubstr("`l.weight` has shape [2, 1], the tensor has [3, 1] (a `rename` that "
                        "returns \"\" for `l.weight` leaves it out"));
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

// Square weights, whose shape does not tell the layouts apart.
TEST(Module, WritesPyTorchsLayoutAndKnowsItAgain) {
  struct Net : Module {
    Linear fc{child("fc"), 2, 2};
    Conv2d conv{child("conv"), 1, 2, 1, {.bias = false}};
    Dropout drop{child("drop"), 0.1};
  };
  const Net net;
  net.fc.weight().assign(Tensor::from({2, 2}, {1, 2, 3, 4}));
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return folder.path() / name; };
  net.save(path("ours"));
  net.save(path("torch"), {.for_pytorch = true});
  const SafetensorsFile file = load_safetensors(path("torch"));
  EXPECT_EQ(file.metadata.at("format"), "pt");
  EXPECT_TRUE(bitwise_equal(file["fc.weight"], Tensor::from({2, 2}, {1, 3, 2, 4})));
  EXPECT_FALSE(file.contains("drop.draws"));
  for (const char* name : {"ours", "torch"}) {
    const Net other;
    other.load(path(name));
    EXPECT_TRUE(bitwise_equal(other.fc.weight().value(), net.fc.weight().value())) << name;
    EXPECT_TRUE(bitwise_equal(values_of(other.conv.parameters())[0].second,
                              values_of(net.conv.parameters())[0].second))
        << name;
  }
  // What is said goes before what the file says.
  const Net turned;
  turned.load(path("torch"), {.strict = false, .from_pytorch = false});
  EXPECT_TRUE(bitwise_equal(turned.fc.weight().value(), file["fc.weight"]));
  save_safetensors(path("nobody's"), values_of(net.state()));
  turned.load(path("nobody's"));
  EXPECT_TRUE(bitwise_equal(turned.fc.weight().value(), net.fc.weight().value()));
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

// Two parts with the same names inside, in different places.
struct Twins : Module {
  Sequential a{child("a"), Linear("fc", 8, 8), Dropout("drop", 0.5)};
  Sequential b{child("b"), Linear("fc", 8, 8), Dropout("drop", 0.5)};
};

Tensor masks(const Layer auto& layer) {
  Graph graph;
  const Value y = layer(graph.constant(Tensor::full({4, 64}, 1)));
  Session session(graph, {y});
  return session.run()[y];
}

TEST(Seeds, FollowTheFullName) {
  const Twins one, two;
  const auto weight = [](const Module& part) { return part.parameters()[0].value(); };
  EXPECT_FALSE(bitwise_equal(weight(one.a), weight(one.b)));
  EXPECT_TRUE(bitwise_equal(weight(one.a), weight(two.a))) << "the same program, the same values";
  const auto dropped = [](const char* name) {
    return masks(Sequential(name, Dropout("drop", 0.5)));
  };
  EXPECT_FALSE(bitwise_equal(dropped("a"), dropped("b")));
  EXPECT_TRUE(bitwise_equal(dropped("a"), dropped("a")));
  EXPECT_TRUE(bitwise_equal(weight(Sequential(Linear("fc", 8, 8))), weight(Linear("fc", 8, 8))))
      << "without a name, nothing is renamed";
  const Linear deep("fc", 8, 8);
  const Sequential outer("outer", Residual(Sequential("inner", deep)));
  EXPECT_EQ(deep.weight().name(), "outer.inner.fc.weight");
  struct Direct : Module {
    Linear fc{child("inner.fc"), 8, 8};
    using Module::Module;
  };
  EXPECT_TRUE(bitwise_equal(weight(outer), weight(Direct("outer"))));
}

TEST(Seeds, ThatAreGivenAndValuesThatAreAssignedStay) {
  const Linear given("fc", 2, 2, {.seed = 5}), assigned("other", 2, 2);
  const Tensor before = given.weight().value();
  assigned.weight().assign(Tensor::full({2, 2}, 3));
  const Sequential net("net", given, assigned);
  EXPECT_TRUE(bitwise_equal(given.weight().value(), before));
  EXPECT_EQ(assigned.weight().value().get(0), 3);
}

TEST(Seeds, OfAWholeNetworkComeFromOnePlace) {
  const Twins one, two, other;
  seed_parameters(one, 7);
  seed_parameters(two, 7);
  seed_parameters(other, 8);
  const auto weight = [](const Module& part) { return part.parameters()[0].value(); };
  EXPECT_TRUE(bitwise_equal(weight(one.a), weight(two.a)));
  EXPECT_FALSE(bitwise_equal(weight(one.a), weight(one.b)));
  EXPECT_FALSE(bitwise_equal(weight(one.a), weight(other.a)));
  EXPECT_FALSE(bitwise_equal(weight(one.a), weight(Twins().a)));
  const Dropout first("drop", 0.5, 3), second("drop", 0.5, 3);
  seed_parameters(second, 7);
  EXPECT_FALSE(bitwise_equal(masks(first), masks(second)));
}

TEST(Module, NamesOfVariablesAreGivenOnceAndNotEmpty) {
  struct Net : Module {
    using Module::buffer;
    using Module::child;
    using Module::generator;
    using Module::Module;
    using Module::parameter;
  };
  const int line = __LINE__ + 1;
  const Net net("net");
  net.parameter("w", Tensor::zeros({1}));
  EXPECT_EQ(message_of<ValueError>([&] { net.parameter("w", Tensor::zeros({1})); }),
            fmt::format("two variables are called `net.w`, both of one part "
                        "(graph/module_test.cpp:{}): give each its own name",
                        line));
  EXPECT_THROW(net.buffer("w", Tensor::zeros({1})), ValueError);
  EXPECT_THROW(net.generator("w"), ValueError);
  EXPECT_EQ(net.state().size(), 1u);
  EXPECT_THAT(message_of<ValueError>([&] { net.parameter("", Tensor::zeros({1})); }),
              HasSubstr("needs a name"));
  EXPECT_THROW(net.child(""), ValueError);
  const Net part(net.child("a.b"));
  part.parameter("w", Tensor::zeros({1}));
  EXPECT_THROW(Net(net.child("a")).parameter("b.w", Tensor::zeros({1})), ValueError)
      << "in another part of the same network";
}

TEST(Module, IsNoPartOfItself) {
  Sequential net("net", Linear("l", 2, 2));
  EXPECT_EQ(message_of<ValueError>([&] { net.add(net); }), "`net` cannot be a part of itself");
  Sequential outer("outer", net);
  EXPECT_THROW(net.add(outer), ValueError);
  EXPECT_EQ(outer.parameters().size(), 2u);
}

TEST(Module, AnAdditionThatIsRefusedChangesNothing) {
  Sequential net("net", Linear("l", 2, 2));
  const Linear twin("l", 2, 2);
  const Tensor before = twin.weight().value();
  EXPECT_THROW(net.add(twin), ValueError);
  EXPECT_EQ(twin.weight().name(), "l.weight");
  EXPECT_TRUE(bitwise_equal(twin.weight().value(), before));
  EXPECT_EQ(net.parameters().size(), 2u);
}

// Of parts that are added twice at each of 60 levels there are 2^60 ways to the first.
TEST(Module, ListsASharedPartOnce) {
  struct Net : Module {
    using Module::adopt;
  };
  Module part = Linear("l", 2, 2);
  std::vector<Net> levels(60);
  for (const Net& level : levels) {
    level.adopt(part);
    level.adopt(part);
    part = level;
  }
  EXPECT_EQ(part.parameters().size(), 2u);
  part.freeze();
  EXPECT_TRUE(part.trained_parameters().empty());
}

TEST(Layers, HaveRanges) {
  const double nan = std::nan("");
  for (const double p : {-0.1, 1.5, nan}) {
    EXPECT_THROW(Dropout("d", p), ValueError);
    EXPECT_THROW(AlphaDropout("d", p), ValueError);
  }
  EXPECT_THROW(AlphaDropout("d", 1), ValueError);
  for (const double eps : {-1.0, nan, 1e39}) {
    EXPECT_THAT(message_of<ValueError>([&] { LayerNorm("n", 2, eps); }),
                HasSubstr("LayerNorm: eps must be in [0, 3.4e+38], got"));
    EXPECT_THROW(RmsNorm("n", 2, eps), ValueError);
    EXPECT_THROW(BatchNorm2d("n", 2, {.eps = eps}), ValueError);
    EXPECT_THROW(GroupNorm("n", 1, 2, eps), ValueError);
  }
  for (const double momentum : {-1.0, 2.0, nan}) {
    EXPECT_THROW(BatchNorm2d("n", 2, {.momentum = momentum}), ValueError);
  }
  EXPECT_THROW(LayerNorm("n", 0), ShapeError);
  EXPECT_THROW(RmsNorm("n", -1), ShapeError);
  EXPECT_THROW(BatchNorm2d("n", 0), ShapeError);
  EXPECT_THROW(GroupNorm("n", 3, 4), ShapeError);
  EXPECT_THROW(GroupNorm("n", 0, 4), ShapeError);
  EXPECT_THROW(Conv2d("c", 2, 3, 1, {.groups = 2}), ShapeError);
  EXPECT_THROW(Conv2d("c", 2, 2, 0), ShapeError);
  EXPECT_THROW(Conv2d("c", 2, 2, {1, 2, 3}), ShapeError);
  EXPECT_THROW(Conv2d("c", 2, 2, 1, {.stride = 0}), ShapeError);
  EXPECT_THROW(Conv2d("c", 2, 2, 1, {.padding = -1}), ShapeError);
  EXPECT_THROW(Embedding("e", 0, 2), ShapeError);
  EXPECT_THROW(Embedding("e", 2, 2, {.padding_idx = 2}), ValueError);
  EXPECT_THROW(Embedding("e", 2, 2, {.padding_idx = -3}), ValueError);
  EXPECT_THROW(SelfAttention("s", 4, 0), ShapeError);
  EXPECT_THROW(GruCell("g", 0, 2), ShapeError);
  EXPECT_THROW(Gru("g", 2, 0), ShapeError);
}

TEST(Layers, EmbeddingsPaddingIsZeroAndGetsNoGradient) {
  for (const std::int64_t row : {1, -2}) {
    const Embedding layer("e", 3, 2, {.padding_idx = row});
    EXPECT_EQ(layer.weight().value().get(2), 0);
    EXPECT_NE(layer.weight().value().get(0), 0);
    Graph graph;
    const Value y = layer(graph.constant(Tensor::from({4}, {0, 1, 1, 2}, DType::int64)));
    const std::vector<Value> weight = layer.parameters(graph);
    const Value gradient = backward(reduce_sum(y), weight)[weight[0]];
    Session session(graph, {gradient});
    EXPECT_TRUE(bitwise_equal(session.run()[gradient], Tensor::from({3, 2}, {1, 1, 0, 0, 1, 1})));
  }
}

}  // namespace
}  // namespace aclgrad
