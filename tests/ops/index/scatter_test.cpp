// SPDX-License-Identifier: Apache-2.0
// What no contract has of elements and slices that replace others: worked numbers, the last of
// equal places, masks with some true elements, the size that a task gives its result.
#include "aclnnop/aclnn_expand.h"
#include "aclnnop/aclnn_flatten.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_fill.h"
#include "aclnnop/aclnn_masked_scatter.h"
#include "aclnnop/aclnn_masked_select.h"
#include "aclnnop/aclnn_scatter.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class ScatterTest : public AclTest {
 protected:
  aclnnStatus scatter(const Array& self, int64_t dim, const Array& index, const Array& src,
                      int64_t reduce, const Array& out) {
    return call(PHASES(aclnnScatter), self, dim, index, src, reduce, out);
  }
  template <class Value>
  aclnnStatus scatter_value(const Array& self, const Array& index, Value value, int64_t reduce) {
    const Scalar scalar(value);
    return call(PHASES(aclnnInplaceScatterValue), self, int64_t{0}, index, scalar, reduce);
  }
  aclnnStatus masked_scatter(const Array& self, const Array& mask, const Array& source) {
    return call(PHASES(aclnnInplaceMaskedScatter), self, mask, source);
  }
  static Values view_shape(const Array& array) {
    int64_t* dims = nullptr;
    uint64_t count = 0;
    EXPECT_EQ(aclGetViewShape(array.tensor(), &dims, &count), 0);
    Values shape;
    for (uint64_t i = 0; i < count; ++i) shape.push_back(static_cast<long double>(dims[i]));
    delete[] dims;
    return shape;
  }
};

TEST_F(ScatterTest, ElementsReplaceAreAddedOrMultiply) {
  const Array twos(ACL_FLOAT, {2, 3}, {2, 2, 2, 2, 2, 2}), out(ACL_FLOAT, {2, 3});
  const Array index(ACL_INT64, {2, 2}, {0, 0, 1, 0}), src(ACL_FLOAT, {2, 2}, {3, 2, 4, 5});
  ASSERT_EQ(scatter(twos, 1, index, src, 2, out), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{12, 2, 2, 10, 8, 2}));
  ASSERT_EQ(scatter(twos, 1, index, src, 1, out), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{7, 2, 2, 7, 6, 2}));
  // The last of two for one element; self may be out.
  ASSERT_EQ(scatter(twos, -1, index, src, 0, twos), 0) << recent_message();
  EXPECT_EQ(twos.values(), (Values{2, 2, 2, 5, 4, 2}));
  const Array wrong(ACL_INT32, {2, 2}, {0, 0, 3, 0});
  expect_failure(scatter(twos, 1, wrong, src, 0, out), "element 2 of index is 3");
  EXPECT_EQ(out.values(), (Values{7, 2, 2, 7, 6, 2}));
}

TEST_F(ScatterTest, OfTruthValuesSumsAreOrAndProductsAnd) {
  const Array index(ACL_INT64, {2}, {0, 2}), src(ACL_BOOL, {2}, {1, 0});
  const Array self(ACL_BOOL, {3}, {0, 1, 1}), out(ACL_BOOL, {3});
  ASSERT_EQ(scatter(self, 0, index, src, 1, out), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{1, 1, 1}));
  ASSERT_EQ(scatter(self, 0, index, src, 2, out), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{0, 1, 0}));
}

TEST_F(ScatterTest, AValueIsConvertedToTheTensorsDtype) {
  const Array index(ACL_INT64, {2}, {-1, 0}), bytes(ACL_INT8, {3}, {1, 2, 3});
  ASSERT_EQ(scatter_value(bytes, index, 7.9F, 0), 0) << recent_message();
  EXPECT_EQ(bytes.values(), (Values{7, 2, 7}));
  ASSERT_EQ(scatter_value(bytes, index, -2.0F, 2), 0) << recent_message();
  EXPECT_EQ(bytes.values(), (Values{-14, 2, -14}));
  const Array halves(ACL_FLOAT16, {3}, {1, 2, 3});
  ASSERT_EQ(scatter_value(halves, index, 0.1F, 1), 0) << recent_message();
  EXPECT_EQ(halves.get(1), 2);
  const Scalar i(0.0F, 1.0F);
  EXPECT_TRUE(fails_with(
      161002, {"value"},
      plan(aclnnInplaceScatterValueGetWorkspaceSize, halves, int64_t{0}, index, i, int64_t{0})));
}

TEST_F(ScatterTest, SlicesAreCopiedAndFilled) {
  const Array self(ACL_INT16, {2, 3}, {0, 1, 2, 3, 4, 5}), out(ACL_INT16, {2, 3});
  const Array index(ACL_INT64, {3}, {2, 0, -1});
  const Array source(ACL_INT16, {2, 3}, {10, 20, 30, 40, 50, 60});
  ASSERT_TRUE(runs(PHASES(aclnnIndexCopy), self, int64_t{1}, index, source, out));
  EXPECT_EQ(out.values(), (Values{20, 1, 30, 50, 4, 60}));
  const Scalar value(-1.0F);
  ASSERT_TRUE(runs(PHASES(aclnnInplaceIndexFill), out, int64_t{1}, index, value));
  EXPECT_EQ(out.values(), (Values{-1, 1, -1, -1, 4, -1}));
  const Array wrong(ACL_INT64, {1}, {2});
  expect_failure(call(PHASES(aclnnInplaceIndexFill), out, int64_t{0}, wrong, value),
                 "must be in [-2, 1]");
}

TEST_F(ScatterTest, ATaskGivesWhatAMaskSelectsItsSize) {
  const Array self(ACL_FLOAT, {2, 1}, {1, 2}), mask(ACL_UINT8, {3}, {1, 0, 9});
  const Array out(ACL_FLOAT, {6}, {7, 7, 7, 7, 7, 7});
  ASSERT_TRUE(runs(PHASES(aclnnMaskedSelect), self, mask, out));
  EXPECT_EQ(out.values(), (Values{1, 1, 2, 2, 7, 7}));
  EXPECT_EQ(view_shape(out), (Values{4}));
  // It no longer has room for all that a mask may select.
  EXPECT_TRUE(
      fails_with(161002, {"[6]", "[4]"}, plan(aclnnMaskedSelectGetWorkspaceSize, self, mask, out)));
  const Array none(ACL_BOOL, {2, 1}, {0, 0}), two(ACL_FLOAT, {2});
  ASSERT_TRUE(runs(PHASES(aclnnMaskedSelect), self, none, two));
  EXPECT_EQ(view_shape(two), (Values{0}));
}

TEST_F(ScatterTest, WhatGetsItsSizeFromATaskIsNotRepeated) {
  const Array self(ACL_FLOAT, {2}, {1, 2}), mask(ACL_BOOL, {2}, {1, 0}), out(ACL_FLOAT, {2});
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnMaskedSelectGetWorkspaceSize(self.tensor(), mask.tensor(), out.tensor(), &size,
                                              &executor),
            0);
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), 561000);
  EXPECT_NE(recent_message().find("aclnnMaskedSelect"), std::string::npos) << recent_message();
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
}

TEST_F(ScatterTest, ElementsFollowOneAnotherWhereAMaskIsTrue) {
  const Array zeros(ACL_FLOAT, {4}, {0, 0, 0, 0}), mask(ACL_BOOL, {4}, {1, 0, 1, 1});
  const Array source(ACL_FLOAT, {2, 2}, {1, 2, 3, 4}), few(ACL_FLOAT, {2}, {8, 9});
  ASSERT_EQ(masked_scatter(zeros, mask, source), 0) << recent_message();
  EXPECT_EQ(zeros.values(), (Values{1, 0, 2, 3}));
  expect_failure(masked_scatter(zeros, mask, few),
                 "each of the 3 true elements of mask, but has 2");
  EXPECT_EQ(zeros.values(), (Values{1, 0, 2, 3}));
  const Array columns(ACL_FLOAT, {2, 2}, {0, 0, 0, 0}), second(ACL_BOOL, {2}, {0, 1});
  ASSERT_EQ(masked_scatter(columns, second, few), 0) << recent_message();
  EXPECT_EQ(columns.values(), (Values{0, 8, 0, 9}));
}

TEST_F(ScatterTest, WithoutDimensionsOrElements) {
  const Array five(ACL_FLOAT, {}, {5}), mask(ACL_BOOL, {}, {1}), out(ACL_FLOAT, {1});
  ASSERT_TRUE(runs(PHASES(aclnnMaskedSelect), five, mask, out));
  EXPECT_EQ(out.values(), (Values{5}));
  const Array matrix(ACL_FLOAT, {1, 1});
  ASSERT_TRUE(runs(PHASES(aclnnFlatten), five, int64_t{0}, matrix));
  EXPECT_EQ(matrix.values(), (Values{5}));
  const Array empty(ACL_FLOAT, {0, 3}), rows(ACL_FLOAT, {0, 3});
  EXPECT_TRUE(runs(PHASES(aclnnFlatten), empty, int64_t{1}, rows));
  const Array index(ACL_INT64, {}, {0}), value(ACL_FLOAT, {}, {9});
  ASSERT_EQ(scatter(five, 0, index, value, 0, five), 0) << recent_message();
  EXPECT_EQ(five.get(0), 9);
}

}  // namespace
}  // namespace aclgrad::testing
