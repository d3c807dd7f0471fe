// SPDX-License-Identifier: Apache-2.0
// What no contract has of resizing: axes that keep their size, and what is no number beside a
// weight of 0, as in PyTorch.
#include "aclnnop/aclnn_upsample_bicubic_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_linear_1d.h"
#include "aclnnop/aclnn_upsample_linear_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact_1d.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class UpsampleTest : public AclTest {
 protected:
  Values linear(const Values& x, int64_t size, bool corners, double scale) {
    const Array self(ACL_FLOAT, {1, 1, static_cast<int64_t>(x.size())}, {}, x);
    const Array out(ACL_FLOAT, {1, 1, size});
    const IntArray sizes({size});
    EXPECT_TRUE(runs(PHASES(aclnnUpsampleLinear1d), self, sizes, corners, scale, out));
    return out.values();
  }
};

// A scale of 1.1 leads from 7 to 7 elements.
TEST_F(UpsampleTest, AnAxisThatKeepsItsSizeIsCopiedWhateverTheScale) {
  const Values x = {1, 2, 4, kNaN, 16, kInfinity, 64};
  for (const bool corners : {false, true}) {
    for (const double scale : {0.0, 1.0, 1.1}) {
      expect_same(linear(x, 7, corners, scale), x);
    }
  }
  const Array g(ACL_FLOAT, {1, 1, 7}, {}, {1, 2, 4, 8, 16, 32, 64}), back(ACL_FLOAT, {1, 1, 7});
  const IntArray out({7}), in({1, 1, 7});
  ASSERT_TRUE(runs(PHASES(aclnnUpsampleLinear1dBackward), g, out, in, false, 1.1, back));
  EXPECT_EQ(back.values(), g.values());
  // One axis that is resized, and one that is not.
  const Array plane(ACL_FLOAT, {1, 1, 2, 7}, {}, {1, 2, 3, 4, 5, 6, 7, 3, 4, 5, 6, 7, 8, 9});
  const Array larger(ACL_FLOAT, {1, 1, 4, 7});
  const IntArray sizes({4, 7});
  ASSERT_TRUE(runs(PHASES(aclnnUpsampleBilinear2d), plane, sizes, false, 2.0, 1.1, larger));
  for (int64_t x0 = 0; x0 < 7; ++x0) {
    const auto first = static_cast<long double>(x0 + 1);
    EXPECT_EQ(larger.get(x0), first);
    EXPECT_EQ(larger.get(7 + x0), first + 0.5L);
    EXPECT_EQ(larger.get(21 + x0), first + 2);
  }
}

// The place of each result is a whole number here, so that all weights but one are 0.
TEST_F(UpsampleTest, NaNCountsBesideAWeightOfZero) {
  // At 0, 1/2, 1, 3/2, 2.
  expect_same(linear({1, 2, kNaN}, 5, true, 0), {1, 1.5L, kNaN, kNaN, kNaN});
  const Values first = linear({1, kNaN}, 4, false, 0);  // the first is held at 0
  EXPECT_TRUE(is_near(first[0], kNaN, 0));
  const Array self(ACL_FLOAT, {1, 1, 1, 3}, {}, {1, 2, kNaN}), out(ACL_FLOAT, {1, 1, 1, 5});
  const IntArray sizes({1, 5});
  ASSERT_TRUE(runs(PHASES(aclnnUpsampleBicubic2d), self, sizes, true, 0.0, 0.0, out));
  // Number floor(x) + 2 counts too.
  expect_same(out, Values(5, kNaN));
}

TEST_F(UpsampleTest, ASizeOfZeroIsNamedItself) {
  const Array self(ACL_FLOAT, {1, 1, 3}), out(ACL_FLOAT, {1, 1, 0});
  const IntArray sizes({0});
  expect_failure(call(PHASES(aclnnUpsampleNearestExact1d), self, sizes, 0.0, out),
                 "outputSize must be sizes above 0, but is [0]", 161002);
}

}  // namespace
}  // namespace aclgrad::testing
