// SPDX-License-Identifier: Apache-2.0
// What the environment says of the record (docs/how-to/records.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aclgrad::record {

struct Settings {
  std::string folder;                  // ACLGRAD_RECORD; empty: nothing is recorded
  std::vector<std::string> functions;  // ACLGRAD_RECORD_FUNCTIONS: names or globs; none: all
  uint64_t first = UINT64_MAX;         // ACLGRAD_RECORD_FIRST: of each function
  uint64_t every = 1;                  // ACLGRAD_RECORD_EVERY: each k-th call of a function
  uint64_t bytes = UINT64_MAX;         // ACLGRAD_RECORD_SIZE: of all contents; of the rest, hashes

  // Whether the bytes of a call are kept that is the `count`-th of its function, from 0.
  bool keeps(const char* function, uint64_t count) const;
};

// Read once. What cannot be understood is said on stderr, and nothing is recorded.
const Settings& settings();

// One sentence on stderr, which begins with "aclgrad record: "; `more` ends it.
void say(std::string_view sentence, std::string_view more = {}) noexcept;

}  // namespace aclgrad::record
