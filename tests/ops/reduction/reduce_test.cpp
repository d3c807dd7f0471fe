// SPDX-License-Identifier: Apache-2.0
// aclnnReduceSum and aclnnMean.
#include <algorithm>

#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "tests/ops/support/arithmetic_cases.h"

namespace aclgrad::testing {
namespace {

using Dimensions = std::vector<int64_t>;

class ReduceTest : public AclTest {
 protected:
  aclnnStatus sum(const Array& self, const Dimensions& dims, bool keep, Array& out) {
    return call(PHASES(aclnnReduceSum), self, IntArray(dims), keep, out.dtype(), out);
  }
  aclnnStatus mean(const Array& self, const Dimensions& dims, bool keep, aclDataType dtype,
                   Array& out) {
    return call(PHASES(aclnnMean), self, IntArray(dims), keep, dtype, out);
  }
};

TEST_F(ReduceTest, ZeroDimensionalTensorsAreConverted) {
  const Array self(ACL_FLOAT16, {}, {-0.0L});
  Array out(ACL_FLOAT, {});
  for (const Dimensions& dims : {Dimensions{}, Dimensions{0}, Dimensions{-1}}) {
    out.fill({5});
    ASSERT_EQ(sum(self, dims, false, out), 0);
    EXPECT_EQ(out.get(0), 0);
    EXPECT_TRUE(std::signbit(out.get(0))) << "the sign of zero stays";
    ASSERT_EQ(mean(self, dims, true, ACL_FLOAT, out), 0);
    EXPECT_EQ(out.get(0), 0);
  }
}

TEST_F(ReduceTest, ElementsAreConvertedBeforeTheyAreAdded) {
  const Array self(ACL_FLOAT, {3}, {1.75L, 1.75L, -0.75L});
  Array integer(ACL_INT32, {});
  ASSERT_EQ(sum(self, {}, false, integer), 0);
  EXPECT_EQ(integer.get(0), 2) << "1 + 1 + 0";
  const Array fine(ACL_FLOAT, {2}, {1 + std::ldexp(1.0L, -11), 1 + std::ldexp(1.0L, -11)});
  Array half(ACL_FLOAT16, {});
  ASSERT_EQ(sum(fine, {}, false, half), 0);
  EXPECT_EQ(half.get(0), 2) << "each rounds to 1 in FLOAT16";
  const Array bytes(ACL_UINT8, {3}, {200, 100, 1});
  Array small(ACL_INT8, {});
  ASSERT_EQ(sum(bytes, {}, false, small), 0);
  EXPECT_EQ(small.get(0), 45) << "-56 + 100 + 1";
}

TEST_F(ReduceTest, IntegersWrapAndBoolsAreAny) {
  const Array self(ACL_INT8, {2, 3}, {100, 100, 0, -100, -100, 1});
  Array out(ACL_INT8, {2});
  ASSERT_EQ(sum(self, {1}, false, out), 0);
  EXPECT_EQ(out.values(), (Values{-56, 57}));
  const Array real(ACL_FLOAT, {3, 2}, {0, 0, 0, 0.25L, -0.25L, 0});
  Array any(ACL_BOOL, {3});
  ASSERT_EQ(sum(real, {-1}, false, any), 0);
  EXPECT_EQ(any.values(), (Values{0, 1, 1}));
  const Array truth(ACL_BOOL, {3, 2}, {0, 0, 0, 1, 1, 1});
  Array counts(ACL_INT64, {3});
  ASSERT_EQ(sum(truth, {1}, false, counts), 0);
  EXPECT_EQ(counts.values(), (Values{0, 1, 2}));
}

TEST_F(ReduceTest, IntegerMeansTruncate) {
  const Array self(ACL_INT32, {2, 2}, {3, 4, -3, -4});
  Array out(ACL_INT32, {2});
  ASSERT_EQ(mean(self, {1}, false, ACL_INT32, out), 0);
  EXPECT_EQ(out.values(), (Values{3, -3}));
  Array real(ACL_FLOAT, {2});
  ASSERT_EQ(mean(self, {1}, false, ACL_FLOAT, real), 0);
  EXPECT_EQ(real.values(), (Values{3.5L, -3.5L}));
  ASSERT_EQ(mean(self, {1}, false, ACL_INT32, real), 0);
  EXPECT_EQ(real.values(), (Values{3, -3}));
}

TEST_F(ReduceTest, MeansAreRoundedToDtypeBeforeTheOutput) {
  const Array self(ACL_FLOAT, {2}, {1, 1 + std::ldexp(1.0L, -9)});
  Array out(ACL_FLOAT, {});
  ASSERT_EQ(mean(self, {}, false, ACL_FLOAT16, out), 0);
  EXPECT_EQ(out.get(0), round_to(1 + std::ldexp(1.0L, -10), ACL_FLOAT16));
}

TEST_F(ReduceTest, ComplexNumbers) {
  ComplexArray self(ACL_COMPLEX64, {2, 2}), out(ACL_COMPLEX64, {2});
  self.set({{1, 2}, {3, 4}, {5, -6}, {7, 8}});
  ASSERT_EQ(sum(self.array, {0}, false, out.array), 0);
  EXPECT_EQ(out.get(0), std::complex<double>(6, -4));
  ASSERT_EQ(mean(self.array, {1}, false, ACL_COMPLEX64, out.array), 0);
  EXPECT_EQ(out.get(1), std::complex<double>(6, 1));
  Array real(ACL_FLOAT, {2});
  ASSERT_EQ(sum(self.array, {0}, false, real), 0) << "only the real part can be converted";
  EXPECT_EQ(real.values(), (Values{6, 10}));
}

TEST_F(ReduceTest, EmptyTensorsGiveZeroOrNan) {
  const Array self(ACL_FLOAT, {0, 3});
  Array out(ACL_FLOAT, {3}, {1, 2, 3});
  ASSERT_EQ(sum(self, {0}, false, out), 0);
  EXPECT_EQ(out.values(), Values(3, 0));
  ASSERT_EQ(mean(self, {0}, false, ACL_FLOAT, out), 0);
  expect_same(out, Values(3, kNaN));
  Array none(ACL_FLOAT, {0});
  EXPECT_EQ(sum(self, {1}, false, none), 0);
}

TEST_F(ReduceTest, NanAndInfinityComeThrough) {
  const Array self(ACL_FLOAT, {3, 2}, {1, kNaN, kInfinity, 1, 2, 3});
  Array out(ACL_FLOAT, {3});
  ASSERT_EQ(sum(self, {1}, false, out), 0);
  expect_same(out, {kNaN, kInfinity, 5});
}

TEST_F(ReduceTest, OneElementFitsAnyShapeOfOneElement) {
  const Array self(ACL_FLOAT, {2, 2}, {1, 2, 3, 4});
  Array out(ACL_FLOAT, {1, 1, 1});
  ASSERT_EQ(sum(self, {}, false, out), 0);
  EXPECT_EQ(out.get(0), 10);
  ASSERT_EQ(mean(self, {0, 1}, false, ACL_FLOAT, out), 0);
  EXPECT_EQ(out.get(0), 2.5L);
}

// ---- Checks -------------------------------------------------------------------------------------

TEST_F(ReduceTest, RangeOfAZeroDimensionalTensor) {
  const Array self(ACL_FLOAT, {});
  Array out(ACL_FLOAT, {});
  EXPECT_TRUE(
      fails_with(161002, {"aclnnReduceSum", "dims", "[-1, 0]"},
                 plan(aclnnReduceSumGetWorkspaceSize, self, IntArray({1}), false, ACL_FLOAT, out)));
  EXPECT_TRUE(fails_with(
      161002, {"aclnnReduceSum", "dims", "twice"},
      plan(aclnnReduceSumGetWorkspaceSize, self, IntArray({0, -1}), false, ACL_FLOAT, out)));
}

}  // namespace
}  // namespace aclgrad::testing
