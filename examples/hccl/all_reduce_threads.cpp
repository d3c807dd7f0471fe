// SPDX-License-Identifier: Apache-2.0
// Four devices of one process, each with a thread, sum what they have. Nothing but the vendor's
// interface; run it with as many devices:
//
//   ACLGRAD_DEVICE_COUNT=4 build/release/bin/all_reduce_threads
#include <cstdio>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "check.h"
#include "hccl/hccl.h"

namespace {

constexpr uint64_t kCount = 8;

// One rank: device i has i in all its elements.
int run_rank(uint32_t rank, uint32_t ranks, const HcclRootInfo& info) {
  CHECK(aclrtSetDevice(static_cast<int32_t>(rank)));
  HcclComm comm = nullptr;
  CHECK(HcclCommInitRootInfo(ranks, &info, rank, &comm));
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream(&stream));

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
  CHECK(aclrtResetDevice(static_cast<int32_t>(rank)));
  return 0;
}

}  // namespace

int main() {
  CHECK(aclInit(nullptr));
  uint32_t ranks = 0;
  CHECK(aclrtGetDeviceCount(&ranks));

  // The root says which group it is; threads share the bytes, processes would send them.
  CHECK(aclrtSetDevice(0));
  HcclRootInfo info;
  CHECK(HcclGetRootInfo(&info));

  std::vector<int> failed(ranks, 0);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] { failed[rank] = run_rank(rank, ranks, info); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(aclFinalize());
  for (const int each : failed) {
    if (each != 0) return 1;
  }
  return 0;
}
