// SPDX-License-Identifier: Apache-2.0
// Groups of ranks in this process, each a device with a thread of its own.
//
//   with_ranks(4, [](Rank& rank) {
//     std::vector<float> sum(3);
//     EXPECT_EQ(HcclAllReduce(..., rank.comm, rank.stream), HCCL_SUCCESS);
//     EXPECT_EQ(rank.synchronize(), ACL_SUCCESS);
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace aclgrad::testing {

// What the tests need at most; the process has as many.
inline constexpr uint32_t kDevices = 8;

struct Rank {
  uint32_t rank = 0;
  uint32_t size = 0;
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;

  aclError synchronize() const { return aclrtSynchronizeStream(stream); }
};

// Runs the body once for every rank, at the same time, with its device set. What they make and
// destroy is checked too.
void with_ranks(uint32_t count, const std::function<void(Rank&)>& body);

// with_ranks() with communicators of a config.
void with_ranks(uint32_t count, const HcclCommConfig& config,
                const std::function<void(Rank&)>& body);

// A config that gives up on other ranks after so many seconds.
HcclCommConfig impatient(int32_t seconds);

// The message of the last failure on this thread, which this call also takes away; "" without one.
std::string recent_message();

}  // namespace aclgrad::testing
