// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "ops/meta/tensor.h"
#include "tests/ops/meta/from_number.h"
#include "tests/ops/support/acl_fixture.h"

namespace {

using ::aclgrad::testing::recent_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TensorApi : public ::testing::Test {
 protected:
  void SetUp() override { recent_message(); }
};

using Getter = aclnnStatus (*)(const aclTensor*, int64_t**, uint64_t*);

std::vector<int64_t> get_dims(Getter getter, const aclTensor* tensor) {
  int64_t* values = nullptr;
  uint64_t count = 0;
  EXPECT_EQ(getter(tensor, &values, &count), 0);
  const std::unique_ptr<int64_t[]> owner(values);
  return {values, values + count};
}

aclTensor* make(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides,
                int64_t offset, const std::vector<int64_t>& storage, void* data = nullptr) {
  return aclCreateTensor(dims.data(), dims.size(), ACL_FLOAT,
                         strides.empty() ? nullptr : strides.data(), offset, ACL_FORMAT_ND,
                         storage.data(), storage.size(), data);
}

TEST_F(TensorApi, KeepsWhatItWasGiven) {
  int memory = 0;
  const int64_t dims[] = {2, 3};
  const int64_t strides[] = {1, 2};
  const int64_t storage[] = {10};
  aclTensor* tensor =
      aclCreateTensor(dims, 2, ACL_BF16, strides, 4, ACL_FORMAT_NCHW, storage, 1, &memory);
  ASSERT_NE(tensor, nullptr);
  EXPECT_THAT(get_dims(aclGetViewShape, tensor), ElementsAre(2, 3));
  EXPECT_THAT(get_dims(aclGetViewStrides, tensor), ElementsAre(1, 2));
  EXPECT_THAT(get_dims(aclGetStorageShape, tensor), ElementsAre(10));
  int64_t offset = 0;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  aclDataType dtype = ACL_DT_UNDEFINED;
  void* address = nullptr;
  EXPECT_EQ(aclGetViewOffset(tensor, &offset), 0);
  EXPECT_EQ(aclGetFormat(tensor, &format), 0);
  EXPECT_EQ(aclGetDataType(tensor, &dtype), 0);
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), 0);
  EXPECT_EQ(offset, 4);
  EXPECT_EQ(format, ACL_FORMAT_NCHW);
  EXPECT_EQ(dtype, ACL_BF16);
  EXPECT_EQ(address, &memory);
  EXPECT_EQ(aclSetRawTensorAddr(tensor, nullptr), 0);
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), 0);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
}

TEST_F(TensorApi, NullStridesMeanContiguous) {
  aclTensor* tensor = make({2, 3, 4}, {}, 0, {24});
  EXPECT_THAT(get_dims(aclGetViewStrides, tensor), ElementsAre(12, 4, 1));
  aclDestroyTensor(tensor);
}

TEST_F(TensorApi, RankZeroWithNullDimsIsOneElement) {
  aclTensor* tensor =
      aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
  ASSERT_NE(tensor, nullptr);
  EXPECT_THAT(get_dims(aclGetViewShape, tensor), ElementsAre());
  EXPECT_FALSE(aclgrad::ops::is_empty(*tensor));
  EXPECT_EQ(aclgrad::ops::count_elements(tensor->view_shape), 1);
  aclDestroyTensor(tensor);
}

TEST_F(TensorApi, CreationTakesWhatOnlyAnOperatorCanJudge) {
  // No dtype, negative sizes, a view outside its storage, no data: all are the operators' business.
  const int64_t negative = -3;
  aclTensor* odd = aclCreateTensor(&negative, 1, from_number<aclDataType>(99), &negative, -7,
                                   from_number<aclFormat>(1234), &negative, 1, nullptr);
  ASSERT_NE(odd, nullptr);
  EXPECT_EQ(aclDestroyTensor(odd), 0);
  aclTensor* widest = make(std::vector<int64_t>(25, 1), {}, 0, {1});
  ASSERT_NE(widest, nullptr);
  EXPECT_EQ(aclDestroyTensor(widest), 0);
  EXPECT_EQ(recent_message(), "");
}

TEST_F(TensorApi, InitChangesOnlyWhatIsGiven) {
  int first = 0;
  int second = 0;
  aclTensor* tensor = make({2, 3}, {}, 0, {6}, &first);
  ASSERT_EQ(
      aclInitTensor(tensor, nullptr, 5, ACL_INT32, nullptr, 1, ACL_FORMAT_ND, nullptr, 0, nullptr),
      0);
  EXPECT_THAT(get_dims(aclGetViewShape, tensor), ElementsAre(2, 3));
  EXPECT_THAT(get_dims(aclGetStorageShape, tensor), ElementsAre(6));
  EXPECT_EQ(tensor->dtype, ACL_INT32);
  EXPECT_EQ(tensor->offset, 1);
  EXPECT_EQ(tensor->data, &first);
  const int64_t dims[] = {4};
  const int64_t stride[] = {2};
  const int64_t storage[] = {9};
  ASSERT_EQ(
      aclInitTensor(tensor, dims, 1, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, storage, 1, &second), 0);
  EXPECT_THAT(get_dims(aclGetViewShape, tensor), ElementsAre(4));
  EXPECT_THAT(get_dims(aclGetViewStrides, tensor), ElementsAre(2));
  EXPECT_EQ(tensor->data, &second);
  aclDestroyTensor(tensor);
}

TEST_F(TensorApi, GettersGiveBothOrNothing) {
  aclTensor* tensor = make({2}, {}, 0, {2});
  int64_t* values = nullptr;
  for (Getter getter : {aclGetViewShape, aclGetStorageShape, aclGetViewStrides}) {
    EXPECT_EQ(getter(tensor, &values, nullptr), 161001);
    EXPECT_EQ(values, nullptr);
  }
  aclDestroyTensor(tensor);
}

TEST_F(TensorApi, DestroyedAndForeignHandlesAreErrorsNotCrashes) {
  aclTensor* tensor = make({2}, {}, 0, {2});
  EXPECT_EQ(aclDestroyTensor(nullptr), 0);
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
  EXPECT_EQ(aclDestroyTensor(tensor), 161002);
  EXPECT_THAT(recent_message(), HasSubstr("not a live handle"));
  int64_t offset = 0;
  EXPECT_EQ(aclGetViewOffset(tensor, &offset), 161002);
  alignas(16) char foreign[512] = {};
  EXPECT_EQ(aclDestroyTensor(reinterpret_cast<aclTensor*>(foreign)), 161002);
  aclScalar* scalar = aclCreateScalar(&offset, ACL_INT64);
  EXPECT_EQ(aclDestroyTensor(reinterpret_cast<aclTensor*>(scalar)), 161002);
  EXPECT_EQ(aclDestroyScalar(scalar), 0);
}

// ---- What a layout means ------------------------------------------------------------------------

aclTensor layout(std::initializer_list<int64_t> shape, std::initializer_list<int64_t> strides,
                 int64_t offset, std::initializer_list<int64_t> storage) {
  aclTensor tensor;
  tensor.view_shape = shape;
  tensor.view_strides = strides;
  tensor.offset = offset;
  tensor.storage_shape = storage;
  tensor.dtype = ACL_FLOAT;
  tensor.format = ACL_FORMAT_ND;
  return tensor;
}

TEST(Layout, ContiguousIgnoresSizesOfOne) {
  using aclgrad::ops::is_contiguous;
  EXPECT_TRUE(is_contiguous(layout({2, 3}, {3, 1}, 0, {6})));
  EXPECT_TRUE(is_contiguous(layout({2, 1, 3}, {3, 77, 1}, 5, {100})));
  EXPECT_FALSE(is_contiguous(layout({2, 3}, {1, 2}, 0, {6})));
  EXPECT_FALSE(is_contiguous(layout({4}, {2}, 0, {8})));
  EXPECT_FALSE(is_contiguous(layout({4}, {0}, 0, {1})));
  EXPECT_TRUE(is_contiguous(layout({1}, {9}, 0, {1})));
  EXPECT_TRUE(is_contiguous(layout({0, 5}, {9, 9}, 0, {0})));
  aclTensor blocked = layout({4}, {2}, 0, {8});
  blocked.format = ACL_FORMAT_FRACTAL_NZ;
  EXPECT_TRUE(is_contiguous(blocked));
}

TEST(Layout, StorageBoundsAreExact) {
  using aclgrad::ops::fits_storage;
  EXPECT_TRUE(fits_storage(layout({2, 3}, {3, 1}, 0, {6})));
  EXPECT_FALSE(fits_storage(layout({2, 3}, {3, 1}, 1, {6})));
  EXPECT_TRUE(fits_storage(layout({2, 3}, {3, 1}, 1, {7})));
  EXPECT_TRUE(fits_storage(layout({3}, {-1}, 2, {3})));
  EXPECT_FALSE(fits_storage(layout({3}, {-1}, 1, {3})));
  EXPECT_TRUE(fits_storage(layout({1000}, {0}, 0, {1})));
  EXPECT_FALSE(fits_storage(layout({}, {}, 1, {1})));
  EXPECT_TRUE(fits_storage(layout({0, 9}, {9, 1}, 50, {0})));
  EXPECT_FALSE(fits_storage(layout({-2}, {1}, 0, {6})));
  const int64_t huge = int64_t{1} << 62;
  EXPECT_FALSE(fits_storage(layout({huge, huge}, {huge, 1}, 0, {6})));
  EXPECT_FALSE(fits_storage(layout({3}, {huge}, huge, {6})));
}

// Whatever the storage's shape says; it may not say nonsense.
TEST(Layout, AllocationBoundsAreExact) {
  using aclgrad::ops::fits_allocation;
  ASSERT_EQ(aclrtSetDevice(0), 0);
  void* memory = nullptr;
  ASSERT_EQ(aclrtMallocAlign32(&memory, 32 * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST), 0);
  const auto fits = [](aclTensor tensor, void* data) {
    tensor.dtype = ACL_FLOAT;
    tensor.data = data;
    return fits_allocation(tensor);
  };
  EXPECT_TRUE(fits(layout({32}, {1}, 0, {4}), memory));
  EXPECT_TRUE(fits(layout({4, 8}, {8, 1}, 0, {1}), memory));
  EXPECT_FALSE(fits(layout({33}, {1}, 0, {4}), memory));
  EXPECT_TRUE(fits(layout({16}, {1}, 16, {4}), memory));
  EXPECT_FALSE(fits(layout({16}, {1}, 17, {4}), memory));
  EXPECT_FALSE(fits(layout({16}, {1}, -1, {4}), memory));
  EXPECT_TRUE(fits(layout({16}, {1}, -1, {4}), static_cast<float*>(memory) + 1));
  const int64_t huge = int64_t{1} << 62;
  EXPECT_FALSE(fits(layout({4}, {1}, 0, {-4}), memory));
  EXPECT_FALSE(fits(layout({4}, {1}, 0, {huge}), memory));
  EXPECT_FALSE(fits(layout({4}, {1}, 0, {huge, 8}), memory));
  EXPECT_FALSE(fits(layout({4}, {1}, huge, {4}), memory));
  EXPECT_FALSE(fits(layout({huge, 8}, {8, 1}, 0, {4}), memory));
  float own[4] = {};
  EXPECT_FALSE(fits(layout({4}, {1}, 0, {1}), own)) << "memory of the program";
  EXPECT_FALSE(fits(layout({4}, {1}, 0, {1}), nullptr));
  EXPECT_EQ(aclrtFree(memory), 0);
  EXPECT_EQ(aclrtResetDevice(0), 0);
}

TEST(Layout, SizesWhoseProductDoesNotFitAreHeld) {
  using aclgrad::ops::Dims;
  const int64_t huge = int64_t{1} << 62;
  EXPECT_EQ(contiguous_strides(Dims{2, huge, 5}), (Dims{huge, 5, 1}));
  EXPECT_EQ(count_elements(Dims{huge, 5}), huge);
  EXPECT_TRUE(aclgrad::ops::is_contiguous(layout({huge, 5}, {5, 1}, 0, {6})));
  EXPECT_FALSE(aclgrad::ops::fits_storage(layout({huge, 5}, {5, 1}, 0, {6})));
}

TEST(Layout, BroadcastIsNumPys) {
  using aclgrad::ops::Dims;
  Dims result;
  EXPECT_TRUE(broadcast_shapes(Dims{2, 1, 4}, Dims{3, 1}, result));
  EXPECT_EQ(result, (Dims{2, 3, 4}));
  EXPECT_TRUE(broadcast_shapes(Dims{}, Dims{5}, result));
  EXPECT_EQ(result, (Dims{5}));
  EXPECT_TRUE(broadcast_shapes(Dims{1}, Dims{0}, result));
  EXPECT_EQ(result, (Dims{0}));
  EXPECT_FALSE(broadcast_shapes(Dims{2}, Dims{0}, result));
  EXPECT_FALSE(broadcast_shapes(Dims{2, 3}, Dims{2}, result));
  EXPECT_TRUE(broadcasts_to(Dims{1, 3}, Dims{2, 3}));
  EXPECT_FALSE(broadcasts_to(Dims{2, 3}, Dims{1, 3}));
}

}  // namespace
