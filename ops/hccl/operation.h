// SPDX-License-Identifier: Apache-2.0
// One rank's part of an operation between ranks, as its stream hands it to the group.
#ifndef ACLGRAD_OPS_HCCL_OPERATION_H_
#define ACLGRAD_OPS_HCCL_OPERATION_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hccl/hccl_types.h"

namespace aclgrad::hccl {

enum class Kind : uint8_t {
  kAllReduce,
  kReduce,
  kReduceScatter,
  kBroadcast,
  kAllGather,
  kScatter,
  kAlltoAll,
  kAlltoAllV,
  kBarrier,
  kTransfers  // Send, Recv, BatchSendRecv: not all ranks take part
};

// Which operations of the ranks belong together. Those that are recorded are counted apart from
// those that are run at once, and each replay of a recorded one is the next of its kind: that way
// the numbers of all ranks agree, whenever their streams get there.
struct Number {
  uint64_t recorded = 0;  // 0: not recorded
  uint64_t run = 0;

  auto operator<=>(const Number&) const = default;
};

// Bytes from one rank to another.
struct Transfer {
  bool is_send = false;
  uint32_t peer = 0;
  void* memory = nullptr;
  uint64_t count = 0;
  HcclDataType dtype = HCCL_DATA_TYPE_INT8;
  Number number = {};  // among those from the one to the other
};

// Counts and displacements of one side of AlltoAllV, in elements, by rank.
struct Slices {
  std::vector<uint64_t> counts;
  std::vector<uint64_t> displacements;
};

struct Operation {
  Kind kind;
  const char* name;  // of the function
  const void* send = nullptr;
  void* receive = nullptr;
  uint64_t count =
      0;  // elements of every rank's part; of the whole buffer where there are no parts
  HcclDataType dtype = HCCL_DATA_TYPE_INT8;
  HcclReduceOp op = HCCL_REDUCE_SUM;
  uint32_t root = 0;
  Slices sent = {};
  Slices received = {};
  HcclDataType received_dtype = HCCL_DATA_TYPE_INT8;  // of AlltoAllV
  std::vector<Transfer> transfers = {};
};

const char* name_of(Kind kind);
bool is_reduction(Kind kind);
bool has_root(Kind kind);

// "HcclAllReduce of 8 HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM"
std::string describe(const Operation& operation);

// Whether two ranks mean the same operation.
bool agree(const Operation& a, const Operation& b);

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_OPERATION_H_
