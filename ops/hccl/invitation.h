// SPDX-License-Identifier: Apache-2.0
// What ranks that are to become a group are told.
#ifndef ACLGRAD_OPS_HCCL_INVITATION_H_
#define ACLGRAD_OPS_HCCL_INVITATION_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "hccl/hccl_types.h"

namespace aclgrad::hccl {

// 128 bits, of which no two are alike.
struct Token {
  std::array<uint64_t, 2> bits{};

  auto operator<=>(const Token&) const = default;
};

// Stands for a process itself where processes have numbers.
inline constexpr int kThisProcess = -1;

// Which group, and who started it. The ranks meet with that process.
struct Invitation {
  Token group;
  Token process;
  int number = kThisProcess;  // of the process, where there is a transport
};

// Of the calling process, for its whole life.
const Token& this_process();

// A new one, by this process.
Invitation make_invitation();

HcclRootInfo to_root_info(const Invitation& invitation);

// Throws a Failure (HCCL_E_PARA) for bytes that to_root_info has not made.
Invitation from_root_info(const HcclRootInfo& info);

// The invitation to a group of some ranks of a group, the same for all who ask with equal
// arguments. They meet with the process of this number.
Invitation derive(const Invitation& parent, uint64_t number, const uint32_t* ranks, size_t count,
                  int process);

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_INVITATION_H_
