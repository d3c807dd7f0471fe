// SPDX-License-Identifier: Apache-2.0
// A host program of nothing but the vendor's interface.
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "acl/acl.h"
#include "aclnnop/aclnn_selu_backward.h"

int main() {
  if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS) return 1;
  aclrtStream stream = nullptr;
  if (aclrtCreateStream(&stream) != ACL_SUCCESS) return 1;
  const int64_t shape = 2;
  const int64_t stride = 1;
  const float host[2] = {1.0f, -1.0f};
  void* memory[3];
  aclTensor* tensors[3];
  for (int i = 0; i < 3; ++i) {
    if (aclrtMalloc(&memory[i], sizeof(host), ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) return 1;
    aclrtMemcpy(memory[i], sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
    tensors[i] =
        aclCreateTensor(&shape, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &shape, 1, memory[i]);
  }
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (aclnnSeluBackwardGetWorkspaceSize(tensors[0], tensors[1], tensors[2], &size, &executor) != 0)
    return 1;
  if (aclnnSeluBackward(nullptr, size, executor, stream) != 0) return 1;
  if (aclrtSynchronizeStream(stream) != ACL_SUCCESS) return 1;
  float result[2] = {};
  aclrtMemcpy(result, sizeof(result), memory[2], sizeof(result), ACL_MEMCPY_DEVICE_TO_HOST);
  std::printf("%.6f %.6f\n", static_cast<double>(result[0]), static_cast<double>(result[1]));
  for (int i = 0; i < 3; ++i) {
    aclDestroyTensor(tensors[i]);
    aclrtFree(memory[i]);
  }
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  // lambda, and -(lambda alpha - 1)
  return std::abs(result[0] - 1.050701f) < 1e-6f && std::abs(result[1] + 0.758099f) < 1e-6f ? 0 : 1;
}
