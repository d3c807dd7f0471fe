// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/contract/describe.h"

namespace aclgrad::contract {

// In fused_infer_contract.cpp.
void add_fused_infer(std::vector<Operator>& all);

}  // namespace aclgrad::contract
