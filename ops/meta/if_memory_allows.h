// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_OPS_META_IF_MEMORY_ALLOWS_H_
#define ACLGRAD_OPS_META_IF_MEMORY_ALLOWS_H_

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

#endif  // ACLGRAD_OPS_META_IF_MEMORY_ALLOWS_H_
