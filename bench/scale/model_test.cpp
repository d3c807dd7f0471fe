// SPDX-License-Identifier: Apache-2.0
// The model against times made from parameters that are known.
#include "bench/scale/model.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace aclgrad::bench {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;

constexpr double kMiB = 1048576;

// ---- fit ----------------------------------------------------------------------------------------

TEST(Fit, FindsWhatTheValuesWereMadeFrom) {
  const std::vector<std::vector<double>> rows = {{1, 0}, {1, 10}, {1, 1e6}};
  EXPECT_THAT(fit(rows, {3, 3.02, 2003}), ElementsAre(DoubleNear(3, 1e-9), DoubleNear(2e-3, 1e-9)));
}

// Of the line through (1, 2) and (2, 5), -1 + 3x, a fixed part below 0 is not allowed. Without it
// the least of (c/2 - 1)^2 + (2c/5 - 1)^2 is at c = (1/2 + 2/5) / (1/4 + 4/25).
TEST(Fit, KeepsOutWhatWouldBeNegative) {
  EXPECT_THAT(fit({{1, 1}, {1, 2}}, {2, 5}), ElementsAre(0, DoubleNear(0.9 / 0.41, 1e-12)));
}

// Deviations count relative to the value: of 1 and 3 a constant is 1.2, and not their mean.
TEST(Fit, TakesDeviationsRelativeToTheValue) {
  EXPECT_THAT(fit({{1}, {1}}, {1, 3}), ElementsAre(DoubleNear(1.2, 1e-12)));
}

TEST(Fit, GivesColumnsThatCannotBeToldApartToOneOfThem) {
  const std::vector<double> x = fit({{1, 2}, {2, 4}, {3, 6}}, {5, 10, 15});
  EXPECT_DOUBLE_EQ(x[0] + 2 * x[1], 5);
}

TEST(Fit, RefusesWhatMakesNoSense) {
  EXPECT_THROW(fit({}, {}), std::invalid_argument);
  EXPECT_THROW(fit({{1}, {1, 2}}, {1, 2}), std::invalid_argument);
  EXPECT_THROW(fit({{1}}, {0}), std::invalid_argument);
}

// ---- Exchanges ----------------------------------------------------------------------------------

TEST(Work, FollowsTheAlgorithms) {
  const Work alone = work_of(Collective::all_reduce, kMiB, 1);
  EXPECT_EQ(alone.rounds + alone.messages + alone.bytes + alone.reduced, 0);
  // Two ranks send each other everything while that is little.
  const Work two = work_of(Collective::all_reduce, 65536, 2);
  EXPECT_EQ(two.rounds, 1);
  EXPECT_EQ(two.messages, 1 + 1) << "a handshake, and the numbers";
  EXPECT_EQ(two.bytes, 65536);
  EXPECT_EQ(two.reduced, 65536);
  // Four send each other's quarter, and then their own to all.
  const Work four = work_of(Collective::all_reduce, 8 * kMiB, 4);
  EXPECT_EQ(four.rounds, 2);
  EXPECT_EQ(four.messages, 3 + 3 * 2 + 3 * 2);
  EXPECT_EQ(four.bytes, 2 * 3 * 2 * kMiB);
  EXPECT_EQ(four.reduced, 3 * 2 * kMiB);
  const Work many = work_of(Collective::all_reduce, kMiB, 1024);
  EXPECT_EQ(many.messages, 2 + 2 * 1023) << "handshakes of the neighbours only";
}

TEST(Work, OfASumIsThatOfItsHalves) {
  for (const int ranks : {3, 4, 8, 100}) {
    const Work whole = work_of(Collective::all_reduce, 64 * kMiB, ranks);
    const Work first = work_of(Collective::reduce_scatter, 64 * kMiB, ranks);
    const Work second = work_of(Collective::all_gather, 64 * kMiB, ranks);
    EXPECT_EQ(whole.rounds, first.rounds + second.rounds);
    EXPECT_DOUBLE_EQ(whole.bytes, first.bytes + second.bytes);
    EXPECT_DOUBLE_EQ(whole.reduced, first.reduced + second.reduced);
    EXPECT_EQ(second.reduced, 0);
  }
}

TEST(Network, IsFoundFromTimesMadeWithIt) {
  const Network made{
      .round = 4e-6, .message = 0.5e-6, .byte = 2e-10, .reduce = 1e-10, .turn = 900e-6};
  std::vector<ExchangeTime> times;
  for (const int ranks : {2, 4}) {
    for (double bytes = 1024; bytes <= 64 * kMiB; bytes *= 4) {
      for (const Collective collective :
           {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
        const Work work = work_of(collective, bytes, ranks);
        times.push_back({.work = work,
                         .ranks = ranks,
                         .seconds = seconds_of(made, work, oversubscription(ranks, 2))});
      }
    }
  }
  const Network found = fit_network(times, 2);
  EXPECT_NEAR(found.round / made.round, 1, 1e-6);
  EXPECT_NEAR(found.message / made.message, 1, 1e-6);
  EXPECT_NEAR(found.byte / made.byte, 1, 1e-6);
  EXPECT_NEAR(found.reduce / made.reduce, 1, 1e-6);
  EXPECT_NEAR(found.turn / made.turn, 1, 1e-6);
  // Times that are off by a tenth, now more and now less, change it by not much more than that.
  for (std::size_t i = 0; i < times.size(); ++i) times[i].seconds *= i % 2 == 0 ? 1.1 : 0.9;
  const Network close = fit_network(times, 2);
  EXPECT_NEAR(close.byte / made.byte, 1, 0.2);
  EXPECT_NEAR(close.turn / made.turn, 1, 0.2);
}

TEST(Network, IsOversubscribedOnlyByMoreRanksThanCores) {
  EXPECT_EQ(oversubscription(1, 2), 1);
  EXPECT_EQ(oversubscription(2, 2), 1);
  EXPECT_EQ(oversubscription(4, 2), 2);
  const Network network{.round = 1, .turn = 10};
  EXPECT_EQ(seconds_of(network, {.rounds = 2}, 1), 2);
  EXPECT_EQ(seconds_of(network, {.rounds = 2}, 2), 2 * 2 + 20);
}

// ---- Steps --------------------------------------------------------------------------------------

const Step kStep{.buckets = {{.bytes = 4 * kMiB, .before = {1e-3, 10e-6}, .copy = 0.2e-3},
                             {.bytes = 8 * kMiB, .before = {2e-3, 20e-6}, .copy = 0.4e-3}},
                 .rest = {0.5e-3, 0}};
const Network kNetwork{.round = 10e-6, .message = 1e-6, .byte = 8e-11, .reduce = 1e-10};

TEST(LinearCost, IsFoundFromItsPoints) {
  const LinearCost line = fit_cost({{1, 3.5}, {10, 8}, {100, 53}});
  EXPECT_NEAR(line.fixed, 3, 1e-9);
  EXPECT_NEAR(line.each, 0.5, 1e-9);
}

TEST(Step, OfOneRankIsComputing) {
  EXPECT_DOUBLE_EQ(kStep.alone(100), 1e-3 + 1e-3 + 2e-3 + 2e-3 + 0.5e-3);
  for (const bool overlaps : {true, false}) {
    EXPECT_DOUBLE_EQ(
        seconds_of(kStep, kNetwork, {.ranks = 1, .examples = 100, .overlaps = overlaps}),
        kStep.alone(100));
  }
}

// The first bucket's exchange is over before the second is there; of this one's, the update of the
// first is all that can be done meanwhile.
TEST(Step, HidesTheExchangeBehindComputing) {
  const auto exchange = [&](const Bucket& bucket) {
    return seconds_of(kNetwork, work_of(Collective::all_reduce, bucket.bytes, 8), 1) + bucket.copy;
  };
  const double first = exchange(kStep.buckets[0]), second = exchange(kStep.buckets[1]);
  ASSERT_LT(first, 4e-3);
  ASSERT_GT(second, 0.5e-3 / 3 + 0.2e-3);
  EXPECT_NEAR(seconds_of(kStep, kNetwork, {.ranks = 8, .examples = 100}),
              6e-3 + second + 0.5e-3 * 2 / 3 + 0.4e-3, 1e-12);
  EXPECT_NEAR(seconds_of(kStep, kNetwork, {.ranks = 8, .examples = 100, .overlaps = false}),
              6e-3 + first + second + 0.5e-3 + 0.6e-3, 1e-12);
  const Network none;
  EXPECT_NEAR(seconds_of(kStep, none, {.ranks = 8, .examples = 100, .slowdown = 2}),
              2 * (6e-3 + 0.4e-3 + 0.5e-3 * 2 / 3 + 0.4e-3), 1e-12);
}

TEST(Step, TakesNoLessTimeOnMoreRanks) {
  double last = 0;
  for (int ranks = 1; ranks <= 1024; ranks *= 2) {
    const double seconds = seconds_of(kStep, kNetwork, {.ranks = ranks, .examples = 100});
    constexpr double kRounding = 1e-15;
    EXPECT_GE(seconds, last - kRounding) << ranks;
    EXPECT_GE(seconds, kStep.alone(100) - kRounding);
    EXPECT_LE(seconds,
              seconds_of(kStep, kNetwork, {.ranks = ranks, .examples = 100, .overlaps = false}));
    last = seconds;
  }
  EXPECT_GT(last, 1.2 * kStep.alone(100));
}

}  // namespace
}  // namespace aclgrad::bench
