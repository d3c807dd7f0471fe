// SPDX-License-Identifier: Apache-2.0
// What each rank of a process does of an operation whose ranks are all there: it reads the others'
// buffers where they lie. No share reads what another one writes, so they need no order.
#ifndef ACLGRAD_OPS_HCCL_SHARES_H_
#define ACLGRAD_OPS_HCCL_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ops/hccl/operation.h"

namespace aclgrad::hccl {

// The operation as each rank brings it, by rank.
using Ranks = std::span<const Operation* const>;

// Elements of `count` that a rank takes care of.
struct Slice {
  uint64_t begin;
  uint64_t end;
};
Slice slice_of(uint64_t count, size_t ranks, size_t rank);

// How much work there is in all, in bytes.
uint64_t bytes_of(const Operation& operation, size_t ranks);

// What is wrong with counts that only all ranks together can tell; "" for nothing.
std::string find_disagreement(Ranks ranks);

// A result that lies where another rank still reads, kept until all shares are done.
struct Leftover {
  std::vector<unsigned char> bytes;
  void* memory = nullptr;

  void deliver() const;
};

// Does the rank's share.
Leftover do_share(Ranks ranks, size_t rank);

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_SHARES_H_
