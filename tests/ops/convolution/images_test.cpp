// SPDX-License-Identifier: Apache-2.0
// Convolution, pooling and normalization of channels: special values, formats, products, empty
// tensors. Values of every size, dtype and layout are in tests/cases, every check in
// tests/contract.
#include <memory>

#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

using Numbers = std::vector<long double>;

Array image(aclDataType dtype, const Shape& shape, const Numbers& values = {},
            aclFormat format = ACL_FORMAT_NCHW) {
  return {dtype, shape, Array::Layout{{}, 0, -1, format}, values};
}

// ---- Empty convolutions -------------------------------------------------------------------------

class Images : public AclTest {
 protected:
  aclnnStatus max_pool(const Array& self, int64_t kernel, int64_t padding, Array& out,
                       Array& indices) {
    const IntArray size({kernel}), pad({padding}), one({1}), none({});
    return call(aclnnMaxPool2dWithIndicesGetWorkspaceSize, aclnnMaxPool2dWithIndices, self.tensor(),
                size.get(), none.get(), pad.get(), one.get(), false, out.tensor(),
                indices.tensor());
  }
  aclnnStatus batch_norm(const Array& input, bool training, Array& output, Array& mean,
                         Array& invstd) {
    const aclTensor* none = nullptr;
    aclTensor* no_running = nullptr;
    return call(aclnnBatchNormGetWorkspaceSize, aclnnBatchNorm, input.tensor(), none, none,
                no_running, no_running, training, 0.1, 0.25, output.tensor(), mean.tensor(),
                invstd.tensor());
  }
};

TEST_F(Images, GradientsOfAnEmptyConvolution) {
  const Array x = image(ACL_FLOAT, {0, 2, 4, 4}), w = image(ACL_FLOAT, {3, 2, 3, 3}, {1});
  const Array gradient = image(ACL_FLOAT, {0, 3, 2, 2});
  Array dx = image(ACL_FLOAT, {0, 2, 4, 4}), dw = image(ACL_FLOAT16, {3, 2, 3, 3}, {7});
  Array db(ACL_FLOAT, {3}, {7});
  const IntArray one({1, 1}), none({0, 0}), sizes({3});
  const bool all[] = {true, true, true};
  const std::unique_ptr<const aclBoolArray, decltype(&aclDestroyBoolArray)> mask(
      aclCreateBoolArray(all, 3), aclDestroyBoolArray);
  ASSERT_EQ(
      call(aclnnConvolutionBackwardGetWorkspaceSize, aclnnConvolutionBackward, gradient.tensor(),
           x.tensor(), w.tensor(), sizes.get(), one.get(), none.get(), one.get(), false, none.get(),
           1, mask.get(), int8_t{0}, dx.tensor(), dw.tensor(), db.tensor()),
      0)
      << recent_message();
  EXPECT_EQ(dw.values(), Numbers(54));
  EXPECT_EQ(db.values(), Numbers(3));
}

// ---- Pooling ------------------------------------------------------------------------------------

TEST_F(Images, MaximaOfSpecialValues) {
  const Array self = image(ACL_FLOAT, {1, 4, 2, 2},
                           {1, kNaN, 5, kNaN, -kInfinity, -kInfinity, -kInfinity, -kInfinity,  //
                            2, 3, 3, -1, kInfinity, 0, 0, kNaN});
  Array out = image(ACL_FLOAT, {1, 4, 1, 1}), indices = image(ACL_INT32, {1, 4, 1, 1});
  ASSERT_EQ(max_pool(self, 2, 0, out, indices), 0) << recent_message();
  EXPECT_TRUE(is_near(out.get(0), kNaN, 0));
  EXPECT_EQ(out.get(1), -kInfinity);
  EXPECT_EQ(out.get(2), 3);
  EXPECT_TRUE(is_near(out.get(3), kNaN, 0));
  EXPECT_EQ(indices.values(), (Numbers{1, 0, 1, 3}));
}

// Padding is smaller than any number.
TEST_F(Images, PaddingNeverIsTheMaximum) {
  const Array self = image(ACL_FLOAT16, {1, 1, 2, 2}, {-5, -6, -7, -8});
  Array out = image(ACL_FLOAT16, {1, 1, 2, 2}), indices = image(ACL_INT64, {1, 1, 2, 2});
  ASSERT_EQ(max_pool(self, 2, 1, out, indices), 0) << recent_message();
  EXPECT_EQ(out.values(), (Numbers{-5, -6, -7, -8}));
  EXPECT_EQ(indices.values(), (Numbers{0, 1, 2, 3}));
}

TEST_F(Images, MaximaWithTheChannelsLast) {
  const Array self = image(ACL_FLOAT, {1, 2, 2, 2}, {1, 8, 2, 7, 3, 6, 4, 5}, ACL_FORMAT_NHWC);
  Array out = image(ACL_FLOAT, {1, 1, 1, 2}, {}, ACL_FORMAT_NHWC);
  Array indices = image(ACL_INT64, {1, 1, 1, 2}, {}, ACL_FORMAT_NHWC);
  ASSERT_EQ(max_pool(self, 2, 0, out, indices), 0) << recent_message();
  EXPECT_EQ(out.values(), (Numbers{4, 8}));
  EXPECT_EQ(indices.values(), (Numbers{3, 0}));
}

TEST_F(Images, AnIndexOutsideThePlaneFailsTheTask) {
  const Array gradient = image(ACL_FLOAT, {1, 1, 1, 1}, {1}), self = image(ACL_FLOAT, {1, 1, 2, 2});
  const IntArray size({2}), pad({0}), one({1}), none({});
  for (const long double index : {4.0L, -1.0L}) {
    const Array indices = image(ACL_INT64, {1, 1, 1, 1}, {index});
    Array out = image(ACL_FLOAT, {1, 1, 2, 2});
    EXPECT_NE(
        call(aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize, aclnnMaxPool2dWithIndicesBackward,
             gradient.tensor(), self.tensor(), indices.tensor(), size.get(), none.get(), pad.get(),
             one.get(), false, out.tensor()),
        0);
    EXPECT_NE(recent_message().find("within [0, 3]"), std::string::npos);
  }
}

TEST_F(Images, AveragesOfAnEmptyBatch) {
  const Array self = image(ACL_FLOAT, {0, 1, 2, 2});
  Array out = image(ACL_FLOAT, {0, 1, 1, 1});
  const IntArray size({2}), pad({0}), none({});
  EXPECT_EQ(call(aclnnAvgPool2dGetWorkspaceSize, aclnnAvgPool2d, self.tensor(), size.get(),
                 none.get(), pad.get(), false, true, int64_t{0}, int8_t{0}, out.tensor()),
            0)
      << recent_message();
}

// ---- Normalization ------------------------------------------------------------------------------

TEST_F(Images, WhatABatchSavesDependsOnTheProduct) {
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
  const bool all[] = {true, true, true};
  const std::unique_ptr<const aclBoolArray, decltype(&aclDestroyBoolArray)> mask(
      aclCreateBoolArray(all, 3), aclDestroyBoolArray);
  const aclTensor* none = nullptr;
  ASSERT_EQ(call(aclnnBatchNormBackwardGetWorkspaceSize, aclnnBatchNormBackward, gradient.tensor(),
                 input.tensor(), none, none, none, mean.tensor(), invstd.tensor(), true, 0.25,
                 mask.get(), dx.tensor(), dw.tensor(), db.tensor()),
            0)
      << recent_message();
  EXPECT_TRUE(is_near(dw.get(0), -2 / std::sqrt(4.25L), 1e-7L));
  EXPECT_EQ(db.get(0), 1);
}

TEST_F(Images, MomentumIsTakenAsFloat) {
  const Array input(ACL_FLOAT, {2, 1}, {9, 9}), mean(ACL_FLOAT, {1}, {0}), var(ACL_FLOAT, {1}, {1});
  const Array output(ACL_FLOAT, {2, 1}), saved(ACL_FLOAT, {1}), invstd(ACL_FLOAT, {1});
  const aclTensor* none = nullptr;
  ASSERT_EQ(call(aclnnBatchNormGetWorkspaceSize, aclnnBatchNorm, input.tensor(), none, none,
                 mean.tensor(), var.tensor(), true, 0.1, 0.25, output.tensor(), saved.tensor(),
                 invstd.tensor()),
            0)
      << recent_message();
  EXPECT_EQ(mean.get(0), static_cast<float>(9 * static_cast<double>(0.1F)));  // 0.9 would be less
}

TEST_F(Images, AnEmptyBatchSavesNoVariance) {
  const Array input(ACL_FLOAT, {0, 2});
  Array output(ACL_FLOAT, {0, 2}), mean(ACL_FLOAT, {2}, {7}), invstd(ACL_FLOAT, {2}, {7});
  ASSERT_EQ(batch_norm(input, true, output, mean, invstd), 0) << recent_message();
  EXPECT_EQ(mean.values(), Numbers(2));
  EXPECT_TRUE(is_near(invstd.get(0), kNaN, 0));
}

// Of a single element a channel the variance is 0, and so is what is normalized.
TEST_F(Images, ABatchOfOneElementForEachChannel) {
  const Array input(ACL_FLOAT, {1, 2}, {4, -2});
  Array output(ACL_FLOAT, {1, 2}), mean(ACL_FLOAT, {2}), invstd(ACL_FLOAT, {2});
  Array running_mean(ACL_FLOAT, {2}, {0}), running_var(ACL_FLOAT, {2}, {1});
  const aclTensor* none = nullptr;
  ASSERT_EQ(call(aclnnBatchNormGetWorkspaceSize, aclnnBatchNorm, input.tensor(), none, none,
                 running_mean.tensor(), running_var.tensor(), true, 0.5, 0.25, output.tensor(),
                 mean.tensor(), invstd.tensor()),
            0)
      << recent_message();
  EXPECT_EQ(output.values(), (Numbers{0, 0}));
  EXPECT_EQ(running_mean.values(), (Numbers{2, -1}));
  EXPECT_EQ(running_var.values(), (Numbers{0.5L, 0.5L}));
}

// Whether the variance or what becomes of it is saved.
TEST_F(Images, ABatchOfEqualNumbersWithoutEpsIsItsBias) {
  const Array input(ACL_FLOAT, {2, 1}, {9, 9}), gradient(ACL_FLOAT, {2, 1}, {1, 3});
  const Array bias(ACL_FLOAT, {1}, {5});
  const bool all[] = {true, true, true};
  const std::unique_ptr<const aclBoolArray, decltype(&aclDestroyBoolArray)> mask(
      aclCreateBoolArray(all, 3), aclDestroyBoolArray);
  const aclTensor* none = nullptr;
  aclTensor* no_running = nullptr;
  for (const char* product : {"Ascend910B1", "Ascend950"}) {
    ASSERT_EQ(aclgradSetSocName(product), 0);
    Array output(ACL_FLOAT, {2, 1}), mean(ACL_FLOAT, {1}), invstd(ACL_FLOAT, {1});
    ASSERT_EQ(call(aclnnBatchNormGetWorkspaceSize, aclnnBatchNorm, input.tensor(), none,
                   bias.tensor(), no_running, no_running, true, 0.1, 0.0, output.tensor(),
                   mean.tensor(), invstd.tensor()),
              0)
        << recent_message();
    EXPECT_EQ(output.values(), (Numbers{5, 5})) << product;
    EXPECT_EQ(invstd.get(0), 0) << product;
    Array dx(ACL_FLOAT, {2, 1}), dw(ACL_FLOAT, {1}), db(ACL_FLOAT, {1});
    ASSERT_EQ(call(aclnnBatchNormBackwardGetWorkspaceSize, aclnnBatchNormBackward,
                   gradient.tensor(), input.tensor(), none, none, none, mean.tensor(),
                   invstd.tensor(), true, 0.0, mask.get(), dx.tensor(), dw.tensor(), db.tensor()),
              0)
        << recent_message();
    EXPECT_EQ(dx.values(), (Numbers{0, 0})) << product;
    EXPECT_EQ(dw.get(0), 0) << product;
    EXPECT_EQ(db.get(0), 4) << product;
  }
}

TEST_F(Images, AnEmptyGroupHasNoSpread) {
  const Array self(ACL_FLOAT, {2, 2, 0});
  Array out(ACL_FLOAT, {2, 2, 0}), mean(ACL_FLOAT, {2, 1}, {7}), rstd(ACL_FLOAT, {2, 1}, {7});
  const aclTensor* none = nullptr;
  ASSERT_EQ(
      call(aclnnGroupNormGetWorkspaceSize, aclnnGroupNorm, self.tensor(), none, none, int64_t{2},
           int64_t{2}, int64_t{0}, int64_t{1}, 1e-5, out.tensor(), mean.tensor(), rstd.tensor()),
      0)
      << recent_message();
  EXPECT_EQ(mean.values(), Numbers(2));
  EXPECT_TRUE(is_near(rstd.get(0), kNaN, 0));
}

}  // namespace
}  // namespace aclgrad::testing
