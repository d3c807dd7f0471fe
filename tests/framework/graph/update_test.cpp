// SPDX-License-Identifier: Apache-2.0
// Variables: shared between graphs, overwritten in place, and guarded against stale use.
#include "aclgrad/variable.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

TEST(Variables, HoldAndReplaceTheirContents) {
  const Variable w("w", Tensor::from({2}, {1, 2}));
  const Variable same = w;  // NOLINT: a copy on purpose
  EXPECT_EQ(w.version(), 0u);
  same.assign(Tensor::from({2}, {3, 4}));
  EXPECT_EQ(w.value().get(1), 4);
  EXPECT_EQ(w.version(), 1u);
  EXPECT_TRUE(w == same);
  EXPECT_FALSE(w == Variable("w", Tensor::zeros({2})));
  EXPECT_EQ(message_of<ShapeError>([&] { w.assign(Tensor::zeros({3})); }),
            "variable `w` has shape [2], cannot assign a tensor of shape [3]");
  EXPECT_EQ(message_of<DTypeError>([&] { w.assign(Tensor::zeros({2}, DType::float16)); }),
            "variable `w` is float32, cannot assign a tensor of float16");
  EXPECT_EQ(w.value().get(1), 4);
}

TEST(Variables, BoundTwiceGiveOneValue) {
  Graph graph;
  const Variable w("w", Tensor::zeros({2}));
  const Value first = graph.parameter(w);
  const Value second = graph.parameter(w);
  EXPECT_TRUE(first == second);
  EXPECT_EQ(graph.size(), 1u);
  EXPECT_EQ(graph.variables().size(), 1u);
}

TEST(Variables, TwoGraphsShareThem) {
  const Variable w("w", Tensor::from({2}, {1, 2}));
  Graph training;
  const Value x = training.input("x", {2});
  Session step(training, {Update{{inplace_add(training.parameter(w), x, -0.5)}}});
  Graph evaluation;
  const Value y = evaluation.parameter(w) * 10;
  Session look(evaluation, {y});
  EXPECT_EQ(look.run()[y].get(0), 10);
  step.run({{x, Tensor::full({2}, 4)}});
  EXPECT_EQ(look.run()[y].get(0), -10);
  EXPECT_EQ(w.value().get(1), 0);
  EXPECT_EQ(w.version(), 1u);
}

TEST(Updates, MayReadTheVariableThatTheyOverwrite) {
  const Variable w("w", Tensor::from({2}, {1, 2}));
  Graph graph;
  const Value same = assign(graph.parameter(w), graph.parameter(w));
  Session session(graph, {inplace_add(same, same)});
  session.run();
  EXPECT_TRUE(bitwise_equal(w.value(), Tensor::from({2}, {2, 4})));
}

TEST(Updates, ReplaceSomeSlicesAndKeepTheOthers) {
  const Variable w("w", Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6}));
  Graph graph;
  const Value at = graph.input("at", {1}, DType::int64), x = graph.input("x", {2, 1});
  const Value after = inplace_index_copy(graph.parameter(w), 1, at, x);
  Session session(graph, {after});
  const auto put = [&](double place, double upper, double lower) {
    session.run(
        {{at, Tensor::full({1}, place, DType::int64)}, {x, Tensor::from({2, 1}, {upper, lower})}});
    return w.value();
  };
  EXPECT_TRUE(bitwise_equal(put(2, 7, 8), Tensor::from({2, 3}, {1, 2, 7, 4, 5, 8})));
  EXPECT_TRUE(bitwise_equal(put(-3, 9, 0), Tensor::from({2, 3}, {9, 2, 7, 0, 5, 8})));
  const Value computed = x * 2;
  EXPECT_THROW(inplace_index_copy(computed, 1, at, x), ValueError);
  EXPECT_THROW(inplace_index_copy(after, 1, at, transpose(x, 0, 1)), ShapeError);
}

TEST(Updates, AStaleValueNamesBothNodes) {
  Graph graph;
  const Value x = graph.input("x", {2, 2});
  const int first_line = __LINE__ + 1;
  const Value w = graph.parameter("w", Tensor::zeros({2, 2}));
  const Value view = transpose(w, 0, 1);
  const int update_line = __LINE__ + 1;
  const Value fresh = inplace_add(w, x);
  const int line = __LINE__ + 1;
  const auto message = message_of<ValueError>([&] { mul(x, w); });
  EXPECT_EQ(message,
            fmt::format("node 4 `mul` (graph/update_test.cpp:{}): `w` is node 1 `variable` "
                        "(graph/update_test.cpp:{}) as it was before node 3 `inplace_add` "
                        "(graph/update_test.cpp:{}) updated it; use the value that the update "
                        "returned, or record this node before it",
                        line, first_line, update_line));
  EXPECT_THROW(mul(x, view), ValueError) << "views of it are stale too";
  EXPECT_NO_THROW(mul(x, fresh));
  EXPECT_NO_THROW(mul(x, transpose(fresh, 0, 1))) << "a view of the new value is new";
  EXPECT_TRUE(graph.parameter(*fresh.variable()) == fresh) << "binding again gives the newest";
}

TEST(Updates, ReadersBeforeAndAfterSeeTheRightContents) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::full({2}, 1));
  const Value before = w * 10;
  const Value updated = inplace_add(w, before);
  const Value after = updated * 10;
  Session session(graph, {before, after});
  const Results results = session.run();
  EXPECT_EQ(results[before].get(0), 10);
  EXPECT_EQ(results[after].get(0), 110);
}

TEST(Updates, OnlyVariablesAreOverwritten) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value w = graph.parameter("w", Tensor::zeros({2, 2}));
  EXPECT_THAT(message_of<ValueError>([&] { inplace_add(x, x); }),
              testing::HasSubstr("updates `x` in place, which is not a variable"));
  EXPECT_THROW(inplace_add(transpose(w, 0, 1), w), ValueError);
  EXPECT_THROW(inplace_add(w * 1, w), ValueError);
  EXPECT_THROW(inplace_add(w, graph.constant(Tensor::zeros({3, 2, 2}))), ShapeError);
  EXPECT_THROW(inplace_add(w, graph.constant(Tensor::zeros({2}, DType::float16))), DTypeError);
  EXPECT_NO_THROW(inplace_add(w, x));
}

// The update must not read what it has written already: 64 rows are more than one tile.
TEST(Updates, OtherViewsOfTheVariableAreReadAsTheyWere) {
  const Tensor start = init::normal({64, 64}, 1);
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return start.get(64 * row + column);
  };
  for (const bool eager : {false, true}) {
    Graph graph;
    const Value added = graph.parameter("added", start);
    const Value assigned = graph.parameter("assigned", start);
    inplace_add(added, transpose(added, 0, 1));
    assign(assigned, transpose(assigned, 0, 1));
    const std::vector<Fetch> fetches = {graph.parameter(*added.variable()),
                                        graph.parameter(*assigned.variable())};
    const Results results = Session(graph, fetches, {.eager = eager}).run();
    for (std::int64_t i = 0; i < 64; ++i) {
      for (std::int64_t j = 0; j < 64; ++j) {
        const std::int64_t at_once = 64 * i + j;
        const auto sum = static_cast<float>(at(i, j) + at(j, i));
        ASSERT_EQ(results[graph.parameter(*added.variable())].get(at_once), sum) << i << ' ' << j;
        ASSERT_EQ(results[graph.parameter(*assigned.variable())].get(at_once), at(j, i));
      }
    }
  }
}

TEST(Updates, NothingIsOverwrittenTwiceByOneNode) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::zeros({2}));
  const Value m = graph.parameter("m", Tensor::zeros({2}));
  const Value steps = graph.parameter("steps", Tensor::zeros({1}, DType::int64));
  EXPECT_THAT(message_of<ValueError>([&] { apply_adam_w(w, m, m, w * 1, steps, {}); }),
              testing::HasSubstr("updates `m` twice"));
}

// Passes on to InplaceAddOp and looks at what it is given.
struct LookingOp final : AclnnOp {
  InplaceAddOp inner{{1}};
  mutable bool same_object = false;
  std::string_view name() const override { return "looking"; }
  std::string_view call_name() const override { return inner.call_name(); }
  aclnnStatus phase_one(AclnnCall& call, std::uint64_t* size,
                        aclOpExecutor** executor) const override {
    same_object = call.output(0) == call.input(0);
    return inner.phase_one(call, size, executor);
  }
  PhaseTwo phase_two() const override { return inner.phase_two(); }
  std::optional<std::size_t> updated_input(std::size_t) const override { return 0; }
};

TEST(Updates, TheOperatorGetsTheVariableAsOneTensor) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::zeros({2}));
  const auto op = std::make_shared<LookingOp>();
  const Value updated = Recorder("looking", {w, w}, std::source_location::current())
                            .add(op, TensorSpec{w.shape(), w.dtype()});
  Session session(graph, {updated});
  EXPECT_TRUE(op->same_object);
}

TEST(Updates, Assign) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::zeros({2, 2}));
  const Value x = graph.input("x", {2}, DType::int32);
  const Value updated = assign(w, x);
  Session session(graph, {updated});
  EXPECT_TRUE(bitwise_equal(session.run({{x, Tensor::from({2}, {3, 4}, DType::int32)}})[updated],
                            Tensor::from({2, 2}, {3, 4, 3, 4})));
}

TEST(Updates, Accumulate) {
  Graph graph;
  const Value v = graph.parameter("v", Tensor::from({2}, {4, 8}));
  const Value x = graph.input("x", {2});
  const Value updated = accumulate(v, x, 0.5);
  Session session(graph, {updated});
  const Tensor ones = Tensor::full({2}, 1);
  EXPECT_TRUE(bitwise_equal(session.run({{x, ones}})[updated], Tensor::from({2}, {3, 5})));
  EXPECT_TRUE(bitwise_equal(session.run({{x, ones}})[updated], Tensor::from({2}, {2.5, 3.5})));
}

}  // namespace
}  // namespace aclgrad
