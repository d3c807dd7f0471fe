// SPDX-License-Identifier: Apache-2.0
// usage: mpirun -n RANKS message_size [LARGEST [ROUNDS]]
// The time of a sum of float32 numbers over all ranks, by MPI_Allreduce and by HcclAllReduce with
// the wait for its stream, for messages of 1 KiB to LARGEST bytes (64 MiB). Prints a line of CSV
// for each size: bytes, both times in microseconds, their ratio, and the times of HcclReduceScatter
// and HcclAllGather, the halves of such a sum.
//
// Then lines of: "transfers", a number of numbers that each rank sends to the next one and receives
// from the one before it, one by one but all at once (HcclBatchSendRecv), and the time. Each takes
// a message, and two more in both directions by which the two ranks compare what they are at.
//
// They take turns in each of ROUNDS (15) rounds, so that what else the machine does hits all; the
// figure is the median of the rounds, each of which is the mean of as many calls as fill a few
// milliseconds. A time is that of the slowest rank.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "bench/median.h"
#include "hccl/hccl.h"

namespace {

using aclgrad::bench::median;
using Clock = std::chrono::steady_clock;

constexpr size_t kSmallest = 1024;
constexpr double kRoundSeconds = 0.004;
constexpr uint32_t kMaxTransfers = 64;  // MPI looks through its queues from end to end

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
      wait_for(HcclAllReduce(send_.data(), received_.data(), send_.size(), HCCL_DATA_TYPE_FP32,
                             HCCL_REDUCE_SUM, comm_, stream_),
               "HcclAllReduce");
    });
  }

  double scattered(int calls) {
    return mean_of(calls, [&] {
      wait_for(HcclReduceScatter(send_.data(), received_.data(), share(), HCCL_DATA_TYPE_FP32,
                                 HCCL_REDUCE_SUM, comm_, stream_),
               "HcclReduceScatter");
    });
  }

  double gathered(int calls) {
    return mean_of(calls, [&] {
      wait_for(HcclAllGather(send_.data(), received_.data(), share(), HCCL_DATA_TYPE_FP32, comm_,
                             stream_),
               "HcclAllGather");
    });
  }

  // One by one, as many numbers as the buffers have.
  double transferred(int calls) {
    uint32_t rank = 0;
    require(HcclGetRankId(comm_, &rank) == HCCL_SUCCESS, "HcclGetRankId");
    std::vector<HcclSendRecvItem> items;
    for (size_t i = 0; i < send_.size(); ++i) {
      items.push_back({HCCL_SEND, &send_[i], 1, HCCL_DATA_TYPE_FP32, (rank + 1) % ranks()});
      items.push_back(
          {HCCL_RECV, &received_[i], 1, HCCL_DATA_TYPE_FP32, (rank + ranks() - 1) % ranks()});
    }
    return mean_of(calls, [&] {
      wait_for(HcclBatchSendRecv(items.data(), static_cast<uint32_t>(items.size()), comm_, stream_),
               "HcclBatchSendRecv");
    });
  }

 private:
  uint32_t ranks() const {
    uint32_t count = 1;
    require(HcclGetRankSize(comm_, &count) == HCCL_SUCCESS, "HcclGetRankSize");
    return count;
  }
  size_t share() const { return send_.size() / ranks(); }

  void wait_for(HcclResult result, const char* what) {
    require(result == HCCL_SUCCESS, what);
    require(aclrtSynchronizeStream(stream_) == ACL_SUCCESS, "aclrtSynchronizeStream");
  }

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

void measure(HcclComm comm, aclrtStream stream, size_t bytes, int rounds, bool prints) {
  Bench bench(comm, stream, bytes);
  bench.by_mpi(3);
  const double once = std::max(bench.by_mpi(3), bench.by_hccl(3));
  const int calls = std::max(1, static_cast<int>(kRoundSeconds / once));
  std::vector<double> mpi, hccl, scattered, gathered;
  for (int round = 0; round < rounds; ++round) {
    mpi.push_back(bench.by_mpi(calls));
    hccl.push_back(bench.by_hccl(calls));
    scattered.push_back(bench.scattered(calls));
    gathered.push_back(bench.gathered(calls));
  }
  if (!prints) return;
  const double a = median(mpi) * 1e6, b = median(hccl) * 1e6;
  std::printf("%zu,%.2f,%.2f,%.3f,%.2f,%.2f\n", bytes, a, b, b / a, median(scattered) * 1e6,
              median(gathered) * 1e6);
  std::fflush(stdout);
}

void measure_transfers(HcclComm comm, aclrtStream stream, uint32_t count, int rounds, bool prints) {
  Bench bench(comm, stream, count * sizeof(float));
  const int calls = std::max(1, static_cast<int>(kRoundSeconds / bench.transferred(3)));
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) times.push_back(bench.transferred(calls));
  if (prints) std::printf("transfers,%u,%.2f\n", count, median(times) * 1e6);
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
  if (rank == 0) std::printf("bytes,mpi_us,hccl_us,ratio,reduce_scatter_us,all_gather_us\n");
  for (size_t bytes = kSmallest; bytes <= largest; bytes *= 4) {
    measure(comm, stream, bytes, rounds, rank == 0);
  }
  for (uint32_t count = 1; count <= kMaxTransfers; count *= 8) {
    measure_transfers(comm, stream, count, rounds, rank == 0);
  }
  HcclCommDestroy(comm);
  aclFinalize();
  MPI_Finalize();
  return 0;
}
