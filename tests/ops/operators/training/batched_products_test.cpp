// SPDX-License-Identifier: Apache-2.0
// Products of batches: sizes that threads share, batches of 1, no terms, aliasing, special values.
#include <limits>

#include "aclnnop/aclnn_baddbmm.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "tests/ops/operators/training/support.h"

namespace aclgrad::testing {
namespace {

constexpr long double kNan = std::numeric_limits<long double>::quiet_NaN();

class BatchedProducts : public AclTest {
 protected:
  aclnnStatus bmm(const Array& a, const Array& b, Array& out) {
    return call(aclnnBatchMatMulGetWorkspaceSize, aclnnBatchMatMul, a.tensor(), b.tensor(),
                out.tensor(), int8_t{0});
  }
  aclnnStatus baddbmm(const Array& self, const Array& a, const Array& b, float beta, float alpha,
                      Array& out) {
    const Scalar by_self(beta), by_product(alpha);
    return call(aclnnBaddbmmGetWorkspaceSize, aclnnBaddbmm, self.tensor(), a.tensor(), b.tensor(),
                by_self.get(), by_product.get(), out.tensor(), int8_t{0});
  }
};

// beta self + alpha a b, each broadcast, and the sum of magnitudes.
struct Expected {
  long double value = 0;
  long double magnitude = 0;
};
Expected product_at(const Array& a, const Array& b, int64_t batch, int64_t row, int64_t column) {
  const Shape& left = a.shape();
  const Shape& right = b.shape();
  Expected sum;
  for (int64_t k = 0; k < left[2]; ++k) {
    const long double term = a.get((batch % left[0] * left[1] + row) * left[2] + k) *
                             b.get((batch % right[0] * right[1] + k) * right[2] + column);
    sum.value += term;
    sum.magnitude += std::abs(term);
  }
  return sum;
}

void expect_products(const Array& a, const Array& b, const Array& out) {
  const Shape& shape = out.shape();
  for (int64_t i = 0; i < out.count(); i += 7) {
    const Expected sum =
        product_at(a, b, i / (shape[1] * shape[2]), i / shape[2] % shape[1], i % shape[2]);
    const long double bound = static_cast<long double>(a.shape()[2] + 2) * 0x1p-24L * sum.magnitude;
    EXPECT_TRUE(is_near(out.get(i), sum.value, bound)) << i;
  }
}

TEST_F(BatchedProducts, OfAnySizeAndLayout) {
  const struct {
    Shape a, b;
  } cases[] = {{{300, 8, 8}, {300, 8, 8}},                              // many small ones
               {{3, 70, 65}, {3, 65, 90}}, {{1, 40, 33}, {7, 33, 17}},  // one serves all
               {{7, 40, 33}, {1, 33, 17}}, {{5, 1, 64}, {5, 64, 40}},   // vectors
               {{5, 40, 64}, {5, 64, 1}}};
  for (const auto& [a_shape, b_shape] : cases) {
    for (const LayoutKind layout : kInputLayouts) {
      SCOPED_TRACE(::testing::PrintToString(a_shape) + to_string(layout));
      const Array a = random_array(ACL_FLOAT, a_shape, layout, 1);
      const Array b = random_array(ACL_FLOAT, b_shape, layout, 2);
      Array out(ACL_FLOAT, {std::max(a_shape[0], b_shape[0]), a_shape[1], b_shape[2]});
      ASSERT_EQ(bmm(a, b, out), 0) << recent_message();
      expect_products(a, b, out);
    }
  }
}

TEST_F(BatchedProducts, BitsDependNotOnThreads) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_BF16}) {
    const Array a = random_array(dtype, {20, 60, 50}, LayoutKind::kTransposed, 1);
    const Array b = random_array(dtype, {20, 50, 70}, LayoutKind::kContiguous, 2);
    Array one(dtype, {20, 60, 70}), more(dtype, {20, 60, 70});
    ASSERT_EQ(aclgradSetNumThreads(1), 0);
    ASSERT_EQ(bmm(a, b, one), 0);
    ASSERT_EQ(aclgradSetNumThreads(3), 0);
    ASSERT_EQ(bmm(a, b, more), 0);
    EXPECT_EQ(bytes_of(one), bytes_of(more));
  }
}

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
  const Array nans(ACL_FLOAT, {2}, {kNan, kNan});
  const Array a(ACL_FLOAT, {1, 1, 2}, {3, 4}), b(ACL_FLOAT, {1, 2, 2}, {1, 2, 3, 4});
  Array out(ACL_FLOAT, {1, 1, 2});
  // A beta that FLOAT cannot tell from 0 leaves self unread.
  for (const float beta : {0.0f, 1e-8f}) {
    ASSERT_EQ(baddbmm(nans, a, b, beta, 2, out), 0);
    EXPECT_EQ(out.values(), (Values{30, 44}));
  }
  // An alpha of 0 does not.
  const Array ones(ACL_FLOAT, {2}, {1, 1}), spoiled(ACL_FLOAT, {1, 1, 2}, {kNan, 4});
  ASSERT_EQ(baddbmm(ones, spoiled, b, 1, 0, out), 0);
  EXPECT_TRUE(std::isnan(out.get(0)) && std::isnan(out.get(1)));
  ASSERT_EQ(baddbmm(ones, a, b, 1, 0, out), 0);
  EXPECT_EQ(out.values(), (Values{1, 1}));
}

TEST_F(BatchedProducts, InPlaceTheOutputIsTheAddend) {
  const Array a = random_array(ACL_FLOAT, {3, 40, 30}, LayoutKind::kContiguous, 1);
  const Array b = random_array(ACL_FLOAT, {1, 30, 50}, LayoutKind::kTransposed, 2);
  const Array before = random_array(ACL_FLOAT, {3, 40, 50}, LayoutKind::kTransposed, 3);
  for (const float beta : {1.0f, 0.5f}) {
    const Array self = random_array(ACL_FLOAT, {3, 40, 50}, LayoutKind::kTransposed, 3);
    Array out(ACL_FLOAT, {3, 40, 50});
    ASSERT_EQ(baddbmm(before, a, b, beta, 1, out), 0);
    const Scalar by_self(beta), by_product(1.0f);
    ASSERT_EQ(call(aclnnInplaceBaddbmmGetWorkspaceSize, aclnnInplaceBaddbmm, self.tensor(),
                   a.tensor(), b.tensor(), by_self.get(), by_product.get(), int8_t{0}),
              0);
    EXPECT_EQ(self.values(), out.values());
  }
}

}  // namespace
}  // namespace aclgrad::testing
