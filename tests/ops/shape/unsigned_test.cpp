// SPDX-License-Identifier: Apache-2.0
// UINT64 above what INT64 holds, through every operator that knows the dtype: the numbers must not
// turn negative on the way, and are rounded once.
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_zero.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

constexpr uint64_t kHalfway = uint64_t{1} << 63;
// Nearest of each short format from above: the last bit decides, which a detour through DOUBLE
// would lose.
constexpr uint64_t kAboveTie = kHalfway + (uint64_t{1} << 39) + 1;
constexpr uint64_t kLargest = ~uint64_t{0};

class UnsignedTest : public AclTest {
 protected:
  static long double wide(uint64_t value) { return static_cast<long double>(value); }
};

TEST_F(UnsignedTest, CastsToComplexRoundOnce) {
  const Array self(ACL_UINT64, {1}, {wide(kAboveTie)});
  Array out(ACL_COMPLEX64, {1});
  ASSERT_TRUE(runs(PHASES(aclnnCast), self, ACL_COMPLEX64, out));
  EXPECT_EQ(load_as<float>(out.data(), 0), static_cast<float>(kAboveTie));
  EXPECT_EQ(load_as<float>(out.data(), 1), 0.0f);
}

TEST_F(UnsignedTest, CopiesInEveryLayout) {
  const Array source(ACL_UINT64, {2}, {wide(kAboveTie), wide(kLargest)});
  Array same(ACL_UINT64, {2}), reals(ACL_FLOAT, {2}, Array::Layout{{2}, 1}),
      rows(ACL_FLOAT, {2, 2});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceCopy), same, source));
  EXPECT_EQ(same.values(), source.values());
  for (Array* target : {&reals, &rows}) {
    ASSERT_TRUE(runs(PHASES(aclnnInplaceCopy), target->tensor(), source));
    EXPECT_EQ(target->get(0), round_to(wide(kAboveTie), ACL_FLOAT));
    EXPECT_EQ(target->get(1), 0x1p64L);
  }
}

TEST_F(UnsignedTest, ScalarsFillAndScale) {
  uint64_t number = kAboveTie;
  const Scalar scalar(&number, ACL_UINT64);
  Array self(ACL_UINT64, {2});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceFillScalar), self, scalar));
  EXPECT_EQ(self.get(1), wide(kAboveTie));
  ASSERT_TRUE(runs(PHASES(aclnnInplaceZero), Array(ACL_UINT16, {1}, {9})));
  // As a factor it is converted to the computation's type: rounded once.
  const Array zero(ACL_FLOAT, {1}, {0}), one(ACL_FLOAT, {1}, {1});
  Array out(ACL_FLOAT, {1});
  ASSERT_TRUE(runs(PHASES(aclnnAdd), zero, one, scalar, out));
  EXPECT_EQ(out.get(0), round_to(wide(kAboveTie), ACL_FLOAT));
}

}  // namespace
}  // namespace aclgrad::testing
