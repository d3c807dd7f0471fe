// SPDX-License-Identifier: Apache-2.0
// From a call to a task on a stream.
#ifndef ACLGRAD_OPS_HCCL_QUEUE_H_
#define ACLGRAD_OPS_HCCL_QUEUE_H_

#include "ops/hccl/checks.h"
#include "ops/hccl/operation.h"

namespace aclgrad::hccl {

// Numbers the operation and queues it, if all checks have passed; returns the status of the call.
HcclResult queue(const Checks& checks, aclrtStream stream, Operation operation);

}  // namespace aclgrad::hccl

#endif  // ACLGRAD_OPS_HCCL_QUEUE_H_
