// SPDX-License-Identifier: Apache-2.0
// Extrema, products, truth and sums of other kinds: NaN, ties, no elements, as PyTorch 1.13 has
// them.
#include "aclnnop/aclnn_all.h"
#include "aclnnop/aclnn_aminmax.h"
#include "aclnnop/aclnn_any.h"
#include "aclnnop/aclnn_argmin.h"
#include "aclnnop/aclnn_cummax.h"
#include "aclnnop/aclnn_cummin.h"
#include "aclnnop/aclnn_max.h"
#include "aclnnop/aclnn_min.h"
#include "aclnnop/aclnn_min_dim.h"
#include "aclnnop/aclnn_prod.h"
#include "aclnnop/aclnn_reduce_nansum.h"
#include "aclnnop/aclnn_sum.h"
#include "aclnnop/aclnn_trace.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class FoldsTest : public AclTest {
 protected:
  long double over_all(auto* phase_one, auto* phase_two, const Array& self, aclDataType dtype) {
    Array out(dtype, {}, {77});
    EXPECT_TRUE(runs(phase_one, phase_two, self, IntArray({}), false, out));
    return out.get(0);
  }
  long double prod(const Array& self, aclDataType dtype) {
    Array out(dtype, {1}, {77});
    EXPECT_TRUE(runs(PHASES(aclnnProd), self, dtype, out));
    return out.get(0);
  }
  long double nansum(const Array& self) {
    Array out(self.dtype(), {}, {77});
    EXPECT_TRUE(runs(PHASES(aclnnReduceNansum), self, IntArray({}), false, self.dtype(), out));
    return out.get(0);
  }
};

TEST_F(FoldsTest, ANaNSpreadsThroughExtremaAndTheFirstOneIsTaken) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Array self(dtype, {2, 5}, {2, 1, kNaN, 1, kNaN, 2, -0.0L, 0, 5, 2});
    const Array least(dtype, {2}), most(dtype, {2}), places(ACL_INT64, {2}), one(dtype, {1, 1});
    ASSERT_TRUE(runs(PHASES(aclnnMinDim), self, int64_t{1}, false, least, places));
    expect_same(least, {kNaN, -0.0L});
    EXPECT_EQ(places.values(), (Values{2, 1}));
    ASSERT_TRUE(runs(PHASES(aclnnArgMin), self, int64_t{-1}, false, places));
    EXPECT_EQ(places.values(), (Values{2, 1}));
    ASSERT_TRUE(runs(PHASES(aclnnAminmax), self, IntArray({1}), false, least, most));
    expect_same(least, {kNaN, -0.0L});
    expect_same(most, {kNaN, 5});
    ASSERT_TRUE(runs(PHASES(aclnnMax), self, one));
    expect_same(one, {kNaN});
    ASSERT_TRUE(runs(PHASES(aclnnMin), self, one));
    expect_same(one, {kNaN});
  }
}

TEST_F(FoldsTest, OfNoElementsThereIsNoExtremum) {
  const Array empty(ACL_FLOAT, {2, 0}), out(ACL_FLOAT, {}), two(ACL_FLOAT, {2});
  const Array none(ACL_FLOAT, {0}), places(ACL_INT64, {2}), other(ACL_INT64, {0});
  EXPECT_TRUE(
      fails_with(161002, {"must have an element"}, plan(aclnnMaxGetWorkspaceSize, empty, out)));
  EXPECT_TRUE(fails_with(161002, {"must not have size 0"},
                         plan(aclnnMinDimGetWorkspaceSize, empty, int64_t{1}, false, two, places)));
  EXPECT_TRUE(fails_with(161002, {"must not have size 0"},
                         plan(aclnnArgMinGetWorkspaceSize, empty, int64_t{1}, false, places)));
  EXPECT_TRUE(fails_with(161002, {"must not have size 0"},
                         plan(aclnnAminmaxGetWorkspaceSize, empty, IntArray({}), false, out, out)));
  EXPECT_TRUE(runs(PHASES(aclnnMinDim), empty, int64_t{0}, false, none, other));
}

TEST_F(FoldsTest, RunningExtremaTakeTheLastOfEqualElementsAndKeepANaN) {
  const Array self(ACL_FLOAT, {7}, {1, 1, kNaN, 2, kNaN, 0, 3}), values(ACL_FLOAT, {7});
  const Array places(ACL_INT64, {7});
  for (const bool largest : {true, false}) {
    ASSERT_TRUE(largest ? runs(PHASES(aclnnCummax), self, int64_t{0}, values, places)
                        : runs(PHASES(aclnnCummin), self, int64_t{0}, values, places));
    expect_same(values, {1, 1, kNaN, kNaN, kNaN, kNaN, kNaN});
    EXPECT_EQ(places.values(), (Values{0, 1, 2, 2, 4, 4, 4}));
  }
  const Array plain(ACL_INT32, {6}, {2, 2, 1, 2, 3, 3}), most(ACL_INT32, {6});
  const Array at(ACL_INT32, {6});
  ASSERT_TRUE(runs(PHASES(aclnnCummax), plain, int64_t{-1}, most, at));
  EXPECT_EQ(most.values(), (Values{2, 2, 2, 2, 3, 3}));
  EXPECT_EQ(at.values(), (Values{0, 1, 1, 3, 4, 5}));
  ASSERT_TRUE(runs(PHASES(aclnnCummin), plain, int64_t{-1}, plain, at));
  EXPECT_EQ(plain.values(), (Values{2, 2, 1, 1, 1, 1}));
  EXPECT_EQ(at.values(), (Values{0, 1, 2, 2, 2, 2}));
}

TEST_F(FoldsTest, ANaNIsTrueAndBothZerosAreNot) {
  const Array nan(ACL_FLOAT, {2}, {kNaN, 1}), zeros(ACL_FLOAT, {2}, {-0.0L, 0});
  const Array tiny(ACL_FLOAT, {2}, {1e-45L, 1}), empty(ACL_INT8, {0, 2});
  EXPECT_EQ(over_all(PHASES(aclnnAll), nan, ACL_BOOL), 1);
  EXPECT_EQ(over_all(PHASES(aclnnAll), tiny, ACL_UINT8), 1);
  EXPECT_EQ(over_all(PHASES(aclnnAny), zeros, ACL_BOOL), 0);
  EXPECT_EQ(over_all(PHASES(aclnnAll), empty, ACL_BOOL), 1);
  EXPECT_EQ(over_all(PHASES(aclnnAny), empty, ACL_UINT8), 0);
  Array rows(ACL_UINT8, {2, 1}, {9, 9});
  const Array none(ACL_FLOAT, {2, 0});
  ASSERT_TRUE(runs(PHASES(aclnnAny), none, IntArray({1}), true, rows));
  EXPECT_EQ(rows.values(), (Values{0, 0}));
  const Array complex(ACL_COMPLEX64, {2});
  const float parts[] = {0, 0, 0, 2};
  std::memcpy(complex.data(), parts, sizeof(parts));
  EXPECT_EQ(over_all(PHASES(aclnnAny), complex, ACL_BOOL), 1);
  EXPECT_EQ(over_all(PHASES(aclnnAll), complex, ACL_BOOL), 0);
}

TEST_F(FoldsTest, ProductsConvertFirstAndIntegersWrap) {
  EXPECT_EQ(prod(Array(ACL_FLOAT, {2}, {2.5L, 2}), ACL_INT32), 4);
  EXPECT_EQ(prod(Array(ACL_INT8, {2}, {100, 100}), ACL_INT8), 16);
  EXPECT_EQ(prod(Array(ACL_INT8, {2}, {100, 100}), ACL_INT64), 10000);
  EXPECT_EQ(prod(Array(ACL_BOOL, {3}, {1, 0, 1}), ACL_BOOL), 0);
  EXPECT_EQ(prod(Array(ACL_FLOAT, {0, 4}), ACL_FLOAT), 1);
  EXPECT_TRUE(std::isnan(prod(Array(ACL_FLOAT, {3}, {0, kNaN, 2}), ACL_FLOAT)));
  // Numbers whose product passes FLOAT's range on the way.
  EXPECT_EQ(prod(Array(ACL_FLOAT, {4}, {0x1p100L, 0x1p100L, 0x1p-100L, 0x1p-100L}), ACL_FLOAT), 1);
  const Array complex(ACL_COMPLEX64, {2}), out(ACL_COMPLEX64, {});
  const float parts[] = {1, 2, 3, -1};
  std::memcpy(complex.data(), parts, sizeof(parts));
  ASSERT_TRUE(runs(PHASES(aclnnProd), complex, ACL_COMPLEX64, out));
  const auto* const product = static_cast<const float*>(out.data());
  EXPECT_EQ(product[0], 5);
  EXPECT_EQ(product[1], 5);
}

TEST_F(FoldsTest, ANaNCountsAsZeroAndInfinitiesDoNot) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}) {
    EXPECT_EQ(nansum(Array(dtype, {2}, {kNaN, kNaN})), 0);
    EXPECT_EQ(nansum(Array(dtype, {3}, {1, kNaN, 2.5L})), 3.5L);
    EXPECT_TRUE(std::isnan(nansum(Array(dtype, {3}, {kInfinity, -kInfinity, kNaN}))));
    EXPECT_EQ(nansum(Array(dtype, {0})), 0);
    // Rows side by side, and rows that are summed one by one.
    const Array self(dtype, {3, 8}, {1, kNaN, 2, 3, 4, 5, 6, kNaN});
    Array columns(dtype, {8}), rows(dtype, {3});
    ASSERT_TRUE(runs(PHASES(aclnnReduceNansum), self, IntArray({0}), false, dtype, columns));
    EXPECT_EQ(columns.values(), (Values{3, 0, 6, 9, 12, 15, 18, 0}));
    ASSERT_TRUE(runs(PHASES(aclnnReduceNansum), self, IntArray({1}), false, dtype, rows));
    EXPECT_EQ(rows.values(), (Values{21, 21, 21}));
  }
}

TEST_F(FoldsTest, ATraceMayBeWiderThanItsMatrix) {
  const Array self(ACL_INT8, {2, 3}, {100, 1, 2, 3, 100, 5}), wide(ACL_INT64, {1});
  ASSERT_TRUE(runs(PHASES(aclnnTrace), self, wide));
  EXPECT_EQ(wide.get(0), 200);
  const Array empty(ACL_FLOAT, {0, 3}), out(ACL_FLOAT, {}, {7});
  ASSERT_TRUE(runs(PHASES(aclnnTrace), empty, out));
  EXPECT_EQ(out.get(0), 0);
}

TEST_F(FoldsTest, TensorsOfAListAreAddedInOneOfThem) {
  const Array a(ACL_FLOAT16, {2}, {1, 60000}), b(ACL_FLOAT16, {2}, {2, 60000});
  const Array c(ACL_FLOAT16, {2}, {0.5L, -60000});
  const List list({a.tensor(), b.tensor(), c.tensor()});
  ASSERT_TRUE(runs(PHASES(aclnnSum), list, a));
  EXPECT_EQ(a.values(), (Values{3.5L, 60000}));
  const List none(std::vector<const aclTensor*>{});
  EXPECT_TRUE(fails_with(161002, {"at least one"}, plan(aclnnSumGetWorkspaceSize, none, a)));
}

}  // namespace
}  // namespace aclgrad::testing
