// SPDX-License-Identifier: Apache-2.0
// The results as a table for the terminal, a CSV file and a document.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/prove/claims.h"

namespace aclgrad::prove {

using Outcomes = std::vector<std::pair<Claim, Findings>>;

std::string accuracy_table(const Outcomes& results);
std::string accuracy_csv(const Outcomes& results);

// `sample` as the run was asked for: 1 is everything.
std::string accuracy_document(const Outcomes& results, uint64_t sample);

}  // namespace aclgrad::prove
