// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/session/cache.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <iterator>

#include "acl/acl_rt.h"
#include "aclgrad/aclgrad.h"
#include "tests/framework/session/increment.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class Cache : public testing::Test {
 protected:
  // y = x w over a weight that all graphs share, and the weight's update by the sum of x.
  SessionCache::Builder builder() {
    return [this](const SessionCache::Inputs& inputs) {
      ++built_;
      Graph graph;
      const Value x = graph.input("x", inputs.at("x").shape, inputs.at("x").dtype);
      const Value w = graph.parameter(weight_);
      const Value y = x * w;
      const Value updated = inplace_add(w, reduce_sum(x, {0}, true));
      return SessionCache::BuiltGraph{std::move(graph), {y, Update{{updated}}}};
    };
  }
  static Tensor rows(std::int64_t count) { return Tensor::full({count}, 1); }

  Variable weight_{"w", Tensor::full({1}, 2)};
  int built_ = 0;
};

TEST_F(Cache, PlansOnFirstSightOfAShape) {
  SessionCache cache(builder());
  const Tensor two = rows(2);
  const Tensor three = rows(3);
  EXPECT_EQ(cache.run({{"x", two}})[0].get(1), 2);
  EXPECT_EQ(cache.run({{"x", two}})[0].get(1), 4) << "the first run added 2 to the weight";
  EXPECT_EQ(built_, 1);
  const Tensor y = cache.run({{"x", three}})[0];
  EXPECT_EQ(y.shape(), (Shape{3}));
  EXPECT_EQ(y.get(0), 6) << "the weight is shared";
  EXPECT_EQ(built_, 2);
  EXPECT_EQ(cache.size(), 2u);
  const Tensor half = Tensor::full({2}, 1, DType::float16);
  cache.run({{"x", two}});
  EXPECT_THROW(cache.run({{"x", half}}), DTypeError) << "the builder adds float16 to float32";
  EXPECT_EQ(cache.size(), 2u) << "what failed is not kept";
}

TEST_F(Cache, ForgetsWhatWasNotUsedForLongest) {
  SessionCache cache(builder(), {.capacity = 2});
  for (const std::int64_t count : {1, 2, 1, 3, 1}) {
    const Tensor x = rows(count);
    cache.run({{"x", x}});
  }
  EXPECT_EQ(cache.planned(), 3u) << "1 was used again before 3 came, so 2 went";
  const Tensor two = rows(2);
  cache.run({{"x", two}});
  EXPECT_EQ(cache.planned(), 4u);
  EXPECT_EQ(cache.size(), 2u);
}

// By default there is room for many small sessions, and for a few of any size.
TEST_F(Cache, KeepsManyShapesButOnlySoManyBytes) {
  const auto run_all = [](SessionCache& cache) {
    for (int round = 0; round < 2; ++round) {
      for (std::int64_t count = 1; count <= 100; ++count) {
        const Tensor x = rows(100 * count);
        cache.run({{"x", x}});
      }
    }
  };
  SessionCache roomy(builder());
  run_all(roomy);
  EXPECT_EQ(roomy.planned(), 100u);
  EXPECT_EQ(roomy.size(), 100u);
  std::vector<std::string> warnings;
  const std::size_t bytes = roomy.device_bytes() / 3;
  const auto warn = [&](const std::string& text) { warnings.push_back(text); };
  SessionCache bounded(builder(), {.bytes = bytes, .warn = warn});
  run_all(bounded);
  EXPECT_LE(bounded.device_bytes(), bytes);
  EXPECT_THAT(bounded.size(), testing::AllOf(testing::Gt(8u), testing::Lt(40u)));
  EXPECT_EQ(bounded.planned(), 200u);
  EXPECT_THAT(warnings, testing::ElementsAre(HasSubstr("bytes together")));
  SessionCache few(builder(), {.bytes = 0, .warn = warn});
  run_all(few);
  EXPECT_EQ(few.size(), 8u) << "whatever they hold";
  few.clear();
  EXPECT_EQ(few.size() + few.device_bytes(), 0u);
  run_all(few);
  EXPECT_EQ(few.planned(), 400u);
}

// What nothing fetched depends on need not be there, and inputs may get other names.
TEST_F(Cache, LeavesOutFeedsThatNothingNeeds) {
  SessionCache cache([](const SessionCache::Inputs& inputs) {
    Graph graph;
    const Value x = graph.input("x", inputs.at("x").shape);
    x.named("pixels");
    graph.input("t", inputs.at("t").shape);
    const Value y = x * 2;
    return SessionCache::BuiltGraph{std::move(graph), {y}};
  });
  const Tensor x = rows(2), t = rows(3);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(cache.run({{"x", x}, {"t", t}})[0].get(1), 2);
}

TEST_F(Cache, WarnsOnceWhenItChurns) {
  std::vector<std::string> warnings;
  SessionCache cache(builder(),
                     {.capacity = 2, .session = {}, .warn = [&](const std::string& text) {
                        warnings.push_back(text);
                      }});
  for (int round = 0; round < 4; ++round) {
    for (const std::int64_t count : {1, 2, 3}) {
      const Tensor x = rows(count);
      cache.run({{"x", x}});
    }
  }
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("churns: 3 of the latest 4 runs"));
  EXPECT_THAT(warnings[0], HasSubstr("`x` float32 ["));
}

TEST_F(Cache, KeepsQuietWhenShapesFit) {
  bool warned = false;
  SessionCache cache(builder(), {.capacity = 3, .session = {}, .warn = [&](const std::string&) {
                                   warned = true;
                                 }});
  for (int round = 0; round < 10; ++round) {
    for (const std::int64_t count : {1, 2, 3}) {
      const Tensor x = rows(count);
      cache.run({{"x", x}});
    }
  }
  EXPECT_FALSE(warned);
  EXPECT_EQ(cache.planned(), 3u);
}

TEST_F(Cache, WarnsOnStandardErrorByDefault) {
  SessionCache cache(builder(), {.capacity = 1});
  testing::internal::CaptureStderr();
  for (const std::int64_t count : {1, 2, 1, 2, 1}) {
    const Tensor x = rows(count);
    cache.run({{"x", x}});
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::StartsWith("warning: the session cache churns"));
}

std::ptrdiff_t threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// A stream in use has a thread, which falls asleep where many take turns.
TEST(CachesStreams, AreThoseOfAllItsSessions) {
  for (const bool replay : {true, false}) {
    SessionCache cache(
        [](const SessionCache::Inputs& inputs) {
          Graph graph;
          const Value x = graph.input("x", inputs.at("x").shape);
          return SessionCache::BuiltGraph{std::move(graph), {increment(x), x * 2.0}};
        },
        {.session = {.replay = replay}});
    const auto run = [&](std::int64_t rows) {
      const Results results = cache.run({{"x", Tensor::full({rows}, 3)}});
      EXPECT_EQ(results[0].get(rows - 1), 4) << "of the second stream";
      EXPECT_EQ(results[1].get(rows - 1), 6);
    };
    run(1);
    const std::ptrdiff_t with_one = threads();
    for (std::int64_t rows = 2; rows <= 40; ++rows) run(rows);
    for (std::int64_t rows = 1; rows <= 40; ++rows) run(rows);
    EXPECT_EQ(cache.planned(), 40u);
    EXPECT_EQ(threads(), with_one);
  }
}

TEST(CachesStreams, AreMadeAnewWhereTheyAreGone) {
  SessionCache cache([](const SessionCache::Inputs& inputs) {
    Graph graph;
    const Value x = graph.input("x", inputs.at("x").shape);
    return SessionCache::BuiltGraph{std::move(graph), {x * 2.0}};
  });
  const Tensor two = Tensor::full({2}, 3), four = Tensor::full({4}, 3);
  EXPECT_EQ(cache.run({{"x", two}})[0].get(0), 6);
  ASSERT_EQ(aclrtResetDeviceForce(0), 0);
  ASSERT_EQ(aclrtSetDevice(0), 0);
  EXPECT_EQ(cache.run({{"x", four}})[0].get(0), 6);
  EXPECT_THROW(cache.run({{"x", two}}), ValueError) << "its memory is gone";
  cache.clear();
  EXPECT_EQ(cache.run({{"x", two}})[0].get(0), 6);
}

// A failure is reported to the run that it belongs to only.
TEST(CachesStreams, AreIdleAfterAFailedRun) {
  SessionCache cache([](const SessionCache::Inputs& inputs) {
    Graph graph;
    const Value x = graph.input("x", inputs.at("x").shape);
    const bool fails = x.shape()[0] == 1;
    return SessionCache::BuiltGraph{std::move(graph),
                                    {increment(x, {.async = false, .status = fails ? 507011 : 0})}};
  });
  const Tensor one = Tensor::full({1}, 3), two = Tensor::full({2}, 3);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(cache.run({{"x", one}}), StatusError);
    EXPECT_EQ(cache.run({{"x", two}})[0].get(0), 4);
  }
}

TEST_F(Cache, RefusesWhatCannotBe) {
  EXPECT_THROW(SessionCache(builder(), {.capacity = 0}), ValueError);
  EXPECT_THROW(SessionCache{SessionCache::Builder()}, ValueError);
  SessionCache cache(builder());
  const Tensor x = rows(2);
  EXPECT_THROW(cache.run({{"x", x}, {"x", x}}), ValueError);
  EXPECT_THROW(cache.run({{"x", x}, {"z", x}}), ValueError) << "the graph has no z";
  EXPECT_THAT(
      [&] {
        cache.run({{"y", x}});
      },
      ThrowsMessage<ValueError>(HasSubstr("no feed for `x`: fed are `y` float32 [2]")));
  EXPECT_THAT([&] { cache.run({}); },
              ThrowsMessage<ValueError>(HasSubstr("no feed for `x`: nothing is fed")));
  SessionCache deaf([](const SessionCache::Inputs&) {
    Graph graph;
    const Value y = elu(graph.input("x", {3}));
    return SessionCache::BuiltGraph{std::move(graph), {y}};
  });
  EXPECT_THAT(
      [&] {
        deaf.run({{"x", x}});
      },
      ThrowsMessage<ValueError>(
          HasSubstr("the builder recorded input `x` as float32 [3] for `x` float32 [2]")));
  EXPECT_EQ(deaf.size(), 0u);
  const Results results = cache.run({{"x", x}});
  EXPECT_THROW(results[1], ValueError) << "an update has no value";
  EXPECT_THROW(results[2], ValueError);
  Graph other;
  EXPECT_THROW(cache.run({{other.input("x", {2}), x}}), ValueError) << "it has no name";
}

}  // namespace
}  // namespace aclgrad
