// SPDX-License-Identifier: Apache-2.0
// What the programs share: short forms of the calls that are correct.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_selu.h"

namespace misuse {

inline void require(int status) {
  if (status == 0) return;
  const char* const message = aclGetRecentErrMsg();
  std::fprintf(stderr, "unexpected status %d: %s\n", status, message == nullptr ? "" : message);
  std::exit(1);
}

// Device 0 and a stream, from here to the end of main.
class Device {
 public:
  Device() {
    require(aclInit(nullptr));
    require(aclrtSetDevice(0));
    require(aclrtCreateStream(&stream));
  }
  ~Device() {
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  aclrtStream stream = nullptr;
};

inline void* allocate(size_t bytes) {
  void* memory = nullptr;
  require(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  return memory;
}

// Allocated, and filled with zeros.
inline void* zeros(size_t bytes) {
  void* const memory = allocate(bytes);
  require(aclrtMemset(memory, bytes, 0, bytes));
  return memory;
}

// `count` floats at the address.
inline aclTensor* floats(void* memory, int64_t count) {
  return aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, memory);
}

inline aclOpExecutor* plan_selu(aclTensor* in, aclTensor* out) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  require(aclnnSeluGetWorkspaceSize(in, out, &size, &executor));
  return executor;
}

}  // namespace misuse
