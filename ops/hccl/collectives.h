// SPDX-License-Identifier: Apache-2.0
// The operations of all ranks, each written once: a table says which bytes of which rank go where
// (Blocks in collectives.cpp), and a reduction joins what a rank gets in the order of reduce.h,
// whatever the transport.
#ifndef ACLGRAD_OPS_HCCL_COLLECTIVES_H_
#define ACLGRAD_OPS_HCCL_COLLECTIVES_H_

#include "ops/hccl/transport.h"

namespace aclgrad::hccl {

// Does the rank's part. Throws a Failure.
void carry_out(Transport& transport, const Operation& operation);

// How much work there is in all, in bytes.
uint64_t bytes_of(const Operation& operation, uint32_t ranks);

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_COLLECTIVES_H_
