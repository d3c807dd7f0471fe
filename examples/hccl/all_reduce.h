// SPDX-License-Identifier: Apache-2.0
// What one rank does, however it was started. Functions of the runtime and of HCCL return 0 for
// success; every status is looked at, and the last message says what went wrong.
#pragma once

#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"

// For functions that return 1 when they fail.
#define CHECK(call)                                                     \
  do {                                                                  \
    const int status = (call);                                          \
    if (status != 0) {                                                  \
      std::printf("%s: %d\n%s\n", #call, status, aclGetRecentErrMsg()); \
      return 1;                                                         \
    }                                                                   \
  } while (0)

// Joins the group of the root info, and sums with it: rank i has i in all its elements. The
// device is the calling thread's current one.
inline int all_reduce(uint32_t rank, uint32_t ranks, const HcclRootInfo& info) {
  HcclComm comm = nullptr;
  CHECK(HcclCommInitRootInfo(ranks, &info, rank, &comm));
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream(&stream));

  constexpr uint64_t kCount = 8;
  const size_t bytes = kCount * sizeof(float);
  std::vector<float> host(kCount, static_cast<float>(rank));
  void* send = nullptr;
  void* receive = nullptr;
  CHECK(aclrtMalloc(&send, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMalloc(&receive, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(send, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));

  CHECK(HcclAllReduce(send, receive, kCount, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comm, stream));
  CHECK(aclrtSynchronizeStream(stream));

  CHECK(aclrtMemcpy(host.data(), bytes, receive, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  std::printf("rank %u of %u: the sum is %g\n", rank, ranks, static_cast<double>(host.front()));

  CHECK(HcclCommDestroy(comm));
  CHECK(aclrtFree(send));
  CHECK(aclrtFree(receive));
  CHECK(aclrtDestroyStream(stream));
  return 0;
}
