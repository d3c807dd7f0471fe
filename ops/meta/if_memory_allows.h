// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

namespace aclgrad::ops {

// Runs what leaves messages, where an exception has nowhere to go: out of memory, the status alone
// has to do.
template <class Report>
void if_memory_allows(Report&& report) noexcept {
  try {
    report();
  } catch (const std::exception&) {
  }
}

}  // namespace aclgrad::ops
