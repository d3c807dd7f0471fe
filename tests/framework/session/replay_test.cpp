// SPDX-License-Identifier: Apache-2.0
// Replay: what a run costs, what it does when a node fails, and when it is not to be had.
#include <gmock/gmock.h>

#include <algorithm>
#include <thread>

#include "aclgrad/aclgrad.h"
#include "aclgrad/format.h"
#include "networks.h"
#include "tests/support/allocations.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

std::int64_t allocations_in_runs(Session& session, const Value& x, const Tensor& feed, int runs) {
  for (int i = 0; i < 3; ++i) session.run({{x, feed}});
  const std::int64_t before = allocation_count();
  for (int i = 0; i < runs; ++i) session.run({{x, feed}});
  return allocation_count() - before;
}

TEST(Replay, ARunAllocatesNothing) {
  networks::Mlp net(4, 16, 8);
  Session session = net.session({});
  ASSERT_TRUE(session.replays());
  EXPECT_EQ(allocations_in_runs(session, net.x, net.feed, 50), 0);
  const std::int64_t before = allocation_count();
  const Tensor kept = Tensor::zeros({2});
  EXPECT_GT(allocation_count() - before, 0) << "the counter must count";
}

// Which thread runs the operators, the stream's or the one that waits, is chance. What the library
// keeps from run to run belongs to none of them.
TEST(Replay, NorDoesTheFirstRunOfAThread) {
  networks::Mlp net(4, 16, 8);
  Session session = net.session({});
  EXPECT_EQ(allocations_in_runs(session, net.x, net.feed, 1), 0);
  std::int64_t there = -1;
  std::thread([&] {
    use_device(0);
    const std::int64_t before = allocation_count();
    session.run({{net.x, net.feed}});
    there = allocation_count() - before;
  }).join();
  EXPECT_EQ(there, 0);
}

TEST(Replay, NorWithGegluBlocksAndTwoThreads) {
  networks::GegluStack net(2, 16, 32);
  Session session = net.session({});
  set_num_threads(2);
  // Room for the work of two at once is made when two first work at once, which may be late on a
  // busy machine.
  std::int64_t least = allocations_in_runs(session, net.x, net.feed, 20);
  for (int i = 0; i < 4; ++i) {
    least = std::min(least, allocations_in_runs(session, net.x, net.feed, 20));
  }
  EXPECT_EQ(least, 0);
  set_num_threads(0);
}

TEST(Replay, CanBeTurnedOff) {
  networks::Mlp net(2, 8, 4);
  const Session launched = net.session({.replay = false});
  EXPECT_FALSE(launched.replays());
  const Session eager = net.session({.eager = true});
  EXPECT_FALSE(eager.replays());
}

TEST(Replay, TheFailingNodeIsNamedWhereverItStands) {
  for (const int which : {0, 1, 2}) {
    Graph graph;
    std::vector<Value> targets, losses;
    std::vector<int> lines;
    for (int i = 0; i < 3; ++i) {
      targets.push_back(graph.input(fmt::format("t{}", i), {1}, DType::int64));
      const Value scores = log_softmax(graph.constant(Tensor::zeros({1, 3})) + 1);
      losses.push_back(nll_loss(scores, targets.back()));
    }
    const Value sum = losses[0] + losses[1] + losses[2];
    Session session(graph, {sum});
    ASSERT_TRUE(session.replays());
    const Tensor good = Tensor::from({1}, {2}, DType::int64);
    const Tensor bad = Tensor::from({1}, {7}, DType::int64);
    auto feed = [&](int i) -> const Tensor& { return i == which ? bad : good; };
    const std::string message = message_of<StatusError>([&] {
      session.run({{targets[0], feed(0)}, {targets[1], feed(1)}, {targets[2], feed(2)}});
    });
    const Value& culprit = losses[static_cast<std::size_t>(which)];
    EXPECT_THAT(message, testing::StartsWith(label(culprit.node()) + ": ")) << which;
    const Results results =
        session.run({{targets[0], good}, {targets[1], good}, {targets[2], good}});
    EXPECT_NEAR(results[sum].item(), 3 * std::log(3.0), 1e-5) << "and the session goes on";
  }
}

TEST(Replay, WorksOnAnotherThreadAndAfterManySessionsDied) {
  networks::Mlp net(3, 8, 4);
  for (int i = 0; i < 20; ++i) net.session({}).run({{net.x, net.feed}});
  networks::Mlp same(3, 8, 4);
  for (int i = 0; i < 20; ++i) same.session({.eager = true}).run({{same.x, same.feed}});
  Session session = net.session({});
  Tensor there;
  std::thread([&] { there = session.run({{net.x, net.feed}})[net.loss]; }).join();
  Session eager = same.session({.eager = true});
  EXPECT_TRUE(bitwise_equal(there, eager.run({{same.x, same.feed}})[same.loss]));
}

TEST(Replay, GivesTheSameBitsWhereTensorsLeaveTheCaches) {
  for (const int threads : {1, 2}) {
    SCOPED_TRACE(fmt::format("{} threads", threads));
    set_num_threads(threads);
    networks::GegluStack replayed(2, 128, 512);
    networks::GegluStack eager(2, 128, 512);
    networks::expect_same_training(replayed, {}, eager, {.eager = true}, 2);
  }
  set_num_threads(0);
}

// Products run in parts, together with what comes after them on their output.
TEST(Replay, GivesTheSameBitsWhereProductsAreCut) {
  const auto train = [](std::int64_t rows, bool eager) {
    Graph graph;
    const Value x = graph.input("x", {rows, 400});
    const Value t = graph.input("t", {rows}, DType::int64);
    std::vector<Value> parameters;
    const auto layer = [&](const Value& input, std::int64_t in, std::int64_t out) {
      parameters.push_back(
          graph.parameter("w", init::normal({in, out}, static_cast<std::uint64_t>(out), 0.1)));
      parameters.push_back(graph.parameter("b", Tensor::full({out}, 0.01)));
      return linear(input, parameters[parameters.size() - 2], parameters.back());
    };
    const Value hidden = selu(layer(elu(layer(x, 400, 192)), 192, 64));
    const Value loss = cross_entropy(layer(hidden, 64, 10), t);
    const Update update = AdamW({.learning_rate = 0.01}).step(graph, backward(loss, parameters));
    Session session(graph, {loss, update}, {.eager = eager});
    const Tensor batch = init::normal({rows, 400}, 7);
    std::vector<Tensor> results;
    for (int step = 0; step < 3; ++step) {
      const Tensor labels = Tensor::full({rows}, step, DType::int64);
      results.push_back(session.run({{x, batch}, {t, labels}})[loss]);
    }
    for (const Value& each : parameters) results.push_back(each.variable()->value());
    return results;
  };
  // With more rows, products of the same weights are cut into rows instead of columns, at last into
  // more than one piece on one thread.
  for (const std::int64_t rows : {64, 96, 260}) {
    const std::vector<Tensor> expected = train(rows, true);
    for (const int threads : {1, 2, 3}) {
      set_num_threads(threads);
      const std::vector<Tensor> got = train(rows, false);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(bitwise_equal(got[i], expected[i]))
            << rows << " rows, " << threads << " threads, result " << i;
      }
    }
  }
  set_num_threads(0);
}

// Operators read a feed where the tensor has it, which may be elsewhere in each run.
TEST(Replay, FeedsMayLieAnywhere) {
  Graph graph;
  const Value x = graph.input("x", {2, 3});
  const Value bias = graph.input("bias", {3});
  const Value sum = x + bias;
  const Value product = matmul(transpose(x, 0, 1), elu(x)) * reduce_sum(sum);
  Session replayed(graph, {product, sum});
  Session eager(graph, {product, sum}, {.eager = true});
  ASSERT_TRUE(replayed.replays());
  std::vector<Tensor> kept;
  for (int i = 0; i < 6; ++i) {
    kept.push_back(Tensor::arange(6, i - 3, 0.25).reshape({2, 3}));
    const Tensor& batch = kept[static_cast<std::size_t>(i % 4)];
    const std::initializer_list<Feed> feeds = {{x, batch}, {bias, Tensor::full({3}, i)}};
    const Results got = replayed.run(feeds);
    const Results expected = eager.run(feeds);
    EXPECT_TRUE(bitwise_equal(got[product], expected[product])) << i;
    EXPECT_TRUE(bitwise_equal(got[sum], expected[sum])) << i;
    EXPECT_TRUE(bitwise_equal(batch, Tensor::arange(6, i % 4 - 3, 0.25).reshape({2, 3})))
        << "what is fed is only read";
  }
  // Node by node they are read from the session's memory; afterwards elsewhere again.
  EXPECT_EQ(replayed.profile({{x, kept[0]}, {bias, Tensor::zeros({3})}}).nodes.size(),
            replayed.schedule().size());
  EXPECT_EQ(replayed.run({{x, kept[0]}, {bias, Tensor::zeros({3})}})[sum].get(0), -3);
}

TEST(Replay, AFetchedInputOutlivesWhatWasFed) {
  Graph graph;
  const Value x = graph.input("x", {2, 2});
  const Value turned = transpose(x, 0, 1);
  const Value y = x * 2;
  Session session(graph, {turned, y});
  auto batch = std::make_unique<Tensor>(Tensor::from({2, 2}, {1, 2, 3, 4}));
  const Results results = session.run({{x, *batch}});
  batch->set(1, 100);
  batch.reset();
  EXPECT_EQ(results[turned].get(2), 2);
  EXPECT_EQ(results[y].get(1), 4);
}

// Neither a handle that was moved from nor one that now means another parameter changes what a
// session works on, and no assignment can change a parameter's shape or dtype.
TEST(Replay, GoesOnWithTheParametersItWasMadeWith) {
  Graph graph;
  Variable w("w", Tensor::full({4}, 2));
  const Value y = graph.parameter(w) * 3;
  Session session(graph, {y});
  const Variable kept = std::move(w);
  EXPECT_EQ(w.value().get(0), 2);  // NOLINT(bugprone-use-after-move): that is the question
  w = Variable("w", Tensor::full({5}, 7));
  EXPECT_EQ(session.run()[y].shape(), Shape({4}));
  EXPECT_EQ(session.run()[y].get(0), 6);
  EXPECT_THROW(kept.assign(w.value()), ShapeError);
  EXPECT_THROW(kept.assign(Tensor::full({4}, 1, DType::float16)), DTypeError);
  EXPECT_EQ(session.run()[y].get(0), 6) << "nothing was assigned";
  kept.assign(Tensor::full({4}, 5));
  EXPECT_EQ(session.run()[y].get(3), 15);
}

}  // namespace
}  // namespace aclgrad
