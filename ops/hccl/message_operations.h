// SPDX-License-Identifier: Apache-2.0
// Operations between ranks by messages. Whatever moves how, reductions fold all ranks' elements in
// the tree of fold.h.
#ifndef ACLGRAD_OPS_HCCL_MESSAGE_OPERATIONS_H_
#define ACLGRAD_OPS_HCCL_MESSAGE_OPERATIONS_H_

#include "ops/hccl/exchange.h"
#include "ops/hccl/operation.h"

namespace aclgrad::hccl {

// Does the rank's part. Throws a Failure.
void carry_out(Exchange& exchange, const Operation& operation);

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_MESSAGE_OPERATIONS_H_
