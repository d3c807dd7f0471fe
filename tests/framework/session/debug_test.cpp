// SPDX-License-Identifier: Apache-2.0
// What helps when something goes wrong: poison, the trace of NaN and infinity, times of nodes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "aclgrad/aclgrad.h"
#include "aclnnop/aclnn_mul.h"
#include "networks.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Poison, ChangesNothingThatIsAlive) {
  networks::GegluStack plain(3, 8, 12);
  networks::GegluStack poisoned(3, 8, 12);
  networks::expect_same_training(plain, {}, poisoned, {.poison = true}, 3);
}

// x * x, which also keeps the tensor it was given, and on demand multiplies by that of an earlier
// call: a read of memory whose value is dead.
struct LeakingOp final : AclnnOp {
  explicit LeakingOp(bool leak_) : leak(leak_) {}
  bool leak;
  static inline const aclTensor* kept = nullptr;
  std::string_view name() const override { return "leaking"; }
  std::string_view call_name() const override { return "aclnnMul"; }
  aclnnStatus phase_one(AclnnCall& call, std::uint64_t* size,
                        aclOpExecutor** executor) const override {
    const aclTensor* other = leak ? kept : call.input(0);
    kept = call.input(0);
    return aclnnMulGetWorkspaceSize(call.input(0), other, call.output(0), size, executor);
  }
  PhaseTwo phase_two() const override { return aclnnMul; }
};

Value leaking(const Value& x, bool leak) {
  return Recorder("leaking", {x}, std::source_location::current())
      .add(std::make_shared<LeakingOp>(leak), TensorSpec{x.shape(), x.dtype()});
}

TEST(Poison, ShowsReadsOfDeadMemory) {
  Graph graph;
  const Value x = graph.input("x", {8});
  const Value dead = x * 2;
  const Value y = leaking(dead, false);  // keeps `dead`, which is not needed from here on
  const Value z = leaking(y, true);
  Session session(graph, {z}, {.poison = true});
  EXPECT_TRUE(std::isnan(session.run({{x, Tensor::full({8}, 1)}})[z].get(0)));
  Session unpoisoned(graph, {z}, {.replay = false});
  EXPECT_FALSE(std::isnan(unpoisoned.run({{x, Tensor::full({8}, 1)}})[z].get(0)))
      << "without poison it goes unnoticed";
}

TEST(Poison, IsRefusedWhereNothingIsReused) {
  networks::Mlp net(1, 4, 2);
  EXPECT_THAT(message_of<ValueError>([&] { net.session({.eager = true, .poison = true}); }),
              HasSubstr("poison"));
}

class Trace : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(PlannedAndEager, Trace, testing::Bool());

TEST_P(Trace, SaysWhatWasReadAndWhere) {
  Graph graph;
  const Value x = graph.input("x", {3});
  const Value big = (x * 1e30).named("big");
  const int line = __LINE__ + 1;
  const Value over = mul(big, big);
  const Value nan = over - over;
  Session session(graph, {nan}, {.eager = GetParam(), .trace_nonfinite = true});
  EXPECT_EQ(session.run({{x, Tensor::zeros({3})}})[nan].get(0), 0);
  EXPECT_EQ(
      message_of<ValueError>([&] {
        session.run({{x, Tensor::from({3}, {0, 1, -2})}});
      }),
      fmt::format("node 2 `mul` (session/debug_test.cpp:{}) makes 0 NaN and 2 infinities from "
                  "finite inputs: output value 2 float32 [3], first at element 1; inputs: "
                  "`big` float32 [3] in [-2e+30, 1e+30], `big` float32 [3] in [-2e+30, "
                  "1e+30]",
                  line));
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_P(Trace, LetsInfinitiesInUntilTheyMakeANan) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = selu(x * 2);
  const Value nan = y - y;
  Session session(graph, {y}, {.eager = GetParam(), .trace_nonfinite = true});
  EXPECT_EQ(session.run({{x, Tensor::from({2}, {kInfinity, 1})}})[y].get(0), kInfinity);
  EXPECT_THAT(message_of<ValueError>([&] {
                Session(graph, {nan}, {.eager = GetParam(), .trace_nonfinite = true})
                    .run({{x, Tensor::from({2}, {kInfinity, 1})}});
              }),
              AllOf(testing::StartsWith("node 3 `sub` "),
                    HasSubstr("makes 1 NaN from inputs without NaN")));
}

TEST_P(Trace, PointsAtTheNanAmongInfinitiesThatCameIn) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = graph.input("y", {2});
  Session session(graph, {x * y}, {.eager = GetParam(), .trace_nonfinite = true});
  EXPECT_THAT(message_of<ValueError>([&] {
                session.run({{x, Tensor::from({2}, {kInfinity, kInfinity})},
                             {y, Tensor::from({2}, {1, 0})}});
              }),
              AllOf(HasSubstr("makes 1 NaN from inputs without NaN"),
                    HasSubstr("first at element 1; inputs:")));
}

TEST_P(Trace, LetsWhatIsOverwrittenUnreadBeNan) {
  Graph graph;
  const Variable last("last", Tensor::full({2}, kNan));
  const Value x = graph.input("x", {2});
  const Value updated = assign(graph.parameter(last), x * 2);
  Session session(graph, {updated}, {.eager = GetParam(), .trace_nonfinite = true});
  EXPECT_EQ(session.run({{x, Tensor::full({2}, 3)}})[updated].get(0), 6);
  Graph reading;
  const Value sum = accumulate(reading.parameter(Variable("v", Tensor::full({2}, kNan))),
                               reading.constant(Tensor::full({2}, 1)), 0.5);
  EXPECT_THAT(message_of<ValueError>([&] {
                Session(reading, {sum}, {.eager = GetParam(), .trace_nonfinite = true}).run({});
              }),
              HasSubstr("reads 2 NaN that came in with parameter `v`"));
}

TEST_P(Trace, SaysWhichNanCameInAndWhoReadItFirst) {
  const auto message = [](double feed, double weight, double constant) {
    Graph graph;
    const Value x = graph.input("x", {1, 3});
    const Value w = graph.parameter("w", Tensor::full({3}, weight));
    const Value y = selu(permute(x, {1, 0})) * w + graph.constant(Tensor::full({3}, constant));
    Session session(graph, {y}, {.eager = GetParam(), .trace_nonfinite = true});
    return message_of<ValueError>([&] {
      session.run({{x, Tensor::from({1, 3}, {kInfinity, feed, feed})}});
    });
  };
  EXPECT_THAT(message(kNan, 1, 1),
              AllOf(HasSubstr("`selu` (session/debug_test.cpp:"),
                    HasSubstr("reads 2 NaN that came in with feed `x`: first at element 1 of "
                              "float32 [3, 1]")));
  EXPECT_THAT(
      message(1, kNan, 1),
      AllOf(HasSubstr("`mul`"), HasSubstr("reads 3 NaN that came in with parameter `w`: ")));
  EXPECT_THAT(message(1, 1, kNan), AllOf(HasSubstr("`add`"), HasSubstr("came in with constant ")));
}

TEST(Profiles, ListEveryNodeOnce) {
  networks::Mlp net(2, 8, 4);
  for (const bool eager : {false, true}) {
    Session session = net.session({.eager = eager});
    const Profile profile = session.profile({{net.x, net.feed}});
    const std::vector<NodeId> schedule = session.schedule();
    ASSERT_EQ(profile.nodes.size(), schedule.size());
    double end = 0;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
      EXPECT_EQ(profile.nodes[i].node, schedule[i]);
      EXPECT_GE(profile.nodes[i].start_us, end);
      EXPECT_GT(profile.nodes[i].duration_us, 0);
      end = profile.nodes[i].start_us + profile.nodes[i].duration_us;
    }
    EXPECT_EQ(profile.nodes[0].operation, "addmm");
    EXPECT_EQ(profile.nodes[0].call, "aclnnAddmm");
    EXPECT_THAT(profile.nodes[0].inputs, testing::Contains("float32 [4, 8]"));
  }
}

TEST(Profiles, ReadAsATableAndAsATrace) {
  networks::Mlp net(2, 8, 4);
  Session session = net.session({});
  const Profile profile = session.profile({{net.x, net.feed}});
  EXPECT_THAT(
      profile.to_string(3),
      AllOf(HasSubstr("us in all"), HasSubstr(fmt::format("3 of {} nodes", profile.nodes.size()))));
  const nlohmann::json trace = nlohmann::json::parse(profile.chrome_trace());
  const auto& events = trace.at("traceEvents");
  ASSERT_EQ(events.size(), profile.nodes.size());
  EXPECT_EQ(events[0].at("ph"), "X");
  EXPECT_EQ(events[0].at("dur").get<double>(), profile.nodes[0].duration_us);
  EXPECT_EQ(events[0].at("args").at("call"), "aclnnAddmm");
  EXPECT_EQ(events[0].at("args").at("outputs")[0], "float32 [4, 8]");
}

TEST(Profiles, CountAsARun) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = x * 2;
  Session session(graph, {y});
  const Tensor one = Tensor::full({2}, 1);
  const Results results = session.run({{x, one}});
  EXPECT_THROW(session.profile(), ValueError) << "feeds are wanted";
  EXPECT_EQ(results[y].get(0), 2);
  session.profile({{x, one}});
  EXPECT_THROW(results[y], ValueError);
}

TEST(Guards, ADeadGraphsValueIsNamed) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = x * 2;
  Session session(graph, {y});
  Value stale;
  {
    Graph gone;
    stale = gone.input("z", {2});
  }
  const Tensor one = Tensor::full({2}, 1);
  EXPECT_EQ(message_of<ValueError>([&] {
              session.run({{stale, one}});
            }),
            "cannot feed value 0: its graph is gone");
  EXPECT_EQ(message_of<ValueError>([&] {
              session.run({{Value(), one}});
            }),
            "cannot feed an empty Value");
  EXPECT_EQ(session.run({{x, one}})[y].get(0), 2);
}

TEST(Guards, ARunDuringARunIsRefused) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = x * 2;
  const Tensor one = Tensor::full({2}, 1);
  std::vector<std::string> messages;
  std::optional<Session> session;
  SessionOptions options{.eager = true};
  options.observer = [&](const Node&, const std::vector<Tensor>&, const std::vector<Tensor>&) {
    for (const auto& again : {std::function<void()>([&] {
                                session->run({{x, one}});
                              }),
                              std::function<void()>([&] {
                                session->profile({{x, one}});
                              })}) {
      messages.push_back(message_of<ValueError>(again));
    }
  };
  session.emplace(graph, std::vector<Fetch>{y}, options);
  EXPECT_EQ(session->run({{x, one}})[y].get(0), 2);
  EXPECT_THAT(messages, testing::ElementsAre(HasSubstr("the session is running already"),
                                             HasSubstr("the session is running already")));
  EXPECT_EQ(session->run({{x, one}})[y].get(0), 2) << "it is over by now";
}

TEST(Guards, ARunOutlivesItsSession) {
  Graph graph;
  const Value x = graph.input("x", {2});
  const Value y = (x * 2) * 3;
  std::unique_ptr<Session> session;
  SessionOptions options{.eager = true};
  // As another thread may do it.
  options.observer = [&](const Node&, const std::vector<Tensor>&, const std::vector<Tensor>&) {
    session.reset();
  };
  session = std::make_unique<Session>(graph, std::vector<Fetch>{y}, options);
  const Results results = session->run({{x, Tensor::full({2}, 1)}});
  EXPECT_EQ(session, nullptr);
  EXPECT_EQ(results[y].get(1), 6);
}

// One thread runs the session again and again while another reads what it can.
TEST(Guards, ResultsThatAreReadDuringARunAreWholeOrRefused) {
  constexpr std::int64_t kCount = 1 << 18;
  constexpr int kRuns = 200;
  Graph graph;
  const Value x = graph.input("x", {kCount});
  const Value y = x + 1;
  Session session(graph, {y});
  std::mutex mutex;
  std::optional<Results> latest = session.run({{x, Tensor::full({kCount}, 0)}});
  std::atomic<bool> is_over = false;
  int read = 0;
  int refused = 0;
  std::jthread reader([&] {
    while (!is_over) {
      const Results results = [&] {
        const std::lock_guard lock(mutex);
        return *latest;
      }();
      try {
        const Tensor tensor = results[y];
        const auto values = tensor.data<float>();
        EXPECT_EQ(std::ranges::count(values, values.front()), kCount) << "of several runs";
        ++read;
      } catch (const ValueError& error) {
        EXPECT_THAT(error.what(), HasSubstr("was overwritten by run"));
        ++refused;
      }
    }
  });
  for (int run = 1; run < kRuns; ++run) {
    Results results = session.run({{x, Tensor::full({kCount}, run)}});
    const std::lock_guard lock(mutex);
    latest = std::move(results);
  }
  is_over = true;
  reader.join();
  EXPECT_GT(read + refused, 0);
  EXPECT_EQ((*latest)[y].get(0), kRuns);
}

TEST(Guards, ReadingAndFeedingByTheThousand) {
  constexpr int kCount = 3000;
  Graph graph;
  std::vector<Value> inputs;
  std::vector<Fetch> fetches;
  for (int i = 0; i < kCount; ++i) inputs.push_back(graph.input(std::to_string(i), {1}));
  for (int i = kCount; i-- > 0;) fetches.emplace_back(inputs[static_cast<std::size_t>(i)] * 2);
  Session session(graph, fetches);
  std::vector<Feed> feeds;
  for (int i = 0; i < kCount; ++i) {
    feeds.emplace_back(inputs[static_cast<std::size_t>(i)], Tensor::full({1}, i));
  }
  const Results results = session.run(feeds);
  for (const int i : {0, 1, 1500, kCount - 1}) {
    EXPECT_EQ(results[static_cast<std::size_t>(kCount - 1 - i)].item(), 2 * i);
  }
  EXPECT_THROW(results[inputs[0]], ValueError) << "it was not fetched";
}

TEST(Guards, ASessionThatNeedsTooMuchMemorySaysForWhat) {
  Graph graph;
  const Value x = graph.input("x", {1});
  const int line = __LINE__ + 1;
  const Value huge = add(expand(x, {std::int64_t{1} << 44}), 1).named("huge");
  EXPECT_THAT(message_of<StatusError>([&] { Session(graph, {mean(huge)}); }),
              testing::StartsWith(fmt::format(
                  "65536.000 GiB for the values of a session, the largest of them `huge` float32 "
                  "[17592186044416] of node 2 `adds` (session/debug_test.cpp:{}): aclrtMalloc "
                  "returned 207001",
                  line)));
}

}  // namespace
}  // namespace aclgrad
