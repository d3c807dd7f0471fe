// SPDX-License-Identifier: Apache-2.0
#include "ops/hccl/group.h"

#include <fmt/format.h>

namespace aclgrad::hccl {

std::string to_text(std::chrono::milliseconds time) {
  if (time.count() % 1000 == 0) return fmt::format("{} s", time.count() / 1000);
  return fmt::format("{} ms", time.count());
}

}  // namespace aclgrad::hccl
