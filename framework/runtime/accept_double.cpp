// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/runtime/accept_double.h"

#include <cstdint>
#include <mutex>

#include "aclgrad/error.h"
#include "aclgrad_ext.h"

// Only our own library has them; null on others.
#pragma weak aclgradSetAcceptDouble
#pragma weak aclgradGetAcceptDouble

namespace aclgrad::detail {
namespace {

// The library's switch belongs to the process, so threads share one permission.
struct Permission {
  std::mutex mutex;
  int holders = 0;
  std::int32_t setting_before = 0;
};
Permission permission;

}  // namespace

bool AcceptDouble::is_available() noexcept {
  return aclgradSetAcceptDouble != nullptr && aclgradGetAcceptDouble != nullptr;
}

AcceptDouble::AcceptDouble() {
  if (!is_available()) {
    throw ValueError(
        "this operator library cannot compute in float64 wherever it does in float32 "
        "(aclgradSetAcceptDouble), as checks of gradients need");
  }
  const std::lock_guard lock(permission.mutex);
  if (permission.holders++ > 0) return;
  permission.setting_before = aclgradGetAcceptDouble();
  aclgradSetAcceptDouble(1);
}

AcceptDouble::~AcceptDouble() {
  const std::lock_guard lock(permission.mutex);
  if (--permission.holders == 0) aclgradSetAcceptDouble(permission.setting_before);
}

}  // namespace aclgrad::detail
