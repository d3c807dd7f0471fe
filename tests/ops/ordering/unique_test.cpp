// SPDX-License-Identifier: Apache-2.0
// Results whose size a task finds: the size, what is equal, objects that are destroyed before the
// task runs, executors that cannot be repeated.
#include "aclnnop/aclnn_masked_select.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_nonzero_v2.h"
#include "aclnnop/aclnn_unique.h"
#include "aclnnop/aclnn_unique2.h"
#include "aclnnop/aclnn_unique_consecutive.h"
#include "aclnnop/aclnn_unique_dim.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

using Dims = std::vector<int64_t>;

Dims read_dims(const aclTensor* tensor, decltype(aclGetViewShape)* get) {
  int64_t* dims = nullptr;
  uint64_t count = 0;
  EXPECT_EQ(get(tensor, &dims, &count), 0);
  const Dims all(dims, dims + count);
  delete[] dims;
  return all;
}
Dims shape_of(const Array& array) { return read_dims(array.tensor(), aclGetViewShape); }
Dims strides_of(const Array& array) { return read_dims(array.tensor(), aclGetViewStrides); }

Values first(const Array& array, size_t count) {
  Values values = array.values();
  values.resize(count);
  return values;
}

class UniqueTest : public AclTest {};

TEST_F(UniqueTest, EachNaNIsAnElementOfItsOwnAndOfZerosTheFirstIsTaken) {
  const Array self(ACL_FLOAT, {3, 3}, {3, kNaN, -1, -0.0L, 0, kNaN, kInfinity, -kInfinity, 3});
  const Array y(ACL_FLOAT, {9}), inverse(ACL_INT64, {3, 3}), counts(ACL_INT64, {9});
  ASSERT_TRUE(runs(PHASES(aclnnUnique2), self, true, true, true, y, inverse, counts));
  EXPECT_EQ(shape_of(y), Dims{7});
  EXPECT_EQ(shape_of(counts), Dims{7});
  EXPECT_EQ(shape_of(inverse), (Dims{3, 3}));
  expect_same(first(y, 7), {-kInfinity, -1, -0.0L, 3, kInfinity, kNaN, kNaN});
  EXPECT_EQ(first(counts, 7), (Values{1, 1, 2, 2, 1, 1, 1}));
  EXPECT_EQ(inverse.values(), (Values{3, 5, 1, 2, 2, 6, 4, 0, 3}));
}

TEST_F(UniqueTest, WhatIsNotAskedForIsNotTouched) {
  const Array self(ACL_INT32, {4}, {2, 1, 2, 2}), y(ACL_INT32, {4});
  const Array none(ACL_INT64, {0}), other(ACL_FLOAT, {1}, {9});
  ASSERT_TRUE(runs(PHASES(aclnnUnique2), self, true, false, false, y, none, other));
  EXPECT_EQ(shape_of(y), Dims{2});
  EXPECT_EQ(first(y, 2), (Values{1, 2}));
  EXPECT_EQ(other.get(0), 9);
  EXPECT_EQ(shape_of(other), Dims{1});
  const Array empty(ACL_INT32, {0, 3}), nothing(ACL_INT32, {0});
  ASSERT_TRUE(runs(PHASES(aclnnUnique), empty, true, false, nothing, none));
  EXPECT_EQ(shape_of(nothing), Dims{0});
}

TEST_F(UniqueTest, SlicesAreInLexicographicOrderAndThoseOfTheResultLieTogether) {
  const Array self(ACL_INT64, {4, 3}, {1, 2, 1, 0, 2, 0, 1, 2, 1, 0, 1, 0});
  const Array rows(ACL_INT64, {4, 3}), place(ACL_INT64, {4}), counts(ACL_INT64, {4});
  ASSERT_TRUE(runs(PHASES(aclnnUniqueDim), self, true, true, int64_t{0}, rows, place, counts));
  EXPECT_EQ(shape_of(rows), (Dims{3, 3}));
  EXPECT_EQ(first(rows, 9), (Values{0, 1, 0, 0, 2, 0, 1, 2, 1}));
  EXPECT_EQ(place.values(), (Values{2, 1, 2, 0}));
  EXPECT_EQ(first(counts, 3), (Values{1, 1, 2}));
  const Array columns(ACL_INT64, {4, 3}), of(ACL_INT64, {3}), often(ACL_INT64, {3});
  ASSERT_TRUE(runs(PHASES(aclnnUniqueDim), self, true, true, int64_t{-1}, columns, of, often));
  EXPECT_EQ(shape_of(columns), (Dims{4, 2}));
  EXPECT_EQ(strides_of(columns), (Dims{2, 1}));
  EXPECT_EQ(first(columns, 8), (Values{1, 2, 0, 2, 1, 2, 0, 1}));
  EXPECT_EQ(of.values(), (Values{0, 1, 0}));
  EXPECT_EQ(first(often, 2), (Values{2, 1}));
}

TEST_F(UniqueTest, NeighboursThatAreEqualBecomeOne) {
  const Array self(ACL_INT8, {2, 4}, {1, 1, 2, 2, 3, 1, 1, 2});
  const Array y(ACL_INT8, {8}), inverse(ACL_INT64, {2, 4}), counts(ACL_INT64, {8});
  ASSERT_TRUE(
      runs(PHASES(aclnnUniqueConsecutive), self, true, true, int64_t{1000}, y, inverse, counts));
  EXPECT_EQ(shape_of(y), Dims{5});
  EXPECT_EQ(first(y, 5), (Values{1, 2, 3, 1, 2}));
  EXPECT_EQ(inverse.values(), (Values{0, 0, 1, 1, 2, 3, 3, 4}));
  EXPECT_EQ(first(counts, 5), (Values{2, 2, 1, 2, 1}));
  const Array slices(ACL_FLOAT, {3, 2}, {1, 1, 1, 1, kNaN, 1}), kept(ACL_FLOAT, {3, 2});
  const Array place(ACL_INT64, {3}), often(ACL_INT64, {3});
  ASSERT_TRUE(
      runs(PHASES(aclnnUniqueConsecutive), slices, true, true, int64_t{0}, kept, place, often));
  EXPECT_EQ(shape_of(kept), (Dims{2, 2}));
  EXPECT_EQ(place.values(), (Values{0, 0, 1}));
  EXPECT_EQ(first(often, 2), (Values{2, 1}));
}

TEST_F(UniqueTest, ANaNIsNotZeroAndBothZerosAre) {
  const Array self(ACL_FLOAT, {2, 3}, {kNaN, 0, -0.0L, 2, 0, 3});
  const Array rows(ACL_INT64, {6, 2}), columns(ACL_INT64, {2, 6});
  ASSERT_TRUE(runs(PHASES(aclnnNonzero), self, rows));
  EXPECT_EQ(shape_of(rows), (Dims{3, 2}));
  EXPECT_EQ(first(rows, 6), (Values{0, 0, 1, 0, 1, 2}));
  ASSERT_TRUE(runs(PHASES(aclnnNonzeroV2), self, columns));
  EXPECT_EQ(shape_of(columns), (Dims{2, 3}));
  EXPECT_EQ(strides_of(columns), (Dims{3, 1}));
  EXPECT_EQ(first(columns, 6), (Values{0, 1, 1, 0, 0, 2}));
  const Array complex(ACL_COMPLEX64, {3}), imaginary(ACL_INT64, {3, 1});
  const float parts[] = {0, 0, 0, 2, 1, 0};
  std::memcpy(complex.data(), parts, sizeof(parts));
  ASSERT_TRUE(runs(PHASES(aclnnNonzero), complex, imaginary));
  EXPECT_EQ(shape_of(imaginary), (Dims{2, 1}));
  EXPECT_EQ(first(imaginary, 2), (Values{1, 2}));
}

TEST_F(UniqueTest, TheShapeIsSetWithoutDimensionsOrElementsToo) {
  const Array five(ACL_INT32, {}, {5}), zero(ACL_INT32, {}, {0}), empty(ACL_INT32, {0, 3});
  const Array one(ACL_INT64, {1, 0}), none(ACL_INT64, {1, 0}), room(ACL_INT64, {1, 2});
  ASSERT_TRUE(runs(PHASES(aclnnNonzero), five, one));
  EXPECT_EQ(shape_of(one), (Dims{1, 0}));
  ASSERT_TRUE(runs(PHASES(aclnnNonzero), zero, none));
  EXPECT_EQ(shape_of(none), (Dims{0, 0}));
  ASSERT_TRUE(runs(PHASES(aclnnNonzero), empty, room));
  EXPECT_EQ(shape_of(room), (Dims{0, 2}));
  const Array wrong(ACL_INT64, {4, 2}), self(ACL_INT32, {3, 1});
  EXPECT_TRUE(fails_with(161002, {"[3, 2]"}, plan(aclnnNonzeroGetWorkspaceSize, self, wrong)));
}

TEST_F(UniqueTest, ATensorWithItsTrueShapeIsAnInputOfTheNext) {
  const Array self(ACL_INT64, {6}, {0, 5, 0, 7, 5, 0}), places(ACL_INT64, {6, 1});
  ASSERT_TRUE(runs(PHASES(aclnnNonzero), self, places));
  ASSERT_EQ(shape_of(places), (Dims{3, 1}));
  const Array y(ACL_INT64, {3}), inverse(ACL_INT64, {3, 1});
  ASSERT_TRUE(runs(PHASES(aclnnUnique), places, true, true, y, inverse));
  EXPECT_EQ(first(y, 3), (Values{1, 3, 4}));
}

// An object of the same address may have taken the place of the one that was destroyed.
TEST_F(UniqueTest, AnObjectThatIsDestroyedBeforeTheTaskHasNoShapeToBeTold) {
  const Array self(ACL_FLOAT, {4}, {0, 1, 0, 2}), mask(ACL_BOOL, {4}, {1, 0, 0, 1});
  Buffer memory(4 * sizeof(int64_t));
  const auto run_without = [&](aclDataType dtype, const Dims& shape, auto* phase_one,
                               auto* phase_two, auto... inputs) {
    aclTensor* const out =
        aclCreateTensor(shape.data(), shape.size(), dtype, nullptr, 0, ACL_FORMAT_ND, shape.data(),
                        shape.size(), memory.data());
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(phase_one(inputs..., out, &size, &executor), 0) << recent_message();
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), 561000);
    ASSERT_EQ(aclDestroyTensor(out), 0);
    std::vector<TensorHandle> others;
    for (int i = 0; i < 8; ++i) {
      others.emplace_back(aclCreateTensor(shape.data(), shape.size(), dtype, nullptr, 0,
                                          ACL_FORMAT_ND, shape.data(), shape.size(),
                                          memory.data()));
    }
    Buffer workspace(size);
    ASSERT_EQ(phase_two(workspace.data(), size, executor, stream()), 0);
    ASSERT_EQ(aclrtSynchronizeStream(stream()), 0) << recent_message();
    for (const TensorHandle& each : others) {
      EXPECT_EQ(read_dims(each.get(), aclGetViewShape), shape);
    }
  };
  run_without(ACL_INT64, {4, 1}, PHASES(aclnnNonzero), self.tensor());
  const auto* const places = static_cast<const int64_t*>(memory.data());
  EXPECT_EQ(Dims(places, places + 2), (Dims{1, 3}));
  run_without(ACL_FLOAT, {4}, PHASES(aclnnMaskedSelect), self.tensor(), mask.tensor());
  const auto* const chosen = static_cast<const float*>(memory.data());
  EXPECT_EQ(std::vector<float>(chosen, chosen + 2), (std::vector<float>{0, 2}));
}

TEST_F(UniqueTest, ExecutorsOfResultsWithoutAKnownSizeAreNotRepeated) {
  const Array self(ACL_FLOAT, {4}, {0, 1, 0, 2}), y(ACL_FLOAT, {4}), number(ACL_INT64, {4});
  const auto refuses = [&](auto* phase_one, auto... arguments) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(phase_one(self.tensor(), arguments..., &size, &executor), 0) << recent_message();
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), 561000);
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  };
  refuses(aclnnUniqueGetWorkspaceSize, true, true, y.tensor(), number.tensor());
  refuses(aclnnUnique2GetWorkspaceSize, true, false, false, y.tensor(), number.tensor(),
          number.tensor());
  refuses(aclnnUniqueDimGetWorkspaceSize, true, false, int64_t{0}, y.tensor(), number.tensor(),
          number.tensor());
  refuses(aclnnUniqueConsecutiveGetWorkspaceSize, true, false, int64_t{0}, y.tensor(),
          number.tensor(), number.tensor());
}

}  // namespace
}  // namespace aclgrad::testing
