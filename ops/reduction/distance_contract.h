// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_OPS_REDUCTION_DISTANCE_CONTRACT_H_
#define ACLGRAD_OPS_REDUCTION_DISTANCE_CONTRACT_H_

#include "ops/contract/describe.h"

namespace aclgrad::contract {

void add_distances(std::vector<Operator>& all);

}  // namespace aclgrad::contract

#endif  // ACLGRAD_OPS_REDUCTION_DISTANCE_CONTRACT_H_
