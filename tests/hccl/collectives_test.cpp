// SPDX-License-Identifier: Apache-2.0
// Where each operation puts what, for several numbers of ranks, counts and types, in and out of
// place.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "aclgrad_ext.h"
#include "tests/hccl/ranks.h"

namespace aclgrad::testing {
namespace {

constexpr uint64_t kCounts[] = {1, 3, 64, 1000, 30001};
constexpr uint32_t kSizes[] = {1, 2, 3, 4, 5, 8};

// Another number for every element of every rank.
int32_t element(uint32_t rank, uint64_t i) {
  return static_cast<int32_t>(1000003 * (rank + 1) + 7 * i);
}

std::vector<int32_t> elements(uint32_t rank, uint64_t count, uint64_t first = 0) {
  std::vector<int32_t> values(count);
  for (uint64_t i = 0; i < count; ++i) values[i] = element(rank, first + i);
  return values;
}

int32_t sum(uint32_t ranks, uint64_t i) {
  int32_t total = 0;
  for (uint32_t rank = 0; rank < ranks; ++rank) total += element(rank, i);
  return total;
}

std::vector<int32_t> sums(uint32_t ranks, uint64_t count, uint64_t first = 0) {
  std::vector<int32_t> values(count);
  for (uint64_t i = 0; i < count; ++i) values[i] = sum(ranks, first + i);
  return values;
}

// Runs the body for all numbers of ranks and counts.
void everywhere(const std::function<void(Rank& rank, uint64_t count)>& body) {
  for (const uint32_t size : kSizes) {
    SCOPED_TRACE(size);
    with_ranks(size, [&](Rank& rank) {
      for (const uint64_t count : kCounts) body(rank, count);
    });
  }
}

TEST(Collectives, AllReduce) {
  everywhere([](Rank& rank, uint64_t count) {
    const std::vector<int32_t> sent = elements(rank.rank, count);
    std::vector<int32_t> send = sent, received(count);
    ASSERT_EQ(HcclAllReduce(send.data(), received.data(), count, HCCL_DATA_TYPE_INT32,
                            HCCL_REDUCE_SUM, rank.comm, rank.stream),
              HCCL_SUCCESS);
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
    EXPECT_EQ(received, sums(rank.size, count));
    EXPECT_EQ(send, sent);
    ASSERT_EQ(HcclAllReduce(send.data(), send.data(), count, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM,
                            rank.comm, rank.stream),
              HCCL_SUCCESS);
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
    EXPECT_EQ(send, received);
  });
}

TEST(Collectives, ReduceLeavesTheOthersAlone) {
  everywhere([](Rank& rank, uint64_t count) {
    for (uint32_t root = 0; root < rank.size; ++root) {
      std::vector<int32_t> send = elements(rank.rank, count), received(count, -5);
      const bool in_place = root % 2 == 1;
      int32_t* const to = in_place && rank.rank == root ? send.data() : received.data();
      ASSERT_EQ(HcclReduce(send.data(), to, count, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, root,
                           rank.comm, rank.stream),
                HCCL_SUCCESS);
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
      const bool is_root = rank.rank == root;
      EXPECT_EQ(std::vector<int32_t>(to, to + count),
                is_root ? sums(rank.size, count) : std::vector<int32_t>(count, -5));
    }
  });
}

TEST(Collectives, ReduceScatter) {
  everywhere([](Rank& rank, uint64_t count) {
    const std::vector<int32_t> sent = elements(rank.rank, count * rank.size);
    const std::vector<int32_t> expected = sums(rank.size, count, rank.rank * count);
    // Out of place, in the own part, at the start.
    for (const int way : {0, 1, 2}) {
      std::vector<int32_t> send = sent, apart(count);
      int32_t* const to = way == 0   ? apart.data()
                          : way == 1 ? send.data() + rank.rank * count
                                     : send.data();
      ASSERT_EQ(HcclReduceScatter(send.data(), to, count, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM,
                                  rank.comm, rank.stream),
                HCCL_SUCCESS);
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
      EXPECT_EQ(std::vector<int32_t>(to, to + count), expected) << way;
      if (way == 0) {
        EXPECT_EQ(send, sent);
      }
    }
  });
}

TEST(Collectives, Broadcast) {
  everywhere([](Rank& rank, uint64_t count) {
    for (uint32_t root = 0; root < rank.size; ++root) {
      std::vector<int32_t> buffer = elements(rank.rank, count);
      ASSERT_EQ(
          HcclBroadcast(buffer.data(), count, HCCL_DATA_TYPE_INT32, root, rank.comm, rank.stream),
          HCCL_SUCCESS);
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
      EXPECT_EQ(buffer, elements(root, count));
    }
  });
}

TEST(Collectives, AllGather) {
  everywhere([](Rank& rank, uint64_t count) {
    std::vector<int32_t> expected;
    for (uint32_t from = 0; from < rank.size; ++from) {
      const std::vector<int32_t> part = elements(from, count);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    for (const bool in_place : {false, true}) {
      std::vector<int32_t> received(count * rank.size), send = elements(rank.rank, count);
      int32_t* const own = received.data() + rank.rank * count;
      if (in_place) std::copy(send.begin(), send.end(), own);
      ASSERT_EQ(HcclAllGather(in_place ? own : send.data(), received.data(), count,
                              HCCL_DATA_TYPE_INT32, rank.comm, rank.stream),
                HCCL_SUCCESS);
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
      EXPECT_EQ(received, expected) << in_place;
    }
  });
}

TEST(Collectives, Scatter) {
  everywhere([](Rank& rank, uint64_t count) {
    for (uint32_t root = 0; root < rank.size; ++root) {
      std::vector<int32_t> send = elements(root, count * rank.size), received(count);
      ASSERT_EQ(HcclScatter(rank.rank == root ? send.data() : nullptr, received.data(), count,
                            HCCL_DATA_TYPE_INT32, root, rank.comm, rank.stream),
                HCCL_SUCCESS);
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
      EXPECT_EQ(received, elements(root, count, rank.rank * count));
    }
  });
}

TEST(Collectives, AlltoAll) {
  everywhere([](Rank& rank, uint64_t count) {
    std::vector<int32_t> expected;
    for (uint32_t from = 0; from < rank.size; ++from) {
      const std::vector<int32_t> part = elements(from, count, rank.rank * count);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    std::vector<int32_t> send = elements(rank.rank, count * rank.size), received(count * rank.size);
    ASSERT_EQ(HcclAlltoAll(send.data(), count, HCCL_DATA_TYPE_INT32, received.data(), count,
                           HCCL_DATA_TYPE_INT32, rank.comm, rank.stream),
              HCCL_SUCCESS);
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
    EXPECT_EQ(received, expected);
  });
}

// Rank r sends (r + 2s) mod 4 elements to rank s, from places with gaps, to places in reverse
// order.
TEST(Collectives, AlltoAllV) {
  for (const uint32_t size : kSizes) {
    with_ranks(size, [](Rank& rank) {
      constexpr uint64_t kRoom = 5;
      const auto count_of = [](uint32_t from, uint32_t to) -> uint64_t {
        return (from + 2 * to) % 4;
      };
      std::vector<uint64_t> send_counts, send_places, receive_counts, receive_places;
      std::vector<int32_t> expected(rank.size * kRoom, -1);
      for (uint32_t peer = 0; peer < rank.size; ++peer) {
        send_counts.push_back(count_of(rank.rank, peer));
        send_places.push_back(peer * kRoom);
        receive_counts.push_back(count_of(peer, rank.rank));
        receive_places.push_back((rank.size - 1 - peer) * kRoom);
        for (uint64_t i = 0; i < receive_counts.back(); ++i) {
          expected[receive_places.back() + i] = element(peer, rank.rank * kRoom + i);
        }
      }
      std::vector<int32_t> send = elements(rank.rank, rank.size * kRoom),
                           received(rank.size * kRoom, -1);
      ASSERT_EQ(HcclAlltoAllV(send.data(), send_counts.data(), send_places.data(),
                              HCCL_DATA_TYPE_INT32, received.data(), receive_counts.data(),
                              receive_places.data(), HCCL_DATA_TYPE_INT32, rank.comm, rank.stream),
                HCCL_SUCCESS);
      // The arrays were copied.
      std::fill(send_counts.begin(), send_counts.end(), 1u << 30);
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
      EXPECT_EQ(received, expected);
    });
  }
}

TEST(Collectives, BarrierHoldsStreamsUntilAllAreThere) {
  static std::atomic<int> before{0};
  for (const uint32_t size : kSizes) {
    before = 0;
    with_ranks(size, [](Rank& rank) {
      const auto count = [](void*) { ++before; };
      ASSERT_EQ(aclrtLaunchHostFunc(rank.stream, count, nullptr), ACL_SUCCESS);
      ASSERT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
      EXPECT_EQ(before, static_cast<int>(rank.size));
    });
  }
}

// By itself, the worker of a stream whose tasks others run begins up to 12.8 ms late.
TEST(Collectives, ARankThatAsksAfterNothingKeepsNoneWaiting) {
  constexpr int kTries = 6;
  constexpr int kRounds = 16;
  constexpr int kMaxLate = kRounds * 3 / 8;
  int late = kRounds;
  std::barrier together(2);
  const auto count_late = [&](Rank& rank) {
    for (int round = 0; round < kRounds; ++round) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
      while (std::chrono::steady_clock::now() < end) {
        EXPECT_EQ(aclgradLaunchTask(
                      rank.stream, "nothing", [](void*) { return ACL_SUCCESS; }, nullptr, nullptr),
                  ACL_SUCCESS);
        EXPECT_EQ(rank.synchronize(), ACL_SUCCESS);
      }
      together.arrive_and_wait();
      std::vector<float> data(3, 1.0F);
      EXPECT_EQ(HcclAllReduce(data.data(), data.data(), data.size(), HCCL_DATA_TYPE_FP32,
                              HCCL_REDUCE_SUM, rank.comm, rank.stream),
                HCCL_SUCCESS);
      if (rank.rank == 1 && aclrtSynchronizeStreamWithTimeout(rank.stream, 4) != ACL_SUCCESS) {
        ++late;
        recent_message();
      }
      together.arrive_and_wait();
      EXPECT_EQ(rank.synchronize(), ACL_SUCCESS);
    }
  };
  // A machine that is busy with something else may be late for seconds on end.
  for (int tried = 0; tried < kTries && late > kMaxLate; ++tried) {
    late = 0;
    with_ranks(2, count_late);
  }
  EXPECT_LE(late, kMaxLate) << "of " << kRounds;
}

TEST(Collectives, ACountOfNothingSucceedsWhateverElseIsWrong) {
  const auto bad_type = static_cast<HcclDataType>(99);
  const auto bad_op = static_cast<HcclReduceOp>(99);
  EXPECT_EQ(HcclAllReduce(nullptr, nullptr, 0, bad_type, bad_op, nullptr, nullptr), HCCL_SUCCESS);
  EXPECT_EQ(HcclReduce(nullptr, nullptr, 0, bad_type, bad_op, 9, nullptr, nullptr), HCCL_SUCCESS);
  EXPECT_EQ(HcclReduceScatter(nullptr, nullptr, 0, bad_type, bad_op, nullptr, nullptr),
            HCCL_SUCCESS);
  EXPECT_EQ(HcclBroadcast(nullptr, 0, bad_type, 9, nullptr, nullptr), HCCL_SUCCESS);
  EXPECT_EQ(HcclAllGather(nullptr, nullptr, 0, bad_type, nullptr, nullptr), HCCL_SUCCESS);
  EXPECT_EQ(HcclAlltoAll(nullptr, 0, bad_type, nullptr, 0, bad_type, nullptr, nullptr),
            HCCL_SUCCESS);
  EXPECT_EQ(HcclSend(nullptr, 0, bad_type, 0, nullptr, nullptr), HCCL_SUCCESS);
  EXPECT_EQ(HcclRecv(nullptr, 0, bad_type, 0, nullptr, nullptr), HCCL_SUCCESS);
  EXPECT_EQ(HcclScatter(nullptr, nullptr, 0, bad_type, 0, nullptr, nullptr), HCCL_E_PTR);
}

// One thread issues for all devices, then waits for the first of them.
TEST(Collectives, OneThreadMayIssueForAllDevices) {
  constexpr uint32_t kRanks = 4;
  constexpr uint64_t kCount = 20000;
  int32_t devices[kRanks] = {2, 0, 3, 1};
  HcclComm comms[kRanks] = {};
  aclrtStream streams[kRanks] = {};
  std::vector<std::vector<int32_t>> buffers;
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(HcclCommInitAll(kRanks, devices, comms), HCCL_SUCCESS) << recent_message();
  for (uint32_t i = 0; i < kRanks; ++i) {
    ASSERT_EQ(aclrtSetDevice(devices[i]), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&streams[i]), ACL_SUCCESS);
    buffers.push_back(elements(i, kCount));
    ASSERT_EQ(HcclAllReduce(buffers[i].data(), buffers[i].data(), kCount, HCCL_DATA_TYPE_INT32,
                            HCCL_REDUCE_SUM, comms[i], streams[i]),
              HCCL_SUCCESS)
        << recent_message();
  }
  for (uint32_t i = 0; i < kRanks; ++i) {
    ASSERT_EQ(aclrtSetDevice(devices[i]), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(streams[i]), ACL_SUCCESS);
    EXPECT_EQ(buffers[i], sums(kRanks, kCount));
    uint32_t rank = 99;
    EXPECT_EQ(HcclGetRankId(comms[i], &rank), HCCL_SUCCESS);
    EXPECT_EQ(rank, i);
    EXPECT_EQ(HcclCommDestroy(comms[i]), HCCL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(streams[i]), ACL_SUCCESS);
  }
  for (const int32_t device : devices) aclrtResetDeviceForce(device);
}

}  // namespace
}  // namespace aclgrad::testing
