// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "aclgrad/error.h"

namespace aclgrad {
namespace {

using ::testing::ElementsAre;

TEST(PhiloxTest, KnownAnswersOfTheAuthors) {
  EXPECT_THAT(philox4x32({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_THAT(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(
      philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(RandomTest, BitsAreTheFirstWordsOfTheBlockOfTheIndex) {
  EXPECT_EQ(Random(0, 0).bits(0), 0xe169c58d6627e8d5u);
  const Random random(0x299f31d0a4093822u, 0x0370734413198a2eu);
  EXPECT_EQ(random.bits(0x85a308d3243f6a88u), 0x94fdccebd16cfe09u);
}

TEST(RandomTest, MomentsOfUniformAndNormal) {
  constexpr int kCount = 100000;
  const Random random(42, 3);
  double mean = 0, square = 0, normal_mean = 0, normal_square = 0, normal_fourth = 0;
  for (int i = 0; i < kCount; ++i) {
    const double u = random.uniform(static_cast<std::uint64_t>(i));
    const double z = random.normal(static_cast<std::uint64_t>(i));
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ASSERT_TRUE(std::isfinite(z));
    mean += u / kCount;
    square += u * u / kCount;
    normal_mean += z / kCount;
    normal_square += z * z / kCount;
    normal_fourth += z * z * z * z / kCount;
  }
  // Five standard errors each.
  EXPECT_NEAR(mean, 0.5, 5 * 0.2887 / std::sqrt(kCount));
  EXPECT_NEAR(square, 1.0 / 3, 5 * 0.2982 / std::sqrt(kCount));
  EXPECT_NEAR(normal_mean, 0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(normal_square, 1, 5 * 1.4143 / std::sqrt(kCount));
  EXPECT_NEAR(normal_fourth, 3, 5 * 9.798 / std::sqrt(kCount));
}

TEST(RandomTest, StreamsAndSeedsDiffer) {
  EXPECT_NE(Random(1, 0).bits(0), Random(1, 1).bits(0));
  EXPECT_NE(Random(1, 0).bits(0), Random(2, 0).bits(0));
  EXPECT_NE(Random(1, 0).bits(0), Random(1, 0).bits(1));
}

TEST(RandomTest, BelowStaysBelowAndReachesEverything) {
  std::map<std::uint64_t, int> counts;
  for (std::uint64_t i = 0; i < 6000; ++i) ++counts[Random(9).below(i, 6)];
  ASSERT_EQ(counts.size(), 6u);
  for (const auto& [face, count] : counts) {
    EXPECT_LT(face, 6u);
    EXPECT_NEAR(count, 1000, 150) << face;
  }
  EXPECT_EQ(Random(9).below(0, 1), 0u);
}

TEST(RandomTest, PermutationIsFixedForever) {
  EXPECT_THAT(random_permutation(8, 1), ElementsAre(6, 4, 5, 2, 1, 0, 3, 7));
  EXPECT_THAT(random_permutation(8, 1, 1), ElementsAre(6, 1, 4, 2, 3, 0, 5, 7));
  EXPECT_TRUE(random_permutation(0, 1).empty());
  EXPECT_THROW(random_permutation(-1, 1), ValueError);
  std::vector<std::int64_t> order = random_permutation(1000, 5);
  EXPECT_FALSE(std::ranges::is_sorted(order));
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], static_cast<std::int64_t>(i));
}

TEST(RandomTest, PermutationsOfThreeAreEquallyLikely) {
  std::map<std::vector<std::int64_t>, int> counts;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) ++counts[random_permutation(3, seed)];
  ASSERT_EQ(counts.size(), 6u);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace aclgrad
