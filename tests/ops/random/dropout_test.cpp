// SPDX-License-Identifier: Apache-2.0
// What no contract has of dropout: which bit is whose, what is left alone, and that
// the operators agree with each other.
#include "aclnnop/aclnn_dropout.h"
#include "aclnnop/aclnn_dropout_backward.h"
#include "aclnnop/aclnn_dropout_do_mask.h"
#include "aclnnop/aclnn_dropout_gen_mask.h"
#include "ops/random/philox.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

constexpr int64_t kSeed = 0x1234567890ABCDEF;
constexpr int64_t kOffset = 77;
constexpr int64_t kElements = 300;  // 48 bytes

class DropoutTest : public AclTest {
 protected:
  Values mask(double prob, const Array& out = Array(ACL_UINT8, {48}), int64_t offset = kOffset) {
    EXPECT_TRUE(runs(PHASES(aclnnDropoutGenMask), IntArray({3, 100}), prob, kSeed, offset, out));
    return out.values();
  }
  static bool is_kept(const Values& mask, size_t i) {
    return (static_cast<unsigned>(mask[i / 8]) >> (i % 8) & 1) != 0;
  }
};

TEST_F(DropoutTest, BitsAreThoseOfTheDocumentedWords) {
  const Values bits = mask(0.3);
  for (size_t i = 0; i < 8 * bits.size(); ++i) {
    const ops::PhiloxCounter words =
        ops::philox4x32_10({static_cast<uint32_t>(i / 4), 0, kOffset, 0},
                           {static_cast<uint32_t>(kSeed), static_cast<uint32_t>(kSeed >> 32)});
    const float u = static_cast<float>(words[i % 4]) * 0x1p-32f + 0x1p-33f;
    ASSERT_EQ(is_kept(bits, i), u < 0.7f) << i;
  }
}

TEST_F(DropoutTest, MasksDependOnOffsetAndNotOnLayout) {
  const Values bits = mask(0.5);
  EXPECT_EQ(mask(0.5), bits);
  EXPECT_NE(mask(0.5, Array(ACL_UINT8, {48}), kOffset + 1), bits);
  EXPECT_EQ(mask(0.5, Array(ACL_UINT8, {48}, Array::Layout{{3}, 2})), bits);
  EXPECT_EQ(mask(0), Values(48, 255));
  EXPECT_EQ(mask(1), Values(48, 0));
}

TEST_F(DropoutTest, AllOperatorsAgree) {
  const Values bits = mask(0.25);
  Values x;
  for (int64_t i = 0; i < kElements; ++i) x.push_back(static_cast<long double>(3 * (i + 1)));
  const Array self(ACL_FLOAT, {3, 100}, Array::Layout{{1, 3}, 0}, x);
  const Array drawn(ACL_UINT8, {48});
  const Array out(ACL_FLOAT16, {3, 100});
  ASSERT_TRUE(runs(PHASES(aclnnDropout), self, 0.25, true, kSeed, kOffset, out, drawn));
  EXPECT_EQ(drawn.values(), bits);
  const Values at_once = out.values();
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(at_once[i], is_kept(bits, i) ? x[i] / 0.75L : 0) << i;
  }
  ASSERT_TRUE(runs(PHASES(aclnnDropoutDoMask), self, drawn, 0.25, out));
  EXPECT_EQ(out.values(), at_once);
  ASSERT_TRUE(runs(PHASES(aclnnDropoutBackward), self, drawn, 1 / 0.75, out));
  EXPECT_EQ(out.values(), at_once);
  ASSERT_TRUE(runs(PHASES(aclnnDropoutBackward), self, drawn, 0.0, out));
  EXPECT_EQ(out.values(), Values(x.size(), 0));
}

TEST_F(DropoutTest, WhatIsNotDrawnIsLeftAlone) {
  const Array self(ACL_FLOAT, {2}, {5, 7});
  const Array out(ACL_FLOAT, {2});
  const auto run = [&](double p, bool train) {
    const Array drawn(ACL_UINT8, {16}, Array::Layout{}, Values(16, 9));
    EXPECT_TRUE(runs(PHASES(aclnnDropout), self, p, train, kSeed, kOffset, out, drawn));
    EXPECT_EQ(drawn.values(), Values(16, 9));
    return out.values();
  };
  EXPECT_EQ(run(0.5, false), (Values{5, 7}));
  EXPECT_EQ(run(0, true), (Values{5, 7}));
  EXPECT_EQ(run(1, true), (Values{0, 0}));
}

TEST_F(DropoutTest, AnEmptyMaskEndsAllChecks) {
  const Array self(ACL_FLOAT, {2}, {5, 7});
  const Array none(ACL_INT32, {0});
  const Array out(ACL_FLOAT, {3}, {1, 2, 3});
  EXPECT_TRUE(runs(PHASES(aclnnDropoutDoMask), self, none, 9.0, out));
  EXPECT_EQ(out.values(), (Values{1, 2, 3}));
  // More bits than elements are fine for it, but not for the gradient.
  const Array more(ACL_UINT8, {32});
  const Array two(ACL_FLOAT, {2});
  EXPECT_TRUE(runs(PHASES(aclnnDropoutDoMask), self, more, 0.5, two));
  EXPECT_TRUE(fails_with(161002, {"mask", "16"},
                         plan(aclnnDropoutBackwardGetWorkspaceSize, self, more, 2.0, two)));
}

}  // namespace
}  // namespace aclgrad::testing
