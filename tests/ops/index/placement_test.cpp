// SPDX-License-Identifier: Apache-2.0
// What no contract has of elements that are added, put and taken by their numbers: masks, whole
// dimensions, dimensions that are not neighbours, repeats that differ, numbers out of range.
#include "aclgrad_ext.h"
#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_index_add.h"
#include "aclnnop/aclnn_index_put_impl.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_repeat_interleave_grad.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class PlacementTest : public AclTest {
 protected:
  aclnnStatus index(const Array& self, const List& indices, const Array& out) {
    return call(PHASES(aclnnIndex), self, indices, out);
  }
  aclnnStatus put(const Array& self, const List& indices, const Array& values, bool accumulate) {
    return call(PHASES(aclnnIndexPutImpl), self, indices, values, accumulate, false);
  }
};

// Values of another dtype are converted first, also where they are broadcast or added up. Of equal
// places the last value stays.
TEST_F(PlacementTest, ValuesOfAnyDtypeAreAddedOrTheLastOneStays) {
  const Array rows(ACL_INT64, {3}, {1, 0, 1}), columns(ACL_INT64, {3}, {2, 0, 2});
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT32, ACL_BOOL}) {
    const bool is_bool = dtype == ACL_BOOL;
    const Array values(dtype, {3}, {}, is_bool ? Values{1, 0, 1} : Values{10, 20, 30});
    const Array a(ACL_FLOAT, {2, 3}, {0, 1, 2, 3, 4, 5});
    ASSERT_EQ(put(a, {rows.tensor(), columns.tensor()}, values, true), 0) << recent_message();
    EXPECT_EQ(a.values(), (is_bool ? Values{0, 1, 2, 3, 4, 7} : Values{20, 1, 2, 3, 4, 45}));
    ASSERT_EQ(put(a, {rows.tensor(), columns.tensor()}, values, false), 0) << recent_message();
    EXPECT_EQ(a.get(5), is_bool ? 1 : 30);
    ASSERT_EQ(put(a, {rows.tensor()}, values, false), 0) << recent_message();
    EXPECT_EQ(a.values(), (is_bool ? Values{1, 0, 1, 1, 0, 1} : Values{10, 20, 30, 10, 20, 30}));
  }
  // Rounded before they are added: 2049 is no FLOAT16.
  const Array half(ACL_FLOAT16, {1}, {1}), more(ACL_FLOAT, {1}, {2049}), at(ACL_INT64, {1}, {0});
  ASSERT_EQ(put(half, {at.tensor()}, more, true), 0) << recent_message();
  EXPECT_EQ(half.get(0), 2048);
  const Array whole(ACL_INT32, {1}, {1});
  EXPECT_EQ(put(whole, {at.tensor()}, more, true), 161002)
      << "as PyTorch casts no float to integer";
}

TEST_F(PlacementTest, IndicesStandForTheirDimensions) {
  const Array a(ACL_FLOAT, {2, 3}, {0, 1, 2, 3, 4, 5});
  const Array rows(ACL_INT64, {3}, {1, 0, -1}), columns(ACL_INT32, {3}, {2, 0, 2});
  const Array out(ACL_FLOAT, {3});
  ASSERT_EQ(index(a, {rows.tensor(), columns.tensor()}, out), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{5, 0, 5}));
  // All of the rows: null, or of size [0].
  const Array all(ACL_FLOAT, {0}), two(ACL_INT64, {2}, {2, 0}), picked(ACL_FLOAT, {2, 2});
  for (const aclTensor* const none :
       {static_cast<const aclTensor*>(nullptr), static_cast<const aclTensor*>(all.tensor())}) {
    ASSERT_EQ(index(a, {none, two.tensor()}, picked), 0) << recent_message();
    EXPECT_EQ(picked.values(), (Values{2, 0, 5, 3}));
  }
}

TEST_F(PlacementTest, DimensionsThatAreNoNeighboursComeFirst) {
  const Array a(ACL_INT8, {2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const Array first(ACL_INT64, {2}, {1, 0}), last(ACL_INT64, {2}, {0, 1}), out(ACL_INT8, {2, 3});
  ASSERT_EQ(index(a, {first.tensor(), nullptr, last.tensor()}, out), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{6, 8, 10, 1, 3, 5}));
}

TEST_F(PlacementTest, MasksStandForTheirTrueElements) {
  const Array a(ACL_FLOAT, {2, 3}, {0, 1, 2, 3, 4, 5});
  const Array mask(ACL_BOOL, {2, 3}, {1, 0, 1, 0, 0, 1}), chosen(ACL_FLOAT, {3});
  ASSERT_EQ(index(a, {mask.tensor()}, chosen), 0) << recent_message();
  EXPECT_EQ(chosen.values(), (Values{0, 2, 5}));
  const Array columns(ACL_UINT8, {3}, {0, 7, 1}), right(ACL_FLOAT, {2, 2});
  ASSERT_EQ(index(a, {nullptr, columns.tensor()}, right), 0) << recent_message();
  EXPECT_EQ(right.values(), (Values{1, 2, 4, 5}));
  const Array four(ACL_FLOAT, {4}, {7, 7, 7, 7});
  expect_failure(index(a, {mask.tensor()}, four), "3 elements that are true");
  EXPECT_EQ(four.get(0), 7);
  const Array short_mask(ACL_BOOL, {2, 2}, {1, 0, 1, 0});
  EXPECT_TRUE(fails_with(161002, {"indices[0]", "[2, 3]"},
                         plan(aclnnIndexGetWorkspaceSize, a, List{short_mask.tensor()}, four)));
  // One value for however many there are.
  const Array one(ACL_FLOAT, {1}, {9});
  ASSERT_EQ(put(a, {mask.tensor()}, one, false), 0) << recent_message();
  EXPECT_EQ(a.values(), (Values{9, 1, 9, 3, 4, 9}));
  ASSERT_EQ(put(a, {mask.tensor()}, one, true), 0) << recent_message();
  EXPECT_EQ(a.values(), (Values{18, 1, 18, 3, 4, 18}));
}

TEST_F(PlacementTest, OutOfRangeNothingIsWritten) {
  const Array a(ACL_FLOAT, {2, 3}, {0, 1, 2, 3, 4, 5});
  const Array wrong(ACL_INT64, {1, 2}, {1, 3}), line(ACL_INT64, {2}, {1, 3});
  const Array rows(ACL_FLOAT, {2, 3}, {7, 7, 7, 7, 7, 7}), two(ACL_FLOAT, {1, 2}, {7, 7});
  const Array out(ACL_FLOAT, {2, 3}, {9, 9, 9, 9, 9, 9});
  const Scalar one(1.0F);
  expect_failure(call(PHASES(aclnnIndexAdd), a, int64_t{0}, line, rows, one, out),
                 "element 1 of index is 3, but must be in [-2, 1]");
  expect_failure(call(PHASES(aclnnScatterAdd), a, int64_t{1}, wrong, two, out),
                 "must be in [-3, 2]");
  EXPECT_EQ(out.get(0), 9);
  expect_failure(put(a, {line.tensor()}, rows, true), "must be in [-2, 1]");
  expect_failure(put(a, {line.tensor()}, rows, false), "element 1 of indices[0]");
  EXPECT_EQ(a.values(), (Values{0, 1, 2, 3, 4, 5}));
}

TEST_F(PlacementTest, SumsMayBeMadeInPlaceAndAreRoundedOnce) {
  const Array index(ACL_INT64, {3}, {0, 2, 0}), zeros(ACL_FLOAT, {3, 2}, {0, 0, 0, 0, 0, 0});
  const Array source(ACL_FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6});
  const Scalar two(2.0F);
  ASSERT_TRUE(runs(PHASES(aclnnIndexAdd), zeros, int64_t{0}, index, source, two, zeros));
  EXPECT_EQ(zeros.values(), (Values{12, 16, 0, 0, 6, 8}));
  // In FLOAT16 each of the ones would be lost.
  const Array large(ACL_FLOAT16, {1}, {2048}), places(ACL_INT32, {2}, {0, 0});
  const Array ones(ACL_FLOAT16, {2}, {1, 1});
  ASSERT_TRUE(runs(PHASES(aclnnScatterAdd), large, int64_t{0}, places, ones, large));
  EXPECT_EQ(large.get(0), 2050);
}

TEST_F(PlacementTest, RepeatsMayDiffer) {
  const Array a(ACL_INT16, {2, 2}, {1, 2, 3, 4}), times(ACL_INT64, {2}, {2, 1});
  const Array out(ACL_INT16, {3, 2}, {7, 7, 7, 7, 7, 7});
  const auto repeat = [&](const Array& repeats) {
    return call(PHASES(aclnnRepeatInterleaveWithDim), a, repeats, int64_t{0}, int64_t{3}, out);
  };
  expect_failure(repeat(Array(ACL_INT64, {2}, {2, 2})), "sum");
  expect_failure(repeat(Array(ACL_INT64, {2}, {2, 0})), "sum of 2");
  expect_failure(repeat(Array(ACL_INT64, {2}, {4, -1})), "negative");
  EXPECT_EQ(out.get(0), 7);
  ASSERT_EQ(repeat(times), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{1, 2, 1, 2, 3, 4}));
  const Array which(ACL_INT32, {5}), counts(ACL_INT32, {3}, {2, 0, 3});
  ASSERT_TRUE(runs(PHASES(aclnnRepeatInterleaveTensor), counts, int64_t{5}, which));
  EXPECT_EQ(which.values(), (Values{0, 0, 2, 2, 2}));
  const Array grad(ACL_FLOAT, {5}, {1, 2, 3, 4, 5}), sums(ACL_FLOAT, {3});
  ASSERT_TRUE(runs(PHASES(aclnnRepeatInterleaveGrad), grad, counts, int64_t{0}, sums));
  EXPECT_EQ(sums.values(), (Values{3, 0, 12}));
}

}  // namespace
}  // namespace aclgrad::testing
