// SPDX-License-Identifier: Apache-2.0
// Fills whose values are PyTorch's.
#include "aclnnop/aclnn_eye.h"
#include "aclnnop/aclnn_fill_diagonal.h"
#include "aclnnop/aclnn_fill_tensor.h"
#include "aclnnop/aclnn_masked_fill_tensor.h"
#include "aclnnop/aclnn_ones.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

using FillsTest = AclTest;

TEST_F(FillsTest, ADiagonalWrapsAsInPyTorch) {
  const Scalar one(int32_t{1});
  const auto places = [&](const Shape& shape, bool wrap) {
    const Array matrix(ACL_INT8, shape, {0});
    EXPECT_TRUE(runs(PHASES(aclnnInplaceFillDiagonal), matrix, one, wrap));
    std::vector<int64_t> found;
    for (int64_t i = 0; i < matrix.count(); ++i) {
      if (matrix.get(i) == 1) found.push_back(i);
    }
    return found;
  };
  EXPECT_EQ(places({5, 2}, true), (Shape{0, 3, 6, 9}));
  EXPECT_EQ(places({7, 3}, true), (Shape{0, 4, 8, 12, 16, 20}));
  EXPECT_EQ(places({3, 7}, true), (Shape{0, 8, 16}));
  EXPECT_EQ(places({4, 2}, false), (Shape{0, 3}));
  EXPECT_EQ(places({3, 3, 3}, true), (Shape{0, 13, 26}));
}

TEST_F(FillsTest, ADiagonalOfAViewStaysWithinIt) {
  Array all(ACL_FLOAT, {6, 4}, {0});
  const Array view(all, {4, 2}, {{4, 2}, 5});  // columns 1 and 3 of rows 1 to 4
  ASSERT_TRUE(runs(PHASES(aclnnInplaceFillDiagonal), view, Scalar(2.5F), true));
  EXPECT_EQ(view.values(), (Values{2.5L, 0, 0, 2.5L, 0, 0, 2.5L, 0}));
  Values expected(24, 0);
  expected[5] = expected[11] = expected[17] = 2.5L;
  EXPECT_EQ(all.values(), expected);
}

TEST_F(FillsTest, OnesAndTheIdentityHaveManyDtypes) {
  for (const aclDataType dtype :
       {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT8, ACL_INT64, ACL_UINT8, ACL_BOOL}) {
    const Array ones(dtype, {3}, {0}), eye(dtype, {2, 3}, {1});
    ASSERT_TRUE(runs(PHASES(aclnnInplaceOne), ones));
    EXPECT_EQ(ones.values(), Values(3, 1));
    ASSERT_TRUE(runs(PHASES(aclnnEye), int64_t{2}, int64_t{3}, eye));
    EXPECT_EQ(eye.values(), (Values{1, 0, 0, 0, 1, 0}));
  }
  const Array none(ACL_FLOAT, {0, 3});
  EXPECT_TRUE(runs(PHASES(aclnnEye), int64_t{0}, int64_t{3}, none));
}

// The value is what its memory has when the work runs, and is converted as a cast is.
TEST_F(FillsTest, ATensorOfOneElementFills) {
  const Array out(ACL_INT32, {3}, {7, 7, 7});
  Array value(ACL_FLOAT, {1, 1}, {-2.75L});
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnInplaceFillTensorGetWorkspaceSize(out.tensor(), value.tensor(), &size, &executor),
            0);
  EXPECT_EQ(out.get(0), 7);
  value.set(0, 9.5L);
  ASSERT_EQ(aclnnInplaceFillTensor(nullptr, size, executor, stream()), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream()), 0);
  EXPECT_EQ(out.values(), Values(3, 9));
  const Array scalar(ACL_DOUBLE, {}, {5});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceFillTensor), scalar, value));
  EXPECT_EQ(scalar.get(0), 9.5L);
}

TEST_F(FillsTest, AMaskChoosesWhereATensorsValueGoes) {
  const Array x(ACL_INT32, {2, 3}, {1, 2, 3, 4, 5, 6}), mask(ACL_BOOL, {3}, {1, 0, 1});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceMaskedFillTensor), x, mask, Array(ACL_FLOAT, {}, {-2.75L})));
  EXPECT_EQ(x.values(), (Values{-2, 2, -2, -2, 5, -2}));
  const Array half(ACL_FLOAT16, {3}, {1, 2, 3});
  ASSERT_TRUE(
      runs(PHASES(aclnnInplaceMaskedFillTensor), half, mask, Array(ACL_DOUBLE, {}, {2049})));
  EXPECT_EQ(half.values(), (Values{2048, 2, 2048}));
}

}  // namespace
}  // namespace aclgrad::testing
