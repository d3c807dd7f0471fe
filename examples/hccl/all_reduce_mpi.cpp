// SPDX-License-Identifier: Apache-2.0
// One process for each rank, started by MPI, sum what they have. Nothing but the vendor's
// interface, and MPI to hand the root info around:
//
//   mpirun -n 2 build/release/bin/all_reduce_mpi
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "check.h"
#include "hccl/hccl.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  CHECK(aclInit(nullptr));
  uint32_t devices = 0;
  CHECK(aclrtGetDeviceCount(&devices));
  const int32_t device = rank % static_cast<int32_t>(devices);
  CHECK(aclrtSetDevice(device));

  // The root's bytes say which group it is.
  HcclRootInfo info;
  if (rank == 0) CHECK(HcclGetRootInfo(&info));
  MPI_Bcast(&info, sizeof info, MPI_BYTE, 0, MPI_COMM_WORLD);
  HcclComm comm = nullptr;
  CHECK(HcclCommInitRootInfo(static_cast<uint32_t>(ranks), &info, static_cast<uint32_t>(rank),
                             &comm));

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
  std::printf("rank %d of %d: the sum is %g\n", rank, ranks, static_cast<double>(host.front()));

  CHECK(HcclCommDestroy(comm));
  CHECK(aclrtFree(send));
  CHECK(aclrtFree(receive));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(device));
  CHECK(aclFinalize());
  MPI_Finalize();
  return 0;
}
