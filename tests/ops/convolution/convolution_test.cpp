// SPDX-License-Identifier: Apache-2.0
// An empty convolution. Values of every size, dtype and layout are in tests/cases, every check in
// tests/contract.
#include <memory>

#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

using Numbers = std::vector<long double>;

Array image(aclDataType dtype, const Shape& shape, const Numbers& values = {}) {
  return {dtype, shape, Array::Layout{{}, 0, -1, ACL_FORMAT_NCHW}, values};
}

using ConvolutionTest = AclTest;

TEST_F(ConvolutionTest, GradientsOfAnEmptyConvolution) {
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

}  // namespace
}  // namespace aclgrad::testing
