// SPDX-License-Identifier: Apache-2.0
// Numbers at equal distances, classes as rows, grids: values beside PyTorch's and NumPy's.
#include <limits>

#include "aclnnop/aclnn_affine_grid.h"
#include "aclnnop/aclnn_index_fill.h"
#include "aclnnop/aclnn_index_fill_tensor.h"
#include "aclnnop/aclnn_linspace.h"
#include "aclnnop/aclnn_one_hot.h"
#include "aclnnop/aclnn_range.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class NumbersTest : public AclTest {
 protected:
  Values linspace(aclDataType dtype, double start, double end, int64_t steps) {
    const Array out(dtype, {steps});
    EXPECT_TRUE(runs(PHASES(aclnnLinspace), Scalar(start), Scalar(end), steps, out));
    return out.values();
  }
  template <class T>
  Values range(aclDataType dtype, T start, T end, T step, int64_t count) {
    const Array out(dtype, {count});
    EXPECT_TRUE(runs(PHASES(aclnnRange), Scalar(start), Scalar(end), Scalar(step), out));
    return out.values();
  }
};

TEST_F(NumbersTest, LinspaceReachesBothEnds) {
  for (const int64_t steps : {2, 3, 7, 10, 1000}) {
    for (const aclDataType dtype : {ACL_DOUBLE, ACL_FLOAT}) {
      const double start = -0.1, end = 1 / 3.0;
      const Values values = linspace(dtype, start, end, steps);
      EXPECT_EQ(values.front(), round_to(start, dtype));
      EXPECT_EQ(values.back(), round_to(end, dtype));
      for (size_t i = 0; i < values.size(); ++i) {
        const long double part = static_cast<long double>(i) / static_cast<long double>(steps - 1);
        const long double exact = start + (static_cast<long double>(end) - start) * part;
        ASSERT_TRUE(is_near(values[i], exact, dtype == ACL_DOUBLE ? 0x1p-53L : 0x1p-25L)) << i;
      }
    }
  }
  EXPECT_EQ(linspace(ACL_FLOAT, 5, 9, 1), Values{5});
  const Array none(ACL_FLOAT, {0});
  EXPECT_TRUE(runs(PHASES(aclnnLinspace), Scalar(1.0), Scalar(2.0), int64_t{0}, none));
}

// PyTorch's values: NumPy rounds down.
TEST_F(NumbersTest, LinspaceOfIntegersIsCutOff) {
  EXPECT_EQ(linspace(ACL_INT32, -7, 3, 6), (Values{-7, -5, -3, -1, 1, 3}));
  EXPECT_EQ(linspace(ACL_INT64, 0, 10, 4), (Values{0, 3, 6, 10}));
  EXPECT_EQ(linspace(ACL_INT8, -5, 5, 4), (Values{-5, -1, 1, 5}));
}

TEST_F(NumbersTest, RangeHasItsEnd) {
  EXPECT_EQ(range(ACL_FLOAT, 0.5, 2.25, 0.5, 4), (Values{0.5L, 1, 1.5L, 2}));
  EXPECT_EQ(range(ACL_INT64, int64_t{5}, int64_t{-5}, int64_t{-5}, 3), (Values{5, 0, -5}));
  EXPECT_EQ(range(ACL_FLOAT, 1.0, 1.0, 3.0, 1), Values{1});
  const Values tenths = range(ACL_FLOAT, 1.0, 2.0, 0.1, 11);
  for (size_t i = 0; i < tenths.size(); ++i) {
    EXPECT_EQ(tenths[i], round_to(1 + static_cast<long double>(i) * 0.1, ACL_FLOAT));
  }
  // Counted exactly: the distance needs 64 bits.
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  const Values far = range(ACL_INT64, kLow, -(kLow + 1), int64_t{1} << 62, 4);
  EXPECT_EQ(far, (Values{-0x1p63L, -0x1p62L, 0, 0x1p62L}));
  const Array two(ACL_FLOAT, {2});
  for (const double number : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_TRUE(fails_with(
        161002, {"start must be finite"},
        plan(aclnnRangeGetWorkspaceSize, Scalar(number), Scalar(1.0), Scalar(1.0), two)));
  }
}

TEST_F(NumbersTest, ClassesOfEveryIntegerDtypeAreOneHot) {
  for (const aclDataType dtype : {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8}) {
    const Array classes(dtype, {2, 2}, {0, 2, 1, 0}), on(ACL_FLOAT16, {1}, {1}),
        off(ACL_FLOAT16, {}, {0}), last(ACL_FLOAT16, {2, 2, 3}), first(ACL_FLOAT16, {3, 2, 2});
    ASSERT_TRUE(runs(PHASES(aclnnOneHot), classes, int64_t{3}, on, off, int64_t{-1}, last));
    EXPECT_EQ(last.values(), (Values{1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0}));
    ASSERT_TRUE(runs(PHASES(aclnnOneHot), classes, int64_t{3}, on, off, int64_t{0}, first));
    EXPECT_EQ(first.values(), (Values{1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0}));
  }
  // No classes: all is off.
  const Array beyond(ACL_INT64, {3}, {-1, 3, 1}), on(ACL_INT8, {1}, {5}), off(ACL_INT8, {1}, {-2}),
      out(ACL_INT8, {3, 3});
  ASSERT_TRUE(runs(PHASES(aclnnOneHot), beyond, int64_t{3}, on, off, int64_t{1}, out));
  EXPECT_EQ(out.values(), (Values{-2, -2, -2, -2, -2, -2, -2, 5, -2}));
}

TEST_F(NumbersTest, SlicesAreFilledByATensorOrAnArray) {
  const Array x(ACL_FLOAT, {3, 4}, {0}), index(ACL_INT32, {4}, {0, 2, -1, 0}),
      out(ACL_FLOAT, {3, 4});
  const Values expected{7, 0, 7, 7, 7, 0, 7, 7, 7, 0, 7, 7};
  ASSERT_TRUE(runs(PHASES(aclnnIndexFill), x, int64_t{1}, index, Scalar(7.0F), out));
  EXPECT_EQ(out.values(), expected);
  EXPECT_EQ(x.values(), Values(12, 0));
  ASSERT_TRUE(runs(PHASES(aclnnInplaceIndexFillTensor), x, int64_t{-1}, IntArray({0, 2, -1, 0}),
                   Scalar(7.0F)));
  EXPECT_EQ(x.values(), expected);
  // An LLM's rotation of pairs: as many numbers as half of a row, each twice.
  const Array line(ACL_FLOAT, {1, 1, 1, 6}, {1, 1, 1, 1, 1, 1});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceIndexFillTensor), line, int64_t{3},
                   IntArray({0, 0, 2, 2, 4, 4}), Scalar(-1.0F)));
  EXPECT_EQ(line.values(), (Values{-1, 1, -1, 1, -1, 1}));
  expect_failure(
      call(PHASES(aclnnIndexFill), x, int64_t{1}, Array(ACL_INT64, {1}, {4}), Scalar(7.0F), out),
      "must be in [-4, 3]");
}

TEST_F(NumbersTest, GridsOfAffineMapsArePyTorchs) {
  const Array flat(ACL_FLOAT, {1, 2, 3}, {1, 2, 3, 4, 5, 6}), out(ACL_FLOAT, {1, 2, 3, 2});
  const IntArray image({1, 1, 2, 3}), volume({1, 1, 2, 1, 2});
  ASSERT_TRUE(runs(PHASES(aclnnAffineGrid), flat, image, true, out));
  EXPECT_EQ(out.values(), (Values{0, -3, 1, 1, 2, 5, 4, 7, 5, 11, 6, 15}));
  ASSERT_TRUE(runs(PHASES(aclnnAffineGrid), flat, image, false, out));
  expect_near(out, {4 / 3.0L, 5 / 6.0L, 2, 3.5L, 8 / 3.0L, 37 / 6.0L, 10 / 3.0L, 35 / 6.0L, 4, 8.5L,
                    14 / 3.0L, 67 / 6.0L});
  const Array solid(ACL_FLOAT, {1, 3, 4}, {1, 2, 3, 4, 0, -1, 0, 5, 2, 0, -3, 1});
  const Array places(ACL_FLOAT, {1, 2, 1, 2, 3});
  ASSERT_TRUE(runs(PHASES(aclnnAffineGrid), solid, volume, true, places));
  EXPECT_EQ(places.values(), (Values{0, 5, 2, 2, 5, 6, 6, 5, -4, 8, 5, 0}));
  ASSERT_TRUE(runs(PHASES(aclnnAffineGrid), solid, volume, false, places));
  EXPECT_EQ(places.values(), (Values{2, 5, 1.5L, 3, 5, 3.5L, 5, 5, -1.5L, 6, 5, 0.5L}));
}

}  // namespace
}  // namespace aclgrad::testing
