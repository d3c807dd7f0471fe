// SPDX-License-Identifier: Apache-2.0
// What a mocked call was given, read through the C interface; and stand-ins for what phase one
// returns.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "aclgrad/runtime/handles.h"
#include "aclgrad/session.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_fill_scalar.h"

namespace aclgrad::mock {

/// Phase two in every run, where it can be watched, and not just once for a recording.
inline const SessionOptions kLaunched{.replay = false};

/// Never dereferenced.
inline aclOpExecutor* executor(std::uintptr_t number) {
  return reinterpret_cast<aclOpExecutor*>(0x1000 * number);
}

/// Phase one succeeds, with no workspace and executor(number); kSize is the index of the argument
/// for the workspace's size.
template <std::size_t kSize>
auto plans(std::uintptr_t number) {
  return testing::DoAll(testing::SetArgPointee<kSize>(0),
                        testing::SetArgPointee<kSize + 1>(executor(number)), testing::Return(0));
}

using Dims = std::vector<std::int64_t>;

inline Dims shape_of(const aclTensor* tensor) {
  std::int64_t* dims = nullptr;
  std::uint64_t count = 0;
  EXPECT_EQ(aclGetViewShape(tensor, &dims, &count), 0);
  const std::vector<std::int64_t> shape(dims, dims + count);
  delete[] dims;
  return shape;
}

inline aclDataType type_of(const aclTensor* tensor) {
  aclDataType type = ACL_DT_UNDEFINED;
  EXPECT_EQ(aclGetDataType(tensor, &type), 0);
  return type;
}

inline void* address_of(const aclTensor* tensor) {
  void* address = nullptr;
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), 0);
  return address;
}

/// The first element; device memory is host memory here.
template <class T>
T first_of(const aclTensor* tensor) {
  const void* address = address_of(tensor);
  if (address != nullptr) return *static_cast<const T*>(address);
  ADD_FAILURE() << "no tensor, or one without memory";
  return {};
}

/// Scalars have no getter, so an operator that is not mocked writes the value down. As a double:
/// what came as ACL_FLOAT shows the float's rounding.
inline double value_of(const aclScalar* scalar) {
  double value = 0;
  DeviceBuffer buffer(sizeof value);
  const std::vector<std::int64_t> strides = {1};
  const TensorHandle tensor({1}, DType::float64, strides, 0, {1}, buffer.data());
  std::uint64_t size = 0;
  aclOpExecutor* fill = nullptr;
  EXPECT_EQ(aclnnInplaceFillScalarGetWorkspaceSize(tensor.get(), scalar, &size, &fill), 0);
  const DeviceBuffer workspace(size);
  const Stream stream;
  EXPECT_EQ(aclnnInplaceFillScalar(workspace.data(), size, fill, stream.get()), 0);
  stream.synchronize();
  buffer.download(&value, sizeof value);
  return value;
}

}  // namespace aclgrad::mock
