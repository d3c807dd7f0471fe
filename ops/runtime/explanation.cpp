// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/explanation.h"

#include <new>
#include <utility>

#include "aclgrad_ext.h"

namespace aclgrad::runtime {
namespace {

std::string& words() {
  thread_local std::string text;
  return text;
}

}  // namespace

std::string take_explanation() { return std::exchange(words(), {}); }

}  // namespace aclgrad::runtime

void aclgradExplainFailure(const char* reason) {
  try {
    aclgrad::runtime::words() = reason == nullptr ? "" : reason;
  } catch (const std::bad_alloc&) {
    // The status alone has to do.
  }
}
