// SPDX-License-Identifier: Apache-2.0
// Truths, integers, permutations and classes by chance: their distributions, what is exact of them,
// and that they depend on seed, offset and position alone.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_multinomial.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_normal_out.h"
#include "aclnnop/aclnn_random.h"
#include "aclnnop/aclnn_randperm.h"
#include "aclnnop/aclnn_rrelu_with_noise.h"
#include "aclnnop/aclnn_uniform.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class DrawsTest : public AclTest {
 protected:
  Values draw_classes(const Array& weights, int64_t count, bool replacement, int64_t seed) {
    Shape shape = weights.shape();
    shape.back() = count;
    const Array out(ACL_INT64, shape);
    EXPECT_TRUE(runs(PHASES(aclnnMultinomial), weights, count, replacement, seed, int64_t{0}, out));
    return out.values();
  }
};

// A count of n draws with probability p is within six standard errors.
::testing::AssertionResult is_share(long double count, long double n, long double p) {
  return is_near(count / n, p, 6 * std::sqrt(p * (1 - p) / n));
}

TEST_F(DrawsTest, NormalNumbersOfTensorsAreThoseOfNumbers) {
  const int64_t seed = 7, offset = 3;
  const Array z(ACL_DOUBLE, {2, 3}), out(ACL_DOUBLE, {2, 3});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceNormal), z, 0.0F, 1.0F, seed, offset));
  const Array mean(ACL_FLOAT, {3}, {-1, 0, 5}), stddev(ACL_FLOAT16, {2, 1}, {2, 0.5L});
  const auto expect = [&](auto mean_of, auto std_of) {
    for (int64_t i = 0; i < 6; ++i) {
      EXPECT_TRUE(is_near(out.get(i), mean_of(i) + std_of(i) * z.get(i), 1e-15L)) << i;
    }
  };
  const auto one_mean = [](int64_t) { return 1.5L; };
  const auto one_std = [](int64_t) { return 2.0L; };
  const auto means = [&](int64_t i) { return mean.get(i % 3); };
  const auto stds = [&](int64_t i) { return stddev.get(i / 3); };
  ASSERT_TRUE(runs(PHASES(aclnnNormalFloatFloat), 1.5F, 2.0F, seed, offset, out));
  expect(one_mean, one_std);
  ASSERT_TRUE(runs(PHASES(aclnnNormalFloatTensor), 1.5F, stddev, seed, offset, out));
  expect(one_mean, stds);
  ASSERT_TRUE(runs(PHASES(aclnnNormalTensorFloat), mean, 2.0F, seed, offset, out));
  expect(means, one_std);
  ASSERT_TRUE(runs(PHASES(aclnnNormalTensorTensor), mean, stddev, seed, offset, out));
  expect(means, stds);
  const Values before = out.values();
  expect_failure(call(PHASES(aclnnNormalFloatTensor), 0.0F, Array(ACL_FLOAT, {3}, {1, -1, 1}), seed,
                      offset, out),
                 "element 1 of std is -1, but must be at least 0");
  EXPECT_EQ(out.values(), before);
}

TEST_F(DrawsTest, TruthsAreUniformNumbersBelowTheirProbability) {
  const Array u(ACL_DOUBLE, {50, 4}), probabilities(ACL_FLOAT, {4}, {0, 0.25L, 0.5L, 1});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceUniform), u, 0.0, 1.0, uint64_t{5}, uint64_t{1}));
  for (const aclDataType dtype : {ACL_FLOAT, ACL_INT32, ACL_BOOL, ACL_BF16, ACL_DOUBLE}) {
    const Array out(dtype, {50, 4});
    ASSERT_TRUE(
        runs(PHASES(aclnnBernoulliTensor), out, probabilities, int64_t{5}, int64_t{1}, out));
    for (int64_t i = 0; i < out.count(); ++i) {
      ASSERT_EQ(out.get(i), u.get(i) < probabilities.get(i % 4) ? 1 : 0) << i;
    }
  }
  const Array out(ACL_INT8, {2}, {7, 7});
  for (const long double wrong : {1.5L, -0.5L, std::nanl("")}) {
    expect_failure(call(PHASES(aclnnInplaceBernoulliTensor), out, Array(ACL_FLOAT, {1}, {wrong}),
                        int64_t{5}, int64_t{1}),
                   "element 0 of prob");
    EXPECT_EQ(out.get(0), 7);
  }
}

TEST_F(DrawsTest, IntegersAreUniform) {
  const Array out(ACL_INT32, {100000});
  ASSERT_TRUE(
      runs(PHASES(aclnnInplaceRandom), out, int64_t{-3}, int64_t{4}, int64_t{1}, int64_t{0}));
  std::map<long double, long double> counts;
  for (const long double x : out.values()) ++counts[x];
  ASSERT_EQ(counts.size(), 7);
  for (const auto& [number, count] : counts) {
    EXPECT_GE(number, -3);
    EXPECT_LE(number, 3);
    EXPECT_TRUE(is_share(count, 100000, 1 / 7.0L)) << number;
  }
  // A range of which 64 bits would give some numbers half as often again as others.
  const Array wide(ACL_INT64, {100000});
  const int64_t from = -0x6000000000000000, to = 0x6000000000000000;
  ASSERT_TRUE(runs(PHASES(aclnnInplaceRandom), wide, from, to, int64_t{1}, int64_t{0}));
  long double thirds[3] = {};
  for (const long double x : wide.values()) {
    ++thirds[static_cast<size_t>((x - static_cast<long double>(from)) / 0x1p62L)];
  }
  for (const long double count : thirds) EXPECT_TRUE(is_share(count, 100000, 1 / 3.0L));
}

TEST_F(DrawsTest, IntegersWithoutBoundsReachTheirDtypesEnds) {
  const auto extremes = [&](aclDataType dtype) {
    const Array out(dtype, {20000});
    EXPECT_TRUE(runs(PHASES(aclnnInplaceRandomWithoutFromTo), out, int64_t{1}, int64_t{0}));
    const Values values = out.values();
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    return std::pair{*least, *largest};
  };
  EXPECT_EQ(extremes(ACL_BOOL), (std::pair{0.0L, 1.0L}));
  EXPECT_EQ(extremes(ACL_INT8), (std::pair{0.0L, 127.0L}));
  EXPECT_EQ(extremes(ACL_UINT8), (std::pair{0.0L, 255.0L}));
  EXPECT_EQ(extremes(ACL_BF16), (std::pair{0.0L, 256.0L}));
  EXPECT_EQ(extremes(ACL_FLOAT16), (std::pair{0.0L, 2048.0L}));
  EXPECT_GT(extremes(ACL_INT64).second, 0x0.fp63L);
  EXPECT_LE(extremes(ACL_FLOAT).second, 0x1p24L);
  EXPECT_GT(extremes(ACL_DOUBLE).second, 0x0.fp53L);
}

TEST_F(DrawsTest, EveryOrderIsAsProbable) {
  std::map<Values, long double> counts;
  const Array out(ACL_UINT8, {4});
  constexpr int64_t kCalls = 6000;
  for (int64_t seed = 0; seed < kCalls; ++seed) {
    ASSERT_TRUE(runs(PHASES(aclnnRandperm), int64_t{4}, seed, int64_t{0}, out));
    ++counts[out.values()];
  }
  ASSERT_EQ(counts.size(), 24);
  for (const auto& [order, count] : counts) EXPECT_TRUE(is_share(count, kCalls, 1 / 24.0L));
}

TEST_F(DrawsTest, ALongPermutationHasEveryNumberOnceInEveryLayout) {
  const Shape shape{3000};
  const Array dense(ACL_INT64, shape);
  ASSERT_TRUE(runs(PHASES(aclnnRandperm), int64_t{3000}, int64_t{9}, int64_t{1}, dense));
  Values sorted = dense.values();
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], static_cast<long double>(i));
  for (const LayoutKind layout : kOutputLayouts) {
    const Array out(ACL_FLOAT, shape, make_layout(shape, layout));
    ASSERT_TRUE(runs(PHASES(aclnnRandperm), int64_t{3000}, int64_t{9}, int64_t{1}, out));
    EXPECT_EQ(out.values(), dense.values());
  }
}

TEST_F(DrawsTest, ClassesAreDrawnByTheirWeights) {
  const Array weights(ACL_FLOAT, {5}, {0, 3, 1, 0, 4});
  const Values drawn = draw_classes(weights, 80000, true, 3);
  for (int64_t k = 0; k < 5; ++k) {
    const auto count = static_cast<long double>(
        std::count(drawn.begin(), drawn.end(), static_cast<long double>(k)));
    EXPECT_TRUE(is_share(count, 80000, weights.get(k) / 8)) << k;
  }
  // Without replacement: the first by its weight, the second by its share of what is left.
  std::map<Values, long double> pairs;
  const Array rows(ACL_DOUBLE, {30000, 3}, {1, 2, 5});
  const Values two = draw_classes(rows, 2, false, 3);
  for (size_t i = 0; i < two.size(); i += 2) ++pairs[{two[i], two[i + 1]}];
  ASSERT_EQ(pairs.size(), 6);
  for (const auto& [pair, count] : pairs) {
    const long double first = rows.get(static_cast<int64_t>(pair[0]));
    const long double second = rows.get(static_cast<int64_t>(pair[1]));
    EXPECT_TRUE(is_share(count, 30000, first / 8 * second / (8 - first))) << pair[0] << pair[1];
  }
}

TEST_F(DrawsTest, RowsThatAreNoWeightsFailAndNothingIsWritten) {
  const Array out(ACL_INT64, {2, 2}, {-7, -7, -7, -7});
  const auto fails = [&](const Values& weights, bool replacement, const char* what) {
    const Array self(ACL_FLOAT, {2, 3}, Array::Layout{}, weights);
    expect_failure(
        call(PHASES(aclnnMultinomial), self, int64_t{2}, replacement, int64_t{0}, int64_t{0}, out),
        what);
    EXPECT_EQ(out.values(), Values(4, -7));
  };
  fails({1, 1, 1, 1, -1, 1}, true, "row 1 of self has -1 at 1");
  fails({1, 1, 1, 1, std::nanl(""), 1}, true, "row 1 of self has nan at 1");
  fails({1, 1, 1, 0, 0, 0}, true, "row 1 of self has a sum of 0");
  fails({1, 1, 1, 0, 2, 0}, false, "row 1 of self has 1 classes above 0, but 2 are drawn");
}

TEST_F(DrawsTest, SlopesAreDrawnWhereNumbersAreNotPositive) {
  Array x(ACL_FLOAT, {1000}), noise(ACL_FLOAT, {1000}, {9});
  x.fill({-2, 3, -0.0L, 0.5L});
  const Values before = x.values();
  ASSERT_TRUE(runs(PHASES(aclnnInplaceRReluWithNoise), x, noise, Scalar(0.125F), Scalar(0.5F), true,
                   int64_t{3}, int64_t{0}));
  std::set<long double> slopes;
  for (int64_t i = 0; i < 1000; ++i) {
    const long double from = before[static_cast<size_t>(i)];
    if (from > 0) {
      EXPECT_EQ(noise.get(i), 1);
    } else {
      EXPECT_GE(noise.get(i), 0.125L);
      EXPECT_LE(noise.get(i), 0.5L);
      slopes.insert(noise.get(i));
    }
    EXPECT_EQ(x.get(i), from * noise.get(i));
  }
  EXPECT_GT(slopes.size(), 490);
  // Outside of training, PyTorch's values.
  const Array y(ACL_FLOAT, {5}, {}, {-2, -0.0L, 0, 3, std::nanl("")}), unused(ACL_FLOAT, {5}, {9});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceRReluWithNoise), y, unused, Scalar(0.125), Scalar(0.333),
                   false, int64_t{3}, int64_t{0}));
  EXPECT_EQ(y.get(0), round_to(-0.458L, ACL_FLOAT));
  EXPECT_TRUE(std::signbit(y.get(1)));
  EXPECT_EQ(y.get(3), 3);
  EXPECT_TRUE(std::isnan(y.get(4)));
  EXPECT_EQ(unused.values(), Values(5, 9));
}

}  // namespace
}  // namespace aclgrad::testing
