// SPDX-License-Identifier: Apache-2.0
// The contracts of all operators, each written once. Those of a family stand in
// ops/<family>/contract.cpp and ops/<family>/*_contract.cpp.
#pragma once

#include "aclgrad_contract/operator.h"

namespace aclgrad::contract {

// Family after family.
const std::vector<Operator>& all_contracts();

// Throws std::invalid_argument.
const Operator& find_contract(std::string_view name);

// Those of all_contracts() that the reference lists under one title.
struct Family {
  Text title;
  std::span<const Operator> operators;
};

const std::vector<Family>& families();

}  // namespace aclgrad::contract
