// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_matmul.h"
#include "tests/ops/operators/training/support.h"

namespace aclgrad::testing {
namespace {

class MatmulChecks : public AclTest {};

TEST_F(MatmulChecks, ADotProductHasOneElementAndAtMostOneDimension) {
  Array vector(ACL_FLOAT, {4});
  Array fine(ACL_FLOAT, {1}), wrong(ACL_FLOAT, {1, 1});
  EXPECT_EQ(
      plan(aclnnMatmulGetWorkspaceSize, vector.tensor(), vector.tensor(), fine.tensor(), int8_t{0})
          .status,
      0);
  EXPECT_TRUE(fails_with(161002, {"out", "[]", "[1, 1]"},
                         plan(aclnnMatmulGetWorkspaceSize, vector.tensor(), vector.tensor(),
                              wrong.tensor(), int8_t{0})));
}

TEST_F(MatmulChecks, NegativeCubeMathTypeIsRefused) {
  Array a(ACL_FLOAT, {2, 2});
  EXPECT_TRUE(fails_with(
      161002, {"aclnnMatmul", "cubeMathType", "-1"},
      plan(aclnnMatmulGetWorkspaceSize, a.tensor(), a.tensor(), a.tensor(), int8_t{-1})));
}

TEST_F(MatmulChecks, OldProductsKnowNoBf16AndNoFullFloat) {
  for (const char* soc : {"Ascend910A", "Ascend310P3"}) {
    ASSERT_EQ(aclgradSetSocName(soc), 0);
    Array b(ACL_BF16, {2, 2});
    EXPECT_TRUE(fails_with(
        161002, {"self", "DT_BF16"},
        plan(aclnnMatmulGetWorkspaceSize, b.tensor(), b.tensor(), b.tensor(), int8_t{1})));
    Array f(ACL_FLOAT, {2, 2});
    for (int8_t type : {int8_t{0}, int8_t{3}}) {
      EXPECT_TRUE(
          fails_with(161002, {"cubeMathType", "DT_FLOAT"},
                     plan(aclnnMatmulGetWorkspaceSize, f.tensor(), f.tensor(), f.tensor(), type)));
    }
    EXPECT_EQ(
        plan(aclnnMatmulGetWorkspaceSize, f.tensor(), f.tensor(), f.tensor(), int8_t{1}).status, 0);
  }
}

TEST_F(MatmulChecks, ViewsOutsideTheirStorageAreRefused) {
  const Array outside(ACL_FLOAT, {2, 3}, Array::Layout{{5, 2}, 0, 4});
  const Array b(ACL_FLOAT, {3, 2});
  Array out(ACL_FLOAT, {2, 2});
  EXPECT_TRUE(fails_with(
      561103, {"aclnnMatmul", "ViewShape overlap", "self"},
      plan(aclnnMatmulGetWorkspaceSize, outside.tensor(), b.tensor(), out.tensor(), int8_t{0})));
}

}  // namespace
}  // namespace aclgrad::testing
