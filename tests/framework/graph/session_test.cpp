// SPDX-License-Identifier: Apache-2.0
// Sessions: what they run, what they refuse, and what their results are worth.
#include "aclgrad/session.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <cmath>
#include <optional>

#include "aclgrad/aclgrad.h"
#include "aclgrad/format.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

// names of the operators that a session runs
std::vector<std::string> operators(const Graph& graph, const Session& session) {
  std::vector<std::string> names;
  for (const NodeId id : session.schedule()) names.emplace_back(graph.node(id).op->name());
  return names;
}

TEST(Session, RunsTheNeededNodesInTheOrderOfRecording) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value a = selu(x);
  const Value unused = hardswish(graph.input("other", {3}));
  const Value b = mul(a, x);
  Session session(graph, {b});
  EXPECT_THAT(operators(graph, session), testing::ElementsAre("selu", "mul"));
  EXPECT_THAT(session.inputs(), testing::ElementsAre(x));
  const Results results = session.run({{x, Tensor::from({2}, {1, 2})}});
  EXPECT_NEAR(results[b].get(1), 4 * 1.0507009873554805, 1e-6);
  EXPECT_THAT(message_of<ValueError>([&] { results[a]; }),
              testing::MatchesRegex("value 1 of node .*session_test.cpp:[0-9]+.* was not fetched: "
                                    "name it where the session is made"));
  EXPECT_TRUE(unused.valid());
}

TEST(Session, FeedsAreCheckedBeforeAnythingRuns) {
  Graph graph;
  const Value x = graph.input("x", {2, 2});
  const Value t = graph.input("t", {2});
  const Value w = graph.parameter("w", Tensor::zeros({2}));
  const Value updated = inplace_add(w, t);
  const Value sum = x + t;
  const Value invalid_handle = graph.input("invalid_handle", {1});
  Session session(graph, {sum, updated});
  const Tensor good_x = Tensor::zeros({2, 2});
  const Tensor good_t = Tensor::full({2}, 1);

  EXPECT_EQ(message_of<ValueError>([&] { session.run(); }), "no feed for `x`, `t`");
  EXPECT_EQ(message_of<ValueError>([&] { session.run({{x, good_x}}); }), "no feed for `t`");
  EXPECT_EQ(message_of<ShapeError>([&] {
              session.run({{x, good_t}, {t, good_t}});
            }),
            "input `x` has shape [2, 2], was fed a tensor of shape [2]");
  EXPECT_EQ(message_of<DTypeError>([&] {
              session.run({{x, good_x}, {t, good_t.to(DType::float16)}});
            }),
            "input `t` is float32, was fed a tensor of float16: convert it with to()");
  EXPECT_EQ(message_of<ValueError>([&] {
              session.run({{x, good_x}, {x, good_x}});
            }),
            "`x` is fed twice");
  EXPECT_EQ(message_of<ValueError>([&] {
              session.run({{x, good_x}, {t, good_t}, {invalid_handle, Tensor::zeros({1})}});
            }),
            "cannot feed `invalid_handle`: nothing that the session runs needs it");
  EXPECT_EQ(message_of<ValueError>([&] {
              session.run({{sum, good_x}});
            }),
            "cannot feed value 4: it is not an input");
  Graph other;
  const Value foreign = other.input("x", {2, 2});
  EXPECT_EQ(message_of<ValueError>([&] {
              session.run({{foreign, good_x}});
            }),
            "cannot feed `x`: it does not belong to the session's graph");
  EXPECT_EQ(w.variable()->value().get(0), 0) << "a refused run must not have updated anything";
  session.run({{t, good_t}, {x, good_x}});
  EXPECT_EQ(w.variable()->value().get(0), 1);
}

TEST(Session, InputsAreFedByNameAndResultsReadByNumber) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value t = graph.input("t", {2});
  const Value w = graph.parameter("w", Tensor::zeros({2}));
  const Value sum = (x + t).named("t");  // a name of a result is none of an input
  const Value unused = selu(graph.input("unused", {2}));
  Session session(graph, {sum, Update{{inplace_add(w, t)}}});
  const Tensor ones = Tensor::full({2}, 1);
  const Results results = session.run({{"t", ones}, {"x", Tensor::full({2}, 2)}});
  EXPECT_EQ(results[0].get(0), 3);
  EXPECT_EQ(session.run({{x, ones}, {"t", ones}})[sum].get(0), 2) << "names and values mix";

  const Results latest = session.run({{x, ones}, {t, ones}});
  EXPECT_EQ(message_of<ValueError>([&] { latest[1]; }),
            "fetch 1 is an update, it has no value to read");
  EXPECT_EQ(message_of<ValueError>([&] { latest[2]; }), "no fetch 2 of 2");
  EXPECT_THAT(message_of<ValueError>([&] { results[0]; }), testing::HasSubstr("was overwritten"));

  const auto message = [&](std::initializer_list<Feed> feeds) {
    return message_of<ValueError>([&] { session.run(feeds); });
  };
  EXPECT_EQ(message({{"x", ones}}), "no feed for `t`");
  EXPECT_EQ(message({{"x", ones}, {x, ones}}), "`x` is fed twice");
  EXPECT_EQ(message({{"x", ones}, {"t", ones}, {"z", ones}}),
            "cannot feed `z`: the session's graph has no input of that name");
  EXPECT_EQ(message({{"x", ones}, {"t", ones}, {"unused", ones}}),
            "cannot feed `unused`: nothing that the session runs needs it");
  EXPECT_TRUE(unused.valid());
}

TEST(Session, ResultsBelongToTheirRun) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = x * 2;
  Session session(graph, {y});
  const Results first = session.run({{x, Tensor::full({2}, 1)}});
  const Tensor kept = first[y];
  const Results second = session.run({{x, Tensor::full({2}, 5)}});
  EXPECT_EQ(kept.get(0), 2) << "a tensor read is a copy";
  EXPECT_EQ(second[y].get(0), 10);
  EXPECT_EQ(message_of<ValueError>([&] { first[y]; }),
            "value 1 of run 1 was overwritten by run 2; read it before the next run");
}

TEST(Session, ResultsOutliveSessionAndGraph) {
  std::optional<Results> results;
  Value y;
  {
    Graph graph;
    const Value x = graph.input("x", {2});
    y = x * 2;
    Session session(graph, {y});
    results = session.run({{x, Tensor::full({2}, 4)}});
  }
  EXPECT_EQ((*results)[y].get(1), 8);
}

TEST(Session, FetchedVariablesAreReadAsTheRunLeftThem) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::full({2}, 1));
  const Value updated = inplace_add(w, w * 1);
  Session session(graph, {updated});
  const Results results = session.run();
  EXPECT_EQ(results[updated].get(0), 2);
  w.variable()->assign(Tensor::full({2}, 7));
  EXPECT_EQ(message_of<ValueError>([&] { results[updated]; }), "`w` has changed since run 1");
}

TEST(Session, AStaleFetchIsRefused) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::full({2}, 1));
  const Value updated = inplace_add(w, graph.constant(Tensor::full({2}, 1)));
  EXPECT_NO_THROW(Session(graph, {w})) << "alone it is what it is";
  const auto message = message_of<ValueError>([&] { Session(graph, {w, updated}); });
  EXPECT_THAT(message, testing::HasSubstr("cannot fetch `w` as node 0 `variable`"));
  EXPECT_THAT(message, testing::HasSubstr("node 2 `inplace_add`"));
}

TEST(Session, FetchesMustExistAndBelong) {
  Graph graph;
  Graph other;
  const Value x = graph.input("x", {1});
  const Value y = other.input("y", {1});
  EXPECT_THROW(Session(graph, {}), ValueError);
  EXPECT_THROW(Session(graph, {y}), ValueError);
  EXPECT_THROW(Session(graph, {x, y}), ValueError);
  EXPECT_THROW(Session(graph, {y, x}), ValueError);
}

TEST(Session, PlanningErrorsNameTheNode) {
  Graph graph;
  const Value x = graph.input("x", {1, 1, 1, 1, 1, 1, 1, 1, 1});  // rank 9: elu takes 8
  elu(x);
  const int line = __LINE__ + 1;
  const Value y = elu(x, 2);
  try {
    Session session(graph, {y});
    FAIL() << "nothing was thrown";
  } catch (const StatusError& error) {
    EXPECT_EQ(error.status(), 161002);
    EXPECT_THAT(error.what(),
                testing::StartsWith(fmt::format("node 2 `elu` (graph/session_test.cpp:{}): "
                                                "aclnnEluGetWorkspaceSize returned 161002: ",
                                                line)));
  }
}

TEST(Session, TasksThatFailAreReported) {
  Graph graph;
  const Value t = graph.input("t", {1}, DType::int64);
  const Value loss = cross_entropy(graph.constant(Tensor::zeros({1, 3})), t);
  Session session(graph, {loss});
  const Tensor wrong = Tensor::from({1}, {3}, DType::int64);
  EXPECT_THAT(message_of<StatusError>([&] {
                session.run({{t, wrong}});
              }),
              testing::AllOf(testing::HasSubstr("`nll_loss` (graph/session_test.cpp:"),
                             testing::HasSubstr("): aclnnNLLLoss: target of row 0 is class 3")))
      << "a replay knows which of its tasks failed";
  Session launched(graph, {loss}, {.replay = false});
  EXPECT_THAT(message_of<StatusError>([&] {
                launched.run({{t, wrong}});
              }),
              testing::AllOf(testing::HasSubstr("an eager session says which"),
                             testing::HasSubstr("aclnnNLLLoss")));
  Session eager(graph, {loss}, {.eager = true});
  const std::string message = message_of<StatusError>([&] { eager.run({{t, wrong}}); });
  EXPECT_THAT(message, testing::HasSubstr("`nll_loss` (graph/session_test.cpp:"));
  EXPECT_THAT(message,
              testing::EndsWith("): aclnnNLLLoss: target of row 0 is class 3, but there are 3 "
                                "classes and the ignored index is -100."))
      << "no status, no stream, no cause that says it again";
  const Results results = session.run({{t, Tensor::from({1}, {2}, DType::int64)}});
  EXPECT_NEAR(results[loss].item(), std::log(3.0), 1e-6) << "the session must survive a failure";
}

TEST(Session, TheObserverSeesEveryOperator) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value w = graph.parameter("w", Tensor::full({2}, 10));
  const Value y = transpose(reshape(x, {1, 2}), 0, 1) * 3;
  const Value updated = inplace_add(w, reshape(y, {2}));
  std::vector<std::string> seen;
  SessionOptions options{.eager = true, .observer = {}};
  options.observer = [&](const Node& node, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& outputs) {
    seen.push_back(fmt::format("{}: {} -> {}", node.op->name(), fmt::join(inputs, ", "),
                               fmt::join(outputs, ", ")));
  };
  Session session(graph, {y, updated}, options);
  session.run({{x, Tensor::from({2}, {1, 2})}});
  EXPECT_THAT(seen, testing::ElementsAre("muls: [[1], [2]] -> [[3], [6]]",
                                         "inplace_add: [10, 10], [3, 6] -> [13, 16]"));
  options.eager = false;
  EXPECT_THROW(Session(graph, {y}, options), ValueError);
}

TEST(Session, GraphMayGrowAndSessionsShareIt) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = x + 1;
  Session first(graph, {y});
  const Value z = y * 2;
  Session second(graph, {z, x});
  EXPECT_EQ(first.run({{x, Tensor::full({2}, 1)}})[y].get(0), 2);
  const Results results = second.run({{x, Tensor::full({2}, 1)}});
  EXPECT_EQ(results[z].get(0), 4);
  EXPECT_EQ(results[x].get(0), 1) << "an input can be fetched";
  EXPECT_GT(second.device_bytes(), first.device_bytes());
}

TEST(Session, SaysThatItWasMovedFrom) {
  Graph graph;
  const Value x = graph.input("x", {1});
  Session from(graph, {x * 2});
  Session to = std::move(from);
  const Tensor one = Tensor::full({1}, 1);
  EXPECT_THROW(from.run({{x, one}}), ValueError);  // NOLINT: that is the subject
  EXPECT_THROW(from.inputs(), ValueError);
  EXPECT_NO_THROW(to.run({{x, one}}));
}

}  // namespace
}  // namespace aclgrad
