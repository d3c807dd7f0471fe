// SPDX-License-Identifier: Apache-2.0
// The operator book: every operator described once. A family's entries stand in
// ops/contract/<family>.cpp.
#ifndef ACLGRAD_CONTRACT_BOOK_H_
#define ACLGRAD_CONTRACT_BOOK_H_

#include "aclgrad_contract/operator.h"

namespace aclgrad::contract {

// Operators that the reference lists under one title.
struct Family {
  Text title;
  std::vector<Operator> operators;
};

const std::vector<Family>& book();

// Throws std::invalid_argument.
const Operator& find_entry(std::string_view name);

}  // namespace aclgrad::contract

#endif  // ACLGRAD_CONTRACT_BOOK_H_
