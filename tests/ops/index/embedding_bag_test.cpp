// SPDX-License-Identifier: Apache-2.0
// Bags of different lengths and rows held to a norm: worked examples, numbers
// out of range. Values are in tests/cases, every check in tests/contract.
#include "aclnnop/aclnn_embedding_bag.h"
#include "aclnnop/aclnn_embedding_renorm.h"
#include "aclnnop/aclnn_renorm.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing::embedding_bags {
namespace {

class EmbeddingBags : public AclTest {
 protected:
  struct Bags {
    Array weight{ACL_FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6}};
    Array indices{ACL_INT64, {4}, {0, 2, 1, -2}};
    Array offsets{ACL_INT32, {3}, {0, 3, 3}};
    Array out{ACL_FLOAT, {3, 2}, {7, 7, 7, 7, 7, 7}};
    Array bag_of{ACL_INT64, {4}};
    Array sizes{ACL_INT64, {3}};
    Array best{ACL_INT32, {3, 2}};
  };
  aclnnStatus run(const Bags& of, int64_t mode, const aclTensor* weights, bool has_last,
                  int64_t padding, const aclTensor* bag_of, const aclTensor* best) {
    return call(PHASES(aclnnEmbeddingBag), of.weight, of.indices, of.offsets, false, mode, false,
                weights, has_last, padding, of.out, const_cast<aclTensor*>(bag_of), of.sizes,
                const_cast<aclTensor*>(best));
  }
};

TEST_F(EmbeddingBags, MayBeEmptyAndOfDifferentLengths) {
  const Bags of;
  const Array none(ACL_INT64, {0});
  ASSERT_EQ(run(of, 0, nullptr, false, -1, of.bag_of.tensor(), none.tensor()), 0)
      << recent_message();
  EXPECT_EQ(of.out.values(), (Values{9, 12, 0, 0, 3, 4}));
  EXPECT_EQ(of.bag_of.values(), (Values{0, 0, 0, 2}));
  EXPECT_EQ(of.sizes.values(), (Values{3, 0, 1}));
  ASSERT_EQ(run(of, 1, nullptr, false, -1, none.tensor(), none.tensor()), 0) << recent_message();
  EXPECT_EQ(of.out.values(), (Values{3, 4, 0, 0, 3, 4}));
  ASSERT_EQ(run(of, 2, nullptr, false, -1, none.tensor(), of.best.tensor()), 0) << recent_message();
  EXPECT_EQ(of.out.values(), (Values{5, 6, 0, 0, 3, 4}));
  EXPECT_EQ(of.best.values(), (Values{2, 2, 0, 0, 1, 1}));
}

TEST_F(EmbeddingBags, LeaveOutThePaddingAndWhatIsBehindTheLastOffset) {
  Bags of;
  const Array none(ACL_INT64, {0}), weights(ACL_FLOAT, {4}, {1, 2, 3, 4});
  ASSERT_EQ(run(of, 1, nullptr, false, 1, of.bag_of.tensor(), none.tensor()), 0)
      << recent_message();
  EXPECT_EQ(of.out.values(), (Values{3, 4, 0, 0, 0, 0}));
  EXPECT_EQ(of.sizes.values(), (Values{2, 0, 0}));
  const Array two(ACL_FLOAT, {2, 2}), sizes(ACL_INT64, {2});
  ASSERT_TRUE(runs(PHASES(aclnnEmbeddingBag), of.weight, of.indices, of.offsets, false, int64_t{0},
                   false, weights, true, int64_t{-1}, two, of.bag_of, sizes, none));
  EXPECT_EQ(two.values(), (Values{1 + 10 + 9, 2 + 12 + 12, 0, 0}));
  EXPECT_EQ(of.bag_of.values(), (Values{0, 0, 0, 2}));
}

TEST_F(EmbeddingBags, WithNumbersOutOfRangeAreNotWritten) {
  Bags of;
  const Array none(ACL_INT64, {0});
  const auto fails = [&](const char* what) {
    expect_failure(run(of, 0, nullptr, false, -1, of.bag_of.tensor(), none.tensor()), what);
    EXPECT_EQ(of.out.get(0), 7);
  };
  of.indices.set(3, 3);
  fails("element 3 of indices is 3, but must be in [-3, 2]");
  of.offsets.set(2, 5);
  fails("element 2 of offsets is 5, but must be in [3, 4]");
  of.offsets.set(1, -1);
  fails("element 1 of offsets is -1, but must be in [0, 4]");
  of.offsets.set(0, 1);
  fails("element 0 of offsets is 1, but must be 0");
}

TEST_F(EmbeddingBags, OfSlicesHeldToANorm) {
  const Array x(ACL_DOUBLE, {2, 2}, {3, 4, 0.3L, 0.4L}), out(ACL_DOUBLE, {2, 2});
  const Scalar two(2.0), one(int64_t{1}), unlimited(std::numeric_limits<double>::infinity());
  const auto renorm = [&](const Scalar& p, const Scalar& most) {
    return call(PHASES(aclnnRenorm), x, p, int64_t{0}, most, out);
  };
  ASSERT_EQ(renorm(two, one), 0) << recent_message();
  expect_near(out, {0.6L, 0.8L, 0.3L, 0.4L}, 1e-7L);
  ASSERT_EQ(renorm(two, unlimited), 0) << recent_message();
  EXPECT_EQ(out.values(), x.values());
  ASSERT_EQ(renorm(unlimited, one), 0) << recent_message();
  EXPECT_TRUE(is_near(out.get(1), 1, 1e-7L));
}

// Scaled twice it would be shorter than its limit by the 1e-7 in the divisor
// twice.
TEST_F(EmbeddingBags, OfARowThatIsNamedTwiceIsHeldToItsNormOnce) {
  const Array weight(ACL_DOUBLE, {3, 2}, {3, 4, 6, 8, 3, 4});
  const Array indices(ACL_INT32, {3}, {1, -2, 0}), wrong(ACL_INT64, {2}, {0, 3});
  const auto renorm = [&](const Array& rows) {
    return call(PHASES(aclnnEmbeddingRenorm), weight, rows, 5.0, 2.0);
  };
  ASSERT_EQ(renorm(indices), 0) << recent_message();
  EXPECT_TRUE(is_near(weight.get(2), 6 * 5 / (10 + 1e-7L), 1e-14L));
  EXPECT_EQ(weight.get(0), 3);
  EXPECT_EQ(weight.get(4), 3);
  expect_failure(renorm(wrong), "element 1 of indices is 3, but must be in [-3, 2]");
}

}  // namespace
}  // namespace aclgrad::testing::embedding_bags
