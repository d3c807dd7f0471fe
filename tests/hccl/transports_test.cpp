// SPDX-License-Identifier: Apache-2.0
// Operations leave the same bits whether their ranks share memory or exchange messages.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ops/hccl/message_transport.h"

namespace aclgrad::hccl {
namespace {

using Floats = std::vector<float>;

// Of one rank, before and after.
struct Buffers {
  Floats send;
  Floats receive;
};

// Sums of them depend on the order.
Floats delicate_floats(size_t count, uint32_t seed) {
  std::minstd_rand random(seed + 1);
  Floats values(count);
  for (float& each : values) {
    const auto bits = static_cast<uint32_t>(random());
    each = std::ldexp(static_cast<float>(bits) - 0x1p30F, static_cast<int>(bits % 40) - 60);
  }
  return values;
}

struct Case {
  Kind kind;
  uint64_t count;
  uint32_t ranks;
  bool is_in_place = false;
};

std::string name_of_case(const Case& what) {
  return std::string(name_of(what.kind)) + " of " + std::to_string(what.count) + " over " +
         std::to_string(what.ranks) + (what.is_in_place ? " in place" : "");
}

// As many elements as any of the operations uses.
std::vector<Buffers> make_buffers(const Case& what) {
  std::vector<Buffers> buffers;
  for (uint32_t rank = 0; rank < what.ranks; ++rank) {
    buffers.push_back({delicate_floats(what.count * what.ranks, rank),
                       delicate_floats(what.count * what.ranks, 100 + rank)});
  }
  return buffers;
}

// Each rank sends (rank + 2 * peer) % 3 times a third of the elements to a peer.
Slices slices_of(const Case& what, uint32_t rank, bool is_sent) {
  Slices slices;
  for (uint32_t peer = 0; peer < what.ranks; ++peer) {
    const uint32_t share = is_sent ? (rank + 2 * peer) % 3 : (peer + 2 * rank) % 3;
    slices.counts.push_back(what.count / 3 * share);
    slices.displacements.push_back(peer * what.count);
  }
  return slices;
}

Operation operation_of(const Case& what, uint32_t rank, Buffers& buffers) {
  const uint32_t root = has_root(what.kind) ? what.ranks - 1 : 0;
  float* const receive =
      what.is_in_place || what.kind == Kind::kBroadcast
          ? buffers.send.data() + (what.kind == Kind::kReduceScatter ? rank * what.count : 0)
          : buffers.receive.data();
  Operation operation{{what.kind, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, root, what.count},
                      buffers.send.data(),
                      receive};
  if (what.kind == Kind::kAlltoAllV) {
    operation.received_dtype = HCCL_DATA_TYPE_FP32;
    operation.sent = slices_of(what, rank, /*is_sent=*/true);
    operation.received = slices_of(what, rank, /*is_sent=*/false);
  }
  return operation;
}

// All buffers afterwards.
std::vector<Buffers> perform(const Case& what, bool by_messages) {
  std::vector<Buffers> buffers = make_buffers(what);
  Group group(std::vector<int>(what.ranks, 0), /*network=*/nullptr, 0);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < what.ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const Operation operation = operation_of(what, rank, buffers[rank]);
      const Timeout timeout = std::chrono::seconds(60);
      if (by_messages) {
        EXPECT_NO_THROW(MessageTransport(group, rank, operation, {}, timeout).perform());
      } else {
        EXPECT_EQ(group.perform(rank, operation, {}, timeout).text, "");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return buffers;
}

TEST(Transports, LeaveTheSameBits) {
  const Kind kinds[] = {Kind::kAllReduce, Kind::kReduce,    Kind::kReduceScatter,
                        Kind::kBroadcast, Kind::kAllGather, Kind::kScatter,
                        Kind::kAlltoAll,  Kind::kAlltoAllV, Kind::kBarrier};
  std::vector<Case> cases;
  for (const uint32_t ranks : {2U, 3U, 6U}) {
    // Less than a grain for each, one round of messages, two, several chunks.
    for (const uint64_t count : {1U, 100U, 40000U, 700001U}) {
      if (count > 40000 && ranks > 3) continue;
      for (const Kind kind : kinds) cases.push_back({kind, count, ranks});
      for (const Kind kind : {Kind::kAllReduce, Kind::kReduce, Kind::kReduceScatter}) {
        cases.push_back({kind, count, ranks, /*is_in_place=*/true});
      }
    }
  }
  for (const Case& each : cases) {
    SCOPED_TRACE(name_of_case(each));
    const std::vector<Buffers> by_memory = perform(each, /*by_messages=*/false);
    const std::vector<Buffers> by_messages = perform(each, /*by_messages=*/true);
    for (uint32_t rank = 0; rank < each.ranks; ++rank) {
      EXPECT_TRUE(by_memory[rank].send == by_messages[rank].send) << "rank " << rank;
      EXPECT_TRUE(by_memory[rank].receive == by_messages[rank].receive) << "rank " << rank;
    }
  }
}

}  // namespace
}  // namespace aclgrad::hccl
