// SPDX-License-Identifier: Apache-2.0
// One rank's part of an operation between ranks, as its stream hands it to the group.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "hccl/hccl_types.h"

namespace aclgrad::hccl {

enum class Kind : uint32_t {
  kAllReduce,
  kReduce,
  kReduceScatter,
  kBroadcast,
  kAllGather,
  kScatter,
  kAlltoAll,
  kAlltoAllV,
  kBarrier,
  // Transfers: not all ranks take part.
  kSend,
  kRecv,
  kBatchSendRecv
};

constexpr bool is_reduction(Kind kind) { return kind <= Kind::kReduceScatter; }
constexpr bool is_transfer(Kind kind) { return kind >= Kind::kSend; }
constexpr bool has_root(Kind kind) {
  return kind == Kind::kReduce || kind == Kind::kBroadcast || kind == Kind::kScatter;
}

// "HcclAllReduce"
const char* name_of(Kind kind);

// What the ranks of an operation must agree on. They compare it, as bytes between processes.
struct Signature {
  Kind kind;
  HcclDataType dtype = HCCL_DATA_TYPE_INT8;
  HcclReduceOp op = HCCL_REDUCE_SUM;
  uint32_t root = 0;  // of a transfer, the other rank
  // Elements of every rank's part, or of the whole buffer where there are no parts; of AlltoAllV,
  // bytes for the other rank, and bytes that are expected from it.
  uint64_t count = 0;
  uint64_t expected = 0;
};

// "HcclAllReduce of 8 HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM"
std::string describe(const Signature& signature);

// How two ranks' signatures contradict each other, "" if they do not.
std::string find_disagreement(uint32_t rank, const Signature& mine, uint32_t other,
                              const Signature& theirs);

// Which operations of the ranks belong together. Those that are recorded are counted apart from
// those that are run at once, and each replay of a recorded one is the next of its kind: that way
// the numbers of all ranks agree, whenever their streams get there.
struct Number {
  uint64_t recorded = 0;  // 0: not recorded
  uint64_t run = 0;

  auto operator<=>(const Number&) const = default;
};

// Elements from one rank to another.
struct Transfer {
  bool is_send;
  uint32_t peer;
  void* memory;
  uint64_t count;
  HcclDataType dtype;
  Number number = {};  // among those from the one to the other

  Signature signature() const {
    return {is_send ? Kind::kSend : Kind::kRecv, dtype, HCCL_REDUCE_SUM, peer, count};
  }
};

// Counts and displacements of one side of AlltoAllV, in elements, by rank.
struct Slices {
  std::vector<uint64_t> counts;
  std::vector<uint64_t> displacements;
};

struct Operation : Signature {
  const void* send = nullptr;
  void* receive = nullptr;
  // Of AlltoAllV.
  HcclDataType received_dtype = HCCL_DATA_TYPE_INT8;
  Slices sent = {};
  Slices received = {};
  // Of transfers.
  std::vector<Transfer> transfers = {};

  // What the rank and another one compare.
  Signature signature_for(uint32_t peer) const;
};

}  // namespace aclgrad::hccl
