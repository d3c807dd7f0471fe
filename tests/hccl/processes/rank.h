// SPDX-License-Identifier: Apache-2.0
// One rank of a group of processes, each of which may have several as threads.
#pragma once

#include <cstdint>
#include <string>

#include "acl/acl.h"
#include "hccl/hccl.h"

namespace aclgrad::testing {

struct Rank {
  uint32_t rank = 0;
  uint32_t size = 0;
  HcclComm comm = nullptr;
  aclrtStream stream = nullptr;
};

// Ends the process with a line that names the rank, unless the condition holds.
void require(const Rank& rank, bool condition, const std::string& what);

// Waits for the stream, whose tasks must succeed.
void synchronize(const Rank& rank);

// aclGetRecentErrMsg, and "" for no message.
std::string recent_message();

// What the program can be asked for (main.cpp).
void check_operations(const Rank& rank);
void check_recording(const Rank& rank);
void check_parts(const Rank& rank);
[[noreturn]] void be_killed(const Rank& rank);
[[noreturn]] void hang(const Rank& rank);
[[noreturn]] void leave(const Rank& rank);
[[noreturn]] void disagree(const Rank& rank);
[[noreturn]] void take_another_order(const Rank& rank);

}  // namespace aclgrad::testing
