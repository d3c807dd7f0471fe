// SPDX-License-Identifier: Apache-2.0
// What an aclnn host program needs around its operator: a device, a stream, tensors on the device,
// and a look at every status.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

// Both acl and aclnn functions return 0 for success; the last message says what went wrong.
inline void check(int status, const char* call) {
  if (status == ACL_SUCCESS) return;
  const char* message = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s returned %d\n%s\n", call, status, message != nullptr ? message : "");
  std::exit(1);
}

struct DeviceTensor {
  void* memory;
  aclTensor* tensor;
  size_t count;
};

// A contiguous float tensor with a copy of `values` on the device.
inline DeviceTensor make_tensor(const std::vector<float>& values,
                                const std::vector<int64_t>& shape) {
  DeviceTensor made{nullptr, nullptr, values.size()};
  const size_t bytes = values.size() * sizeof(float);
  check(aclrtMalloc(&made.memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  check(aclrtMemcpy(made.memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE),
        "aclrtMemcpy");
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  made.tensor = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), 0,
                                ACL_FORMAT_ND, shape.data(), shape.size(), made.memory);
  return made;
}

inline aclScalar* make_scalar(float value) { return aclCreateScalar(&value, ACL_FLOAT); }

inline std::vector<float> read_back(const DeviceTensor& tensor) {
  std::vector<float> values(tensor.count);
  const size_t bytes = values.size() * sizeof(float);
  check(aclrtMemcpy(values.data(), bytes, tensor.memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST),
        "aclrtMemcpy");
  return values;
}

inline void release(const DeviceTensor& tensor) {
  aclDestroyTensor(tensor.tensor);
  aclrtFree(tensor.memory);
}

inline aclrtStream open_device() {
  aclrtStream stream = nullptr;
  check(aclInit(nullptr), "aclInit");
  check(aclrtSetDevice(0), "aclrtSetDevice");
  check(aclrtCreateStream(&stream), "aclrtCreateStream");
  return stream;
}

inline void close_device(aclrtStream stream) {
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
}

// Phase two of an operator: gives it the workspace that phase one asked for, waits for the result.
using PhaseTwo = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

inline void run(PhaseTwo phase_two, const char* name, uint64_t workspace_size,
                aclOpExecutor* executor, aclrtStream stream) {
  void* workspace = nullptr;
  if (workspace_size > 0) {
    check(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  }
  check(phase_two(workspace, workspace_size, executor, stream), name);
  check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
  if (workspace != nullptr) aclrtFree(workspace);
}
