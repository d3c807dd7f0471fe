// SPDX-License-Identifier: Apache-2.0
// The older and less used sisters of other operators: what only they do.
#include "aclnnop/aclnn_apply_adam_w.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_uniform.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class VariantsTest : public AclTest {};

TEST_F(VariantsTest, MeanV2OfNoDimensionsIsAllOrNone) {
  Array self(ACL_FLOAT, {2, 2}, {1, 2, 3, 6});
  Array all(ACL_FLOAT, {}), none(ACL_FLOAT16, {2, 2});
  const IntArray empty({});
  ASSERT_TRUE(runs(PHASES(aclnnMeanV2), self, empty, false, false, all));
  EXPECT_EQ(all.get(0), 3);
  ASSERT_TRUE(runs(PHASES(aclnnMeanV2), self, empty, false, true, none));
  EXPECT_EQ(none.values(), self.values());
  EXPECT_TRUE(fails_with(161002, {"aclnnMeanV2", "out", "[2, 2]", "[]"},
                         plan(aclnnMeanV2GetWorkspaceSize, self, empty, false, true, all)));
}

TEST_F(VariantsTest, MeanV2TakesTheMeanInTheInputsDtype) {
  Array self(ACL_INT32, {2}, {2, 5}), out(ACL_FLOAT, {1});
  const IntArray dims({0});
  ASSERT_TRUE(runs(PHASES(aclnnMeanV2), self, dims, true, false, out));
  EXPECT_EQ(out.get(0), 3);  // 3.5, truncated before it is converted
}

// Seed and offset of a run in tensors give what they give as numbers, and are read by the run.
TEST_F(VariantsTest, RandomNumbersOfTensors) {
  constexpr int64_t kSeed = 0x123456789, kOffset = 40, kExtra = 2;
  Array seed(ACL_INT64, {1}, {1}), offset(ACL_INT64, {1}, {1});
  for (const bool is_normal : {true, false}) {
    Array expected(ACL_FLOAT, {100}), actual(ACL_FLOAT, {100});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    if (is_normal) {
      ASSERT_TRUE(runs(PHASES(aclnnInplaceNormal), expected, 0.5f, 2.0f, kSeed, kOffset + kExtra));
      ASSERT_EQ(aclnnInplaceNormalTensorGetWorkspaceSize(actual.tensor(), 0.5f, 2.0f, seed.tensor(),
                                                         offset.tensor(), kExtra, &size, &executor),
                0);
    } else {
      ASSERT_TRUE(runs(PHASES(aclnnInplaceUniform), expected, -1.0, 3.0, uint64_t{kSeed},
                       uint64_t{kOffset + kExtra}));
      ASSERT_EQ(
          aclnnInplaceUniformTensorGetWorkspaceSize(actual.tensor(), -1, 3, seed.tensor(),
                                                    offset.tensor(), kExtra, &size, &executor),
          0);
    }
    seed.set(0, kSeed);  // after phase one
    offset.set(0, kOffset);
    ASSERT_EQ((is_normal ? aclnnInplaceNormalTensor : aclnnInplaceUniformTensor)(
                  nullptr, size, executor, stream()),
              0);
    ASSERT_EQ(aclrtSynchronizeStream(stream()), 0);
    EXPECT_EQ(actual.values(), expected.values());
  }
}

TEST_F(VariantsTest, AdamWOfTensorsNeedsNothingForEmptyParameters) {
  Array var(ACL_FLOAT, {0}), m(ACL_FLOAT, {0}), v(ACL_FLOAT, {0});
  const Array grad(ACL_FLOAT, {0}), half(ACL_FLOAT, {1}, {0.5});
  EXPECT_TRUE(runs(PHASES(aclnnApplyAdamW), var, m, v, half, half, half, half, half, half, half,
                   grad, nullptr, false, false));
}

TEST_F(VariantsTest, AdamWOfTensorsReadsThemWhenTheStepRuns) {
  Array var(ACL_FLOAT, {1}, {1}), m(ACL_FLOAT, {1}, {1}), v(ACL_FLOAT, {1}, {1});
  const Array half(ACL_FLOAT, {}, {0.5}), zero(ACL_FLOAT, {1, 1}, {0}), grad(ACL_FLOAT, {1}, {1});
  Array lr(ACL_FLOAT, {1}, {9});
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnApplyAdamWGetWorkspaceSize(var.tensor(), m.tensor(), v.tensor(), half.tensor(),
                                            half.tensor(), lr.tensor(), zero.tensor(),
                                            half.tensor(), half.tensor(), zero.tensor(),
                                            grad.tensor(), nullptr, false, false, &size, &executor),
            0);
  lr.set(0, 0.5L);
  ASSERT_EQ(aclnnApplyAdamW(nullptr, size, executor, stream()), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream()), 0);
  EXPECT_LE(ulp_error(var.get(0), 1 - std::sqrt(0.75L) / 1.5L, ACL_FLOAT), 1);
}

}  // namespace
}  // namespace aclgrad::testing
