// SPDX-License-Identifier: Apache-2.0
// How ranks that know nothing but the bytes of a root info become a group.
#ifndef ACLGRAD_OPS_HCCL_RENDEZVOUS_H_
#define ACLGRAD_OPS_HCCL_RENDEZVOUS_H_

#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>

#include "hccl/hccl_types.h"
#include "ops/hccl/group.h"

namespace aclgrad::hccl {

// 128 bits, of which no two are alike.
struct Token {
  std::array<uint64_t, 2> bits{};

  auto operator<=>(const Token&) const = default;
};

// What a root info says: which group, and who started it.
struct Invitation {
  Token group;
  Token process;
};

// A new one, by this process; that ranks can join once it is announced.
Invitation make_invitation();
void announce(const Invitation& invitation);

HcclRootInfo to_root_info(const Invitation& invitation);

// Throws a Failure (HCCL_E_PARA) for bytes that to_root_info has not made.
Invitation from_root_info(const HcclRootInfo& info);

// The invitation to a group of some ranks of a group, the same for all who ask with equal
// arguments.
Invitation derive(const Invitation& parent, uint64_t number, const uint32_t* ranks, size_t count);

// Joins the group as `rank` of `size`, and waits for the others. Throws a Failure: HCCL_E_PARA when
// ranks disagree on the size, two have the same number, or the group was made already;
// HCCL_E_TIMEOUT when somebody does not come.
std::shared_ptr<Group> join_group(const Invitation& invitation, uint32_t size, uint32_t rank,
                                  std::chrono::milliseconds patience);

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_RENDEZVOUS_H_
