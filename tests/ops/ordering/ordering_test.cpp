// SPDX-License-Identifier: Apache-2.0
// What no contract has of sorting and searching: NaN, zeros and ties as PyTorch 1.13 and NumPy 1.24
// have them, wrong numbers that only a task finds, elements that are no number of a bin.
#include <algorithm>
#include <limits>

#include "aclnnop/aclnn_argsort.h"
#include "aclnnop/aclnn_bincount.h"
#include "aclnnop/aclnn_bucketize.h"
#include "aclnnop/aclnn_histc.h"
#include "aclnnop/aclnn_kthvalue.h"
#include "aclnnop/aclnn_nanmedian.h"
#include "aclnnop/aclnn_searchsorted.h"
#include "aclnnop/aclnn_sort.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class OrderingTest : public AclTest {
 protected:
  aclnnStatus sort(const Array& self, bool descending, const Array& values, const Array& indices) {
    return call(PHASES(aclnnSort), self, true, int64_t{-1}, descending, values, indices);
  }
};

TEST_F(OrderingTest, ANaNIsTheLargestAndEqualElementsKeepTheirOrder) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Array self(dtype, {9}, {3, kNaN, -1, -0.0L, 0, kNaN, kInfinity, -kInfinity, 3});
    const Array values(dtype, {9}), indices(ACL_INT64, {9});
    ASSERT_EQ(sort(self, false, values, indices), 0) << recent_message();
    EXPECT_EQ(indices.values(), (Values{7, 2, 3, 4, 0, 8, 6, 1, 5}));
    expect_same(values, {-kInfinity, -1, -0.0L, 0, 3, 3, kInfinity, kNaN, kNaN});
    ASSERT_EQ(sort(self, true, values, indices), 0) << recent_message();
    EXPECT_EQ(indices.values(), (Values{1, 5, 6, 0, 8, 3, 4, 2, 7}));
    expect_same(values, {kNaN, kNaN, kInfinity, 3, 3, -0.0L, 0, -1, -kInfinity});
    const Array places(ACL_INT64, {9});
    ASSERT_TRUE(runs(PHASES(aclnnArgsort), self, int64_t{0}, true, places));
    EXPECT_EQ(places.values(), indices.values());
  }
}

// Lines longer than those that are compared element by element, of few numbers and of all bits.
TEST_F(OrderingTest, LongLinesAreInTheOrderOfAStableSort) {
  for (const aclDataType dtype : {ACL_INT64, ACL_DOUBLE, ACL_INT8, ACL_BOOL}) {
    Array self(dtype, {20000});
    Sequence sequence;
    for (int64_t i = 0; i < self.count(); ++i) {
      const long double limit = i % 2 == 0 ? 3 : 0x1p62L;
      self.set(i, dtype == ACL_BOOL ? i % 3 % 2 : std::trunc(sequence.next(-limit, limit)));
      if (dtype == ACL_INT8) self.set(i, std::trunc(sequence.next(-128, 128)));
    }
    const Values numbers = self.values();
    const Array values(dtype, {20000}), indices(ACL_INT64, {20000});
    for (const bool descending : {false, true}) {
      ASSERT_EQ(sort(self, descending, values, indices), 0) << recent_message();
      std::vector<size_t> order(numbers.size());
      for (size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::ranges::stable_sort(order, [&](size_t i, size_t j) {
        return descending ? numbers[i] > numbers[j] : numbers[i] < numbers[j];
      });
      for (size_t i = 0; i < order.size(); ++i) {
        const auto at = static_cast<int64_t>(i);
        ASSERT_EQ(indices.get(at), static_cast<long double>(order[i])) << i;
        ASSERT_EQ(values.get(at), numbers[order[i]]) << i;
      }
    }
  }
}

TEST_F(OrderingTest, ScalarsHaveOneElementInOrder) {
  const Array self(ACL_FLOAT, {}, {5}), values(ACL_FLOAT, {}), indices(ACL_INT64, {}, {7});
  ASSERT_EQ(sort(self, false, values, indices), 0) << recent_message();
  EXPECT_EQ(values.get(0), 5);
  EXPECT_EQ(indices.get(0), 0);
  const Array empty(ACL_FLOAT, {2, 0}), none(ACL_FLOAT, {2, 0}), places(ACL_INT64, {2, 0});
  EXPECT_EQ(sort(empty, false, none, places), 0) << recent_message();
}

TEST_F(OrderingTest, TheMedianIsTheLowerOfTwoAndNaNWhereThereIsOne) {
  const Array self(ACL_FLOAT, {3, 4}, {4, 1, 3, 2, kNaN, 1, kNaN, 0, kNaN, kNaN, kNaN, kNaN});
  const Array values(ACL_FLOAT, {3}), indices(ACL_INT64, {3}), one(ACL_FLOAT, {1});
  ASSERT_TRUE(runs(PHASES(aclnnMedianDim), self, int64_t{1}, false, values, indices));
  expect_same(values, {2, kNaN, kNaN});
  EXPECT_EQ(indices.values(), (Values{3, 0, 0}));
  ASSERT_TRUE(runs(PHASES(aclnnNanMedianDim), self, int64_t{1}, false, values, indices));
  expect_same(values, {2, 0, kNaN});
  EXPECT_EQ(indices.values(), (Values{3, 3, 0}));
  ASSERT_TRUE(runs(PHASES(aclnnMedian), self, one));
  expect_same(one, {kNaN});
  ASSERT_TRUE(runs(PHASES(aclnnNanMedian), self, one));
  expect_same(one, {1});  // of 4 1 3 2 1 0
}

TEST_F(OrderingTest, OfNoElementsThereIsAMedianOnlyWhereThereIsANaN) {
  const Array empty(ACL_FLOAT16, {0, 3}), out(ACL_FLOAT16, {});
  ASSERT_TRUE(runs(PHASES(aclnnMedian), empty, out));
  expect_same(out, {kNaN});
  const Array integers(ACL_INT32, {0}), number(ACL_INT32, {});
  EXPECT_TRUE(fails_with(161002, {"must have an element"},
                         plan(aclnnNanMedianGetWorkspaceSize, integers, number)));
}

TEST_F(OrderingTest, TheKthIsTheOneThatSortingPutsThere) {
  const Array self(ACL_FLOAT, {2, 4}, {4, 1, 1, 2, kNaN, 1, kNaN, 0});
  const Array values(ACL_FLOAT, {2, 1}), indices(ACL_INT32, {2, 1});
  const Values kth[] = {{1, 0}, {1, 1}, {2, kNaN}, {4, kNaN}};
  const Values places[] = {{1, 3}, {2, 1}, {3, 0}, {0, 2}};
  for (int64_t k = 1; k <= 4; ++k) {
    ASSERT_TRUE(runs(PHASES(aclnnKthvalue), self, k, int64_t{1}, true, values, indices));
    expect_same(values, kth[k - 1]);
    EXPECT_EQ(indices.values(), places[k - 1]) << k;
  }
}

TEST_F(OrderingTest, ANaNBelongsBehindAllAndElementsBeforeOrBehindEqualOnes) {
  const Array sequence(ACL_FLOAT, {5}, {1, 3, 3, 5, kInfinity});
  const Array self(ACL_FLOAT, {6}, {0, 3, 4, kNaN, kInfinity, -kInfinity});
  const Array out(ACL_INT64, {6}), narrow(ACL_INT32, {6});
  const aclTensor* const none = nullptr;
  ASSERT_TRUE(runs(PHASES(aclnnSearchSorted), sequence, self, false, false, none, out));
  EXPECT_EQ(out.values(), (Values{0, 1, 3, 5, 4, 0}));
  ASSERT_TRUE(runs(PHASES(aclnnSearchSorted), sequence, self, true, true, none, narrow));
  EXPECT_EQ(narrow.values(), (Values{0, 3, 3, 5, 5, 0}));
  ASSERT_TRUE(runs(PHASES(aclnnBucketize), self, sequence, false, true, out));
  EXPECT_EQ(out.values(), narrow.values());
  const Array with_nan(ACL_FLOAT, {3}, {1, 2, kNaN});
  ASSERT_TRUE(runs(PHASES(aclnnSearchSorted), with_nan, self, false, false, none, out));
  EXPECT_EQ(out.values(), (Values{0, 2, 2, 3, 2, 0}));
  const Array nothing(ACL_FLOAT, {0});
  ASSERT_TRUE(runs(PHASES(aclnnSearchSorted), nothing, self, false, false, none, out));
  EXPECT_EQ(out.values(), (Values{0, 0, 0, 0, 0, 0}));
}

TEST_F(OrderingTest, ASorterSaysWhereTheElementsInOrderAre) {
  const Array sequence(ACL_FLOAT, {2, 3}, {5, 1, 3, 20, 30, 10});
  const Array sorter(ACL_INT64, {2, 3}, {1, 2, 0, 2, 0, 1});
  const Array self(ACL_FLOAT, {2, 2}, {0, 4, 15, 31}), out(ACL_INT64, {2, 2});
  ASSERT_TRUE(runs(PHASES(aclnnSearchSorted), sequence, self, false, false, sorter, out));
  EXPECT_EQ(out.values(), (Values{0, 2, 1, 3}));
  const Array wrong(ACL_INT64, {2, 3}, {1, 2, 0, 2, 3, 1});
  expect_failure(call(PHASES(aclnnSearchSorted), sequence, self, false, false, wrong, out),
                 "element 4 of sorter is 3");
}

TEST_F(OrderingTest, AScalarWithAFractionIsComparedAsItIs) {
  const Array sequence(ACL_INT32, {3}, {1, 2, 3}), out(ACL_INT64, {1});
  const aclTensor* const none = nullptr;
  for (const auto& [number, place] : {std::pair(1.5, 1), {2.0, 1}, {3.5, 3}}) {
    const Scalar self(number);
    ASSERT_TRUE(runs(PHASES(aclnnSearchSorteds), sequence, self, false, false, none, out));
    EXPECT_EQ(out.get(0), place) << number;
  }
  // 2^53 + 1 and its neighbours are one number in DOUBLE.
  const Array large(ACL_INT64, {3}, {0x1p53L, 0x1p53L + 1, 0x1p53L + 2});
  const Scalar self((int64_t{1} << 53) + 1);
  ASSERT_TRUE(runs(PHASES(aclnnSearchSorteds), large, self, false, true, none, out));
  EXPECT_EQ(out.get(0), 2);
}

TEST_F(OrderingTest, NumbersAreCountedUpToTheSizeOfTheResult) {
  const Array self(ACL_INT32, {5}, {1, 4, 1, 0, 9}), out(ACL_INT64, {6});
  const aclTensor* const none = nullptr;
  ASSERT_TRUE(runs(PHASES(aclnnBincount), self, none, int64_t{0}, out));
  EXPECT_EQ(out.values(), (Values{1, 2, 0, 0, 1, 0}));
  const Array weights(ACL_FLOAT16, {5}, {0.5L, 1, 0.25L, kNaN, 8}), sums(ACL_DOUBLE, {3});
  ASSERT_TRUE(runs(PHASES(aclnnBincount), self, weights, int64_t{0}, sums));
  expect_same(sums, {kNaN, 0.75L, 0});
  const Array negative(ACL_INT8, {2}, {1, -1}), empty(ACL_INT64, {0});
  expect_failure(call(PHASES(aclnnBincount), negative, none, int64_t{0}, out),
                 "element 1 of self is -1");
  ASSERT_TRUE(runs(PHASES(aclnnBincount), empty, none, int64_t{0}, out));
  EXPECT_EQ(out.values(), (Values{0, 0, 0, 0, 0, 0}));
}

TEST_F(OrderingTest, TheLastIntervalHasItsEndAndNaNIsInNone) {
  const Array self(ACL_FLOAT, {9}, {1, 2, 1, 5, 0, 2.5L, 7, -1, kNaN}), out(ACL_FLOAT, {4});
  ASSERT_TRUE(
      runs(PHASES(aclnnHistc), self, int64_t{4}, Scalar(int64_t{0}), Scalar(int64_t{5}), out));
  EXPECT_EQ(out.values(), (Values{3, 1, 1, 1}));
  const Array same(ACL_FLOAT, {2}, {2, 2}), spread(ACL_FLOAT, {3}, {1, 2, 4});
  const Array three(ACL_FLOAT, {3});
  const Scalar zero(0.0F);
  ASSERT_TRUE(runs(PHASES(aclnnHistc), same, int64_t{3}, zero, zero, three));
  EXPECT_EQ(three.values(), (Values{0, 2, 0}));
  ASSERT_TRUE(runs(PHASES(aclnnHistc), spread, int64_t{3}, zero, zero, three));
  EXPECT_EQ(three.values(), (Values{1, 1, 1}));
  // A range that DOUBLE does not hold.
  const long double most = std::numeric_limits<double>::max();
  const Array wide(ACL_DOUBLE, {2}, {-most, most}), two(ACL_DOUBLE, {2});
  EXPECT_TRUE(runs(PHASES(aclnnHistc), wide, int64_t{2}, zero, zero, two));
  EXPECT_EQ(two.get(0) + two.get(1), 2);
}

}  // namespace
}  // namespace aclgrad::testing
