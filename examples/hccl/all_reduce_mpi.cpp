// SPDX-License-Identifier: Apache-2.0
// One process for each rank, started by MPI, sum what they have. Nothing but the vendor's
// interface, and MPI to hand the root info around:
//
//   mpirun -n 2 build/release/bin/all_reduce_mpi
#include <mpi.h>

#include "all_reduce.h"

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
  if (all_reduce(static_cast<uint32_t>(rank), static_cast<uint32_t>(ranks), info) != 0) return 1;

  CHECK(aclrtResetDevice(device));
  CHECK(aclFinalize());
  MPI_Finalize();
  return 0;
}
