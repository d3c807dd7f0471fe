// SPDX-License-Identifier: Apache-2.0
// Elements and slices put, or reduced, where numbers say: PyTorch's values, and what fails.
#include <cmath>

#include "aclnnop/aclnn_put.h"
#include "aclnnop/aclnn_scatter_nd.h"
#include "aclnnop/aclnn_scatter_reduce.h"
#include "aclnnop/aclnn_scatter_update.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

using PutTest = AclTest;

TEST_F(PutTest, ElementsArePutOrAddedInTheOrderOfRows) {
  const Array index(ACL_INT64, {2, 2}, {-1, 0, 4, 0}), source(ACL_FLOAT, {4}, {10, 20, 30, 40});
  Array all(ACL_FLOAT, {3, 2});
  Array x(all, {2, 3}, {{1, 2}, 0});  // the transpose
  for (const bool accumulate : {false, true}) {
    x.fill({0, 1, 2, 3, 4, 5});
    ASSERT_TRUE(runs(PHASES(aclnnInplacePut), x, index, source, accumulate));
    EXPECT_EQ(x.values(),
              accumulate ? (Values{60, 1, 2, 3, 34, 15}) : (Values{40, 1, 2, 3, 30, 10}));
  }
  expect_failure(
      call(PHASES(aclnnInplacePut), x, Array(ACL_INT32, {1}, {6}), Array(ACL_FLOAT, {1}), false),
      "element 0 of index is 6, but must be in [-6, 5]");
}

// Of PyTorch 1.13: reduction, with self or without, the results of FLOAT; those of INT32 are the
// same but for the means.
TEST_F(PutTest, ReductionsArePyTorchs) {
  struct Expected {
    int64_t reduction;
    bool includes_self;
    Values values;
    Values of_integers = values;
  };
  const Expected expected[] = {{1, true, {7, -11, 3, 6, 5, -7}},
                               {1, false, {6, -4, 3, 2, 5, -1}},
                               {2, true, {-30, 28, 3, 8, 5, 378}},
                               {2, false, {-30, -4, 3, 2, 5, -63}},
                               {3, true, {5, -4, 3, 4, 5, 7}},
                               {3, false, {5, -4, 3, 2, 5, 7}},
                               {4, true, {-2, -7, 3, 2, 5, -9}},
                               {4, false, {-2, -4, 3, 2, 5, -9}},
                               {5, true, {1.75L, -5.5L, 3, 3, 5, -1.75L}, {1, -6, 3, 3, 5, -2}},
                               {5, false, {2, -4, 3, 2, 5, -1 / 3.0F}, {2, -4, 3, 2, 5, -1}},
                               {0, false, {3, -4, 3, 2, 5, 1}}};
  const Array index(ACL_INT64, {2, 4}, {0, 1, 0, 0, 2, 2, 0, 2});
  for (const aclDataType dtype : {ACL_FLOAT, ACL_INT32}) {
    const Array src(dtype, {2, 4}, {-2, -4, 5, 3, 7, -9, 2, 1});
    for (const Expected& each : expected) {
      const Array x(dtype, {2, 3}, {1, -7, 3, 4, 5, -6});
      ASSERT_TRUE(runs(PHASES(aclnnInplaceScatterReduce), x, int64_t{1}, index, src, each.reduction,
                       each.includes_self));
      EXPECT_EQ(x.values(), dtype == ACL_FLOAT ? each.values : each.of_integers)
          << each.reduction << each.includes_self;
    }
  }
}

TEST_F(PutTest, ANanIsTheMaximumAndTheMinimum) {
  const long double nan = std::nanl("");
  const Array index(ACL_INT64, {4}, {0, 0, 1, 2}), src(ACL_FLOAT, {4}, {}, {nan, 5, 2, 0});
  for (const int64_t reduction : {3, 4}) {
    const Array with(ACL_FLOAT, {3}, {}, {1, nan, -0.0L}),
        without(ACL_FLOAT, {3}, {}, {1, nan, -1});
    ASSERT_TRUE(
        runs(PHASES(aclnnInplaceScatterReduce), with, int64_t{0}, index, src, reduction, true));
    EXPECT_TRUE(std::isnan(with.get(0)) && std::isnan(with.get(1)));
    EXPECT_TRUE(with.get(2) == 0 && std::signbit(with.get(2)));
    ASSERT_TRUE(
        runs(PHASES(aclnnInplaceScatterReduce), without, int64_t{0}, index, src, reduction, false));
    EXPECT_TRUE(std::isnan(without.get(0)));
    EXPECT_EQ(without.get(1), 2);
    EXPECT_EQ(without.get(2), 0);
  }
}

// Two heads of a cache: from row 3 on for the first batch, from row 0 for the second.
TEST_F(PutTest, ACacheIsUpdatedWhereEachBatchStands) {
  const Array cache(ACL_FLOAT16, {2, 2, 5, 1}, {0}), at(ACL_INT64, {2}, {3, 0});
  const Array rows(ACL_FLOAT16, {2, 2, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceScatterUpdate), cache, at, rows, int64_t{-2}));
  EXPECT_EQ(cache.values(), (Values{0, 0, 0, 1, 2, 0, 0, 0, 3, 4, 5, 6, 0, 0, 0, 7, 8, 0, 0, 0}));
  expect_failure(call(PHASES(aclnnInplaceScatterUpdate), cache, Array(ACL_INT32, {2}, {0, 4}), rows,
                      int64_t{2}),
                 "element 1 of indices is 4, but must be in [0, 3]");
}

TEST_F(PutTest, SlicesGoWhereTheirCoordinatesSay) {
  const Array x(ACL_INT32, {2, 3}, {0, 1, 2, 3, 4, 5}),
      pairs(ACL_INT32, {3, 2}, {1, 2, 0, 0, 1, 2});
  ASSERT_TRUE(runs(PHASES(aclnnScatterNd), x, pairs, Array(ACL_INT32, {3}, {7, 8, 9}), x));
  EXPECT_EQ(x.values(), (Values{8, 1, 2, 3, 4, 9}));
  const Array rows(ACL_INT64, {1, 1}, {1}), out(ACL_INT32, {2, 3});
  ASSERT_TRUE(runs(PHASES(aclnnScatterNd), x, rows, Array(ACL_INT32, {1, 3}, {-1, -2, -3}), out));
  EXPECT_EQ(out.values(), (Values{8, 1, 2, -1, -2, -3}));
  expect_failure(call(PHASES(aclnnScatterNd), x, Array(ACL_INT64, {1, 1}, {-1}),
                      Array(ACL_INT32, {1, 3}), out),
                 "must be in [0, 1]");
}

}  // namespace
}  // namespace aclgrad::testing
