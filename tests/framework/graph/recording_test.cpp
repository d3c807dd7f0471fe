// SPDX-License-Identifier: Apache-2.0
// What recording a node does, and how it refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::ElementsAre;

std::string here(int line) { return fmt::format("graph/recording_test.cpp:{}", line); }

TEST(Recording, KnowsShapeDtypeAndName) {
  Graph graph;
  const Value x = graph.input("x", {4, 2});
  const Value w = graph.parameter("w", Tensor::zeros({2, 6}));
  const Value y = geglu(matmul(x, w)).named("y");
  EXPECT_EQ(y.shape(), (Shape{4, 3}));
  EXPECT_EQ(y.dtype(), DType::float32);
  EXPECT_EQ(y.name(), "y");
  EXPECT_EQ(x.name(), "x");
  EXPECT_EQ(w.variable()->name(), "w");
  EXPECT_EQ(x.variable(), nullptr);
  EXPECT_EQ(graph.size(), 4u);
  EXPECT_EQ(y.node().id, 3);
  EXPECT_EQ(y.node().outputs.size(), 2u) << "the kept gelu is the second output";
  EXPECT_EQ(y.node().pass, Pass::forward);
  EXPECT_TRUE(y.graph() == graph);
}

TEST(Recording, OddSplitNamesNodePlaceAndExtent) {
  Graph graph;
  const Value x = graph.input("x", {2, 7});
  const int line = __LINE__ + 1;
  const auto message = message_of<ShapeError>([&] { geglu(x); });
  EXPECT_EQ(message,
            fmt::format("node 1 `geglu` ({}): last dimension must be even, got 7", here(line)));
  EXPECT_EQ(graph.size(), 1u) << "a refused node must leave no trace";
  EXPECT_THAT(message_of<ShapeError>([&] {
                geglu(graph.input("y", {3, 2}), 0);
              }),
              testing::HasSubstr("dimension 0 must be even, got 3"));
  EXPECT_THAT(message_of<ShapeError>([&] { geglu(x, 2); }),
              testing::HasSubstr("axis 2 is out of range for rank 2"));
}

TEST(Recording, InnerSizes) {
  Graph graph;
  const Value a = graph.input("a", {2, 3});
  const Value b = graph.input("b", {4, 5});
  const int line = __LINE__ + 1;
  const auto message = message_of<ShapeError>([&] { matmul(a, b); });
  EXPECT_EQ(message, fmt::format("node 2 `matmul` ({}): inner sizes of [2, 3] and [4, 5] differ",
                                 here(line)));
}

TEST(Recording, OperatorsNameTheLineThatWroteThem) {
  Graph graph;
  const Value a = graph.input("a", {2, 3});
  const Value b = graph.input("b", {4});
  const int line = __LINE__ + 1;
  const auto message = message_of<ShapeError>([&] { a + b; });
  EXPECT_EQ(message,
            fmt::format("node 2 `add` ({}): shapes [2, 3] and [4] do not broadcast", here(line)));
  const int number_line = __LINE__ + 1;
  const Value y = 2 * a;
  EXPECT_EQ(static_cast<int>(y.node().where.line()), number_line);
}

TEST(Recording, ShapesThatDoNotFit) {
  Graph graph;
  const Value a = graph.input("a", {2, 3});
  const Value b = graph.input("b", {4, 2});
  const Value i = graph.input("i", {2}, DType::int64);
  const int line = __LINE__ + 1;
  const auto message = message_of<ShapeError>([&] { cat({a, b}, 1); });
  EXPECT_EQ(message, fmt::format("node 3 `cat` ({}): `b` with shape [4, 2] does not fit [2, 3] "
                                 "along dimension 1",
                                 here(line)));
  EXPECT_THROW(cat(std::vector<Value>{}), ValueError);
  EXPECT_THROW(cat({a, i}), ShapeError);
  EXPECT_THROW(stack({a, b}), ShapeError);
  EXPECT_THROW(stack({a, a}, 3), ShapeError);
  EXPECT_THROW(slice(a, 2), ShapeError);
  EXPECT_THROW(slice(a, 0, 0, 1, 0), ValueError);
  EXPECT_THROW(split(a, 0), ValueError);
  EXPECT_THROW(split(a, {1, 3}, 1), ShapeError);
  EXPECT_THROW(split(a, {-1, 4}, 1), ShapeError);
  EXPECT_THROW(foreach_norm({}), ValueError);
  EXPECT_THROW(foreach_norm({a, i}), DTypeError);
  EXPECT_THROW(foreach_mul({i}, 2.0), DTypeError);
  EXPECT_THROW(pad(a, {1}), ShapeError);
  EXPECT_THROW(pad(a, {-2, -2}), ShapeError);
  EXPECT_THROW(repeat(a, {2}), ShapeError);
  EXPECT_THROW(tril(i), ShapeError);
  EXPECT_THROW(index_select(a, 0, b), DTypeError);
  EXPECT_THROW(gather(a, 0, i), ShapeError);
  EXPECT_THROW(embedding(i, i), ShapeError);
  EXPECT_THROW(embedding(a, i, 2), ValueError);
  EXPECT_THROW(embedding_dense_backward(a, graph.input("j", {3}, DType::int64), 4), ShapeError);
  EXPECT_THROW(arange(graph, 0, 1, 0), ValueError);
  EXPECT_THROW(arange(graph, 0, 1, -1), ValueError);
  EXPECT_THROW(arange(graph, 0, 1, 0.5, DType::int64), ValueError);
  EXPECT_THROW(arange(graph, 0, 1, 1, DType::boolean), DTypeError);
}

TEST(Recording, WrongDtypes) {
  Graph graph;
  const Value n = graph.input("n", {2}, DType::int32);
  const int line = __LINE__ + 1;
  const auto message = message_of<DTypeError>([&] { selu(n); });
  EXPECT_EQ(message, fmt::format("node 1 `selu` ({}): `n` must be of a floating type, got int32",
                                 here(line)));
  EXPECT_NO_THROW(mul(n, 3));
  EXPECT_THROW(nll_loss(graph.input("p", {2, 3}), graph.input("t", {2}, DType::float32)),
               DTypeError);
  EXPECT_THROW(mse_loss(graph.input("q", {2}), graph.input("h", {2}, DType::float16)), DTypeError);
}

// [n, 1] beside [n] would be n^2 differences: a model then learns the mean of the targets.
TEST(Recording, LossesDoNotBroadcast) {
  Graph graph;
  const Value column = graph.input("column", {3, 1});
  const Value vector = graph.input("vector", {3});
  const auto names_both = testing::ThrowsMessage<ShapeError>(testing::AllOf(
      testing::HasSubstr("`column` has shape [3, 1]"), testing::HasSubstr("`vector` has shape [3]"),
      testing::HasSubstr("reshape()")));
  EXPECT_THAT([&] { mse_loss(column, vector); }, names_both);
  EXPECT_THAT([&] { l1_loss(column, vector, Reduction::none); }, names_both);
  EXPECT_THAT([&] { smooth_l1_loss(column, vector); }, names_both);
  EXPECT_THAT([&] { bce_with_logits(column, vector); }, names_both);
  const Value target = graph.input("target", {3, 1}, DType::int64);
  const auto reshapes =
      testing::ThrowsMessage<ShapeError>(testing::HasSubstr("got [3, 1]: reshape() them"));
  const Value scores = graph.input("scores", {3, 2});
  EXPECT_THAT([&] { cross_entropy(scores, target); }, reshapes);
  EXPECT_THAT([&] { nll_loss(scores, target); }, reshapes);
  EXPECT_NO_THROW(mse_loss(column, reshape(vector, {3, 1})));
}

TEST(Recording, ValuesOfTwoGraphs) {
  Graph one;
  Graph two;
  const Value a = one.input("a", {2});
  const Value b = two.input("b", {2});
  const int line = __LINE__ + 1;
  const auto message = message_of<ValueError>([&] { add(a, b); });
  EXPECT_EQ(
      message,
      fmt::format("node 1 `add` ({}): inputs come from different graphs: `a` and `b`", here(line)));
}

TEST(Recording, EmptyValueAndDeadGraph) {
  EXPECT_THAT(message_of<ValueError>([] { selu(Value()); }),
              testing::HasSubstr("an input is an empty Value"));
  Value orphan;
  {
    Graph graph;
    orphan = graph.input("x", {2});
    EXPECT_TRUE(orphan.valid());
  }
  EXPECT_FALSE(orphan.valid());
  EXPECT_EQ(message_of<ValueError>([&] { orphan.shape(); }), "the graph of value 0 is gone");
  EXPECT_THAT(message_of<ValueError>([&] { selu(orphan); }), testing::HasSubstr("is gone"));
}

TEST(Recording, MovedGraph) {
  Graph graph;
  const Value x = graph.input("x", {2});
  Graph target = std::move(graph);
  EXPECT_TRUE(x.valid());
  EXPECT_EQ(selu(x).graph() == target, true);
  EXPECT_EQ(message_of<ValueError>([&] { graph.size(); }),  // NOLINT: use after move is the point
            "this Graph was moved from");
}

TEST(Recording, InputNamesAreUnique) {
  Graph graph;
  graph.input("x", {2});
  EXPECT_THAT(message_of<ValueError>([&] { graph.input("x", {3}); }),
              testing::HasSubstr("is already an input called `x`"));
}

TEST(Recording, ViewsDescribeTheirRoot) {
  Graph graph;
  const Value x = graph.input("x", {2, 3, 4});
  const Value t = transpose(x, 0, -1);
  EXPECT_EQ(t.shape(), (Shape{4, 3, 2}));
  EXPECT_THAT(t.strides(), ElementsAre(1, 4, 12));
  EXPECT_TRUE(t.root() == x);
  EXPECT_FALSE(t.is_contiguous());
  const Value p = permute(x, {1, 2, 0});
  EXPECT_EQ(p.shape(), (Shape{3, 4, 2}));
  EXPECT_THAT(p.strides(), ElementsAre(4, 1, 12));
  const Value e = expand(reshape(x, {1, 24}), {5, 24});
  EXPECT_THAT(e.strides(), ElementsAre(0, 1));
  EXPECT_TRUE(e.root() == x);
  const std::size_t before = graph.size();
  EXPECT_EQ(reshape(x, {6, -1}).shape(), (Shape{6, 4}));
  EXPECT_EQ(graph.size(), before + 1) << "a dense reshape is one view";
  EXPECT_FALSE(reshape(t, {24}).root() == x) << "a transposed value is copied first";
  EXPECT_EQ(graph.size(), before + 3);
  EXPECT_THROW(reshape(x, {5, -1}), ShapeError);
  EXPECT_THROW(reshape(x, {-1, -1}), ShapeError);
  EXPECT_THROW(reshape(x, {25}), ShapeError);
  EXPECT_THROW(expand(x, {2, 3, 5}), ShapeError);
  EXPECT_THROW(permute(x, {0, 0, 1}), ShapeError);
  EXPECT_THROW(transpose(x, 0, 3), ShapeError);
}

TEST(Recording, ReshapeSaysWhatIsWrong) {
  Graph graph;
  const Value x = graph.input("x", {2, 3});
  EXPECT_EQ(reshape(x, {-1, 2}).shape(), (Shape{3, 2}));
  EXPECT_THAT(message_of<ShapeError>([&] {
                reshape(x, {-1, -1});
              }),
              testing::HasSubstr("only one extent"));
  EXPECT_THAT(message_of<ShapeError>([&] {
                reshape(x, {-2, -3});
              }),
              testing::HasSubstr("-2 is negative"));
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  EXPECT_THAT(message_of<ShapeError>([&] {
                reshape(x, {kHuge, kHuge, 6});
              }),
              testing::HasSubstr("cannot give the 6 elements"));
}

TEST(Recording, AnExtentOfMinusOneBesideZeroIsOpen) {
  Graph graph;
  const Value x = graph.input("x", {0, 4});
  EXPECT_EQ(reshape(x, {-1, 4}).shape(), (Shape{0, 4}));
  EXPECT_THAT(
      [&] {
        reshape(x, {0, -1});
      },
      testing::ThrowsMessage<ShapeError>(testing::HasSubstr("-1 could be anything")));
}

TEST(Recording, MatmulShapes) {
  Graph graph;
  auto shape = [&](Shape a, Shape b) {
    return matmul(graph.constant(Tensor::zeros(a)), graph.constant(Tensor::zeros(b))).shape();
  };
  EXPECT_EQ(shape({3}, {3}), (Shape{}));
  EXPECT_EQ(shape({2, 3}, {3}), (Shape{2}));
  EXPECT_EQ(shape({3}, {3, 4}), (Shape{4}));
  EXPECT_EQ(shape({2, 3}, {3, 4}), (Shape{2, 4}));
  EXPECT_EQ(shape({5, 1, 2, 3}, {6, 3, 4}), (Shape{5, 6, 2, 4}));
  EXPECT_EQ(shape({5, 2, 3}, {3}), (Shape{5, 2}));
  EXPECT_EQ(shape({3}, {5, 3, 4}), (Shape{5, 4}));
  EXPECT_THROW(shape({}, {3}), ShapeError);
}

TEST(Recording, ARefusedCrossEntropyLeavesNoNode) {
  Graph graph;
  const Value logits = graph.input("logits", {4, 3, 5});
  const Value labels = graph.input("labels", {4}, DType::int64);
  const Value floats = graph.input("floats", {4, 3});
  const Value scalar = graph.input("scalar", {});
  const std::size_t before = graph.size();
  EXPECT_THAT(message_of<ShapeError>([&] { cross_entropy(logits, labels); }),
              AllOf(testing::HasSubstr("`cross_entropy` (graph/recording_test.cpp:"),
                    testing::HasSubstr("logits [4, 3, 5] need targets of shape [4, 3], got [4]")));
  EXPECT_THAT(message_of<DTypeError>([&] { cross_entropy(logits, floats); }),
              testing::HasSubstr("targets must be int64, int32 or uint8, got float32"));
  EXPECT_THAT(message_of<ShapeError>([&] { cross_entropy(scalar, labels); }),
              testing::HasSubstr("logits must be [..., C], got []"));
  EXPECT_THROW(cross_entropy(labels, labels), DTypeError);
  EXPECT_EQ(graph.size(), before);
}

TEST(Recording, LinearSaysWhatItNeeds) {
  Graph graph;
  const Value x = graph.input("x", {4, 2});
  const Value w = graph.parameter("w", Tensor::zeros({3, 6}));
  const Value b = graph.parameter("b", Tensor::zeros({5}));
  EXPECT_THAT(
      message_of<ShapeError>([&] { linear(x, w, b); }),
      testing::HasSubstr("`x` of shape [4, 2] needs a weight of shape [2, out], `w` has [3, 6]"));
  const Value z = graph.input("z", {4, 3});
  EXPECT_THAT(message_of<ShapeError>([&] { linear(z, w, b); }),
              testing::HasSubstr("the bias must have shape [6], got [5]"));
  const Value cube = graph.input("cube", {2, 4, 3});
  const Value bias = graph.parameter("bias", Tensor::zeros({6}));
  EXPECT_EQ(linear(cube, w, bias).shape(), (Shape{2, 4, 6}));
}

TEST(Recording, ReductionAxes) {
  Graph graph;
  const Value x = graph.input("x", {2, 3, 4});
  EXPECT_EQ(reduce_sum(x).shape(), (Shape{}));
  EXPECT_EQ(reduce_sum(x, {-1, 0}).shape(), (Shape{3}));
  EXPECT_EQ(mean(x, {1}, true).shape(), (Shape{2, 1, 4}));
  EXPECT_THAT(message_of<ShapeError>([&] {
                reduce_sum(x, {0, -3});
              }),
              testing::HasSubstr("axis 0 is named twice"));
  EXPECT_EQ(amax(x, {1}, true).shape(), (Shape{2, 1, 4}));
  EXPECT_EQ(norm(x, {0, 1}).shape(), (Shape{4}));
  EXPECT_THAT(message_of<ShapeError>([&] { var(x, {3}); }),
              testing::HasSubstr("axis 3 is out of range for rank 3"));
  const Value empty = graph.input("empty", {2, 0});
  EXPECT_THAT(message_of<ShapeError>([&] { amax(empty, {1}); }),
              testing::HasSubstr("axis 1 of [2, 0] has no elements"));
  EXPECT_THAT(message_of<ShapeError>([&] { argmax(empty); }),
              testing::HasSubstr("axis 1 of [2, 0] has no elements"));
  EXPECT_THAT(message_of<ShapeError>([&] { topk(x, 5); }),
              testing::HasSubstr("k = 5 is out of range for axis 2 of [2, 3, 4]"));
}

TEST(Recording, BatchedProductsSayWhatTheyNeed) {
  Graph graph;
  const Value a = graph.input("a", {2, 3, 4});
  const Value b = graph.input("b", {1, 4, 5});
  EXPECT_EQ(bmm(a, b).shape(), (Shape{2, 3, 5}));
  const Value matrix = graph.input("matrix", {4, 5});
  EXPECT_THAT(message_of<ShapeError>([&] { bmm(a, matrix); }),
              testing::HasSubstr("both factors must have rank 3, got [2, 3, 4] and [4, 5]"));
  EXPECT_THAT(message_of<ShapeError>([&] { bmm(a, a); }),
              testing::HasSubstr("inner sizes of [2, 3, 4] and [2, 3, 4] differ"));
  const Value c = graph.input("c", {1, 2, 3, 5});
  EXPECT_THAT(message_of<ShapeError>([&] { baddbmm(c, a, b); }),
              testing::HasSubstr("with shape [1, 2, 3, 5] does not broadcast to [2, 3, 5]"));
  const Value one = graph.input("one", {1, 3, 4});
  const Value many = graph.input("many", {2, 4, 5});
  EXPECT_THAT(message_of<ShapeError>([&] { baddbmm(matrix, one, many); }),
              testing::HasSubstr("only the second factor can have a batch of 1"));
}

TEST(Recording, Promotion) {
  EXPECT_EQ(promote(DType::float16, DType::bfloat16), DType::float32);
  EXPECT_EQ(promote(DType::float16, DType::int64), DType::float16);
  EXPECT_EQ(promote(DType::float32, DType::float64), DType::float64);
  EXPECT_EQ(promote(DType::int8, DType::uint8), DType::int16);
  EXPECT_EQ(promote(DType::uint8, DType::int16), DType::int16);
  EXPECT_EQ(promote(DType::int32, DType::int64), DType::int64);
  EXPECT_EQ(promote(DType::boolean, DType::int8), DType::int8);
}

TEST(Recording, FunctionsKeepShapeAndDtypeAndTellTheirNumbers) {
  Graph graph;
  const Value x = graph.input("x", {2, 3}, DType::bfloat16);
  for (const Value& y : {exp(x), sqrt(transpose(x, 0, 1)), relu(x), tanh_backward(x, x)}) {
    EXPECT_EQ(y.dtype(), DType::bfloat16);
    EXPECT_EQ(y.shape().numel(), 6);
  }
  EXPECT_EQ(leaky_relu(x).node().op->attributes(), "negative_slope=0.01");
  EXPECT_EQ(softplus(x, 2).node().op->attributes(), "beta=2, threshold=20");
  EXPECT_EQ(threshold_backward(x, x).node().op->attributes(), "threshold=0");
  EXPECT_EQ(silu(x).node().op->attributes(), "");
  EXPECT_EQ(silu(x).node().op->as_call()->call_name(), "aclnnSilu");
}

TEST(Recording, FunctionsSayWhatTheyRefuse) {
  Graph graph;
  const Value x = graph.input("x", {2, 3});
  const Value n = graph.input("n", {2, 3}, DType::uint8);
  const int line = __LINE__ + 1;
  const auto message = message_of<DTypeError>([&] { exp(n); });
  EXPECT_EQ(message, fmt::format("node 2 `exp` ({}): `n` must be of a floating type, got uint8",
                                 here(line)));
  EXPECT_THROW(neg(n), DTypeError);
  EXPECT_NO_THROW(neg(graph.input("i", {2}, DType::int64)));
  EXPECT_THAT(message_of<ShapeError>([&] { silu_backward(graph.input("g", {3}), x); }),
              testing::HasSubstr("`g` has shape [3] and `x` has shape [2, 3]"));
  EXPECT_THROW(sigmoid_backward(graph.input("h", {2, 3}, DType::float16), x), DTypeError);
  EXPECT_THAT(message_of<ValueError>([&] { softplus(x, 0); }),
              AllOf(testing::HasSubstr("`softplus`"), testing::HasSubstr("beta must not be 0")));
  EXPECT_THROW(softplus_backward(x, x, 0), ValueError);
}

TEST(Recording, EluFromResultNeedsAnInvertibleFunction) {
  Graph graph;
  const Value x = graph.input("x", {2});
  EXPECT_THAT(message_of<ValueError>([&] { elu(x, -1, 1, 1, BackwardFrom::result); }),
              testing::HasSubstr("got alpha=-1, scale=1, input_scale=1"));
  EXPECT_NO_THROW(elu(x, -1, 1, 1, BackwardFrom::input));
  EXPECT_THAT(message_of<ValueError>([&] { elu_backward(x, x, -1, 1, 1, BackwardFrom::result); }),
              AllOf(testing::HasSubstr("`elu_backward`"), testing::HasSubstr("got alpha=-1")));
  EXPECT_THROW(elu_backward(x, x, 1, -1, 1, BackwardFrom::result), ValueError);
  EXPECT_THROW(elu_backward(x, x, 1, 1, 0, BackwardFrom::result), ValueError);
  EXPECT_THROW(elu_backward(x, x, 1e300), ValueError);
  EXPECT_NO_THROW(elu_backward(x, x, -1, 1, 1, BackwardFrom::input));
}

}  // namespace
}  // namespace aclgrad
