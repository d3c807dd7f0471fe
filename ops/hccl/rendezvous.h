// SPDX-License-Identifier: Apache-2.0
// How ranks become a group: they are given an invitation, and each announces itself with the
// process that made it, which tells all where all are.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "ops/hccl/group.h"

namespace aclgrad::hccl {

// 128 bits, of which no two are alike.
using Token = std::array<uint64_t, 2>;

// Stands for a process itself where processes have numbers.
inline constexpr int kThisProcess = -1;

// Of what HcclGetRootInfo writes.
inline constexpr uint64_t kMagic = 0x61636c6768636302;

// Which group, and who started it. The ranks meet with that process.
struct Invitation {
  uint64_t magic = kMagic;
  Token group = {};
  Token process = {};
  int number = kThisProcess;  // of the process, where there is a network
};

// Of the calling process, for its whole life.
const Token& this_process();

// A new one, by this process.
Invitation make_invitation();

HcclRootInfo to_root_info(const Invitation& invitation);
// Throws a Failure (HCCL_E_PARA) for other bytes.
Invitation from_root_info(const HcclRootInfo& info);

// The invitation to a group of some ranks of a group, the same for all who ask with equal
// arguments. They meet with the process of this number.
Invitation derive(const Invitation& parent, uint64_t number, const uint32_t* ranks, size_t count,
                  int process);

// From now on ranks may accept an invitation of this process, for one group.
void publish(const Invitation& invitation);

// Joins the group as `rank` of `size`, and waits for the others. Throws a Failure: HCCL_E_PARA when
// ranks disagree on the size, two have the same number, or the group was made already;
// HCCL_E_TIMEOUT when a rank does not come.
std::shared_ptr<Group> join_group(const Invitation& invitation, uint32_t size, uint32_t rank,
                                  std::chrono::milliseconds timeout);

}  // namespace aclgrad::hccl
