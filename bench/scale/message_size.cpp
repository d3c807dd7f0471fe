// SPDX-License-Identifier: Apache-2.0
// usage: mpirun -n RANKS message_size [LARGEST [ROUNDS]]
// The time of a sum of float32 numbers over all ranks, by MPI_Allreduce and by HcclAllReduce with
// the wait for its stream, for messages of 1 KiB to LARGEST bytes (64 MiB). Prints a line of CSV
// for each size: bytes, both times in microseconds, and their ratio.
//
// The two take turns in each of ROUNDS (15) rounds, so that what else the machine does hits both;
// the figure is the median of the rounds, each of which is the mean of as many calls as fill a few
// milliseconds. A time is that of the slowest rank.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kSmallest = 1024;
constexpr double kRoundSeconds = 0.004;

[[noreturn]] void fail(const char* what) {
  const char* const message = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s failed: %s\n", what, message == nullptr ? "" : message);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void require(bool condition, const char* what) {
  if (!condition) fail(what);
}

// A rank with buffers of `bytes`.
class Bench {
 public:
  Bench(HcclComm comm, aclrtStream stream, size_t bytes)
      : comm_(comm), stream_(stream), send_(bytes / sizeof(float), 1.0F), received_(send_.size()) {}

  double by_mpi(int calls) {
    return mean_of(calls, [&] {
      MPI_Allreduce(send_.data(), received_.data(), static_cast<int>(send_.size()), MPI_FLOAT,
                    MPI_SUM, MPI_COMM_WORLD);
    });
  }

  double by_hccl(int calls) {
    return mean_of(calls, [&] {
      require(HcclAllReduce(send_.data(), received_.data(), send_.size(), HCCL_DATA_TYPE_FP32,
                            HCCL_REDUCE_SUM, comm_, stream_) == HCCL_SUCCESS,
              "HcclAllReduce");
      require(aclrtSynchronizeStream(stream_) == ACL_SUCCESS, "aclrtSynchronizeStream");
    });
  }

 private:
  // Seconds of a call on the slowest rank.
  template <class Call>
  static double mean_of(int calls, const Call& call) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    double seconds = std::chrono::duration<double>(Clock::now() - start).count() / calls;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
  }

  const HcclComm comm_;
  const aclrtStream stream_;
  std::vector<float> send_;
  std::vector<float> received_;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void measure(HcclComm comm, aclrtStream stream, size_t bytes, int rounds, bool prints) {
  Bench bench(comm, stream, bytes);
  bench.by_mpi(3);
  const double once = std::max(bench.by_mpi(3), bench.by_hccl(3));
  const int calls = std::max(1, static_cast<int>(kRoundSeconds / once));
  std::vector<double> mpi, hccl;
  for (int round = 0; round < rounds; ++round) {
    mpi.push_back(bench.by_mpi(calls));
    hccl.push_back(bench.by_hccl(calls));
  }
  if (!prints) return;
  const double a = median(mpi), b = median(hccl);
  std::printf("%zu,%.2f,%.2f,%.3f\n", bytes, a * 1e6, b * 1e6, b / a);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t largest = argc > 1 ? static_cast<size_t>(std::atoll(argv[1])) : size_t{64} << 20;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 15;
  int level = 0, rank = 0, ranks = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  require(aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS, "aclrtSetDevice");
  HcclRootInfo info;
  if (rank == 0) require(HcclGetRootInfo(&info) == HCCL_SUCCESS, "HcclGetRootInfo");
  MPI_Bcast(&info, sizeof info, MPI_BYTE, 0, MPI_COMM_WORLD);
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
  require(HcclCommInitRootInfo(static_cast<uint32_t>(ranks), &info, static_cast<uint32_t>(rank),
                               &comm) == HCCL_SUCCESS,
          "HcclCommInitRootInfo");
  require(aclrtCreateStream(&stream) == ACL_SUCCESS, "aclrtCreateStream");
  if (rank == 0) std::printf("bytes,mpi_us,hccl_us,ratio\n");
  for (size_t bytes = kSmallest; bytes <= largest; bytes *= 4) {
    measure(comm, stream, bytes, rounds, rank == 0);
  }
  HcclCommDestroy(comm);
  aclFinalize();
  MPI_Finalize();
  return 0;
}
