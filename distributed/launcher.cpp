// SPDX-License-Identifier: Apache-2.0
// Processes that a launcher has started together. MPI carries the name of the group to them, as in
// the vendor's samples; all else is libhccl's affair.
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "aclgrad/distributed/communicator.h"
#include "aclgrad/error.h"
#include "aclgrad/runtime.h"
#include "membership.h"

#ifdef ACLGRAD_HAS_MPI
#include <mpi.h>
#endif

namespace aclgrad {
namespace {

std::atomic<bool> g_skips_finalize = false;

// A number in one of several environment variables, by which launchers tell the same.
int number_in(std::initializer_list<const char*> variables, int fallback) {
  for (const char* const variable : variables) {
    const char* const text = std::getenv(variable);
    if (text != nullptr && *text != '\0') return std::atoi(text);
  }
  return fallback;
}

int launched_processes() { return number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE"}, 1); }

#ifdef ACLGRAD_HAS_MPI

void begin_mpi() {
  int running = 0;
  MPI_Initialized(&running);
  if (running != 0) return;
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  std::atexit([] {
    int over = 0;
    MPI_Finalized(&over);
    // MPI_Finalize would wait for a rank that hangs. A process that ends without it makes the
    // launcher end the others.
    if (over == 0 && !g_skips_finalize) MPI_Finalize();
  });
}

Communicator join_launched(const CommunicatorOptions& options) {
  begin_mpi();
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int place = number_in({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"}, rank);
  use_device(place % device_count());
  HcclRootInfo root{};
  if (rank == 0) root = Communicator::make_root();
  MPI_Bcast(&root, sizeof(root), MPI_BYTE, 0, MPI_COMM_WORLD);
  return Communicator::join(root, rank, size, options);
}

#else

Communicator join_launched(const CommunicatorOptions&) {
  throw ValueError(
      fmt::format("this is one of {} processes that an MPI launcher has started, but aclgrad was "
                  "built without MPI",
                  launched_processes()));
}

#endif

}  // namespace

void detail::skip_finalize() noexcept { g_skips_finalize = true; }

Communicator Communicator::from_environment(const CommunicatorOptions& options) {
  return launched_processes() > 1 ? join_launched(options) : Communicator();
}

}  // namespace aclgrad
