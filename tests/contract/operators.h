// SPDX-License-Identifier: Apache-2.0
// Every operator of the operator book, one after the other.
// The tests of this folder loop over them: products and dtypes, messages, sizes that overflow,
// loading by name. Nothing here is linked with the operators: they are found by their names.
#ifndef ACLGRAD_TESTS_CONTRACT_OPERATORS_H_
#define ACLGRAD_TESTS_CONTRACT_OPERATORS_H_

#include "aclgrad_contract/book.h"

namespace aclgrad::contract {

const std::vector<Operator>& operators();
const Operator& find_operator(std::string_view name);

}  // namespace aclgrad::contract

#endif  // ACLGRAD_TESTS_CONTRACT_OPERATORS_H_
