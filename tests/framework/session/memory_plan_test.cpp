// SPDX-License-Identifier: Apache-2.0
// The memory plan: nothing that lives together overlaps, little memory is lost, and results are
// those of a session in which every value has memory of its own.
#include <gmock/gmock.h>

#include <map>

#include "aclgrad/aclgrad.h"
#include "aclgrad/format.h"
#include "networks.h"
#include "tests/support/random_graph.h"
#include "tests/support/run.h"

namespace aclgrad {
namespace {

using testing_support::RandomGraph;

// Every value is in the report from before it is made until after it is read, and two that are
// there at the same position have no byte in common.
void expect_sound(const Graph& graph, const Session& session, const std::vector<Fetch>& fetches) {
  const MemoryReport report = session.memory_report();
  std::map<ValueId, const MemoryReport::Interval*> of;
  for (const auto& interval : report.intervals) of[interval.value] = &interval;
  const std::vector<NodeId> schedule = session.schedule();
  ASSERT_EQ(report.nodes, static_cast<std::int32_t>(schedule.size()));
  auto expect_alive = [&](ValueId value, std::int32_t position) {
    const auto found = of.find(graph.value(value).root().id());
    if (found == of.end()) {
      EXPECT_NE(graph.value(value).root().variable(), nullptr) << "value " << value;
      return;
    }
    EXPECT_LE(found->second->first, position) << "value " << value;
    EXPECT_GE(found->second->last, position) << "value " << value;
  };
  for (std::int32_t position = 0; position < report.nodes; ++position) {
    const Node& node = graph.node(schedule[static_cast<std::size_t>(position)]);
    const bool in_place =
        std::any_of(node.outputs.begin(), node.outputs.end(),
                    [&](ValueId output) { return of.contains(output) && of.at(output)->in_place; });
    for (const ValueId input : node.inputs) expect_alive(input, in_place ? position - 1 : position);
    for (const ValueId output : node.outputs) expect_alive(output, position);
  }
  for (const Fetch& fetch : fetches) {
    if (fetch.readable()) expect_alive(fetch.values().front().id(), report.nodes);
  }
  for (std::size_t i = 0; i < report.intervals.size(); ++i) {
    const auto& a = report.intervals[i];
    EXPECT_LE(a.offset + a.bytes, report.arena_bytes);
    for (std::size_t j = 0; j < i; ++j) {
      const auto& b = report.intervals[j];
      const bool together = a.first <= b.last && b.first <= a.last;
      const bool overlap = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
      EXPECT_FALSE(together && overlap) << a.name << " and " << b.name;
    }
  }
}

std::vector<Tensor> results_of(const std::vector<Fetch>& fetches, const std::vector<Feed>& feeds,
                               const SessionOptions& options) {
  std::vector<Value> values;
  for (const Fetch& fetch : fetches) values.push_back(fetch.values().front());
  return computed(values, feeds, options);
}

TEST(MemoryPlan, RandomGraphsAreSoundAndGiveTheSameBits) {
  for (std::uint64_t seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomGraph random(seed, false);
    std::vector<Fetch> fetches = {random.loss};
    for (const auto& pair : backward(random.loss, random.leaves)) {
      fetches.emplace_back(pair.gradient);
    }
    const Session session(random.graph, fetches);
    expect_sound(random.graph, session, fetches);
    const Tensor feed = init::normal({4, 4}, seed + 1000);
    const std::vector<Feed> feeds = {{random.x, feed}};
    const auto eager = results_of(fetches, feeds, {.eager = true});
    const auto replayed = results_of(fetches, feeds, {});
    const auto launched = results_of(fetches, feeds, {.replay = false});
    for (std::size_t i = 0; i < eager.size(); ++i) {
      EXPECT_TRUE(bitwise_equal(eager[i], replayed[i])) << "fetch " << i;
      EXPECT_TRUE(bitwise_equal(eager[i], launched[i])) << "fetch " << i;
    }
    const MemoryReport report = session.memory_report();
    EXPECT_LE(report.arena_bytes, report.lower_bound * 105 / 100);
    EXPECT_LT(report.arena_bytes, report.sum_of_values * 2 / 3);
  }
}

void expect_tight(const Session& session) {
  const MemoryReport report = session.memory_report();
  EXPECT_LE(report.arena_bytes, report.lower_bound * 105 / 100) << report;
  EXPECT_GE(report.arena_bytes, report.lower_bound) << report;
  // Without padding too.
  std::vector<std::size_t> live(static_cast<std::size_t>(report.nodes) + 2, 0);
  for (const auto& interval : report.intervals) {
    for (std::int32_t position = interval.first; position <= interval.last; ++position) {
      live[static_cast<std::size_t>(position + 1)] += interval.bytes;
    }
  }
  const std::size_t exact = *std::max_element(live.begin(), live.end());
  EXPECT_LE(report.arena_bytes, exact * 105 / 100) << report;
}

TEST(MemoryPlan, AHundredLayers) {
  networks::Mlp net(100, 64, 16);
  const Session session = net.session({});
  expect_tight(session);
  expect_sound(net.graph, session, net.fetches);
}

TEST(MemoryPlan, AStackOfGegluBlocks) {
  networks::GegluStack net(12, 32, 48);
  const Session session = net.session({});
  expect_tight(session);
  expect_sound(net.graph, session, net.fetches);
}

TEST(MemoryPlan, RandomGraphsOfManySizes) {
  for (std::uint64_t seed = 0; seed < 50 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    networks::RandomSizes net(seed);
    const Session session(net.graph, net.fetches);
    expect_tight(session);
    expect_sound(net.graph, session, net.fetches);
    const std::vector<Feed> feeds = {{net.x, net.feed}};
    const auto eager = results_of(net.fetches, feeds, {.eager = true});
    const auto replayed = results_of(net.fetches, feeds, {});
    for (std::size_t i = 0; i < eager.size(); ++i) {
      EXPECT_TRUE(bitwise_equal(eager[i], replayed[i])) << "fetch " << i;
    }
  }
}

TEST(MemoryPlan, TrainingGivesTheSameBitsStepByStep) {
  networks::GegluStack planned(3, 8, 12);
  networks::GegluStack eager(3, 8, 12);
  networks::expect_same_training(planned, {}, eager, {.eager = true}, 4);
}

TEST(MemoryPlan, ElementwiseChainsStayInOnePlace) {
  Graph graph;
  const Value x = graph.input("x", {256});
  const Value y = selu(elu(x * 2) + 1) * 3;
  const Session session(graph, {y});
  EXPECT_EQ(session.memory_report().arena_bytes, 1024u);
  EXPECT_EQ(session.memory_report().sum_of_values, 6 * 1024u);
}

TEST(MemoryPlan, InPlaceOnlyWhereTheInputIsNotNeeded) {
  Graph graph;
  const Value x = graph.input("x", {4, 4});
  const Value doubled = x * 2;
  const Value sum = doubled + transpose(doubled, 0, 1);  // reads elements at other places too
  const Value square = mul(sum, sum);                    // the same memory twice, at its place
  const Value back = square + doubled;
  const std::vector<Fetch> fetches = {back, sum};
  Session session(graph, fetches);
  expect_sound(graph, session, fetches);
  std::map<ValueId, bool> in_place;
  for (const auto& i : session.memory_report().intervals) in_place[i.value] = i.in_place;
  EXPECT_TRUE(in_place.at(doubled.id()));
  EXPECT_FALSE(in_place.at(sum.id()));
  EXPECT_FALSE(in_place.at(square.id())) << "sum is fetched";
  EXPECT_TRUE(in_place.at(back.id()));
  const Tensor feed = Tensor::arange(16).reshape({4, 4});
  const Results results = session.run({{x, feed}});
  EXPECT_EQ(results[sum].at({1, 2}), 2 * 6 + 2 * 9);
  EXPECT_EQ(results[back].at({1, 2}), 30 * 30 + 12);
}

TEST(MemoryPlan, ViewsKeepTheirRootAlive) {
  Graph graph;
  const Value x = graph.input("x", {2, 3});
  const Value root = x * 2;
  const Value view = transpose(root, 0, 1);
  Value other = x + 1;
  for (int i = 0; i < 6; ++i) other = matmul(other, matmul(transpose(other, 0, 1), other)) * 0.01;
  Session session(graph, {matmul(view, other), view});
  const Tensor feed = Tensor::arange(6).reshape({2, 3});
  Session eager(graph, {view}, {.eager = true});
  EXPECT_TRUE(bitwise_equal(session.run({{x, feed}})[view], eager.run({{x, feed}})[view]));
  EXPECT_EQ(session.run({{x, feed}})[view].at({2, 1}), 10);
}

TEST(MemoryPlan, ConstantsAndFetchedInputsOutliveRuns) {
  Graph graph;
  const Value x = graph.input("x", {4});
  const Value c = graph.constant(Tensor::full({4}, 3));
  const Value y = selu(selu(x + c) * c) + c;
  Session session(graph, {y, x});
  const Tensor one = Tensor::full({4}, 1);
  const Tensor first = session.run({{x, one}})[y];
  for (int i = 0; i < 3; ++i) {
    const Results results = session.run({{x, one}});
    EXPECT_TRUE(bitwise_equal(results[y], first));
    EXPECT_TRUE(bitwise_equal(results[x], one));
  }
}

// A chain of products, beside something large that is dead before they begin or, if `late`, lives
// until they are done. How many positions the memory of the one before the last product rests.
std::int32_t rest_of_products(bool late) {
  Graph graph;
  const Value x = graph.input("x", {16, 16});
  const Value large = graph.input("large", {256, 256});
  const Value sum = mean(large);
  Value product = matmul(x, x);
  std::vector<ValueId> products;
  for (int i = 0; i < 30; ++i) {
    product = matmul(product, x);
    products.push_back(product.id());
  }
  const Session session(
      graph, late ? std::vector<Fetch>{product, sum, large} : std::vector<Fetch>{product, sum});
  const MemoryReport report = session.memory_report();
  EXPECT_LE(report.arena_bytes, report.lower_bound * 102 / 100);
  std::int32_t shortest = report.nodes;
  for (const auto& dead : report.intervals) {
    for (const auto& next : report.intervals) {
      const bool shares =
          dead.offset < next.offset + next.bytes && next.offset < dead.offset + dead.bytes;
      if (std::ranges::count(products, dead.value) > 0 && shares && next.first > dead.last) {
        shortest = std::min(shortest, next.first - dead.last - 1);
      }
    }
  }
  return shortest;
}

TEST(MemoryPlan, MemoryRestsWhereThereIsRoom) {
  EXPECT_GE(rest_of_products(false), 8);
  EXPECT_EQ(rest_of_products(true), 0) << "there is none beside what is largest";
}

TEST(MemoryPlan, TheReportAddsUpAndIsDrawn) {
  networks::Mlp net(3, 8, 4);
  const Session session = net.session({});
  const MemoryReport report = session.memory_report();
  EXPECT_EQ(report.arena_bytes + report.workspace_bytes, session.device_bytes());
  EXPECT_EQ(*std::max_element(report.live.begin(), report.live.end()), report.lower_bound);
  std::size_t variables = 0;
  for (const Value& parameter : net.parameters) {
    variables += static_cast<std::size_t>(parameter.shape().numel()) * 4;
  }
  EXPECT_EQ(report.variable_bytes, variables);
  EXPECT_THAT(fmt::format("{}", report), testing::HasSubstr("lower bound"));
  const std::string picture = report.svg();
  std::size_t rectangles = 0;
  for (std::size_t at = picture.find("<rect"); at != std::string::npos;
       at = picture.find("<rect", at + 1)) {
    ++rectangles;
  }
  EXPECT_GE(rectangles, report.intervals.size());
  EXPECT_THAT(picture, testing::HasSubstr("bytes alive"));
}

TEST(MemoryPlan, AReportOfNothingSaysSo) {
  Graph graph;
  const Value w = graph.parameter("w", Tensor::full({2}, 1));
  const MemoryReport report = Session(graph, {w}).memory_report();
  EXPECT_TRUE(report.intervals.empty());
  EXPECT_TRUE(report.to_string().ends_with("no values\n")) << report.to_string();
  EXPECT_FALSE(report.svg().empty());
}

}  // namespace
}  // namespace aclgrad
