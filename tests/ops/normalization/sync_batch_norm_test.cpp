// SPDX-License-Identifier: Apache-2.0
// Batch normalization of a batch in parts: what they make together is that of the whole.
#include "aclgrad_ext.h"
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_batch_norm_elemt.h"
#include "aclnnop/aclnn_batch_norm_elemt_backward.h"
#include "aclnnop/aclnn_batch_norm_gather_stats_with_counts.h"
#include "aclnnop/aclnn_batch_norm_reduce.h"
#include "aclnnop/aclnn_batch_norm_reduce_backward.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_sync_batch_norm_gather_stats.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

constexpr double kMomentum = 0.25, kEpsilon = 0x1p-6;  // the same as float and as double
constexpr long double kRounding = 1e-13L;
constexpr int64_t kChannels = 3, kPlaces = 2;

const aclTensor* const kNone = nullptr;

// Values without an order, the same for a place in the whole and in a part.
Values drawn(int64_t first, int64_t count) {
  Values numbers;
  for (int64_t i = first; i < first + count; ++i) {
    numbers.push_back(static_cast<long double>((i * 37 + 11) % 29) / 4 - 3);
  }
  return numbers;
}

// Images [first, first + count) of a batch and of its gradients.
struct Part {
  Array x, g;

  Part(int64_t first, int64_t count)
      : x(doubles({count, kChannels, kPlaces}, of(first, count, 0))),
        g(doubles({count, kChannels, kPlaces}, of(first, count, 1000))) {}

  static Values of(int64_t first, int64_t count, int64_t seed) {
    constexpr int64_t kSize = kChannels * kPlaces;
    return drawn(seed + first * kSize, count * kSize);
  }
};

Array channels(const Values& values = Values(kChannels)) { return doubles({kChannels}, values); }

class SyncBatchNorm : public AclTest {
 protected:
  void SetUp() override {
    AclTest::SetUp();
    aclgradSetAcceptDouble(1);  // for aclnnBatchNorm
    state_ = std::make_unique<State>();
  }

  void stats(const Array& x, const Array& mean, const Array& invstd, double eps = kEpsilon) {
    ASSERT_TRUE(runs(PHASES(aclnnBatchNormStats), x, eps, mean, invstd));
  }
  void merge(const Array& means, const Array& invstds, const Array& counts, const Array& mean,
             const Array& invstd, double eps = kEpsilon) {
    ASSERT_TRUE(runs(PHASES(aclnnBatchNormGatherStatsWithCounts), state_->image.tensor(), means,
                     invstds, state_->running_mean.tensor(), state_->running_var.tensor(),
                     kMomentum, eps, counts, mean, invstd));
  }

  struct State {
    Array image{ACL_DOUBLE, {1, kChannels}};
    Array running_mean = channels({1, 2, 3}), running_var = channels({1, 0.5L, 2});
  };
  std::unique_ptr<State> state_;  // needs a device
};

// One image, and three.
struct TwoParts {
  Part first{0, 1}, second{1, 3}, whole{0, 4};
  Array counts{ACL_INT32, {2}, {kPlaces, 3 * kPlaces}};
};

Values joined(const Array& first, const Array& second) {
  Values both = first.values();
  const Values rest = second.values();
  both.insert(both.end(), rest.begin(), rest.end());
  return both;
}

// Both ways to merge, beside the statistics of the whole and what aclnnBatchNorm makes of them.
TEST_F(SyncBatchNorm, StatisticsOfTwoPartsAreThoseOfTheWhole) {
  const TwoParts parts;
  const Array mean = channels(), invstd = channels();
  stats(parts.whole.x, mean, invstd);
  const Array normalized(ACL_DOUBLE, {4, kChannels, kPlaces});
  const Array run_mean = channels({1, 2, 3}), run_var = channels({1, 0.5L, 2});
  const Array saved = channels(), variance = channels();
  ASSERT_TRUE(runs(PHASES(aclnnBatchNorm), parts.whole.x, kNone, kNone, run_mean, run_var, true,
                   kMomentum, kEpsilon, normalized, saved, variance));
  expect_near(mean, saved.values(), kRounding, "mean of the whole");

  const Array means[] = {channels(), channels()}, invstds[] = {channels(), channels()};
  stats(parts.first.x, means[0], invstds[0]);
  stats(parts.second.x, means[1], invstds[1]);
  const Array all_means = doubles({2, kChannels}, joined(means[0], means[1]));
  const Array all_invstds = doubles({2, kChannels}, joined(invstds[0], invstds[1]));
  const Array merged_mean = channels(), merged_invstd = channels();
  merge(all_means, all_invstds, parts.counts, merged_mean, merged_invstd);
  expect_near(merged_mean, mean.values(), kRounding, "merged mean");
  expect_near(merged_invstd, invstd.values(), kRounding, "merged invstd");
  expect_near(state_->running_mean, run_mean.values(), kRounding, "running mean");
  expect_near(state_->running_var, run_var.values(), kRounding, "running variance");

  const Array sums[] = {channels(), channels()}, squares[] = {channels(), channels()};
  for (const int k : {0, 1}) {
    const Array& x = k == 0 ? parts.first.x : parts.second.x;
    ASSERT_TRUE(runs(PHASES(aclnnBatchNormReduce), x, sums[k], squares[k]));
  }
  const Array all_sums = doubles({2, kChannels}, joined(sums[0], sums[1]));
  const Array all_squares = doubles({2, kChannels}, joined(squares[0], squares[1]));
  const Array again_mean = channels({1, 2, 3}), again_var = channels({1, 0.5L, 2});
  ASSERT_TRUE(runs(PHASES(aclnnSyncBatchNormGatherStats), all_sums, all_squares, parts.counts,
                   again_mean, again_var, static_cast<float>(kMomentum),
                   static_cast<float>(kEpsilon), merged_mean, merged_invstd));
  expect_near(merged_mean, mean.values(), kRounding, "mean of sums");
  expect_near(merged_invstd, invstd.values(), kRounding, "invstd of sums");
  expect_near(again_mean, run_mean.values(), kRounding, "running mean of sums");
  expect_near(again_var, run_var.values(), kRounding, "running variance of sums");

  Array outs[] = {Array(ACL_DOUBLE, {1, kChannels, kPlaces}),
                  Array(ACL_DOUBLE, {3, kChannels, kPlaces})};
  for (const int k : {0, 1}) {
    const Array& x = k == 0 ? parts.first.x : parts.second.x;
    ASSERT_TRUE(
        runs(PHASES(aclnnBatchNormElemt), x, kNone, kNone, mean, invstd, kEpsilon, outs[k]));
  }
  expect_near(normalized, joined(outs[0], outs[1]), kRounding, "elements");
}

TEST_F(SyncBatchNorm, GradientsOfTwoPartsAreThoseOfTheWhole) {
  const TwoParts parts;
  const Array mean = channels(), invstd = channels(), weight = channels({1.5L, -0.5L, 2});
  stats(parts.whole.x, mean, invstd);
  Values variances;  // what aclnnBatchNorm saves
  for (const long double each : invstd.values()) variances.push_back(1 / (each * each) - kEpsilon);
  const Array variance = channels(variances);
  const BoolArray mask{true, true, true};
  const Array dx(ACL_DOUBLE, {4, kChannels, kPlaces}), dw = channels(), db = channels();
  ASSERT_TRUE(runs(PHASES(aclnnBatchNormBackward), parts.whole.g, parts.whole.x, weight, kNone,
                   kNone, mean, variance, true, kEpsilon, mask, dx, dw, db));

  Values dy(kChannels), dy_xmu(kChannels), weights(kChannels), biases(kChannels);
  for (const Part* part : {&parts.first, &parts.second}) {
    const Array own[] = {channels(), channels(), channels(), channels()};
    ASSERT_TRUE(runs(PHASES(aclnnBatchNormReduceBackward), part->g.tensor(), part->x.tensor(), mean,
                     invstd, kNone, true, true, true, own[0], own[1], own[2], own[3]));
    for (size_t c = 0; c < static_cast<size_t>(kChannels); ++c) {
      const auto channel = static_cast<int64_t>(c);
      dy[c] += own[0].get(channel);
      dy_xmu[c] += own[1].get(channel);
      weights[c] += own[2].get(channel);
      biases[c] += own[3].get(channel);
    }
  }
  expect_near(dw, weights, kRounding, "gradient of the weight");
  expect_near(db, biases, kRounding, "gradient of the bias");
  const Array sum = channels(dy), sum_along = channels(dy_xmu);
  Array parts_of_dx[] = {Array(ACL_DOUBLE, {1, kChannels, kPlaces}),
                         Array(ACL_DOUBLE, {3, kChannels, kPlaces})};
  for (const int k : {0, 1}) {
    const Part& part = k == 0 ? parts.first : parts.second;
    ASSERT_TRUE(runs(PHASES(aclnnBatchNormElemtBackward), part.g, part.x, mean, invstd, weight, sum,
                     sum_along, parts.counts, parts_of_dx[k]));
  }
  expect_near(dx, joined(parts_of_dx[0], parts_of_dx[1]), kRounding, "gradient of the input");
}

// Whose statistics are no numbers.
TEST_F(SyncBatchNorm, APartWithoutSamplesIsLeftOut) {
  const Array empty(ACL_DOUBLE, {0, kChannels}), mean = channels({7, 7, 7}), invstd = channels();
  stats(empty, mean, invstd);
  EXPECT_EQ(mean.values(), Values(kChannels));
  EXPECT_TRUE(is_near(invstd.get(0), kNaN, 0));
  const Array sum = channels({7, 7, 7}), square = channels({7, 7, 7});
  ASSERT_TRUE(runs(PHASES(aclnnBatchNormReduce), empty, sum, square));
  EXPECT_EQ(sum.values(), Values(kChannels));
  EXPECT_EQ(square.values(), Values(kChannels));

  const Array means(ACL_DOUBLE, {2, kChannels}, {1, 2, 3, kNaN, kNaN, kNaN});
  const Array invstds(ACL_DOUBLE, {2, kChannels}, {0.5L, 1, 2, kNaN, kNaN, kNaN});
  const Array counts(ACL_INT64, {2, 1}, {4, 0}), merged = channels(), merged_invstd = channels();
  merge(means, invstds, counts, merged, merged_invstd);
  expect_near(merged, {1, 2, 3}, kRounding, "mean");
  expect_near(merged_invstd, {0.5L, 1, 2}, kRounding, "invstd");
}

// As aclnnBatchNorm: 1 / sqrt(0) counts as 0.
TEST_F(SyncBatchNorm, EqualValuesWithoutEpsHaveNoDeviation) {
  const Array equal(ACL_DOUBLE, {2, kChannels}, {9, 1, 2, 9, 1, 2});
  const Array mean = channels(), invstd = channels({7, 7, 7});
  stats(equal, mean, invstd, 0);
  EXPECT_EQ(invstd.values(), Values(kChannels));
  const Array means(ACL_DOUBLE, {2, kChannels}, {9, 1, 2, 9, 1, 2});
  const Array invstds(ACL_DOUBLE, {2, kChannels}), counts(ACL_DOUBLE, {2}, {2, 2});
  merge(means, invstds, counts, mean, invstd, 0);
  EXPECT_EQ(mean.values(), (Values{9, 1, 2}));
  EXPECT_EQ(invstd.values(), Values(kChannels));
}

// The numbers of torch_npu's tests.
TEST_F(SyncBatchNorm, HasTheValuesOfOthers) {
  const auto one = [](long double value) { return Array(ACL_FLOAT, {1}, {value}); };
  const Array x(ACL_FLOAT, {1, 1}, {1}), out(ACL_FLOAT, {1, 1});
  ASSERT_TRUE(runs(PHASES(aclnnBatchNormElemt), x, one(1), one(10), one(2), one(2), 0.5, out));
  EXPECT_EQ(out.get(0), 8);
  const Array counter(ACL_INT32, {3}, {5, 5, 5});
  const Array mean = one(8), two = one(2), weight = one(1);
  ASSERT_TRUE(
      runs(PHASES(aclnnBatchNormElemtBackward), x, x, mean, two, weight, two, two, counter, out));
  EXPECT_EQ(out.get(0), 9.2F);
}

}  // namespace
}  // namespace aclgrad::testing
