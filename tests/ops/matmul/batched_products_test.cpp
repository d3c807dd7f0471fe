// SPDX-License-Identifier: Apache-2.0
// Products of batches: no terms, special values.
#include <limits>

#include "aclnnop/aclnn_baddbmm.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class BatchedProducts : public AclTest {
 protected:
  aclnnStatus bmm(const Array& a, const Array& b, Array& out) {
    return call(PHASES(aclnnBatchMatMul), a, b, out, int8_t{0});
  }
  aclnnStatus baddbmm(const Array& self, const Array& a, const Array& b, float beta, float alpha,
                      Array& out) {
    const Scalar by_self(beta), by_product(alpha);
    return call(PHASES(aclnnBaddbmm), self, a, b, by_self, by_product, out, int8_t{0});
  }
};

TEST_F(BatchedProducts, WithoutTermsAreZerosOrTheAddend) {
  const Array a(ACL_FLOAT, {2, 3, 0}), b(ACL_FLOAT, {2, 0, 2});
  Array out(ACL_FLOAT, {2, 3, 2}, {7});
  ASSERT_EQ(bmm(a, b, out), 0) << recent_message();
  EXPECT_EQ(out.values(), Values(12, 0));
  const Array self(ACL_FLOAT, {2}, {1, -2});
  ASSERT_EQ(baddbmm(self, a, b, 3, 5, out), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{3, -6, 3, -6, 3, -6, 3, -6, 3, -6, 3, -6}));
  // Nothing to write.
  const Array none(ACL_FLOAT, {2, 0, 4}), right(ACL_FLOAT, {2, 4, 2}), empty(ACL_FLOAT, {2, 0, 2});
  Array nothing(ACL_FLOAT, {2, 0, 2});
  EXPECT_EQ(bmm(none, right, nothing), 0);
  EXPECT_EQ(baddbmm(empty, none, right, 1, 1, nothing), 0);
}

TEST_F(BatchedProducts, OfSpecialValues) {
  const Array nans(ACL_FLOAT, {2}, {kNaN, kNaN});
  const Array a(ACL_FLOAT, {1, 1, 2}, {3, 4}), b(ACL_FLOAT, {1, 2, 2}, {1, 2, 3, 4});
  Array out(ACL_FLOAT, {1, 1, 2});
  // A beta that FLOAT cannot tell from 0 leaves self unread.
  for (const float beta : {0.0f, 1e-8f}) {
    ASSERT_EQ(baddbmm(nans, a, b, beta, 2, out), 0);
    EXPECT_EQ(out.values(), (Values{30, 44}));
  }
  // An alpha of 0 does not.
  const Array ones(ACL_FLOAT, {2}, {1, 1}), spoiled(ACL_FLOAT, {1, 1, 2}, {kNaN, 4});
  ASSERT_EQ(baddbmm(ones, spoiled, b, 1, 0, out), 0);
  expect_same(out, {kNaN, kNaN});
  ASSERT_EQ(baddbmm(ones, a, b, 1, 0, out), 0);
  EXPECT_EQ(out.values(), (Values{1, 1}));
}

}  // namespace
}  // namespace aclgrad::testing
