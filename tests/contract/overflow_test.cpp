// SPDX-License-Identifier: Apache-2.0
// Sizes whose products or bytes do not fit into 64 bits are refused, wherever they come in: nothing
// is computed with what is left of them.
#include <limits>

#include "tests/contract/call.h"
#include "tests/ops/support/acl_fixture.h"

namespace aclgrad::contract {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// Shapes that have an element count only when it wraps around: to 0, 1, 8 or something negative.
const Shape kWrapping[] = {
    {int64_t{1} << 32, int64_t{1} << 32},
    {int64_t{1} << 62, 4},
    {kMax, 2},
    {kMax, kMax},
    {int64_t{1} << 32, int64_t{1} << 29, 8, 3},
    {-1, 8},
    {-2, -4},
    {kMin, 1},
    Shape(25, 8),
};

class Overflow : public testing::AclTest {
 protected:
  // A wrong tensor must not get through, whichever check refuses it.
  void expect_refused(Call& call, const Operator& row) {
    const aclnnStatus status = call.plan();
    EXPECT_TRUE(status == 161002 || status == 561103 || status == row.domain.wrong_shape) << status;
    EXPECT_NE(library_.message(), "");
  }
  const Library library_;
};

TEST_F(Overflow, TensorsHoldAnyNumbersAsTheyAre) {
  for (const Shape& shape : kWrapping) {
    const Shape strides(shape.size(), kMin);
    const testing::TensorHandle tensor(aclCreateTensor(shape.data(), shape.size(), ACL_DOUBLE,
                                                       strides.data(), kMax, ACL_FORMAT_ND,
                                                       shape.data(), shape.size(), nullptr));
    ASSERT_NE(tensor, nullptr);
    int64_t* dims = nullptr;
    uint64_t count = 0;
    ASSERT_EQ(aclGetViewShape(tensor.get(), &dims, &count), 0);
    EXPECT_EQ(Shape(dims, dims + count), shape);
    delete[] dims;
    // Contiguous strides of such a shape wrap, and nothing happens.
    EXPECT_EQ(aclInitTensor(tensor.get(), shape.data(), shape.size(), ACL_DOUBLE, nullptr, kMin,
                            ACL_FORMAT_ND, shape.data(), shape.size(), nullptr),
              0);
  }
}

TEST_F(Overflow, OneTensorOfEveryOperator) {
  for (const Operator& row : all_contracts()) {
    for (size_t i = 0; i < row.call.parameters.size(); ++i) {
      const auto* spec = row.call.parameters[i].tensor();
      if (spec == nullptr) continue;
      SCOPED_TRACE(row.name() + ", parameter " + std::to_string(i));
      const aclDataType dtype = spec->dtype.value_or(usual_dtype(row));
      for (const Shape& shape : kWrapping) {
        Call call(library_, row, usual_dtype(row));
        call.values()[i] = call.tensor(shape, dtype);
        expect_refused(call, row);
      }
      // The right shape, in memory that cannot be.
      Shape strides(spec->shape.size(), 1);
      const struct {
        Shape strides;
        int64_t offset;
        Shape storage;
      } layouts[] = {
          {strides, kMax, {1 << 20}},
          {strides, kMin, {1 << 20}},
          {strides, -1, {1 << 20}},
          {strides, 0, {-8}},
          {strides, 0, {-2, -1024}},
          {strides, 0, {int64_t{1} << 32, int64_t{1} << 32}},
          {strides, 0, {kMax}},  // elements that fit, bytes that do not
          {Shape(strides.size(), kMax), 1 << 20, {1 << 20}},
          {Shape(strides.size(), kMin), 1 << 20, {1 << 20}},
      };
      for (const auto& layout : layouts) {
        if (layout.storage == Shape{kMax} && aclDataTypeSize(dtype) == 1) continue;  // do fit
        Call call(library_, row, usual_dtype(row));
        call.values()[i] =
            call.view(spec->shape, layout.strides, layout.offset, layout.storage, dtype);
        expect_refused(call, row);
      }
    }
  }
}

// All tensors of a call together, so that their shapes still fit each other and no other check
// comes first: each dimension times 2^31, and inputs as views of a single element.
TEST_F(Overflow, AllTensorsOfEveryOperator) {
  constexpr int64_t kTimes = int64_t{1} << 31;
  for (const Operator& row : all_contracts()) {
    for (const bool expanded : {false, true}) {
      SCOPED_TRACE(row.name() + (expanded ? ", expanded" : ""));
      Call call(library_, row, usual_dtype(row));
      bool has_large = false;
      for (size_t i = 0; i < row.call.parameters.size(); ++i) {
        const TensorSpec* spec = call.tensor_spec(i);
        if (spec == nullptr || spec->optional || spec->shape == Shape{1}) continue;
        // In a view of one element, one dimension of so many is still a number that can be.
        has_large = has_large || !expanded || spec->shape.size() > 1;
        Shape shape = spec->shape;
        for (int64_t& size : shape) size *= kTimes;
        call.values()[i] = expanded
                               ? call.view(shape, Shape(shape.size(), 0), 0, {1}, call.dtype_of(i))
                               : call.tensor(shape, call.dtype_of(i));
      }
      if (has_large) expect_refused(call, row);
    }
  }
}

// A mean over a broadcast of more elements than 64 bits can count, of two small views.
TEST_F(Overflow, BroadcastsOfTwoViews) {
  constexpr int64_t kLong = int64_t{1} << 40;
  for (const char* name : {"aclnnMseLoss", "aclnnMseLossOut"}) {
    Call call(library_, find_contract(name), ACL_FLOAT);
    call.values()[0] = call.view({kLong, 1}, {0, 0}, 0, {1}, ACL_FLOAT);
    call.values()[1] = call.view({1, kLong}, {0, 0}, 0, {1}, ACL_FLOAT);
    EXPECT_EQ(call.plan(), 161002);
    const std::string message = library_.message();
    EXPECT_NE(message.find("fewer than 2^63 elements"), std::string::npos) << message;
  }
}

// An empty view has no element outside its storage, whatever its offset is.
TEST_F(Overflow, EmptyViewsMayBeAnywhere) {
  for (const int64_t offset : {kMax, kMin}) {
    Call call(library_, find_contract("aclnnSelu"), ACL_FLOAT);
    for (size_t i = 0; i < 2; ++i) {
      call.values()[i] = call.view({0, kMax}, {kMax, kMin}, offset, {8}, ACL_FLOAT);
    }
    ASSERT_EQ(call.plan(), 0) << library_.message();
    EXPECT_EQ(call.workspace_size(), 0U);
    EXPECT_EQ(call.run(stream()), 0) << library_.message();
  }
}

TEST_F(Overflow, Arrays) {
  const int64_t number = 1;
  const float real = 1;
  for (const uint64_t size :
       {UINT64_MAX, uint64_t{1} << 63, uint64_t{1} << 62, (uint64_t{1} << 61) + 1}) {
    EXPECT_EQ(aclCreateIntArray(&number, size), nullptr);
    EXPECT_NE(library_.message().find("aclCreateIntArray"), std::string::npos);
    EXPECT_EQ(aclCreateFloatArray(&real, size), nullptr);
    EXPECT_NE(library_.message().find("aclCreateFloatArray"), std::string::npos);
  }
}

TEST_F(Overflow, Allocations) {
  for (const size_t size : {SIZE_MAX, SIZE_MAX - 31, SIZE_MAX - 62, SIZE_MAX - 63}) {
    void* memory = nullptr;
    for (const auto allocate : {aclrtMalloc, aclrtMallocAlign32, aclrtMallocCached}) {
      const aclError status = allocate(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST);
      EXPECT_TRUE(status == 100000 || status == 207001) << status << " for " << size;
      EXPECT_EQ(memory, nullptr);
      EXPECT_NE(library_.message(), "");
    }
    EXPECT_NE(aclrtMallocHost(&memory, size), 0);
    EXPECT_EQ(memory, nullptr);
  }
  void* memory = nullptr;
  EXPECT_EQ(aclrtMalloc(&memory, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
  EXPECT_EQ(aclrtMalloc(&memory, size_t{1} << 62, ACL_MEM_MALLOC_HUGE_FIRST), 207001);
}

TEST_F(Overflow, CopiesAndFills) {
  const testing::Buffer one(64), other(64);
  const auto kind = ACL_MEMCPY_DEVICE_TO_DEVICE;
  for (const size_t size : {SIZE_MAX, SIZE_MAX - 63, size_t{1} << 63}) {
    EXPECT_EQ(aclrtMemcpy(one.data(), size, other.data(), size, kind), 107000);
    EXPECT_EQ(aclrtMemcpyAsync(one.data(), size, other.data(), size, kind, stream()), 107000);
    EXPECT_EQ(aclrtMemset(one.data(), size, 0, size), 107000);
    EXPECT_EQ(aclrtMemsetAsync(one.data(), size, 0, size, stream()), 107000);
    // Rows so far apart, or so many, that their span wraps around.
    EXPECT_EQ(aclrtMemcpy2d(one.data(), size, other.data(), 8, 8, 3, kind), 107000);
    EXPECT_EQ(aclrtMemcpy2d(one.data(), 8, other.data(), size, 8, 3, kind), 107000);
    EXPECT_EQ(aclrtMemcpy2d(one.data(), 8, other.data(), 8, 8, size, kind), 107000);
    EXPECT_EQ(aclrtMemcpy2dAsync(one.data(), 8, other.data(), 8, 8, size, kind, stream()), 107000);
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream()), 0);
}

}  // namespace
}  // namespace aclgrad::contract
