// SPDX-License-Identifier: Apache-2.0
// The page about messages: one of each kind, as it really prints.
#ifndef ACLGRAD_TESTS_CONTRACT_MESSAGES_H_
#define ACLGRAD_TESTS_CONTRACT_MESSAGES_H_

#include <string>

#include "tests/contract/call.h"

namespace aclgrad::contract {

// The page docs/reference/messages.md. Processes, times and addresses are those of an example.
std::string messages_page(const Library& library);

}  // namespace aclgrad::contract

#endif  // ACLGRAD_TESTS_CONTRACT_MESSAGES_H_
