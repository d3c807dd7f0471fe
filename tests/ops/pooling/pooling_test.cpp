// SPDX-License-Identifier: Apache-2.0
// Pooling: special values, formats, an index outside the plane, an empty batch.
#include "aclnnop/aclnn_avgpool2d.h"
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

class PoolingTest : public AclTest {
 protected:
  aclnnStatus max_pool(const Array& self, int64_t kernel, int64_t padding, Array& out,
                       Array& indices) {
    const IntArray size({kernel}), pad({padding}), one({1}), none({});
    return call(aclnnMaxPool2dWithIndicesGetWorkspaceSize, aclnnMaxPool2dWithIndices, self.tensor(),
                size.get(), none.get(), pad.get(), one.get(), false, out.tensor(),
                indices.tensor());
  }
};

TEST_F(PoolingTest, MaximaOfSpecialValues) {
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
TEST_F(PoolingTest, PaddingNeverIsTheMaximum) {
  const Array self = image(ACL_FLOAT16, {1, 1, 2, 2}, {-5, -6, -7, -8});
  Array out = image(ACL_FLOAT16, {1, 1, 2, 2}), indices = image(ACL_INT64, {1, 1, 2, 2});
  ASSERT_EQ(max_pool(self, 2, 1, out, indices), 0) << recent_message();
  EXPECT_EQ(out.values(), (Numbers{-5, -6, -7, -8}));
  EXPECT_EQ(indices.values(), (Numbers{0, 1, 2, 3}));
}

TEST_F(PoolingTest, MaximaWithTheChannelsLast) {
  const Array self = image(ACL_FLOAT, {1, 2, 2, 2}, {1, 8, 2, 7, 3, 6, 4, 5}, ACL_FORMAT_NHWC);
  Array out = image(ACL_FLOAT, {1, 1, 1, 2}, {}, ACL_FORMAT_NHWC);
  Array indices = image(ACL_INT64, {1, 1, 1, 2}, {}, ACL_FORMAT_NHWC);
  ASSERT_EQ(max_pool(self, 2, 0, out, indices), 0) << recent_message();
  EXPECT_EQ(out.values(), (Numbers{4, 8}));
  EXPECT_EQ(indices.values(), (Numbers{3, 0}));
}

TEST_F(PoolingTest, AnIndexOutsideThePlaneFailsTheTask) {
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

TEST_F(PoolingTest, AveragesOfAnEmptyBatch) {
  const Array self = image(ACL_FLOAT, {0, 1, 2, 2});
  Array out = image(ACL_FLOAT, {0, 1, 1, 1});
  const IntArray size({2}), pad({0}), none({});
  EXPECT_EQ(call(aclnnAvgPool2dGetWorkspaceSize, aclnnAvgPool2d, self.tensor(), size.get(),
                 none.get(), pad.get(), false, true, int64_t{0}, int8_t{0}, out.tensor()),
            0)
      << recent_message();
}

}  // namespace
}  // namespace aclgrad::testing
