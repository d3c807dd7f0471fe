// SPDX-License-Identifier: Apache-2.0
// How ranks that have an invitation become a group: each announces itself with the process that
// made the invitation, which tells all where all are.
#ifndef ACLGRAD_OPS_HCCL_RENDEZVOUS_H_
#define ACLGRAD_OPS_HCCL_RENDEZVOUS_H_

#include <chrono>
#include <cstdint>
#include <memory>

#include "ops/hccl/group.h"
#include "ops/hccl/invitation.h"

namespace aclgrad::hccl {

// From now on ranks may accept an invitation of this process, for one group.
void publish(const Invitation& invitation);

// Joins the group as `rank` of `size`, and waits for the others. Throws a Failure: HCCL_E_PARA when
// ranks disagree on the size, two have the same number, or the group was made already;
// HCCL_E_TIMEOUT when somebody does not come.
std::shared_ptr<Group> join_group(const Invitation& invitation, uint32_t size, uint32_t rank,
                                  std::chrono::milliseconds patience);

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_RENDEZVOUS_H_
