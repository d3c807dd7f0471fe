// SPDX-License-Identifier: Apache-2.0
// Every operation between processes, against what it should give, to the bit.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "tests/hccl/processes/rank.h"

namespace aclgrad::testing {
namespace {

constexpr auto kFp32 = HCCL_DATA_TYPE_FP32;
constexpr auto kSum = HCCL_REDUCE_SUM;
// The last ones need several messages for each rank.
constexpr uint64_t kCounts[] = {1, 129, 5000, 150001, 600001};

using Numbers = std::vector<float>;

// Numbers whose sums depend on the order.
Numbers numbers(uint32_t rank, uint64_t count) {
  std::mt19937 random(rank + 1);
  Numbers values(count);
  for (float& each : values) {
    const auto exponent = static_cast<int>(random() % 40) - 20;
    each = std::ldexp(static_cast<float>(random()) / 4294967296.0F - 0.5F, exponent);
  }
  return values;
}

// In the documented tree.
Numbers sum(uint32_t size, uint64_t count) {
  std::vector<Numbers> parts;
  for (uint32_t rank = 0; rank < size; ++rank) parts.push_back(numbers(rank, count));
  while (parts.size() > 1) {
    const size_t middle = std::bit_floor(parts.size() - 1);
    for (size_t i = middle; i < parts.size(); ++i) {
      for (uint64_t e = 0; e < count; ++e) parts[i - middle][e] += parts[i][e];
    }
    parts.resize(middle);
  }
  return parts.front();
}

Numbers part(const Numbers& whole, uint64_t index, uint64_t count) {
  const auto first = whole.begin() + static_cast<std::ptrdiff_t>(index * count);
  return Numbers(first, first + static_cast<std::ptrdiff_t>(count));
}

// Checks of one count.
class Check {
 public:
  Check(const Rank& rank, uint64_t count) : rank_(rank), count_(count) {}

  void reductions() {
    const Numbers mine = numbers(rank_.rank, count_ * rank_.size);
    const Numbers all = sum(rank_.size, count_ * rank_.size);
    Numbers send = mine, received(mine.size());
    expect(HcclAllReduce(send.data(), received.data(), mine.size(), kFp32, kSum, rank_.comm,
                         rank_.stream),
           "HcclAllReduce", received, all);
    equal("what HcclAllReduce sent", send, mine);
    expect(
        HcclAllReduce(send.data(), send.data(), mine.size(), kFp32, kSum, rank_.comm, rank_.stream),
        "HcclAllReduce in place", send, all);
    for (const int way : {0, 1, 2}) {
      send = mine;
      Numbers apart(count_);
      float* const to = way == 0   ? apart.data()
                        : way == 1 ? send.data() + rank_.rank * count_
                                   : send.data();
      call(HcclReduceScatter(send.data(), to, count_, kFp32, kSum, rank_.comm, rank_.stream),
           "HcclReduceScatter");
      equal(fmt::format("HcclReduceScatter, way {}", way), Numbers(to, to + count_),
            part(all, rank_.rank, count_));
    }
    const uint32_t root = rank_.size - 1;
    received.assign(mine.size(), -1);
    send = mine;
    expect(HcclReduce(send.data(), received.data(), mine.size(), kFp32, kSum, root, rank_.comm,
                      rank_.stream),
           "HcclReduce", received, rank_.rank == root ? all : Numbers(mine.size(), -1));
  }

  void moves() {
    const uint32_t size = rank_.size;
    for (uint32_t root = 0; root < size; ++root) {
      Numbers buffer = numbers(rank_.rank, count_);
      expect(HcclBroadcast(buffer.data(), count_, kFp32, root, rank_.comm, rank_.stream),
             "HcclBroadcast", buffer, numbers(root, count_));
      Numbers send = numbers(root, count_ * size), received(count_);
      expect(HcclScatter(rank_.rank == root ? send.data() : nullptr, received.data(), count_, kFp32,
                         root, rank_.comm, rank_.stream),
             "HcclScatter", received, part(send, rank_.rank, count_));
    }
    Numbers gathered(count_ * size), exchanged(count_ * size), expected, expected_parts;
    for (uint32_t from = 0; from < size; ++from) {
      append(expected, numbers(from, count_));
      append(expected_parts, part(numbers(from, count_ * size), rank_.rank, count_));
    }
    Numbers send = numbers(rank_.rank, count_ * size);
    float* const own = gathered.data() + rank_.rank * count_;
    std::copy_n(send.begin(), count_, own);
    expect(HcclAllGather(own, gathered.data(), count_, kFp32, rank_.comm, rank_.stream),
           "HcclAllGather", gathered, expected);
    expect(HcclAlltoAll(send.data(), count_, kFp32, exchanged.data(), count_, kFp32, rank_.comm,
                        rank_.stream),
           "HcclAlltoAll", exchanged, expected_parts);
    // The exchange by counts, with the parts in the reverse order.
    std::vector<uint64_t> counts(size, count_), places, reversed;
    for (uint32_t i = 0; i < size; ++i) {
      places.push_back(i * count_);
      reversed.push_back((size - 1 - i) * count_);
    }
    Numbers reverse(count_ * size);
    call(HcclAlltoAllV(send.data(), counts.data(), places.data(), kFp32, reverse.data(),
                       counts.data(), reversed.data(), kFp32, rank_.comm, rank_.stream),
         "HcclAlltoAllV");
    for (uint32_t from = 0; from < size; ++from) {
      equal("HcclAlltoAllV", part(reverse, size - 1 - from, count_),
            part(expected_parts, from, count_));
    }
  }

  void transfers() {
    const uint32_t next = (rank_.rank + 1) % rank_.size;
    const uint32_t last = (rank_.rank + rank_.size - 1) % rank_.size;
    Numbers send = numbers(rank_.rank, count_), received(count_);
    HcclSendRecvItem items[] = {{HCCL_SEND, send.data(), count_, kFp32, next},
                                {HCCL_RECV, received.data(), count_, kFp32, last}};
    expect(HcclBatchSendRecv(items, 2, rank_.comm, rank_.stream), "HcclBatchSendRecv", received,
           numbers(last, count_));
    // Along a line.
    Numbers passed = numbers(0, count_);
    if (rank_.rank > 0) {
      passed.assign(count_, 0);
      call(HcclRecv(passed.data(), count_, kFp32, rank_.rank - 1, rank_.comm, rank_.stream),
           "HcclRecv");
    }
    if (rank_.rank + 1 < rank_.size) {
      call(HcclSend(passed.data(), count_, kFp32, rank_.rank + 1, rank_.comm, rank_.stream),
           "HcclSend");
    }
    equal("HcclSend and HcclRecv", passed, numbers(0, count_));
  }

 private:
  void call(HcclResult result, const char* what) {
    require(rank_, result == HCCL_SUCCESS, what);
    synchronize(rank_);
  }
  void equal(const std::string& what, const Numbers& got, const Numbers& expected) {
    const auto [a, b] = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
    require(rank_, a == got.end() && b == expected.end(),
            fmt::format("{} of {}: differs at {}", what, count_, a - got.begin()));
  }
  void expect(HcclResult result, const char* what, const Numbers& got, const Numbers& expected) {
    call(result, what);
    equal(what, got, expected);
  }
  static void append(Numbers& to, const Numbers& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  const Rank& rank_;
  const uint64_t count_;
};

}  // namespace

void check_operations(const Rank& rank) {
  for (const uint64_t count : kCounts) {
    Check check(rank, count);
    check.reductions();
    check.moves();
    check.transfers();
    require(rank, HcclBarrier(rank.comm, rank.stream) == HCCL_SUCCESS, "HcclBarrier");
    synchronize(rank);
  }
}

// Two streams whose operations reach MPI in different orders on different ranks; one of them
// replays what it has recorded.
void check_recording(const Rank& rank) {
  constexpr uint64_t kCount = 70000;
  Numbers recorded(kCount, 1.0F), other(kCount, 1.0F);
  aclrtStream second = nullptr;
  require(rank, aclrtCreateStream(&second) == ACL_SUCCESS, "aclrtCreateStream");
  aclmdlRI model = nullptr;
  require(rank, aclmdlRICaptureBegin(second, ACL_MODEL_RI_CAPTURE_MODE_RELAXED) == ACL_SUCCESS,
          "aclmdlRICaptureBegin");
  require(rank,
          HcclAllReduce(recorded.data(), recorded.data(), kCount, kFp32, kSum, rank.comm, second) ==
              HCCL_SUCCESS,
          "recorded HcclAllReduce");
  require(rank, aclmdlRICaptureEnd(second, &model) == ACL_SUCCESS, "aclmdlRICaptureEnd");
  const auto replay = [&] {
    require(rank, aclmdlRIExecuteAsync(model, second) == ACL_SUCCESS, "aclmdlRIExecuteAsync");
  };
  const auto issue = [&] {
    require(rank,
            HcclAllReduce(other.data(), other.data(), kCount, kFp32, kSum, rank.comm,
                          rank.stream) == HCCL_SUCCESS,
            "HcclAllReduce");
  };
  float expected = 1;
  for (int i = 0; i < 4; ++i) {
    if (rank.rank % 2 == 0) {
      replay();
      issue();
    } else {
      issue();
      replay();
    }
    synchronize(rank);
    require(rank, aclrtSynchronizeStream(second) == ACL_SUCCESS, "replay");
    expected *= static_cast<float>(rank.size);
    require(rank, recorded == Numbers(kCount, expected), "the recorded sums");
    require(rank, other == Numbers(kCount, expected), "the other sums");
  }
  require(rank, aclmdlRIDestroy(model) == ACL_SUCCESS, "aclmdlRIDestroy");
  require(rank, aclrtDestroyStream(second) == ACL_SUCCESS, "aclrtDestroyStream");
}

// Groups of even and of odd ranks.
void check_parts(const Rank& rank) {
  std::vector<uint32_t> members;
  for (uint32_t i = rank.rank % 2; i < rank.size; i += 2) members.push_back(i);
  HcclComm whole = rank.comm, part = nullptr;
  require(rank,
          HcclCreateSubCommConfig(&whole, static_cast<uint32_t>(members.size()), members.data(),
                                  rank.rank % 2, rank.rank / 2, nullptr, &part) == HCCL_SUCCESS,
          "HcclCreateSubCommConfig");
  float sum = static_cast<float>(rank.rank), expected = 0;
  for (const uint32_t each : members) expected += static_cast<float>(each);
  require(rank,
          HcclAllReduce(&sum, &sum, 1, kFp32, kSum, part, rank.stream) == HCCL_SUCCESS &&
              aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS && sum == expected,
          "HcclAllReduce of a part");
  require(rank, HcclCommDestroy(part) == HCCL_SUCCESS, "HcclCommDestroy of a part");
}

}  // namespace aclgrad::testing
