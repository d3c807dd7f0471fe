// SPDX-License-Identifier: Apache-2.0
// The page about checks: what every operator refuses, in its order.
#pragma once

#include <string>

#include "tests/contract/call.h"

namespace aclgrad::reference {

// The page docs/reference/checks.md. Its comparison is the test of the order of checks.
std::string checks_page(const contract::Library& library);

}  // namespace aclgrad::reference
