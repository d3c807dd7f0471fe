// SPDX-License-Identifier: Apache-2.0
#include "framework/viz/layout.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/random.h"

namespace aclgrad::viz {
namespace {

// Chains, skips and fan-out in all lanes; backward nodes also read forward ones, and so on.
std::vector<Block> random_blocks(std::uint64_t seed, std::size_t count) {
  const Random random(seed);
  std::uint64_t drawn = 0;
  const auto below = [&](std::size_t limit) {
    return static_cast<std::size_t>(random.uniform(drawn++) * static_cast<double>(limit));
  };
  std::vector<Block> blocks;
  for (std::size_t v = 0; v < count; ++v) {
    Block block;
    block.lane = v * kLanes / count;
    block.source = v == 0 || below(4) == 0;
    if (!block.source) {
      const std::size_t inputs = 1 + below(3);
      for (std::size_t i = 0; i < inputs; ++i) {
        // Mostly recent ones, as in real graphs.
        const std::size_t u = below(3) == 0 ? below(v) : v - 1 - below(std::min<std::size_t>(v, 4));
        if (std::ranges::find(block.inputs, u) == block.inputs.end()) block.inputs.push_back(u);
      }
      block.view = block.inputs.size() == 1 && below(3) == 0;
    }
    blocks.push_back(block);
  }
  return blocks;
}

bool overlap(const Point& a, const Point& b) {
  return std::abs(a.first - b.first) < kBlockWidth && std::abs(a.second - b.second) < kBlockHeight;
}

// Whether a line parallel to an axis runs through the inside of a block.
bool crosses(const Point& p, const Point& q, const Point& corner) {
  constexpr double kSkin = 0.01;  // lines end at the edges
  const auto apart = [](double a, double b, double low, double high) {
    return std::max(a, b) < low + kSkin || std::min(a, b) > high - kSkin;
  };
  return !apart(p.first, q.first, corner.first, corner.first + kBlockWidth) &&
         !apart(p.second, q.second, corner.second, corner.second + kBlockHeight);
}

class RandomLayouts : public testing::TestWithParam<int> {};

TEST_P(RandomLayouts, NothingOverlapsAndEveryUseHasItsLine) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const std::vector<Block> blocks = random_blocks(seed, 6 + 9 * seed);
  const Layout layout = lay_out(blocks);
  ASSERT_EQ(layout.corners.size(), blocks.size());
  std::size_t uses = 0;
  for (std::size_t v = 0; v < blocks.size(); ++v) {
    const Point& at = layout.corners[v];
    EXPECT_GE(at.first, -0.01);
    EXPECT_GE(at.second, 0);
    EXPECT_LE(at.first + kBlockWidth, layout.width + 0.01);
    EXPECT_LE(at.second + kBlockHeight, layout.height);
    for (std::size_t u = 0; u < v; ++u) EXPECT_FALSE(overlap(layout.corners[u], at)) << u << v;
    for (const std::size_t u : blocks[v].inputs) {
      ++uses;
      if (blocks[u].lane != blocks[v].lane) continue;
      const double below = at.second - layout.corners[u].second;
      // Within a lane all lines run one way: down, in the backward lane up.
      EXPECT_GT(blocks[v].lane == kBackward ? -below : below, kBlockHeight) << u << " " << v;
    }
  }
  EXPECT_EQ(layout.routes.size(), uses);
  for (const Route& route : layout.routes) {
    if (!route.right_angled) continue;
    for (std::size_t i = 0; i + 1 < route.points.size(); ++i) {
      const Point& p = route.points[i];
      const Point& q = route.points[i + 1];
      ASSERT_TRUE(p.first == q.first || p.second == q.second);
      for (std::size_t v = 0; v < blocks.size(); ++v) {
        EXPECT_FALSE(crosses(p, q, layout.corners[v]))
            << "line " << route.from << " to " << route.to << " through " << v;
      }
    }
  }
}

// Lines from different sources never run on top of each other.
TEST_P(RandomLayouts, LinesOfDifferentSourcesKeepApart) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const Layout layout = lay_out(random_blocks(seed, 6 + 9 * seed));
  for (const Route& a : layout.routes) {
    for (const Route& b : layout.routes) {
      if (a.from >= b.from || !a.right_angled || !b.right_angled) continue;
      for (std::size_t i = 1; i + 2 < a.points.size(); ++i) {
        for (std::size_t k = 1; k + 2 < b.points.size(); ++k) {
          const auto [a1, a2] = std::pair(a.points[i], a.points[i + 1]);
          const auto [b1, b2] = std::pair(b.points[k], b.points[k + 1]);
          if (a1.second != a2.second || b1.second != b2.second || a1.second != b1.second) continue;
          EXPECT_TRUE(std::max(a1.first, a2.first) < std::min(b1.first, b2.first) ||
                      std::max(b1.first, b2.first) < std::min(a1.first, a2.first))
              << a.from << "->" << a.to << " and " << b.from << "->" << b.to;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLayouts, testing::Range(1, 16));

TEST(Layout, GradientOperatorsStandBesideWhatTheyDifferentiate) {
  // x -> a -> b -> loss, then the gradients of b and of a, which read a's and x's results.
  const std::vector<Block> blocks = {
      {kForward, true, false, {}},       {kForward, false, false, {0}},
      {kForward, false, false, {1}},     {kForward, false, false, {2}},
      {kBackward, true, false, {}},      {kBackward, false, false, {4, 2}},
      {kBackward, false, false, {5, 1}}, {kUpdate, false, false, {6}}};
  const Layout layout = lay_out(blocks);
  EXPECT_EQ(layout.corners[5].second, layout.corners[2].second);
  EXPECT_EQ(layout.corners[6].second, layout.corners[1].second);
  EXPECT_EQ(layout.corners[7].second, layout.corners[6].second);
  EXPECT_LT(layout.corners[3].first, layout.corners[5].first);
  EXPECT_LT(layout.corners[5].first, layout.corners[7].first);
}

TEST(Layout, OfNothingIsEmpty) {
  const Layout layout = lay_out({});
  EXPECT_EQ(layout.width, 0);
  EXPECT_THAT(layout.corners, testing::IsEmpty());
}

}  // namespace
}  // namespace aclgrad::viz
