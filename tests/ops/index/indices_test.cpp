// SPDX-License-Identifier: Apache-2.0
// What no contract has of indices: numbers out of range, both dtypes of numbers,
// scalars, empty tensors, large tables; and how Arange reads its scalars.
#include <limits>

#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_index_select.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

constexpr uint64_t kNoPadding = UINT64_MAX;

class IndicesTest : public AclTest {
 protected:
  // The task fails, says why and leaves out as it was.
  void expect_untouched(aclnnStatus status, const char* what, const Array& out) {
    expect_failure(status, what);
    for (const long double value : out.values()) EXPECT_EQ(value, 7);
  }
};

TEST_F(IndicesTest, OutOfRangeNothingIsReadOrWritten) {
  const Array self(ACL_FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6});
  for (const aclDataType dtype : {ACL_INT32, ACL_INT64}) {
    for (const long double wrong : {3.0L, -4.0L, 2147483647.0L}) {
      const Array index(dtype, {2}, {1, wrong});
      const Array rows(ACL_FLOAT, {2, 2}, {7});
      expect_untouched(call(PHASES(aclnnIndexSelect), self, int64_t{0}, index, rows),
                       "must be in [-3, 2]", rows);
      expect_untouched(call(PHASES(aclnnGatherV2), self, int64_t{0}, index, rows),
                       "element 1 of index", rows);
      const Array places(dtype, {1, 2}, {1, wrong});
      const Array one(ACL_FLOAT, {1, 2}, {7});
      expect_untouched(call(PHASES(aclnnGather), self, int64_t{0}, places, one),
                       "must be in [-3, 2]", one);
      expect_untouched(call(PHASES(aclnnEmbedding), self, index, rows), "must be in [0, 2]", rows);
      const Array sums(ACL_FLOAT, {3, 2}, {7});
      expect_untouched(call(PHASES(aclnnEmbeddingDenseBackward), rows, index, uint64_t{3},
                            kNoPadding, false, sums),
                       "must be in [0, 2]", sums);
    }
  }
  // An embedding does not count from the end.
  const Array last(ACL_INT32, {1}, {-1});
  const Array row(ACL_FLOAT, {1, 2}, {7});
  expect_untouched(call(PHASES(aclnnEmbedding), self, last, row), "is -1", row);
}

TEST_F(IndicesTest, NegativeOnesCountFromTheEnd) {
  const Array self(ACL_INT8, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Array index(ACL_INT32, {2}, {-1, 0});
  const Array out(ACL_INT8, {2, 2});
  ASSERT_TRUE(runs(PHASES(aclnnIndexSelect), self, int64_t{1}, index, out));
  EXPECT_EQ(out.values(), (Values{3, 1, 6, 4}));
  const Array each(ACL_INT32, {1, 2}, {-2, 1});
  const Array some(ACL_INT8, {1, 2});
  ASSERT_TRUE(runs(PHASES(aclnnGather), self, int64_t{0}, each, some));
  EXPECT_EQ(some.values(), (Values{1, 5}));
}

TEST_F(IndicesTest, ScalarsHaveOneElement) {
  const Array self(ACL_FLOAT, {}, {4.5L});
  const Array index(ACL_INT64, {}, {0});
  for (const auto phase_one : {aclnnIndexSelectGetWorkspaceSize, aclnnGatherV2GetWorkspaceSize,
                               aclnnGatherGetWorkspaceSize}) {
    const auto phase_two = phase_one == aclnnIndexSelectGetWorkspaceSize ? aclnnIndexSelect
                           : phase_one == aclnnGatherV2GetWorkspaceSize  ? aclnnGatherV2
                                                                         : aclnnGather;
    const Array out(ACL_FLOAT, {});
    ASSERT_TRUE(runs(phase_one, phase_two, self, int64_t{-1}, index, out));
    EXPECT_EQ(out.get(0), 4.5L);
  }
}

TEST_F(IndicesTest, EmptyOnesWriteNothing) {
  const Array self(ACL_FLOAT, {2, 2}, {1, 2, 3, 4});
  const Array none(ACL_INT64, {0});
  const Array out(ACL_FLOAT, {5}, {7});
  EXPECT_TRUE(runs(PHASES(aclnnIndexSelect), self, int64_t{0}, none, out));
  EXPECT_EQ(out.get(4), 7);
  // But a gradient of no rows is 0.
  const Array no_rows(ACL_FLOAT, {0, 2});
  const Array sums(ACL_FLOAT, {3, 2}, {7});
  EXPECT_TRUE(runs(PHASES(aclnnEmbeddingDenseBackward), no_rows, none, uint64_t{3}, kNoPadding,
                   false, sums));
  EXPECT_EQ(sums.values(), Values(6, 0));
  const Array nothing(ACL_FLOAT, {0, 2});
  const Array one(ACL_INT64, {1}, {0});
  const Array row(ACL_FLOAT, {1, 2}, {7});
  EXPECT_TRUE(fails_with(161002, {"self", "[0, 2]"},
                         plan(aclnnIndexSelectGetWorkspaceSize, nothing, int64_t{0}, one, row)));
}

TEST_F(IndicesTest, SumsAreRoundedOnceAndInTheOrderOfTheRows) {
  // 2^24 and twice 1: in FLOAT both would be lost.
  const Array grad(ACL_FLOAT, {3, 1}, {16777216, 1, 1});
  const Array indices(ACL_FLOAT16, {3}, {1, 1.5L, 1});  // truncated
  const Array out(ACL_FLOAT, {2, 1}, {7});
  ASSERT_TRUE(runs(PHASES(aclnnEmbeddingDenseBackward), grad, indices, uint64_t{2}, kNoPadding,
                   false, out));
  EXPECT_EQ(out.values(), (Values{0, 16777218}));
  ASSERT_TRUE(runs(PHASES(aclnnEmbeddingDenseBackward), grad, indices, uint64_t{2}, uint64_t{1},
                   true, out));
  EXPECT_EQ(out.values(), (Values{0, 0}));
}

TEST_F(IndicesTest, ArangeReadsItsScalarsAsTheResultHoldsThem) {
  const auto arange = [&](auto start, auto end, auto step, const Array& out) {
    return call(PHASES(aclnnArange), Scalar(start), Scalar(end), Scalar(step), out);
  };
  const Array halves(ACL_FLOAT, {4});
  ASSERT_EQ(arange(0.0F, 2.0F, 0.5F, halves), 0) << recent_message();
  EXPECT_EQ(halves.values(), (Values{0, 0.5L, 1, 1.5L}));
  const Array whole(ACL_INT32, {2});
  ASSERT_EQ(arange(0.75, 2.5, 1.5, whole), 0) << recent_message();
  EXPECT_EQ(whole.values(), (Values{0, 1}));
  expect_failure(arange(0.0F, 2.0F, 0.5F, whole), "step must not be 0", 161002);
  const Array none(ACL_FLOAT, {0});
  EXPECT_EQ(arange(3, 3, -1, none), 0) << recent_message();
  // Beyond what a double can count.
  const Array large(ACL_INT64, {2});
  const int64_t begin = (int64_t{1} << 53) + 1;
  ASSERT_EQ(arange(begin, begin + 2, int64_t{1}, large), 0) << recent_message();
  EXPECT_EQ(large.get(0), begin);
  EXPECT_EQ(large.get(1), begin + 1);
}

}  // namespace
}  // namespace aclgrad::testing
