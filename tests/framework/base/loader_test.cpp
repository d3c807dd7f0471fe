// SPDX-License-Identifier: Apache-2.0
// Examples drawn by weights, and batches that threads make ahead.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "tests/support/message_of.h"

namespace aclgrad::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Examples whose features are their numbers.
Dataset numbered(std::int64_t count) { return {Tensor::arange(count).reshape({count, 1})}; }

std::vector<std::int64_t> rows_of(const Dataset& batch) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < batch.features.numel(); ++i) {
    rows.push_back(static_cast<std::int64_t>(batch.features.get(i)));
  }
  return rows;
}

std::vector<std::int64_t> rows_of(const Batches& batches, std::uint64_t epoch) {
  std::vector<std::int64_t> all;
  for (const Dataset& batch : batches.epoch(epoch)) {
    for (const std::int64_t row : rows_of(batch)) all.push_back(row);
  }
  return all;
}

// As often as the weights say, within five deviations.
TEST(WeightedSampling, DrawsByTheWeights) {
  const Batches batches(
      numbered(4),
      {.batch_size = 7, .seed = 3, .weights = {1, 0, 6, 3}, .samples_per_epoch = 4000});
  EXPECT_EQ(batches.batches_per_epoch(), 572);
  EXPECT_EQ(batches.size(), 4);
  std::vector<int> counts(4, 0);
  const std::vector<std::int64_t> first = rows_of(batches, 0);
  ASSERT_EQ(first.size(), 4000u);
  for (const std::int64_t row : first) ++counts[static_cast<std::size_t>(row)];
  EXPECT_NEAR(counts[0], 400, 95);
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(counts[2], 2400, 155);
  EXPECT_NEAR(counts[3], 1200, 145);
  EXPECT_EQ(first, rows_of(batches, 0));
  EXPECT_NE(first, rows_of(batches, 1));
  EXPECT_EQ(rows_of(batches.batch({1, 571})), rows_of(batches.epoch(1)[571]));
  EXPECT_EQ(rows_of(batches.batch({1, 571})).size(), 3u);
}

TEST(WeightedSampling, HasAsManySamplesAsExamplesUnlessTold) {
  EXPECT_EQ(rows_of(Batches(numbered(5), {.batch_size = 2, .weights = {0, 0, 1, 0, 0}}), 0),
            (std::vector<std::int64_t>{2, 2, 2, 2, 2}));
}

// However small: a share of the smallest numbers there are would be rounded to their sum.
TEST(WeightedSampling, DrawsByTheSmallestAndTheLargestWeights) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const double unit : {tiny, 8 * tiny, 1e-310, 1e-300, 1e-200, 1.0, 1e300}) {
    const Batches batches(numbered(4), {.batch_size = 100,
                                        .seed = 9,
                                        .weights = {0, 3 * unit, unit, 0},
                                        .samples_per_epoch = 4000});
    std::vector<int> counts(4, 0);
    for (const std::int64_t row : rows_of(batches, 0)) ++counts.at(static_cast<std::size_t>(row));
    EXPECT_EQ(counts[0] + counts[3], 0) << unit;
    EXPECT_NEAR(counts[1], 3000, 140) << unit;
  }
  EXPECT_EQ(rows_of(Batches(numbered(1), {.weights = {tiny}}), 0), std::vector<std::int64_t>{0});
}

// A position is that of other rows with other weights, so checkpoints must tell them apart.
TEST(WeightedSampling, IsPartOfTheDescription) {
  const auto text = [](std::vector<double> weights, std::int64_t workers) {
    return Batches(numbered(2), {.seed = 1, .weights = std::move(weights), .workers = workers})
        .description();
  };
  EXPECT_EQ(text({1, 2}, 0), text({1, 2}, 3));
  EXPECT_NE(text({1, 2}, 0), text({2, 1}, 0));
  EXPECT_THAT(text({1, 2}, 0), HasSubstr("2 an epoch drawn by weights"));
}

TEST(WeightedSampling, SaysWhatDoesNotFit) {
  const auto refused = [](BatchOptions options) {
    return message_of<ValueError>([&] { Batches(numbered(2), options); });
  };
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refused({.weights = {1}}), AllOf(HasSubstr("2 examples"), HasSubstr("got 1")));
  for (const double bad : {-1.0, std::nan(""), infinite}) {
    EXPECT_THAT(refused({.weights = {1, bad}}), HasSubstr("example 1"));
  }
  EXPECT_THAT(refused({.weights = {0, 0}}), HasSubstr("above 0"));
  EXPECT_THAT(refused({.weights = {1e308, 1e308}}), HasSubstr("finite"));
  EXPECT_THAT(refused({.samples_per_epoch = 3}), HasSubstr("weights"));
  EXPECT_THAT(refused({.weights = {1, 1}, .samples_per_epoch = -1}),
              HasSubstr("samples_per_epoch"));
  EXPECT_THAT(refused({.workers = -1}), HasSubstr("workers"));
}

TEST(BalancedWeights, GiveEachClassTheSameShare) {
  const Tensor labels = Tensor::from({6}, {3, 3, 3, 3, 7, 7}, DType::int64);
  EXPECT_THAT(balanced_weights(labels), ElementsAre(0.75, 0.75, 0.75, 0.75, 1.5, 1.5));
  EXPECT_TRUE(balanced_weights(Tensor::zeros({0}, DType::int32)).empty());
  EXPECT_THROW(balanced_weights(Tensor::zeros({2, 1}, DType::int64)), ShapeError);
  EXPECT_THROW(balanced_weights(Tensor::zeros({2})), DTypeError);
}

// Later batches take less time, so that they are ready first.
Batches slow(std::int64_t workers, std::atomic<int>& calls) {
  const auto make = [&calls](std::span<const std::int64_t> rows) {
    std::this_thread::sleep_for(std::chrono::milliseconds(calls++ % 2 == 0 ? 3 : 0));
    return take(numbered(23), rows);
  };
  const auto shift = [](Dataset batch, const Random& random) {
    for (std::int64_t i = 0; i < batch.features.numel(); ++i) {
      batch.features.set(i, batch.features.get(i) + random.uniform(static_cast<std::uint64_t>(i)));
    }
    return batch;
  };
  return Batches(23, make, {.batch_size = 4, .seed = 5, .workers = workers, .transform = shift});
}

TEST(Workers, ChangeNeitherBatchesNorTheirOrder) {
  std::atomic<int> calls = 0;
  std::vector<Tensor> expected;
  const Batches alone = slow(0, calls);
  for (std::uint64_t epoch = 2; epoch < 4; ++epoch) {
    for (const Dataset& batch : alone.epoch(epoch)) expected.push_back(batch.features);
  }
  for (const std::int64_t workers : {1, 2, 5, 40}) {
    const Batches several = slow(workers, calls);
    std::size_t at = 0;
    for (std::uint64_t epoch = 2; epoch < 4; ++epoch) {
      for (const Dataset& batch : several.epoch(epoch)) {
        EXPECT_TRUE(bitwise_equal(batch.features, expected[at++]));
      }
    }
    EXPECT_EQ(at, expected.size());
    Loader loader(several, {.epoch = 2, .batch = 1}, 8);
    for (std::size_t i = 1; i < 9; ++i) {
      EXPECT_EQ(loader.position(), (Position{2 + i / 6, static_cast<std::int64_t>(i % 6)}));
      EXPECT_TRUE(bitwise_equal(loader.next().features, expected[i]));
    }
    EXPECT_THROW(loader.next(), ValueError);
  }
}

TEST(Workers, MakeNoMoreThanTheyAreAskedFor) {
  std::atomic<int> calls = 0;
  const Batches batches = slow(3, calls);
  {
    Loader loader(batches, {}, 2);
    static_cast<void>(loader.next());
  }
  EXPECT_LE(calls, 2);
  calls = 0;
  for (const Dataset& batch : batches.epoch(0)) static_cast<void>(batch);
  EXPECT_EQ(calls, 6);
}

// What is thrown arrives with the batch that it belongs to, those before it arrive as they are, and
// asked again the batch is made again.
TEST(Workers, ThrowWhereTheBatchIsReached) {
  std::atomic<bool> broken = true;
  const auto make = [&](std::span<const std::int64_t> rows) {
    if (broken && rows.front() == 6) throw ValueError("row 6 is damaged");
    return take(numbered(20), rows);
  };
  for (const std::int64_t workers : {0, 1, 4}) {
    broken = true;
    const Batches batches(20, make, {.batch_size = 2, .shuffle = false, .workers = workers});
    Loader loader(batches);
    for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(rows_of(loader.next())[0], 2 * i);
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(message_of<ValueError>([&] { loader.next(); }), "row 6 is damaged");
    }
    broken = false;
    for (std::int64_t i = 3; i < 12; ++i) EXPECT_EQ(rows_of(loader.next())[0], 2 * i % 20);
  }
}

TEST(Workers, EndWhenNobodyWaits) {
  std::atomic<int> calls = 0;
  for (int round = 0; round < 20; ++round) {
    const Batches batches = slow(4, calls);
    for (const Dataset& batch : batches.epoch(0)) {
      static_cast<void>(batch);
      if (round % 2 == 0) break;
    }
    Loader unused(batches);
    Loader begun(batches);
    static_cast<void>(begun.next());
  }
}

TEST(Workers, AreNoMoreThanAMachineCanHave) {
  for (const std::int64_t workers : {kMostWorkers + 1, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_THAT(message_of<ValueError>([&] { Batches(numbered(3), {.workers = workers}); }),
                HasSubstr("Batches: workers must be in [0, 1024], got"));
    const Batches batches(numbered(3), {.batch_size = 1});
    EXPECT_THROW(Loader(batches, {}, 3, workers), ValueError);
  }
  const Batches batches(numbered(3), {.batch_size = 1, .workers = kMostWorkers});
  EXPECT_EQ(rows_of(batches, 0).size(), 3u);
}

TEST(Loader, NeedsABatch) {
  const Batches none(numbered(3), {.batch_size = 4, .drop_last = true});
  EXPECT_THAT(message_of<ValueError>([&] { Loader loader(none); }), HasSubstr("3 examples"));
  EXPECT_THROW(Loader(none, {}, -1), ValueError);
}

}  // namespace
}  // namespace aclgrad::data
