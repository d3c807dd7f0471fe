// SPDX-License-Identifier: Apache-2.0
// Four devices of one process, each with a thread, sum what they have. Nothing but the vendor's
// interface; run it with as many devices:
//
//   ACLGRAD_DEVICE_COUNT=4 build/release/bin/all_reduce_threads
#include <thread>
#include <vector>

#include "all_reduce.h"

namespace {

// Device i is rank i.
int run_rank(uint32_t rank, uint32_t ranks, const HcclRootInfo& info) {
  CHECK(aclrtSetDevice(static_cast<int32_t>(rank)));
  if (all_reduce(rank, ranks, info) != 0) return 1;
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
