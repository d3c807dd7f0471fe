// SPDX-License-Identifier: Apache-2.0
// Nodes that queue work of their own on a stream, on the first stream and on the second.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "aclgrad/aclgrad.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/runtime.h"
#include "aclgrad_ext.h"
#include "tests/framework/session/increment.h"
#include "tests/framework/session/networks.h"

namespace aclgrad {
namespace {

constexpr std::chrono::milliseconds kShort{20};

// All ways of running give the same values, wherever the node runs.
TEST(StreamOp, RunsInEveryMode) {
  for (const bool async : {false, true}) {
    Graph graph;
    const Value x = graph.input("x", {3});
    const Value y = mul(increment(x * 2.0, {.async = async}), 10.0);
    for (const SessionOptions& options :
         {SessionOptions{}, {.eager = true}, {.replay = false}, {.poison = true}}) {
      Session session(graph, {y}, options);
      for (const float first : {1.0f, 4.0f}) {
        const Results results = session.run({{x, Tensor::from({3}, {first, 2, 3})}});
        EXPECT_EQ(results[y].get(0), (2 * first + 1) * 10);
        EXPECT_EQ(results[y].get(2), 70);
      }
    }
  }
}

// An input that is read by such a node is copied in: its work holds an address.
TEST(StreamOp, ReadsAnInputDirectly) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = increment(x);
  Session session(graph, {y});
  for (const float first : {1.0f, 4.0f}) {
    EXPECT_EQ(session.run({{x, Tensor::from({2}, {first, 2})}})[y].get(0), first + 1);
  }
}

// The second stream's first node may begin after the first stream's, though it comes first in the
// order of running.
TEST(StreamOp, TimelinesBeginAtZero) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value async = increment(x);
  const Value y = selu(graph.input("z", {2}) * 3.0);
  Session session(graph, {async, y});
  const Tensor fed = Tensor::from({2}, {1, 2});
  for (int run = 0; run < 300; ++run) {
    const Profile profile = session.timeline({{x, fed}, {session.inputs().back(), fed}});
    double first = 1e9;
    for (const Profile::Entry& entry : profile.nodes) first = std::min(first, entry.start_us);
    ASSERT_EQ(first, 0) << run;
    ASSERT_LT(profile.span_us(), 1e9) << run;
  }
}

// What is recorded later, but does not need the node, runs while it does.
TEST(StreamOp, OverlapsWithOthers) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value early = x * 3.0;
  Value chain = selu(early);
  for (int i = 0; i < 4; ++i) chain = increment(chain, {.async = false, .takes = kShort});
  const Value late = increment(early, {.async = true, .takes = 4 * kShort});
  Session session(graph, {chain, late, late + chain});
  const Tensor fed = Tensor::from({2}, {1, 2});
  const Profile profile = session.timeline({{x, fed}});
  // It has moved up to behind what it reads.
  const auto& nodes = profile.nodes;
  ASSERT_EQ(nodes.size(), 8u);
  EXPECT_EQ(nodes[1].operation, "slow_increment");
  EXPECT_EQ(nodes[1].stream, 1);
  EXPECT_EQ(nodes[0].stream, 0);
  const auto end = [&](std::size_t i) { return nodes[i].start_us + nodes[i].duration_us; };
  EXPECT_LT(nodes[1].start_us, nodes[4].start_us) << "began before the chain had ended";
  EXPECT_GT(end(1), nodes[4].start_us) << "and was not over yet";
  EXPECT_GE(nodes[7].start_us + 1, end(1)) << "the sum waited for it";
  EXPECT_EQ(profile.async_us(), nodes[1].duration_us);
  EXPECT_GT(profile.hidden_us(), 0);
  EXPECT_LE(profile.hidden_us(), profile.async_us());
  EXPECT_GE(profile.span_us(), end(7));
  EXPECT_THAT(profile.svg(),
              testing::AllOf(testing::HasSubstr("async"), testing::HasSubstr("slow_increment")));
  EXPECT_THAT(profile.chrome_trace(), testing::HasSubstr("\"tid\": 1"));
  EXPECT_EQ(session.run({{x, fed}})[late].get(0), 4);
}

// Its inputs and outputs keep their memory for as long as it may be under way, although in the
// order of nodes others could have it.
TEST(StreamOp, KeepsItsMemoryWhileItRuns) {
  Graph graph;
  const Value x = graph.input("x", {1024});
  const Value early = x * 3.0;
  const Value slow = increment(early, {.async = true, .takes = kShort});
  const Value unread = increment(early, {.async = true, .takes = kShort});
  // Many values of the same size, each dead at once.
  Value chain = x;
  for (int i = 0; i < 20; ++i) chain = contiguous(transpose(reshape(chain, {32, 32}), 0, 1));
  const Value y = reshape(chain, {1024}) + slow;
  Session session(graph, {y, Update{{unread}}});
  const Tensor fed = init::normal({1024}, 3);
  for (int run = 0; run < 3; ++run) {
    const Tensor result = session.run({{x, fed}})[y];
    for (std::int64_t i = 0; i < 1024; ++i) {
      const auto element = static_cast<float>(fed.get(i));
      ASSERT_EQ(result.get(i), element + (element * 3 + 1)) << i;
    }
  }
}

// A variable is not overwritten while an async node still reads what it held.
TEST(StreamOp, ReadsAVariableBeforeItsUpdate) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::from({2}, {1, 2}));
  const Value read = increment(w, {.takes = kShort});
  const Value updated = inplace_add(w, graph.constant(Tensor::from({2}, {10, 10})));
  Session session(graph, {read, Update{{updated}}});
  EXPECT_EQ(session.run()[read].get(0), 2);
  EXPECT_EQ(session.run()[read].get(0), 12);
}

TEST(StreamOp, NamesTheNodeThatFails) {
  for (const bool replay : {true, false}) {
    Graph graph;
    const Value x = graph.input("x", {2});
    const Value y = increment(x * 3.0, {.status = 507000}) + 1.0;
    Session session(graph, {y}, {.replay = replay});
    try {
      session.run({{x, Tensor::from({2}, {1, 2})}});
      FAIL() << "no error";
    } catch (const StatusError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(replay ? "`slow_increment`" : "slow increment"));
    }
  }
}

// Random graphs with such nodes strewn in: the bits of the eager run.
TEST(StreamOp, GivesTheBitsOfAnEagerRun) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    networks::RandomSizes network(seed);
    const Random random(seed, 7);
    Value sum = network.loss;
    for (std::uint64_t i = 0; i < 6; ++i) {
      const auto id = static_cast<ValueId>(random.below(i, network.graph.value_count()));
      const Value some = contiguous(network.graph.value(id));
      if (some.dtype() != DType::float32) continue;
      const Value slow = increment(some, {.takes = std::chrono::milliseconds(random.below(i, 3))});
      if (i % 2 == 0) sum = sum + mean(slow);
      network.fetches.emplace_back(slow);
    }
    network.fetches.emplace_back(sum);
    Session replayed = network.session({});
    Session eager = network.session({.eager = true});
    const std::vector<Feed> feeds = {{network.x, network.feed}};
    const Results planned = replayed.run(feeds);
    const Results by_node = eager.run(feeds);
    for (const Fetch& fetch : network.fetches) {
      if (!fetch.readable()) continue;
      const Value& value = fetch.values().front();
      EXPECT_TRUE(bitwise_equal(planned[value], by_node[value])) << seed << value.description();
    }
  }
}

TEST(StreamOp, HasATimelineOnlyWithoutWaits) {
  Graph graph;
  const Value y = increment(graph.constant(Tensor::from({2}, {1, 2})));
  EXPECT_THROW(Session(graph, {y}, {.eager = true}).timeline(), ValueError);
  EXPECT_THROW(Session(graph, {y}, {.poison = true}).timeline(), ValueError);
}

}  // namespace
}  // namespace aclgrad
