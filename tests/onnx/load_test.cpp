// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"
#include "aclgrad/format.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/onnx/models_of.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const std::vector<Variable>& variables) {
  std::vector<std::string> all;
  for (const Variable& variable : variables) all.push_back(variable.name());
  return all;
}

class OnnxLoad : public testing::Test {
 protected:
  onnx::Model load(const ModelOf& model) { return model.load(folder_.path() / "model.onnx"); }

  TemporaryFolder folder_;
};

// x [batch, 3] through two products, the second one's input flattened by a shape that is computed.
ModelOf two_layers() {
  ModelOf model;
  model.input("x", {-1, 3}).output("y", {-1, 2});
  model.tensor("body.0.weight", init::normal({3, 4}, 1)).tensor("body.0.bias", Tensor::zeros({4}));
  model.tensor("head.weight", init::normal({4, 2}, 2));
  model.tensor("zero", Tensor::from({1}, {0}, DType::int64));
  model.tensor("rest", Tensor::from({1}, {-1}, DType::int64));
  model.node("Gemm", {"x", "body.0.weight", "body.0.bias"}, {"h"});
  model.node("Relu", {"h"}, {"r"});
  model.node("Shape", {"x"}, {"shape"});
  model.node("Gather", {"shape", "zero"}, {"batch"});
  set_attribute(model.node("Concat", {"batch", "rest"}, {"flat"}), "axis", 0);
  model.node("Reshape", {"r", "flat"}, {"f"});
  model.node("MatMul", {"f", "head.weight"}, {"y"});
  return model;
}

TEST_F(OnnxLoad, HasParametersByNameAndParts) {
  const onnx::Model model = load(two_layers());
  EXPECT_THAT(names(model.parameters()),
              ElementsAre("body.0.weight", "body.0.bias", "head.weight"));
  ASSERT_EQ(model.parts().size(), 2u);
  EXPECT_EQ(model.parts()[0].path(), "body.0");
  EXPECT_EQ(model.parts()[1].path(), "head");
  EXPECT_EQ(model.opset(), 13);
  EXPECT_EQ(model.inputs()[0].dims, (Dims{-1, 3}));
}

TEST_F(OnnxLoad, TakesABatchOfAnySizeAndFoldsShapes) {
  const onnx::Model model = load(two_layers());
  const std::vector<Variable> p = model.parameters();
  for (const std::int64_t batch : {1, 5}) {
    Graph graph(Mode::evaluation);
    const Value x = graph.input("x", {batch, 3});
    const Value y = model(x);
    EXPECT_EQ(y.name(), "y");
    const Value same =
        matmul(relu(addmm(graph.parameter(p[1]), x, graph.parameter(p[0]))), graph.parameter(p[2]));
    Session session(graph, {y, same});
    const Results results = session.run({{x, init::normal({batch, 3}, 3)}});
    EXPECT_TRUE(bitwise_equal(results[y], results[same]));
    // Of the shape nothing is left but a reshape: x, three parameters, and the nodes of the
    // network.
    for (std::size_t i = 0; i < graph.size(); ++i) {
      EXPECT_NE(graph.node(static_cast<NodeId>(i)).op->name(), "cat");
    }
  }
}

TEST_F(OnnxLoad, TrainsAndIsCloned) {
  const onnx::Model model = load(two_layers());
  model.parts()[0].freeze();
  const onnx::Model before = clone(model);
  Graph graph;
  const Value x = graph.input("x", {4, 3});
  const Value y = model(x);
  const Value loss = mean(y * y);
  const std::vector<Value> trained = model.parameters(graph);
  EXPECT_EQ(trained.size(), 1u);
  const Gradients gradients = backward(loss, trained);
  Sgd optimizer({.learning_rate = 0.1});
  Session session(graph, {loss, optimizer.step(graph, gradients)});
  session.run({{x, init::normal({4, 3}, 3)}});
  EXPECT_FALSE(bitwise_equal(model.parameters()[2].value(), before.parameters()[2].value()));
  EXPECT_TRUE(bitwise_equal(model.parameters()[0].value(), before.parameters()[0].value()));
}

TEST_F(OnnxLoad, NormalizesByTheBatchInTraining) {
  ModelOf file;
  file.input("x", {-1, 2}).output("y", {-1, 2});
  file.tensor("bn.weight", Tensor::full({2}, 1)).tensor("bn.bias", Tensor::zeros({2}));
  file.tensor("bn.mean", Tensor::zeros({2})).tensor("bn.var", Tensor::full({2}, 1));
  file.node("BatchNormalization", {"x", "bn.weight", "bn.bias", "bn.mean", "bn.var"}, {"y"});
  const onnx::Model model = load(file);
  EXPECT_THAT(names(model.parameters()), ElementsAre("bn.weight", "bn.bias"));
  EXPECT_THAT(names(model.buffers()), ElementsAre("bn.mean", "bn.var"));
  Graph graph;
  const Value x = graph.input("x", {4, 2});
  Session session(graph, {model(x)});
  session.run({{x, Tensor::full({4, 2}, 3)}});
  EXPECT_NEAR(model.buffers()[0].value().get(0), 0.3, 1e-6);
}

TEST_F(OnnxLoad, ListsAllThatIsMissing) {
  ModelOf file;
  file.input("x", {2}).output("y", {2});
  file.node("Sqrt", {"x"}, {"a"});
  file.node("NoSuch", {"a"}, {"b"}).set_name("first");
  file.node("NoSuch", {"b"}, {"c"});
  file.node("Other", {"c"}, {"y"}).set_domain("com.example");
  const std::string message = message_of<ValueError>([&] { load(file); });
  EXPECT_THAT(message, HasSubstr("NoSuch (opset 13): 2 nodes, the first is node `first` (NoSuch, "
                                 "opset 13)"));
  EXPECT_THAT(message, HasSubstr("com.example.Other (opset 13): 1 node"));
}

TEST_F(OnnxLoad, NamesNodeOperatorAndOpset) {
  ModelOf file(11);
  file.input("x", {-1, 3}).output("y", {-1, 2});
  file.tensor("w", Tensor::zeros({4, 2}));
  file.node("MatMul", {"x", "w"}, {"y"}).set_name("product");
  const onnx::Model model = load(file);
  Graph graph;
  const Value x = graph.input("x", {2, 3});
  EXPECT_THAT(message_of<ShapeError>([&] { model(x); }),
              HasSubstr("node `product` (MatMul, opset 11): "));
}

TEST_F(OnnxLoad, SaysWhichInputsMustBeKnown) {
  ModelOf file;
  file.input("x", {6}).input("shape", {2}, DType::int64).output("y", {-1, -1});
  file.node("Identity", {"shape"}, {"same"});
  file.node("Reshape", {"x", "same"}, {"y"});
  const onnx::Model model = load(file);
  Graph graph;
  const Value x = graph.input("x", {6}), shape = graph.input("shape", {2}, DType::int64);
  try {
    model({x, shape});
    FAIL();
  } catch (const onnx::NotConstantError& error) {
    EXPECT_THAT(error.inputs(), ElementsAre("shape"));
    EXPECT_THAT(error.what(), HasSubstr("give a Tensor for shape"));
  }
  EXPECT_EQ(model(graph, {x, Tensor::from({2}, {2, 3}, DType::int64)})[0].shape(), (Shape{2, 3}));
}

TEST_F(OnnxLoad, TakesTheBranchThatHolds) {
  ModelOf file;
  file.input("x", {2}).input("c", {}, DType::boolean).output("y", {2});
  ::onnx::NodeProto& node = file.node("If", {"c"}, {"y"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    ::onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(branch);
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    ModelOf inner;
    inner.output("out", {2});
    inner.node(branch[0] == 't' ? "Exp" : "Neg", {"x"}, {"out"});
    *attribute.mutable_g() = inner.graph();
  }
  const onnx::Model model = load(file);
  Graph graph(Mode::evaluation);
  const Value x = graph.input("x", {2}), c = graph.input("c", {}, DType::boolean);
  const Value known = model(graph, {x, Tensor::scalar(0, DType::boolean)})[0];
  EXPECT_EQ(known.node().op->name(), "neg");
  const Value chosen = model({x, c})[0];
  Session session(graph, {chosen});
  const Tensor one = Tensor::from({2}, {1, 2});
  EXPECT_EQ(session.run({{x, one}, {c, Tensor::scalar(0, DType::boolean)}})[chosen].get(1), -2);
  EXPECT_NEAR(session.run({{x, one}, {c, Tensor::scalar(1, DType::boolean)}})[chosen].get(0), M_E,
              1e-6);
}

TEST_F(OnnxLoad, StopsAtWhatHasNoEnd) {
  ModelOf circle;
  circle.input("x", {2}).output("y", {2});
  circle.node("Add", {"x", "z"}, {"y"});
  circle.node("Neg", {"y"}, {"z"});
  Graph graph;
  const Value x = graph.input("x", {2});
  EXPECT_THAT(message_of<ValueError>([&] { load(circle)(x); }),
              HasSubstr("the input `z` is made by no node before it"));

  // A loop without end, of a graph without nodes.
  ModelOf endless;
  endless.input("x", {2}).output("y", {2});
  endless.tensor("count", Tensor::scalar(1e15, DType::int64));
  ::onnx::AttributeProto& body = *endless.node("Loop", {"count", "", "x"}, {"y"}).add_attribute();
  body.set_name("body");
  body.set_type(::onnx::AttributeProto::GRAPH);
  ModelOf inner;
  inner.input("i", {}, DType::int64).input("c", {}, DType::boolean).input("v", {2});
  inner.output("c", {}, DType::boolean).output("v", {2});
  *body.mutable_g() = inner.graph();
  EXPECT_THAT(message_of<ValueError>([&] { load(endless)(x); }),
              HasSubstr("more than 200000 nodes"));

  ModelOf large;
  large.input("x", {2}).output("y", {-1, -1});
  large.tensor("shape", Tensor::from({2}, {1e9, 1e9}, DType::int64));
  large.node("ConstantOfShape", {"shape"}, {"y"});
  EXPECT_THAT(message_of<ShapeError>([&] { load(large)(x); }),
              HasSubstr("is not made from nothing"));
}

// A file of a few bytes must not fill the memory: constants are computed while nodes are recorded.
TEST_F(OnnxLoad, RefusesConstantsThatGrowWithoutEnd) {
  ModelOf model;
  model.input("x", {1}, DType::int64).output("y", {-1}, DType::int64);
  model.tensor("seed", Tensor::zeros({1}, DType::int64));
  model.tensor("times", Tensor::from({1}, {1 << 27}, DType::int64));
  model.node("Tile", {"seed", "times"}, {"large"});
  model.node("Add", {"x", "large"}, {"y"});
  const onnx::Model loaded = load(model);
  const Graph graph(Mode::evaluation);
  const Value x = graph.input("x", {1}, DType::int64);
  EXPECT_THAT(
      message_of<ValueError>([&] { loaded(x); }),
      HasSubstr("(Tile, opset 13): a tensor of [134217728] from 2 numbers is too large to be "
                "computed while recording"));
}

TEST_F(OnnxLoad, RefusesSequencesInSequences) {
  ModelOf model;
  model.input("x", {1}).output("y", {-1});
  model.node("SequenceConstruct", {"x"}, {"one"});
  model.node("SequenceConstruct", {"one", "one"}, {"two"});
  model.node("ConcatFromSequence", {"two"}, {"y"});
  const onnx::Model loaded = load(model);
  const Graph graph(Mode::evaluation);
  const Value x = graph.input("x", {1});
  EXPECT_THAT(message_of<ValueError>([&] { loaded(x); }),
              HasSubstr("a sequence has no sequences in it"));
}

}  // namespace
}  // namespace aclgrad
