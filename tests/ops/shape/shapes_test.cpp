// SPDX-License-Identifier: Apache-2.0
// What no contract has of joins, cuts, pads and triangles: lists as such, mixed
// dtypes, empty tensors, extreme attributes.
#include <limits>

#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_constant_pad_nd.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_repeat.h"
#include "aclnnop/aclnn_slice.h"
#include "aclnnop/aclnn_split_tensor.h"
#include "aclnnop/aclnn_split_with_size.h"
#include "aclnnop/aclnn_stack.h"
#include "aclnnop/aclnn_tril.h"
#include "aclnnop/aclnn_triu.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

class ShapesTest : public AclTest {
 protected:
  aclnnStatus cat(const List& list, int64_t dim, const Array& out) {
    return call(PHASES(aclnnCat), list, dim, out);
  }
  Outcome plan_cat(const aclTensorList* list, int64_t dim, aclTensor* out) {
    return plan(aclnnCatGetWorkspaceSize, list, dim, out);
  }
};

TEST_F(ShapesTest, AListIsReleasedWithoutItsTensors) {
  const Array a(ACL_FLOAT, {2}, {1, 2});
  const aclTensor* const tensor = a.tensor();
  aclTensorList* const list = aclCreateTensorList(&tensor, 1);
  EXPECT_EQ(aclgradReleaseTensorList(list), 0);
  int64_t offset = -1;
  EXPECT_EQ(aclGetViewOffset(tensor, &offset), 0);
  EXPECT_EQ(aclgradReleaseTensorList(list), 161002);
  EXPECT_NE(recent_message().find("aclgradReleaseTensorList"), std::string::npos);
  EXPECT_EQ(aclgradReleaseTensorList(nullptr), 0);
}

TEST_F(ShapesTest, CatPassesOverTensorsOfShape0) {
  const Array none(ACL_BOOL, {0});
  const Array a(ACL_FLOAT, {1, 2}, {1, 2});
  const Array b(ACL_FLOAT, {1, 0});
  const Array out(ACL_FLOAT, {1, 4});
  // One tensor twice, and empty ones of the right shape.
  const List list{none.tensor(), a.tensor(), b.tensor(), a.tensor()};
  ASSERT_EQ(cat(list, 1, out), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{1, 2, 1, 2}));

  // With no other tensor nothing else is looked at, and there is nothing to do.
  uint64_t size = 77;
  aclOpExecutor* executor = nullptr;
  const List empty{none.tensor()};
  ASSERT_EQ(aclnnCatGetWorkspaceSize(empty.get(), 99, nullptr, &size, &executor), 0);
  EXPECT_EQ(size, 0U);
  EXPECT_EQ(aclnnCat(nullptr, 0, executor, stream()), 0);
}

TEST_F(ShapesTest, CatPromotesAndRoundsOnTheWay) {
  const Array whole(ACL_INT32, {2}, {2049, -7});  // FLOAT16 has no 2049
  const Array half(ACL_FLOAT16, {1}, {0.5L});
  const Array out(ACL_FLOAT, {3});
  const List list{whole.tensor(), half.tensor()};
  ASSERT_EQ(cat(list, 0, out), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{2048, -7, 0.5L}));
  const Array integers(ACL_INT32, {3});
  EXPECT_TRUE(fails_with(161002, {"aclnnCat", "tensors", "DT_FLOAT16", "DT_INT32"},
                         plan_cat(list.get(), 0, integers.tensor())));
}

TEST_F(ShapesTest, CatChecksEveryTensorOfTheList) {
  const Array a(ACL_FLOAT, {2, 2}, {1});
  const Array other(ACL_FLOAT, {3, 2}, {1});
  const Array flat(ACL_FLOAT, {4}, {1});
  const Array out(ACL_FLOAT, {2, 4});
  EXPECT_TRUE(fails_with(161001, {"aclnnCat", "tensors"}, plan_cat(nullptr, 1, out.tensor())));
  const List null{a.tensor(), nullptr};
  EXPECT_TRUE(fails_with(161001, {"tensors[1]"}, plan_cat(null.get(), 1, out.tensor())));
  alignas(16) static char no_tensor[64];
  const List invalid{a.tensor(), reinterpret_cast<const aclTensor*>(no_tensor)};
  EXPECT_TRUE(
      fails_with(161002, {"tensors[1]", "not a live"}, plan_cat(invalid.get(), 1, out.tensor())));
  const List wrong{a.tensor(), other.tensor()};
  EXPECT_TRUE(fails_with(161002, {"tensors[1]", "[3, 2]", "[2, 2]"},
                         plan_cat(wrong.get(), 1, out.tensor())));
  const List ranks{a.tensor(), flat.tensor()};
  EXPECT_TRUE(fails_with(161002, {"tensors[1]", "[4]"}, plan_cat(ranks.get(), 1, out.tensor())));
  const List right{a.tensor(), a.tensor()};
  EXPECT_TRUE(fails_with(161001, {"out"}, plan_cat(right.get(), 1, nullptr)));
  EXPECT_TRUE(fails_with(161002, {"out", "[4, 2]"}, plan_cat(right.get(), 0, out.tensor())));
  EXPECT_TRUE(fails_with(161002, {"dim", "-3"}, plan_cat(right.get(), -3, out.tensor())));
}

TEST_F(ShapesTest, StackHasStatusesOfItsOwnForNull) {
  const Array a(ACL_FLOAT, {2}, {1, 2});
  const Array out(ACL_FLOAT, {1, 2});
  const List one{a.tensor()};
  const List null{nullptr};
  const List none{};
  const auto stack = [&](const aclTensorList* list, aclTensor* to) {
    return plan(aclnnStackGetWorkspaceSize, list, int64_t{0}, to);
  };
  EXPECT_TRUE(fails_with(561103, {"tensors"}, stack(nullptr, out.tensor())));
  EXPECT_TRUE(fails_with(561103, {"out"}, stack(one.get(), nullptr)));
  EXPECT_TRUE(fails_with(161001, {"tensors[0]"}, stack(null.get(), out.tensor())));
  EXPECT_TRUE(fails_with(161002, {"tensors"}, stack(none.get(), out.tensor())));
}

TEST_F(ShapesTest, ScalarsStackAndPermute) {
  const Array a(ACL_INT8, {}, {3});
  const Array b(ACL_INT8, {}, {-4});
  const Array out(ACL_INT8, {2});
  const List list{a.tensor(), b.tensor()};
  ASSERT_TRUE(runs(PHASES(aclnnStack), list, int64_t{-1}, out));
  EXPECT_EQ(out.values(), (Values{3, -4}));
  const IntArray no_dims({});
  const Array copy(ACL_INT8, {});
  ASSERT_TRUE(runs(PHASES(aclnnPermute), b, no_dims, copy));
  EXPECT_EQ(copy.get(0), -4);
}

TEST_F(ShapesTest, SliceLimitsItsEnds) {
  const Array a(ACL_INT32, {5}, {0, 1, 2, 3, 4});
  const auto slice = [&](int64_t start, int64_t end, int64_t step, int64_t size) {
    const Array out(ACL_INT32, {size});
    EXPECT_TRUE(runs(PHASES(aclnnSlice), a, int64_t{0}, start, end, step, out));
    return out.values();
  };
  EXPECT_EQ(slice(-kMax - 1, kMax, 1, 5), (Values{0, 1, 2, 3, 4}));
  EXPECT_EQ(slice(1, kMax, kMax, 1), (Values{1}));
  EXPECT_EQ(slice(-2, -1, 1, 1), (Values{3}));
  EXPECT_EQ(slice(4, 1, 1, 0), Values{});
  EXPECT_EQ(slice(0, 5, 2, 3), (Values{0, 2, 4}));
}

TEST_F(ShapesTest, SplitConvertsAndLeavesWhatItDoesNotNeed) {
  const Array a(ACL_FLOAT, {3}, {1.5L, -2.5L, 300});
  const Array first(ACL_INT8, {2});
  const Array second(ACL_INT8, {1});
  const Array more(ACL_INT8, {9}, {7});
  const List list{first.tensor(), second.tensor(), more.tensor()};
  ASSERT_TRUE(runs(PHASES(aclnnSplitTensor), a, uint64_t{2}, int64_t{0}, list));
  EXPECT_EQ(first.values(), (Values{1, -2}));
  EXPECT_EQ(second.values(), (Values{127}));
  EXPECT_EQ(more.get(0), 7);
  const List chunk{a.tensor()};
  EXPECT_TRUE(
      fails_with(161002, {"out", "at least 2"},
                 plan(aclnnSplitTensorGetWorkspaceSize, a, uint64_t{2}, int64_t{0}, chunk)));
  EXPECT_EQ(plan(aclnnSplitTensorGetWorkspaceSize, a, UINT64_MAX, int64_t{0}, chunk).status, 0);
}

TEST_F(ShapesTest, SplitWithSizeTakesOutputsOfSeveralDtypes) {
  const Array a(ACL_FLOAT, {3}, {1.5L, -2.5L, 3});
  const Array first(ACL_DOUBLE, {1});
  const Array second(ACL_INT16, {2});
  const List list{first.tensor(), second.tensor()};
  const IntArray sizes({1, 2});
  ASSERT_TRUE(runs(PHASES(aclnnSplitWithSize), a, sizes, int64_t{-1}, list));
  EXPECT_EQ(first.values(), (Values{1.5L}));
  EXPECT_EQ(second.values(), (Values{-2, 3}));
  const IntArray negative({4, -1});
  EXPECT_TRUE(fails_with(161002, {"splitSize", "[4, -1]"},
                         plan(aclnnSplitWithSizeGetWorkspaceSize, a, negative, int64_t{0}, list)));
}

TEST_F(ShapesTest, PadFillsWhatAnEmptyTensorLeaves) {
  const Array a(ACL_FLOAT, {0});
  const Array out(ACL_FLOAT, {2});
  const IntArray pad({1, 1});
  const Scalar value(2.5F);
  ASSERT_TRUE(runs(PHASES(aclnnConstantPadNd), a, pad, value, out));
  EXPECT_EQ(out.values(), (Values{2.5L, 2.5L}));
  const IntArray far({-kMax - 1, kMax});
  EXPECT_TRUE(
      fails_with(161002, {"pad"}, plan(aclnnConstantPadNdGetWorkspaceSize, out, far, value, out)));
}

TEST_F(ShapesTest, RepeatOf0TimesWritesNothing) {
  const Array a(ACL_FLOAT, {2}, {1, 2});
  const Array out(ACL_FLOAT, {3}, {7});
  const IntArray repeats({0});
  EXPECT_TRUE(runs(PHASES(aclnnRepeat), a, repeats, out));
  EXPECT_EQ(out.values(), (Values{7, 7, 7}));
}

TEST_F(ShapesTest, TrianglesHaveAnyDiagonal) {
  for (const int64_t diagonal : {-kMax - 1, int64_t{-3}, int64_t{3}, kMax}) {
    Array a(ACL_INT64, {2, 3}, {1, 2, 3, 4, 5, 6});
    const Array out(ACL_INT64, {2, 3});
    const Values all = a.values();
    const Values none(6, 0);
    const bool keeps = diagonal > 0;
    ASSERT_TRUE(runs(PHASES(aclnnTril), a, diagonal, out));
    EXPECT_EQ(out.values(), keeps ? all : none);
    ASSERT_TRUE(runs(PHASES(aclnnInplaceTriu), a, diagonal));
    EXPECT_EQ(a.values(), keeps ? none : all);
  }
}

}  // namespace
}  // namespace aclgrad::testing
