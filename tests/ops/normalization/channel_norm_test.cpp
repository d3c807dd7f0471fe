// SPDX-License-Identifier: Apache-2.0
// Normalization of channels: products, momentum, empty and single elements.
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_group_norm.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

using Numbers = std::vector<long double>;

class ChannelNormTest : public AclTest {
 protected:
  aclnnStatus batch_norm(const Array& input, bool training, Array& output, Array& mean,
                         Array& invstd) {
    const aclTensor* none = nullptr;
    aclTensor* no_running = nullptr;
    return call(PHASES(aclnnBatchNorm), input, none, none, no_running, no_running, training, 0.1,
                0.25, output, mean, invstd);
  }
};

TEST_F(ChannelNormTest, WhatABatchSavesDependsOnTheProduct) {
  const Array input(ACL_FLOAT, {2, 1}, {1, 5});
  Array output(ACL_FLOAT, {2, 1}), mean(ACL_FLOAT, {1}), invstd(ACL_FLOAT, {1});
  ASSERT_EQ(batch_norm(input, true, output, mean, invstd), 0) << recent_message();
  EXPECT_EQ(mean.get(0), 3);
  EXPECT_EQ(invstd.get(0), 4);  // the variance
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  ASSERT_EQ(batch_norm(input, true, output, mean, invstd), 0) << recent_message();
  EXPECT_TRUE(is_near(invstd.get(0), 1 / std::sqrt(4.25L), 1e-7L));

  // The backward reads the same.
  const Array gradient(ACL_FLOAT, {2, 1}, {1, 0});
  Array dx(ACL_FLOAT, {2, 1}), dw(ACL_FLOAT, {1}), db(ACL_FLOAT, {1});
  const BoolArray mask{true, true, true};
  const aclTensor* none = nullptr;
  ASSERT_TRUE(runs(PHASES(aclnnBatchNormBackward), gradient, input, none, none, none, mean, invstd,
                   true, 0.25, mask, dx, dw, db));
  EXPECT_TRUE(is_near(dw.get(0), -2 / std::sqrt(4.25L), 1e-7L));
  EXPECT_EQ(db.get(0), 1);
}

TEST_F(ChannelNormTest, MomentumIsTakenAsFloat) {
  const Array input(ACL_FLOAT, {2, 1}, {9, 9}), mean(ACL_FLOAT, {1}, {0}), var(ACL_FLOAT, {1}, {1});
  const Array output(ACL_FLOAT, {2, 1}), saved(ACL_FLOAT, {1}), invstd(ACL_FLOAT, {1});
  const aclTensor* none = nullptr;
  ASSERT_TRUE(runs(PHASES(aclnnBatchNorm), input, none, none, mean, var, true, 0.1, 0.25, output,
                   saved, invstd));
  EXPECT_EQ(mean.get(0), static_cast<float>(9 * static_cast<double>(0.1F)));  // 0.9 would be less
}

TEST_F(ChannelNormTest, AnEmptyBatchSavesNoVariance) {
  const Array input(ACL_FLOAT, {0, 2});
  Array output(ACL_FLOAT, {0, 2}), mean(ACL_FLOAT, {2}, {7}), invstd(ACL_FLOAT, {2}, {7});
  ASSERT_EQ(batch_norm(input, true, output, mean, invstd), 0) << recent_message();
  EXPECT_EQ(mean.values(), Numbers(2));
  EXPECT_TRUE(is_near(invstd.get(0), kNaN, 0));
}

// Of a single element a channel the variance is 0, and so is what is normalized.
TEST_F(ChannelNormTest, ABatchOfOneElementForEachChannel) {
  const Array input(ACL_FLOAT, {1, 2}, {4, -2});
  Array output(ACL_FLOAT, {1, 2}), mean(ACL_FLOAT, {2}), invstd(ACL_FLOAT, {2});
  Array running_mean(ACL_FLOAT, {2}, {0}), running_var(ACL_FLOAT, {2}, {1});
  const aclTensor* none = nullptr;
  ASSERT_TRUE(runs(PHASES(aclnnBatchNorm), input, none, none, running_mean, running_var, true, 0.5,
                   0.25, output, mean, invstd));
  EXPECT_EQ(output.values(), (Numbers{0, 0}));
  EXPECT_EQ(running_mean.values(), (Numbers{2, -1}));
  EXPECT_EQ(running_var.values(), (Numbers{0.5L, 0.5L}));
}

// Whether the variance or what becomes of it is saved.
TEST_F(ChannelNormTest, ABatchOfEqualNumbersWithoutEpsIsItsBias) {
  const Array input(ACL_FLOAT, {2, 1}, {9, 9}), gradient(ACL_FLOAT, {2, 1}, {1, 3});
  const Array bias(ACL_FLOAT, {1}, {5});
  const BoolArray mask{true, true, true};
  const aclTensor* none = nullptr;
  aclTensor* no_running = nullptr;
  for (const char* product : {"Ascend910B1", "Ascend950"}) {
    ASSERT_EQ(aclgradSetSocName(product), 0);
    Array output(ACL_FLOAT, {2, 1}), mean(ACL_FLOAT, {1}), invstd(ACL_FLOAT, {1});
    ASSERT_TRUE(runs(PHASES(aclnnBatchNorm), input, none, bias, no_running, no_running, true, 0.1,
                     0.0, output, mean, invstd));
    EXPECT_EQ(output.values(), (Numbers{5, 5})) << product;
    EXPECT_EQ(invstd.get(0), 0) << product;
    Array dx(ACL_FLOAT, {2, 1}), dw(ACL_FLOAT, {1}), db(ACL_FLOAT, {1});
    ASSERT_TRUE(runs(PHASES(aclnnBatchNormBackward), gradient, input, none, none, none, mean,
                     invstd, true, 0.0, mask, dx, dw, db));
    EXPECT_EQ(dx.values(), (Numbers{0, 0})) << product;
    EXPECT_EQ(dw.get(0), 0) << product;
    EXPECT_EQ(db.get(0), 4) << product;
  }
}

TEST_F(ChannelNormTest, AnEmptyGroupHasNoSpread) {
  const Array self(ACL_FLOAT, {2, 2, 0});
  Array out(ACL_FLOAT, {2, 2, 0}), mean(ACL_FLOAT, {2, 1}, {7}), rstd(ACL_FLOAT, {2, 1}, {7});
  const aclTensor* none = nullptr;
  ASSERT_TRUE(runs(PHASES(aclnnGroupNorm), self, none, none, int64_t{2}, int64_t{2}, int64_t{0},
                   int64_t{1}, 1e-5, out, mean, rstd));
  EXPECT_EQ(mean.values(), Numbers(2));
  EXPECT_TRUE(is_near(rstd.get(0), kNaN, 0));
}

// A program gives them a byte for each number, one behind the other, in memory that is large
// enough, and never looks at them.
TEST_F(ChannelNormTest, GroupsDoNotDependOnWhereTheirStatisticsAreWritten) {
  constexpr int64_t kImages = 2, kGroups = 3, kCount = kImages * kGroups;
  Array self(ACL_FLOAT, {kImages, 6, 4}), expected(ACL_FLOAT, {kImages, 6, 4});
  for (int64_t i = 0; i < self.count(); ++i) self.set(i, static_cast<long double>(i * i % 17));
  Array mean(ACL_FLOAT, {kImages, kGroups}), rstd(ACL_FLOAT, {kImages, kGroups});
  Array out(ACL_FLOAT, {kImages, 6, 4});
  const Buffer pool(1024);
  auto* const bytes = static_cast<std::byte*>(pool.data());
  const Shape shape = {kImages, kGroups}, strides = {kGroups, 1};
  const int64_t storage = kCount;
  const auto at = [&](int64_t offset) {
    return TensorHandle(aclCreateTensor(shape.data(), 2, ACL_FLOAT, strides.data(), 0,
                                        ACL_FORMAT_ND, &storage, 1, bytes + offset));
  };
  const TensorHandle near_mean = at(0), near_rstd = at(kCount);
  const aclTensor* const none = nullptr;
  const auto norm = [&](Array& result, aclTensor* means, aclTensor* rstds) {
    return runs(PHASES(aclnnGroupNorm), self, none, none, kImages, int64_t{6}, int64_t{4}, kGroups,
                1e-5, result, means, rstds);
  };
  ASSERT_TRUE(norm(expected, mean.tensor(), rstd.tensor()));
  ASSERT_TRUE(norm(out, near_mean.get(), near_rstd.get()));
  EXPECT_EQ(out.values(), expected.values());
}

}  // namespace
}  // namespace aclgrad::testing
