// SPDX-License-Identifier: Apache-2.0
// Lists of sizes, short and long: the long ones lie elsewhere.
#include "ops/meta/dims.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace aclgrad::ops {
namespace {

std::vector<int64_t> numbers(size_t count) {
  std::vector<int64_t> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

void expect_numbers(const Dims& dims, size_t count) {
  EXPECT_EQ(std::vector<int64_t>(dims.begin(), dims.end()), numbers(count));
  EXPECT_EQ(dims.size(), count);
  EXPECT_EQ(dims.empty(), count == 0);
}

TEST(Dims, GrowFromFewToMany) {
  Dims dims;
  for (size_t count = 0; count <= kMaxRank; ++count) {
    SCOPED_TRACE(count);
    expect_numbers(dims, count);
    expect_numbers(Dims(numbers(count).data(), count), count);
    EXPECT_EQ(Dims::filled(count, 3), Dims(std::vector<int64_t>(count, 3).data(), count));
    if (count < kMaxRank) dims.push_back(static_cast<int64_t>(count) + 1);
  }
  dims.clear();
  expect_numbers(dims, 0);
  dims.push_back(1);
  expect_numbers(dims, 1);
}

TEST(Dims, AreCopiedAndMovedWhateverTheirNumber) {
  for (const size_t count : {0, 1, 8, 9, 25}) {
    for (const size_t before : {0, 8, 9, 25}) {
      SCOPED_TRACE(testing::Message() << count << " over " << before);
      const Dims dims(numbers(count).data(), count);
      Dims copy = Dims::filled(before, 7);
      copy = dims;
      expect_numbers(copy, count);
      expect_numbers(dims, count);
      Dims& same = copy;
      copy = same;
      expect_numbers(copy, count);
      Dims moved = Dims::filled(before, 7);
      moved = std::move(copy);
      expect_numbers(moved, count);
      const Dims last(std::move(moved));
      expect_numbers(last, count);
      expect_numbers(moved, 0);  // NOLINT(bugprone-use-after-move): empty, and of use again
      moved.push_back(1);
      expect_numbers(moved, 1);
    }
  }
}

TEST(Dims, CopiesDoNotShareTheirNumbers) {
  for (const size_t count : {3, 12}) {
    const Dims dims(numbers(count).data(), count);
    Dims copy = dims;
    copy[count - 1] = 100;
    expect_numbers(dims, count);
    EXPECT_NE(copy, dims);
  }
}

TEST(Dims, ProductsThatDoNotFitAreTheLargestNumber) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kHuge = int64_t{1} << 40;
  EXPECT_EQ(saturating_product({}), 1);
  EXPECT_EQ(saturating_product({2, 3, 7}), 42);
  EXPECT_EQ(saturating_product({kHuge, kHuge, 16}), kMax);
  EXPECT_EQ(saturating_product({kMax, 1}), kMax);
  EXPECT_EQ(saturating_product({kHuge, kHuge, 0}), 0);
}

}  // namespace
}  // namespace aclgrad::ops
