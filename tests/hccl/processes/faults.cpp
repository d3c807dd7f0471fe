// SPDX-License-Identifier: Apache-2.0
// Ranks that fail in one way or another; the others have to end, and say why.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/hccl/processes/rank.h"

namespace aclgrad::testing {
namespace {

constexpr uint64_t kCount = 1000;

void meet(const Rank& rank) {
  require(rank, HcclBarrier(rank.comm, rank.stream) == HCCL_SUCCESS, "HcclBarrier");
  synchronize(rank);
}

// Expects the operation to fail, tells how, and ends the program as one that checks its calls does.
[[noreturn]] void fail_in_all_reduce(const Rank& rank, uint64_t count) {
  std::vector<float> data(count, 1.0F);
  require(rank,
          HcclAllReduce(data.data(), data.data(), count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                        rank.comm, rank.stream) == HCCL_SUCCESS,
          "HcclAllReduce");
  const aclError status = aclrtSynchronizeStream(rank.stream);
  HcclResult error = HCCL_SUCCESS;
  HcclGetCommAsyncError(rank.comm, &error);
  require(rank, status != ACL_SUCCESS && error != HCCL_SUCCESS, "the operation has succeeded");
  std::printf("rank %u: HcclAllReduce ended with %d (%d): %s\n", rank.rank, error, status,
              recent_message().c_str());
  std::fflush(stdout);
  // Time for the others to say theirs before the launcher ends them.
  sleep(1);
  std::exit(3);
}

}  // namespace

void be_killed(const Rank& rank) {
  meet(rank);
  if (rank.rank == 1) raise(SIGKILL);
  fail_in_all_reduce(rank, kCount);
}

void hang(const Rank& rank) {
  meet(rank);
  while (rank.rank == 1) pause();
  fail_in_all_reduce(rank, kCount);
}

void leave(const Rank& rank) {
  meet(rank);
  if (rank.rank == 1) {
    require(rank, HcclCommDestroy(rank.comm) == HCCL_SUCCESS, "HcclCommDestroy");
    while (true) pause();
  }
  fail_in_all_reduce(rank, kCount);
}

void disagree(const Rank& rank) {
  meet(rank);
  fail_in_all_reduce(rank, kCount + (rank.rank == 1 ? 1 : 0));
}

void take_another_order(const Rank& rank) {
  meet(rank);
  if (rank.rank == 1) {
    require(rank, HcclBarrier(rank.comm, rank.stream) == HCCL_SUCCESS, "HcclBarrier");
  }
  fail_in_all_reduce(rank, kCount);
}

}  // namespace aclgrad::testing
