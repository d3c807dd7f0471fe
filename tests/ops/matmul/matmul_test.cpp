// SPDX-License-Identifier: Apache-2.0
// Products without terms, into their operands, of special values. Values of every size, dtype and
// layout are in tests/cases, every check in tests/contract.
#include "aclnnop/aclnn_matmul.h"

#include "aclgrad_ext.h"
#include "aclnnop/aclnn_mm.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class MatmulTest : public AclTest {
 protected:
  aclnnStatus matmul(const Array& a, const Array& b, Array& out, int8_t type = 0) {
    return call(PHASES(aclnnMatmul), a, b, out, type);
  }
  aclnnStatus mm(const Array& a, const Array& b, Array& out, int8_t type = 0) {
    return call(PHASES(aclnnMm), a, b, out, type);
  }
};

// Sums of products of BF16 numbers are those of FLOAT then, and are rounded once.
TEST_F(MatmulTest, DeterministicBf16ProductsHaveTheBitsOfEveryProcessor) {
  const Values values = random_array(ACL_BF16, {64, 64}, LayoutKind::kContiguous, 1).values();
  const auto product = [&](aclDataType dtype) {
    const Array a(dtype, {64, 64}, {}, values);
    Array out(dtype, {64, 64});
    EXPECT_EQ(matmul(a, a, out), 0);
    return out.values();
  };
  ASSERT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
  EXPECT_NE(aclgradIsDeterministic(), 0);
  const Values deterministic = product(ACL_BF16);
  ASSERT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0), ACL_SUCCESS);
  EXPECT_EQ(aclgradIsDeterministic(), 0);
  const Array rounded(ACL_BF16, {64, 64}, {}, product(ACL_FLOAT));
  EXPECT_EQ(deterministic, rounded.values());
}

TEST_F(MatmulTest, NothingToMultiplyGivesZeros) {
  const Array a(ACL_FLOAT, {3, 0});
  const Array b(ACL_FLOAT, {0, 4});
  Array out(ACL_FLOAT, {3, 4}, {1, 2, 3});
  ASSERT_EQ(matmul(a, b, out), 0);
  EXPECT_EQ(out.values(), Values(12, 0));
  out.fill({7});
  ASSERT_EQ(mm(a, b, out), 0);
  EXPECT_EQ(out.values(), Values(12, 0));
}

TEST_F(MatmulTest, EmptyOutputsNeedNothing) {
  const Array a(ACL_FLOAT, {0, 3});
  const Array b(ACL_FLOAT, {3, 4});
  Array out(ACL_FLOAT, {0, 4});
  EXPECT_EQ(matmul(a, b, out), 0);
  EXPECT_EQ(mm(a, b, out), 0);
}

TEST_F(MatmulTest, OutputMayBeAnOperand) {
  for (const int64_t n : {9, 16, 32, 40, 150}) {
    for (const bool is_first : {true, false}) {
      Array a = random_array(ACL_FLOAT, {n, n}, LayoutKind::kContiguous, 15);
      Array b = random_array(ACL_FLOAT, {n, n}, LayoutKind::kContiguous, 16);
      Array apart(ACL_FLOAT, {n, n});
      ASSERT_EQ(mm(a, b, apart), 0);
      Array& out = is_first ? a : b;
      ASSERT_EQ(mm(a, b, out), 0);
      EXPECT_EQ(out.values(), apart.values()) << n;
    }
  }
}

// ---- Checks -------------------------------------------------------------------------------------

TEST_F(MatmulTest, ADotProductHasOneElementAndAtMostOneDimension) {
  Array vector(ACL_FLOAT, {4});
  Array fine(ACL_FLOAT, {1}), wrong(ACL_FLOAT, {1, 1});
  EXPECT_EQ(plan(aclnnMatmulGetWorkspaceSize, vector, vector, fine, int8_t{0}).status, 0);
  EXPECT_TRUE(fails_with(161002, {"out", "[]", "[1, 1]"},
                         plan(aclnnMatmulGetWorkspaceSize, vector, vector, wrong, int8_t{0})));
}

TEST_F(MatmulTest, ViewsOutsideTheirStorageAreRefused) {
  const Array outside(ACL_FLOAT, {2, 3}, Array::Layout{{5, 2}, 0, 4});
  const Array b(ACL_FLOAT, {3, 2});
  Array out(ACL_FLOAT, {2, 2});
  EXPECT_TRUE(fails_with(561103, {"aclnnMatmul", "ViewShape overlap", "self"},
                         plan(aclnnMatmulGetWorkspaceSize, outside, b, out, int8_t{0})));
}

}  // namespace
}  // namespace aclgrad::testing
