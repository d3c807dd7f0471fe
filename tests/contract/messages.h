// SPDX-License-Identifier: Apache-2.0
// The page about messages: one of each kind, as it really prints.
#pragma once

#include <string>

#include "tests/contract/call.h"

namespace aclgrad::contract {

// The page docs/reference/messages.md. Processes, times and addresses are those of an example.
std::string messages_page(const Library& library);

}  // namespace aclgrad::contract
