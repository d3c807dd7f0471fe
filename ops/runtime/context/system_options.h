// SPDX-License-Identifier: Apache-2.0
// The values of aclSysParamOpt, once for the process and once per context.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>

#include "acl/acl_rt.h"

namespace aclgrad::runtime {

class SystemOptions {
 public:
  static constexpr size_t kCount = 4;

  void set(aclSysParamOpt option, int64_t value) {
    const std::lock_guard lock(mutex_);
    values_.at(static_cast<size_t>(option)) = value;
  }

  // Nothing when it was never set.
  std::optional<int64_t> get(aclSysParamOpt option) const {
    const std::lock_guard lock(mutex_);
    return values_.at(static_cast<size_t>(option));
  }

 private:
  mutable std::mutex mutex_;
  std::array<std::optional<int64_t>, kCount> values_;
};

}  // namespace aclgrad::runtime
