// SPDX-License-Identifier: Apache-2.0
// The pages docs/reference/operators.md and operators.zh.md: every operator, with what its header,
// the library's own answers, the tests' tables and the measurements say of it.
#pragma once

#include "tests/contract/call.h"
#include "tests/reference/words.h"

namespace aclgrad::reference {

/// `root` is the folder of the repository. Throws std::runtime_error for an operator that the rows
/// of a table or its header leave out.
Text operator_pages(const contract::Library& library, const std::string& root);

}  // namespace aclgrad::reference
