// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/explanation.h"

#include <new>
#include <utility>

#include "aclgrad_ext.h"
#include "ops/runtime/thread_owned.h"

namespace aclgrad::runtime {
namespace {

// Null when the thread is over but for its last destructors.
std::string* words() { return ThreadOwned<std::string>::get(); }

}  // namespace

std::string take_explanation() {
  std::string* const mine = words();
  return mine == nullptr ? "" : std::exchange(*mine, {});
}

}  // namespace aclgrad::runtime

void aclgradExplainFailure(const char* reason) {
  try {
    if (auto* const mine = aclgrad::runtime::words()) *mine = reason == nullptr ? "" : reason;
  } catch (const std::bad_alloc&) {
    // The status alone has to do.
  }
}
