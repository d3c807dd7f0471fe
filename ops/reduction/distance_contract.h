// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/contract/describe.h"

namespace aclgrad::contract {

void add_distances(std::vector<Operator>& all);

}  // namespace aclgrad::contract
