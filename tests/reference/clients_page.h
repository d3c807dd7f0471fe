// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/contract/functions.h"

namespace aclgrad::reference {

// The page docs/clients.md: what of the operators that programs call (clients.txt) the headers
// declare. The end of the page that is there, from "## Tried" on, is written by hand and stays.
std::string clients_page(const std::vector<contract::Declaration>& declared,
                         const std::string& root);

}  // namespace aclgrad::reference
